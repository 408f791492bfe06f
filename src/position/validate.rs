//! What makes a position possible.

use super::{Position, other_side, other_side_set};
use crate::rules::Game;
use crate::types::NUM_CHECKERS;

/// Why a position can't occur in a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The number of checkers is not 15.
    #[error("{side} must have 15 checkers in all, found {found}")]
    CheckerCount {
        /// `own` or `opp`.
        side: &'static str,
        /// The number found.
        found: u32,
    },
    /// Both sides on one point.
    #[error("own point {point} holds checkers of both sides (opponent's point {opp_point})")]
    SharedPoint {
        /// In the numbering of the side on roll.
        point: u8,
        /// The same in the opponent's numbering.
        opp_point: u8,
    },
    /// A checker on the bar in long nardy.
    #[error("long nardy has no bar, found {found} checker(s) of {side} on it")]
    BarInLong {
        /// `own` or `opp`.
        side: &'static str,
        /// The number found.
        found: u8,
    },
}

impl Position {
    /// Checks that the position can stand on a board of the game: 15 checkers a side, no point shared, no bar in long
    /// nardy.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(self, game: Game) -> Result<(), PositionError> {
        for (side, checkers) in [("own", self.us), ("opp", self.them)] {
            let found: u32 = checkers.counts().iter().map(|&n| u32::from(n)).sum();
            if found != u32::from(NUM_CHECKERS) || checkers.0 >> 104 != 0 {
                return Err(PositionError::CheckerCount { side, found });
            }
            if game == Game::Long && checkers.bar() > 0 {
                return Err(PositionError::BarInLong { side, found: checkers.bar() });
            }
        }
        let shared = self.us.occupied().0 & other_side_set(game, self.them.occupied()).0;
        if shared != 0 {
            let point = shared.trailing_zeros() as u8;
            return Err(PositionError::SharedPoint { point, opp_point: other_side(game, point) });
        }
        Ok(())
    }
}
