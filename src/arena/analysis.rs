//! Decisions of a finished game judged by a reference model: what each cost, and the luck of the dice.

use super::luck::LuckMeter;
use super::stats::{Estimate, Interval, Level};
use crate::eval::{Evaluator, equity};
use crate::game::{ByColor, Color, GameRecord, GameState, RecordError, Turn};
use crate::movegen::legal_plays;
use crate::position::Position;
use crate::rollout::{self, Roller};
use crate::rules::Opening;
use crate::search::{Limits, Searcher};
use crate::types::{Roll, Steps};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// From this loss on, in points, a decision counts as an error.
pub const ERROR: f64 = 0.02;
/// From this loss on, in points, an error counts as a blunder.
pub const BLUNDER: f64 = 0.08;

/// A choice that a player had, as the reference sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Who chose.
    pub color: Color,
    /// Which turn of the game, counted from 1.
    pub turn: usize,
    /// The position before the play, seen by the mover.
    pub position: Position,
    /// The dice.
    pub roll: Roll,
    /// What was played.
    pub played: Steps,
    /// What the reference would have played.
    pub best: Steps,
    /// Equity of the best play for the mover, in points.
    pub equity: f64,
    /// What the play cost against the best one, in points; 0 or more.
    pub loss: f64,
    /// What the best of the other plays would cost, in points; 0 or more.
    pub second: f64,
}

/// Judges games by a reference model.
#[derive(Debug)]
pub struct Analyst {
    meter: LuckMeter,
    /// Looks so many plies ahead to judge decisions; luck is always measured without.
    searcher: Option<(Searcher, u32)>,
}

impl Analyst {
    /// An analyst that values plays with `evaluator`.
    pub fn new(evaluator: Evaluator) -> Analyst {
        Analyst { meter: LuckMeter::new(evaluator), searcher: None }
    }

    /// Judges decisions by looking that many plies ahead. A play that the search left at a lower depth is judged there.
    #[must_use]
    pub fn looking_ahead(self, searcher: Searcher, plies: u32) -> Analyst {
        Analyst { searcher: Some((searcher, plies)), ..self }
    }

    /// Hands every decision (turns with two plays or more) of a game to `visit`. With `luck`, returns White's luck less
    /// Black's in points, which takes twenty times as long; without, 0.
    ///
    /// # Errors
    /// If the record can't be replayed.
    pub fn game(
        &mut self,
        record: &GameRecord,
        luck: bool,
        mut visit: impl FnMut(&Decision),
    ) -> Result<f64, RecordError> {
        let thrown_opening = record.rules.opening == Opening::UseOpeningDice;
        let (mut total, mut number) = (0.0, 0);
        record.replay_with(|game, turn| {
            number += 1;
            if luck {
                let no_doubles = number == 1 && thrown_opening;
                let rolls = Roll::ALL.into_iter().filter(|roll| !(no_doubles && roll.is_double()));
                let of_roll = self.meter.of_roll(game.position(), turn.roll, rolls);
                total += if game.turn() == Color::White { of_roll } else { -of_roll };
            }
            if game.plays().len() > 1 {
                visit(&self.judge(game, turn, number));
            }
        })?;
        Ok(total)
    }

    fn judge(&mut self, game: &GameState, turn: Turn, number: usize) -> Decision {
        let (position, plays) = (game.position(), game.plays());
        let played = index_of(game, turn);
        let (best, equity, loss, second) = match &mut self.searcher {
            Some((searcher, plies)) => {
                let ranking = searcher.rank(position, plays, &Limits::depth(*plies));
                let best = ranking.plays[0];
                let lost = ranking.plays.iter().find(|ranked| Some(ranked.index) == played).map_or(0.0, |r| r.loss);
                let second = ranking.plays.get(1).map_or(0.0, |ranked| ranked.loss);
                (best.index, f64::from(best.equity), f64::from(lost), f64::from(second))
            }
            None => {
                let evaluator = self.meter.evaluator();
                let points = *evaluator.points();
                let outcomes = evaluator.evaluate_results(position, plays.positions());
                let value = |index: usize| f64::from(equity(&outcomes[index], &points));
                // The first of equals, as models choose.
                let best =
                    (1..plays.len()).fold(0, |best, index| if value(index) > value(best) { index } else { best });
                let others = (0..plays.len()).filter(|&index| index != best).map(value);
                let second = value(best) - others.fold(f64::NEG_INFINITY, f64::max);
                (best, value(best), value(best) - value(played.unwrap_or(best)), second)
            }
        };
        Decision {
            color: game.turn(),
            turn: number,
            position,
            roll: turn.roll,
            // As it is listed, not as it was written.
            played: played.map_or(turn.steps, |played| plays.steps(played)),
            best: plays.steps(best),
            equity,
            loss,
            second,
        }
    }
}

/// A decision judged by a rollout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolledDecision {
    /// The play that came out best.
    pub best: Steps,
    /// What it is worth to the mover, in points.
    pub equity: rollout::Estimate,
    /// What the play that was made cost against it, in points; 0 or more.
    pub loss: rollout::Estimate,
}

impl RolledDecision {
    /// Rolls out the play that was made, the one that the reference would have made, and at most `most` of those that lose no
    /// more than `within` points at 2-ply. `None` if it was stopped.
    pub fn of(
        decision: &Decision,
        roller: &mut Roller,
        (most, within): (usize, f32),
        stopped: &dyn Fn() -> bool,
    ) -> Option<RolledDecision> {
        let Decision { position, roll, played, best, .. } = *decision;
        let plays = legal_plays(position, roll, roller.rules());
        let mut numbers = roller.choose(position, &plays, 2, most, within);
        let number = |steps: Steps| plays.iter().position(|play| play.steps == steps);
        let made = number(played);
        for number in [made, number(best)].into_iter().flatten() {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        let rolled = roller.plays_until(&plays, &numbers, stopped, &mut |_| ControlFlow::Continue(()));
        if !rolled.finished {
            return None;
        }
        let best = rolled.candidates.first()?;
        let mut loss = rolled.candidates.iter().find(|play| Some(play.index) == made)?.loss;
        loss.mean = loss.mean.max(0.0);
        Some(RolledDecision { best: plays.steps(best.index), equity: best.equity, loss })
    }
}

/// The number of the play that a turn made, in whatever order its steps are written.
fn index_of(game: &GameState, turn: Turn) -> Option<usize> {
    let plays = game.plays();
    if let Some(index) = plays.iter().position(|play| play.steps == turn.steps) {
        return Some(index);
    }
    let mover = game.turn();
    let mut after = game.clone();
    after.play(turn.steps).ok()?;
    let reached = after.position_of(mover);
    plays.positions().iter().position(|&position| position == reached)
}

/// Equity lost by a player, added up over independent units (pairs, or games).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LossStats {
    units: u64,
    loss: f64,
    decisions: f64,
    loss_squared: f64,
    cross: f64,
    decisions_squared: f64,
    errors: u64,
    blunders: u64,
}

/// What a player lost in one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitLoss {
    /// Decisions.
    pub decisions: u64,
    /// Their loss, in points.
    pub loss: f64,
    /// Decisions that lost [`ERROR`] or more.
    pub errors: u64,
    /// Decisions that lost [`BLUNDER`] or more.
    pub blunders: u64,
}

impl UnitLoss {
    /// Adds a decision.
    pub fn add(&mut self, loss: f64) {
        self.decisions += 1;
        self.loss += loss;
        self.errors += u64::from(loss >= ERROR);
        self.blunders += u64::from(loss >= BLUNDER);
    }

    /// Judges a decision that was added with the loss `before` anew.
    pub fn replace(&mut self, before: f64, loss: f64) {
        self.loss += loss - before;
        self.errors = self.errors + u64::from(loss >= ERROR) - u64::from(before >= ERROR);
        self.blunders = self.blunders + u64::from(loss >= BLUNDER) - u64::from(before >= BLUNDER);
    }
}

impl LossStats {
    /// Adds a unit.
    pub fn push(&mut self, unit: &UnitLoss) {
        let n = unit.decisions as f64;
        self.units += 1;
        self.loss += unit.loss;
        self.decisions += n;
        self.loss_squared += unit.loss * unit.loss;
        self.cross += unit.loss * n;
        self.decisions_squared += n * n;
        self.errors += unit.errors;
        self.blunders += unit.blunders;
    }

    /// Adds all units of another player or pairing.
    pub fn merge(&mut self, other: &LossStats) {
        self.units += other.units;
        self.loss += other.loss;
        self.decisions += other.decisions;
        self.loss_squared += other.loss_squared;
        self.cross += other.cross;
        self.decisions_squared += other.decisions_squared;
        self.errors += other.errors;
        self.blunders += other.blunders;
    }

    /// Units added.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Decisions judged.
    pub fn decisions(&self) -> u64 {
        self.decisions as u64
    }

    /// Decisions that lost [`ERROR`] or more.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// Decisions that lost [`BLUNDER`] or more.
    pub fn blunders(&self) -> u64 {
        self.blunders
    }

    /// Mean loss per decision in points. Decisions of one unit hang together, so the interval is that of a ratio over
    /// units.
    pub fn estimate(&self, level: Level) -> Option<Estimate> {
        if self.decisions <= 0.0 {
            return None;
        }
        let (mean, n) = (self.loss / self.decisions, self.units as f64);
        let spread = self.loss_squared - 2.0 * mean * self.cross + mean * mean * self.decisions_squared;
        let std_error = (self.units > 1).then(|| (spread.max(0.0) * n / (n - 1.0)).sqrt() / self.decisions);
        let interval = std_error.zip(level.t(n - 1.0)).map(|(error, t)| Interval::around(mean, t * error));
        Some(Estimate { units: self.units, mean, std_error, interval })
    }
}

/// Losses of both players of a unit.
pub type UnitLosses = ByColor<UnitLoss>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Model, ModelPlayer, PipsPlayer};
    use crate::features::Layout;
    use crate::game::play_game;
    use crate::net::NetWeights;
    use crate::rules::Rules;
    use crate::search::{SearchPlayer, SearchSettings};
    use std::sync::Arc;

    fn evaluator() -> Evaluator {
        let net = NetWeights::random(&[Layout::Points.num_inputs(), 16, 6], 3).unwrap();
        let model = Model::of_net(&net, Layout::Points, Rules::SHORT).unwrap();
        Evaluator::new(Arc::new(model), Rules::SHORT).unwrap()
    }

    #[test]
    fn a_player_that_is_the_reference_loses_nothing_and_another_one_does() {
        let (mut model, mut pips) = (ModelPlayer::new("m", evaluator()), PipsPlayer);
        let mut seats = ByColor { white: &mut model as &mut dyn crate::game::Player, black: &mut pips };
        let record = play_game(&mut seats, &Rules::SHORT, 5, false).unwrap();
        let mut losses = UnitLosses::default();
        let mut analyst = Analyst::new(evaluator());
        let visit = |decision: &Decision| losses[decision.color].add(decision.loss);
        let luck = analyst.game(&record, true, visit).unwrap();
        assert_eq!(losses.white.loss, 0.0);
        assert!(losses.black.loss > 0.1 && losses.white.decisions > 5, "{losses:?}");
        assert_eq!(luck, LuckMeter::new(evaluator()).of_game(&record).unwrap());
        assert_eq!(analyst.game(&record, false, |_| {}).unwrap(), 0.0);
    }

    #[test]
    fn a_player_that_looks_ahead_loses_nothing_to_a_reference_that_looks_as_far() {
        let searcher = || {
            let model = evaluator().model().clone();
            Searcher::new(model, None, Rules::SHORT, SearchSettings::default().single_thread()).unwrap()
        };
        let (mut ahead, mut here) = (SearchPlayer::new("a", searcher(), 1), ModelPlayer::new("b", evaluator()));
        let mut seats = ByColor { white: &mut ahead as &mut dyn crate::game::Player, black: &mut here };
        let record = play_game(&mut seats, &Rules::SHORT, 5, false).unwrap();
        let mut losses = UnitLosses::default();
        let visit = |decision: &Decision| losses[decision.color].add(decision.loss);
        Analyst::new(evaluator()).looking_ahead(searcher(), 1).game(&record, false, visit).unwrap();
        assert_eq!(losses.white.loss, 0.0);
        assert!(losses.black.loss > 0.0, "{losses:?}");
    }

    #[test]
    fn the_interval_of_the_loss_is_that_of_a_ratio() {
        // Worked by hand: losses 1, 2, 6 in 2, 2, 4 decisions; mean 9/8; residuals -1.25, -0.25, 1.5.
        let mut stats = LossStats::default();
        for (loss, decisions) in [(1.0, 2), (2.0, 2), (6.0, 4)] {
            stats.push(&UnitLoss { decisions, loss, errors: 1, blunders: 0 });
        }
        let estimate = stats.estimate(Level::P95).unwrap();
        assert_eq!((estimate.mean, stats.decisions(), stats.errors(), stats.blunders()), (1.125, 8, 3, 0));
        let expected = ((1.25f64.powi(2) + 0.25f64.powi(2) + 1.5f64.powi(2)) * 3.0 / 2.0).sqrt() / 8.0;
        assert!((estimate.std_error.unwrap() - expected).abs() < 1e-12);
        assert_eq!(LossStats::default().estimate(Level::P95), None);
    }
}
