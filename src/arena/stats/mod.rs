//! Match statistics: numbers in, numbers out.
//!
//! This module knows nothing of boards, bots or threads. It is told how games ended and says how
//! much better one player is, how sure that is, and when enough games have been played.
//!
//! * The **pair** (two games on the same dice with the seats swapped) is the independent unit of
//!   every interval, because the two games of a pair share their luck.
//! * Everything is from the point of view of the **first-named player, A**; points are what A won
//!   (positive) or lost (negative).
//! * Accumulators are small, can be saved with serde and carry on to the same bits. Results that
//!   arrive from threads in any order pass through [`InOrder`], so the outcome does not depend on
//!   the number of threads.
//!
//! `docs/statistics.md` says what each number means and when to trust it.
//!
//! ```
//! use nardy::arena::stats::{Ending, GameResult, Level, PairResult, PairStats};
//!
//! let mut stats = PairStats::default();
//! for _ in 0..3 {
//!     let won = GameResult::new(2.0, Ending::WinMars, None)?;
//!     let lost = GameResult::new(-1.0, Ending::LoseOin, None)?;
//!     stats.push(&PairResult::new(won, lost));
//! }
//! let report = stats.report(Level::P95);
//! assert_eq!(report.mean.mean, 0.5);
//! assert_eq!(report.win.value, 0.5);
//! # Ok::<(), nardy::arena::stats::StatsError>(())
//! ```

mod error;
mod estimate;
mod in_order;
mod luck;
mod match_stats;
mod moments;
mod paired;
pub mod rating;
mod sprt;
#[cfg(test)]
mod tests;

pub use error::StatsError;
pub use estimate::{Estimate, Interval, Level, pairs_needed, wilson};
pub use in_order::{Fold, InOrder};
pub use luck::{LuckReport, LuckStats, Regression};
pub use match_stats::{MatchReport, MatchStats};
pub use moments::Moments;
pub use paired::{EloEstimate, Ending, GameResult, PairReport, PairResult, PairStats, Rate};
pub use sprt::{
    Decision, Hypotheses, Sprt, SprtSpec, SprtStatus, Verdict, elo_of_score, pentanomial_llr, points_llr, score_of_elo,
};
