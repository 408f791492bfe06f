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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Model;
    use crate::features::Layout;
    use crate::movegen::legal_plays;
    use crate::net::NetWeights;
    use crate::rules::{Game, Rules};
    use std::sync::Arc;

    /// The reason why luck-adjusted results are unbiased with any reference, here one that knows nothing.
    #[test]
    fn the_luck_of_all_rolls_of_a_position_adds_up_to_nothing() {
        for (rules, layout) in [(Rules::SHORT, Layout::Short), (Rules::LONG, Layout::Long)] {
            let net = NetWeights::random(&[layout.num_inputs(), 8, 6], 5).unwrap();
            let model = Arc::new(Model::of_net(&net, layout, rules).unwrap());
            let evaluator = Evaluator::new(model, rules).unwrap().with_exact_endings();
            let mut meter = LuckMeter::new(evaluator);
            let mut position = Position::start(rules.game);
            for turn in 0..60 {
                // The first turn of a game has no doubles.
                let rolls = || Roll::ALL.into_iter().filter(|roll| turn > 0 || !roll.is_double());
                let sum: f64 =
                    rolls().map(|roll| f64::from(roll.weight()) * meter.of_roll(position, roll, rolls())).sum();
                assert!(sum.abs() < 1e-9, "{:?} turn {turn}: {sum}", rules.game);
                let plays = legal_plays(position, Roll::ALL[turn * 8 % 21], &rules);
                position = plays.positions()[turn % plays.len()].swapped();
                if position.is_over() {
                    break;
                }
            }
            assert_ne!(position, Position::start(Game::Short));
        }
    }
}
