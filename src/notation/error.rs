//! What can be wrong with the text of a play.

use super::LegsError;
use crate::types::Roll;

/// Why a text is no legal play of a roll.
///
/// Legs are quoted as they were written; `point`s are named in the numbering the text was read in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayTextError {
    /// The text is no list of legs.
    #[error(transparent)]
    Legs(#[from] LegsError),
    /// An empty text where a pass must be said.
    #[error("expected a play such as `{example}`, found nothing")]
    Nothing {
        /// A legal play, or `pass` if that is the only one.
        example: String,
    },
    /// A pass with a roll that can be played.
    #[error("the roll {roll} can be played, so passing is not allowed; one play is `{example}`")]
    MustPlay {
        /// The roll.
        roll: Roll,
        /// A legal play.
        example: String,
    },
    /// The bar of long nardy.
    #[error("`{leg}`: long nardy has no bar")]
    NoBar {
        /// The leg.
        leg: String,
    },
    /// A hit of long nardy.
    #[error("`{leg}`: nothing is ever hit in long nardy")]
    NoHits {
        /// The leg.
        leg: String,
    },
    /// A hit mark where nothing is hit.
    #[error("`{leg}` is marked as a hit, but no single enemy checker stands there")]
    NotAHit {
        /// The leg.
        leg: String,
    },
    /// No own checker to move.
    #[error("`{leg}`: the mover has no checker on {point} to move")]
    NoChecker {
        /// The leg.
        leg: String,
        /// Where a checker is missing.
        point: String,
    },
    /// No way to make the legs with the dice.
    #[error("the dice {roll} can't make `{legs}`")]
    NotThoseDice {
        /// The leg that no dice make, or all of them if each could be made alone.
        legs: String,
        /// The roll.
        roll: Roll,
    },
    /// The landing is held by the opponent.
    #[error("`{leg}`: {point} is blocked by the opponent")]
    Blocked {
        /// The leg.
        leg: String,
        /// The landing.
        point: String,
    },
    /// A checker waits on the bar.
    #[error("`{leg}`: the checker on the bar must enter first")]
    BarFirst {
        /// The leg.
        leg: String,
    },
    /// Bearing off too early.
    #[error("`{leg}`: nothing can be borne off while a checker is outside the home, on {point}")]
    NotHome {
        /// The leg.
        leg: String,
        /// The farthest checker.
        point: String,
    },
    /// Bearing off from below the die.
    #[error("`{leg}`: a {die} can't bear this checker off while there is one on {point}")]
    HigherChecker {
        /// The leg.
        leg: String,
        /// The die.
        die: u8,
        /// The farthest checker.
        point: String,
    },
    /// The head rule of long nardy (1.4).
    #[error("`{leg}`: the head rule lets {limit} checker(s) leave {point} in this turn")]
    Head {
        /// The leg.
        leg: String,
        /// How many may leave.
        limit: u8,
        /// The head.
        point: String,
    },
    /// The block rule of long nardy (1.6).
    #[error("`{leg}`: the block rule forbids the row {row}")]
    Block {
        /// The leg.
        leg: String,
        /// The points of the row, in the direction in which the opponent moves.
        row: String,
    },
    /// `max_point` of short nardy.
    #[error("`{leg}`: {point} has {limit} checkers already, the most these rules allow")]
    FullPoint {
        /// The leg.
        leg: String,
        /// The landing.
        point: String,
        /// The limit.
        limit: u8,
    },
    /// The option `must_off`.
    #[error("`{leg}`: a checker can be borne off with the {die}, so these rules demand it")]
    MustBearOff {
        /// The leg.
        leg: String,
        /// The die.
        die: u8,
    },
    /// The roll allows a play with more dice (1.5).
    #[error(
        "`{legs}` uses {used} of the dice {roll}, but {needed} can be played and must be; one such play is `{example}`"
    )]
    UseMoreDice {
        /// The text.
        legs: String,
        /// The roll.
        roll: Roll,
        /// Dice the text uses.
        used: usize,
        /// Dice a legal play uses.
        needed: usize,
        /// A legal play.
        example: String,
    },
    /// Only one of the dice can be played, and it must be the larger one (1.5).
    #[error(
        "`{legs}` uses the smaller die; if either die of {roll} can be played but not both, it must be the {die}; one such play is `{example}`"
    )]
    LargerDie {
        /// The text.
        legs: String,
        /// The roll.
        roll: Roll,
        /// The larger die.
        die: u8,
        /// A legal play.
        example: String,
    },
    /// Two legal plays that hit different checkers on the way.
    #[error("`{text}` can mean {readings}; name the points between or mark the hits with `*`")]
    Ambiguous {
        /// The text.
        text: String,
        /// The plays it could be.
        readings: String,
    },
}
