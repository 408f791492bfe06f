//! Games: dice, players' colours, results, and how games follow each other in matches.

mod color;
mod dice;
mod json;
mod lot;
mod mat;
mod outcome;
mod player;
mod record;
mod session;
mod state;

pub use color::{ByColor, Color};
pub use dice::{AskedDice, DiceSource, ParseDiceError, ScriptedDice, SeededDice, SwappedDice, Throw, seed_for_game};
pub use json::read_games;
pub(crate) use lot::below;
#[cfg(feature = "cli")]
pub(crate) use lot::draw_to_front;
pub use outcome::{NUM_OUTCOMES, Outcome, WinKind, outcome_index, outcome_points, possible_outcomes};
pub use player::{PlayError, Player, Seats, play_game, play_match, play_out, play_pair};
pub use record::{GameRecord, MatchRecord, RecordError, Turn};
pub use session::{Goal, Match, MatchError};
pub use state::{GameError, GameResult, GameState};
