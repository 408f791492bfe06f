//! What can be wrong with numbers handed to the statistics.

use thiserror::Error;

/// A request the statistics cannot answer, with what was expected and what came.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StatsError {
    /// A number that would poison every later sum.
    #[error("{what} must be a finite number of at most {limit} in size, got {got}")]
    OutOfRange {
        /// The name of the number.
        what: &'static str,
        /// The largest absolute value taken.
        limit: f64,
        /// The value that came.
        got: f64,
    },
    /// A confidence level outside (0, 1).
    #[error("a confidence level lies strictly between 0 and 1, got {got}")]
    Level {
        /// The value that came.
        got: f64,
    },
    /// An error probability of an SPRT outside (0, 0.5).
    #[error("{what} of an SPRT lies strictly between 0 and 0.5, got {got}")]
    ErrorRate {
        /// `alpha` or `beta`.
        what: &'static str,
        /// The value that came.
        got: f64,
    },
    /// Both hypotheses of an SPRT are the same.
    #[error("the two hypotheses of an SPRT must differ, both are {both}")]
    SameHypotheses {
        /// The common value.
        both: f64,
    },
    /// The result of one index came twice.
    #[error("result {index} came twice (next expected: {next})")]
    Repeated {
        /// The index that came again.
        index: u64,
        /// The first index not yet taken into account.
        next: u64,
    },
    /// A pairing names a player that does not exist.
    #[error("pairing names player {player}, but there are {players} players (numbered from 0)")]
    UnknownPlayer {
        /// The number that came.
        player: usize,
        /// How many players there are.
        players: usize,
    },
    /// A pairing of a player with itself.
    #[error("a pairing needs two different players, got player {player} twice")]
    SamePlayer {
        /// The player.
        player: usize,
    },
    /// A standard error that is not above zero, so the pairing would weigh infinitely much.
    #[error("the standard error of pairing {a}-{b} must be finite and above 0, got {got}")]
    StandardError {
        /// First player.
        a: usize,
        /// Second player.
        b: usize,
        /// The value that came.
        got: f64,
    },
    /// A count of wins that is negative or not finite.
    #[error("wins of pairing {a}-{b} must be finite and not negative, got {got}")]
    Wins {
        /// First player.
        a: usize,
        /// Second player.
        b: usize,
        /// The value that came.
        got: f64,
    },
    /// A weight that is not above zero.
    #[error("the weight of pairing {a}-{b} must be finite and above 0, got {got}")]
    Weight {
        /// First player.
        a: usize,
        /// Second player.
        b: usize,
        /// The value that came.
        got: f64,
    },
    /// No pairing shows any spread, so no interval can be given.
    #[error("no pairing has two results that differ: the spread cannot be estimated")]
    NoSpread,
    /// Some players beat others every time: their distance has no finite estimate.
    #[error(
        "no finite Bradley-Terry rating: between the groups {groups:?} one side won every game; \
         play more games or set virtual_wins above 0"
    )]
    Unbounded {
        /// Players that do have a finite distance to each other.
        groups: Vec<Vec<usize>>,
    },
    /// The iteration did not settle.
    #[error("the fit did not settle within {iterations} iterations (last change {change})")]
    NotConverged {
        /// Iterations done.
        iterations: usize,
        /// Largest relative change of a strength in the last one.
        change: f64,
    },
    /// The weight matrix is too badly scaled to be inverted.
    #[error("the weights of the pairings span too wide a range to be solved for")]
    IllConditioned,
}
