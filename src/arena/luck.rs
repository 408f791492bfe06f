//! The luck of a game's dice: for every roll, the value after the best play less the mean over the rolls there could
//! have been, by one reference model. Subtracting it from the points leaves the expectation alone and takes most of the
//! spread away.

use crate::eval::{Evaluator, equity};
use crate::game::{Color, GameRecord, RecordError};
use crate::movegen::{PlayList, legal_plays_into};
use crate::position::Position;
use crate::rules::Opening;
use crate::types::Roll;

/// Measures luck with a reference model.
#[derive(Debug)]
pub struct LuckMeter {
    evaluator: Evaluator,
    plays: PlayList,
}

impl LuckMeter {
    /// A meter that values positions with `evaluator`.
    pub fn new(evaluator: Evaluator) -> LuckMeter {
        LuckMeter { evaluator, plays: PlayList::new() }
    }

    /// What it values positions with.
    pub(super) fn evaluator(&mut self) -> &mut Evaluator {
        &mut self.evaluator
    }

    /// Luck of one roll for the side that threw it, in points; 0 on average over `rolls`.
    pub fn of_roll(&mut self, position: Position, roll: Roll, rolls: impl Iterator<Item = Roll>) -> f64 {
        let (mut sum, mut weight, mut thrown) = (0.0, 0.0, 0.0);
        for possible in rolls {
            let value = self.best(position, possible);
            sum += f64::from(possible.weight()) * value;
            weight += f64::from(possible.weight());
            if possible == roll {
                thrown = value;
            }
        }
        thrown - sum / weight
    }

    fn best(&mut self, position: Position, roll: Roll) -> f64 {
        let rules = *self.evaluator.rules();
        legal_plays_into(position, roll, &rules, &mut self.plays);
        let (_, chances) = self.evaluator.best_play(position, &self.plays);
        f64::from(equity(&chances, self.evaluator.points()))
    }

    /// White's luck less Black's over a whole game, in points.
    ///
    /// # Errors
    /// If the record can't be replayed.
    pub fn of_game(&mut self, record: &GameRecord) -> Result<f64, RecordError> {
        let thrown_opening = record.rules.opening == Opening::UseOpeningDice;
        let (mut luck, mut first) = (0.0, true);
        record.replay_with(|game, turn| {
            let no_doubles = first && thrown_opening;
            let rolls = Roll::ALL.into_iter().filter(|roll| !(no_doubles && roll.is_double()));
            let of_roll = self.of_roll(game.position(), turn.roll, rolls);
            luck += if game.turn() == Color::White { of_roll } else { -of_roll };
            first = false;
        })?;
        Ok(luck)
    }
}
