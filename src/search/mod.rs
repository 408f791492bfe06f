//! Looking ahead: what the plays of a roll are worth once the rolls and replies that may follow are taken into account.
//!
//! Plies are counted as GNU Backgammon does. **0-ply**: each result of the roll is valued as the network sees it. **1-ply**:
//! the mean over the opponent's 21 rolls, each followed by its best reply, of what the network makes of *those* positions.
//! **2-ply** adds the mover's next roll, **3-ply** the opponent's after that. Replies inside the tree are chosen at 0-ply.
//!
//! The plays of a ply are sorted, and only the best of them ([`SearchSettings::plies`]) are looked at one ply deeper. With
//! a second, small network as filter, most replies inside the tree are never shown to the large one
//! ([`SearchSettings::tree`]).
//!
//! A ranking does not depend on the number of threads, nor on what was searched before: positions are evaluated so that
//! their value has the same bits in any company ([`crate::eval::Evaluator::evaluate_each`]), so the cache that all threads share can
//! only save time, and sums are taken in a fixed order.
//!
//! # Examples
//! ```
//! use nardy::eval::Model;
//! use nardy::features::Layout;
//! use nardy::net::NetWeights;
//! use nardy::search::{Limits, SearchSettings, Searcher};
//! use nardy::{movegen::legal_plays, position::Position, rules::Rules, types::Roll};
//! use std::sync::Arc;
//!
//! let net = NetWeights::random(&[Layout::Short.num_inputs(), 16, 6], 1)?; // knows nothing yet
//! let model = Arc::new(Model::of_net(&net, Layout::Short, Rules::SHORT)?);
//! let mut searcher = Searcher::new(model, None, Rules::SHORT, SearchSettings::default())?;
//! let (position, roll) = (Position::SHORT_START, Roll::new(3, 1).unwrap());
//! let plays = legal_plays(position, roll, &Rules::SHORT);
//! let ranking = searcher.rank(position, &plays, &Limits::depth(1));
//! assert_eq!(ranking.plays.len(), 16);
//! println!("{} for {:+.3} points", plays.steps(ranking.plays[0].index), ranking.plays[0].equity);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod control;
mod player;
mod ranking;
mod settings;
mod tree;

pub use crate::eval::Keep;
pub use control::Limits;
pub use player::SearchPlayer;
pub use ranking::{Ranked, Ranking, Searcher};
pub use settings::{MAX_DEPTH, SearchSettings};
pub use tree::{Replies, Reply};

#[cfg(test)]
mod tests;
