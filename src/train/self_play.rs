//! Self-play: games of the net against itself, each from its own seed, so that a round gives the same games whatever
//! the number of threads.

use crate::eval::{Evaluator, Keep, Model, ModelError, Outcomes, best_of, equity};
use crate::game::{NUM_OUTCOMES, SeededDice, below, outcome_index, possible_outcomes, seed_for_game};
use crate::movegen::{PlayList, legal_plays_into};
use crate::position::Position;
use crate::rules::{Opening, Rules};
use crate::types::{Roll, Steps};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A game longer than this is broken off and not learned from; random nets rarely need more than 1,000 plies.
const MAX_PLIES: usize = 5_000;

/// One ply of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedPly {
    /// The position before the throw, seen by the side on roll.
    pub position: Position,
    /// The throw.
    pub roll: Roll,
    /// What was played.
    pub steps: Steps,
    /// The net's chances for the side on roll in `position`.
    pub value: Outcomes,
    /// Outcomes possible in `position`, bit by bit.
    pub mask: u8,
}

/// A finished game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayedGame {
    /// Its number in the run; with the base seed it gives the game's own seed.
    pub number: u64,
    /// The plies from the first one that the net chose.
    pub plies: Vec<PlayedPly>,
    /// The outcome (0 to 5) for the side on roll in the last ply; `None` if the game was broken off.
    pub outcome: Option<usize>,
}

/// What games start from and how they are played.
#[derive(Clone, Debug)]
pub struct SelfPlay {
    /// Base seed of the run.
    pub seed: u64,
    /// Up to this many plies at the start of a game are played at random and not learned from.
    pub random_plies: u32,
    /// Start positions seen by the side on roll; empty = the game's start position.
    pub starts: Vec<Position>,
    /// Which plays are shown to the net, if not all.
    pub filter: Option<PlayFilter>,
    /// Positions where both sides bear off are valued by tables instead of the net.
    pub exact_endings: bool,
}

/// Shows the net only the plays that a cheaper model thinks best.
#[derive(Clone, Debug)]
pub struct PlayFilter {
    /// The cheaper model.
    pub model: Arc<Model>,
    /// Which plays are shown, by the cheaper model's equities.
    pub keep: Keep,
}

/// A thread's tools for playing.
#[derive(Debug)]
pub struct Worker {
    evaluator: Evaluator,
    filter: Option<(Evaluator, Keep)>,
    plays: PlayList,
    ranked: Vec<(f32, u32)>,
    /// Numbers of the plays that the net looks at, and the positions that they lead to.
    candidates: Vec<u32>,
    results: Vec<Position>,
}

impl Worker {
    /// Tools for one thread.
    ///
    /// # Errors
    /// If a model plays another game.
    pub fn new(model: Arc<Model>, rules: Rules, options: &SelfPlay) -> Result<Worker, ModelError> {
        let filter = match &options.filter {
            Some(filter) => Some((Evaluator::new(filter.model.clone(), rules)?, filter.keep)),
            None => None,
        };
        let evaluator = Evaluator::new(model, rules)?;
        let evaluator = if options.exact_endings { evaluator.with_exact_endings() } else { evaluator };
        let (plays, ranked, candidates, results) = (PlayList::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Worker { evaluator, filter, plays, ranked, candidates, results })
    }

    /// Lists the legal plays of a roll, and adds to the candidates those that the net is to look at.
    fn add_candidates(&mut self, position: Position, roll: Roll) {
        let rules = *self.evaluator.rules();
        legal_plays_into(position, roll, &rules, &mut self.plays);
        let results = self.plays.positions();
        let first = self.candidates.len();
        match &mut self.filter {
            Some((cheap, keep)) if results.len() > 1 && (results.len() > keep.most || keep.within.is_finite()) => {
                let points = *cheap.points();
                let chances = cheap.evaluate_results(position, results);
                self.ranked.clear();
                self.ranked.extend(chances.iter().zip(0..).map(|(c, i)| (equity(c, &points), i)));
                keep.select(&mut self.ranked);
                self.candidates.extend(self.ranked.iter().map(|&(_, i)| i));
            }
            _ => self.candidates.extend(0..results.len() as u32),
        }
        self.results.extend(self.candidates[first..].iter().map(|&i| results[i as usize]));
    }

    /// The best play of a roll: its number in the worker's list, and its chances for the mover.
    fn best(&mut self, position: Position, roll: Roll) -> (usize, Outcomes) {
        self.candidates.clear();
        self.results.clear();
        self.add_candidates(position, roll);
        let (best, chances) = self.evaluator.best_result(position, &self.results);
        (self.candidates[best] as usize, chances)
    }

    /// The exact one-ply backup of a position: the mean over the 21 rolls of the chances after the best reply, for the
    /// side on roll.
    pub fn one_ply(&mut self, position: Position) -> Outcomes {
        self.candidates.clear();
        self.results.clear();
        let ends: [usize; 21] = Roll::ALL.map(|roll| {
            self.add_candidates(position, roll);
            self.results.len()
        });
        let points = *self.evaluator.points();
        // All rolls at once: the net is fastest where it has many positions to look at.
        let chances = self.evaluator.evaluate_results(position, &self.results);
        let mut mean = [0.0f32; NUM_OUTCOMES];
        let mut start = 0;
        for (roll, end) in Roll::ALL.into_iter().zip(ends) {
            let best = best_of(&chances[start..end], &points);
            let weight = roll.weight() as f32 / 36.0;
            mean.iter_mut().zip(chances[start + best]).for_each(|(sum, chance)| *sum += weight * chance);
            start = end;
        }
        mean
    }

    /// Plays game `number` of the run.
    pub fn play(&mut self, options: &SelfPlay, number: u64) -> PlayedGame {
        let rules = *self.evaluator.rules();
        let seed = seed_for_game(options.seed, number);
        let mut dice = SeededDice::new(seed);
        // Choices that are not dice have a stream of their own, so that they don't shift the dice.
        let mut choices = ChaCha8Rng::seed_from_u64(seed ^ 0x6368_6F69_6365_7321);
        let mut below = |n: usize| below(&mut choices, n as u64) as usize;
        let mut game = PlayedGame { number, ..PlayedGame::default() };
        let mut random_plies = if options.random_plies > 0 { below(options.random_plies as usize + 1) } else { 0 };
        let from_start = options.starts.is_empty();
        let mut position =
            if from_start { Position::start(rules.game) } else { options.starts[below(options.starts.len())] };
        let mut value = self.evaluator.evaluate(position);
        for ply in 0..MAX_PLIES {
            let mut roll = dice.next_roll();
            while ply == 0 && from_start && rules.opening == Opening::UseOpeningDice && roll.is_double() {
                roll = dice.next_roll();
            }
            let random = ply < random_plies;
            let (index, chances) = if random {
                legal_plays_into(position, roll, &rules, &mut self.plays);
                let index = below(self.plays.len());
                (index, self.evaluator.evaluate_results(position, &[self.plays.positions()[index]])[0])
            } else {
                let (index, chances) = self.best(position, roll);
                let mask = possible_outcomes(position, &rules);
                game.plies.push(PlayedPly { position, roll, steps: self.plays.steps(index), value, mask });
                (index, chances)
            };
            let result = self.plays.positions()[index];
            if result.is_over() {
                if random {
                    // Over before the net had a say: begin again, all by the net.
                    (position, random_plies) = (Position::start(rules.game), 0);
                    value = self.evaluator.evaluate(position);
                    continue;
                }
                game.outcome = outcome_index(result, &rules);
                return game;
            }
            position = result.swapped();
            value = crate::eval::flip(chances);
        }
        game
    }
}

/// Plays the games `numbers` and hands each to `finish` on the thread that played it; the results come in the order of
/// the numbers. `meanwhile` runs on the calling thread, which joins in when it is done.
///
/// # Errors
/// If a model plays another game.
pub fn play_games<T: Send, M>(
    model: &Arc<Model>,
    rules: Rules,
    options: &SelfPlay,
    numbers: std::ops::Range<u64>,
    threads: usize,
    finish: impl Fn(&mut Worker, PlayedGame) -> T + Sync,
    meanwhile: impl FnOnce() -> M,
) -> Result<(Vec<T>, M), ModelError> {
    let next = AtomicU64::new(numbers.start);
    let done: Mutex<Vec<(u64, T)>> = Mutex::new(Vec::with_capacity((numbers.end - numbers.start) as usize));
    let run = |mut worker: Worker| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return;
            }
            let game = worker.play(options, number);
            let result = finish(&mut worker, game);
            done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((number, result));
        }
    };
    let mut workers =
        (0..threads.max(1)).map(|_| Worker::new(model.clone(), rules, options)).collect::<Result<Vec<_>, _>>()?;
    let own = workers.pop();
    let other = std::thread::scope(|scope| {
        for worker in workers {
            scope.spawn(|| run(worker));
        }
        let other = meanwhile();
        own.into_iter().for_each(&run);
        other
    });
    let mut results = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_unstable_by_key(|(number, _)| *number);
    Ok((results.into_iter().map(|(_, result)| result).collect(), other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::flip;
    use crate::features::Layout;
    use crate::game::outcome_points;
    use crate::net::NetWeights;

    fn model(rules: Rules, layout: Layout) -> Arc<Model> {
        let net = NetWeights::random(&[layout.num_inputs(), 16, 6], 3).unwrap();
        Arc::new(Model::of_net(&net, layout, rules).unwrap())
    }

    fn options() -> SelfPlay {
        SelfPlay { seed: 11, random_plies: 0, starts: Vec::new(), filter: None, exact_endings: false }
    }

    #[test]
    fn the_number_of_threads_does_not_change_the_games() {
        for (rules, layout) in [(Rules::SHORT, Layout::Short), (Rules::LONG, Layout::Long)] {
            let model = model(rules, layout);
            let options = SelfPlay { random_plies: 6, ..options() };
            let play = |threads| play_games(&model, rules, &options, 5..25, threads, |_, game| game, || ()).unwrap().0;
            let one = play(1);
            assert_eq!(one, play(3));
            assert!(one.iter().zip(5..).all(|(game, number)| game.number == number && game.outcome.is_some()));
        }
    }

    #[test]
    fn games_are_legal_and_their_values_belong_to_their_positions() {
        let rules = Rules::LONG;
        let model = model(rules, Layout::Points);
        let mut evaluator = Evaluator::new(model.clone(), rules).unwrap();
        let mut worker = Worker::new(model, rules, &options()).unwrap();
        let game = worker.play(&options(), 0);
        let mut position = Position::LONG_START;
        for ply in &game.plies {
            assert_eq!(ply.position, position);
            let value = evaluator.evaluate(position);
            assert!(value.iter().zip(ply.value).all(|(a, b)| (a - b).abs() < 1e-5));
            let plays = crate::movegen::legal_plays(position, ply.roll, &rules);
            let play = plays.iter().find(|play| play.steps == ply.steps).unwrap();
            position = play.position.swapped();
        }
        assert!(position.is_over());
        assert_eq!(outcome_index(position.swapped(), &rules), game.outcome);
    }

    #[test]
    fn a_one_ply_backup_is_the_mean_over_the_rolls_of_the_best_reply() {
        let rules = Rules::SHORT;
        let model = model(rules, Layout::Short);
        let mut worker = Worker::new(model.clone(), rules, &options()).unwrap();
        let mut evaluator = Evaluator::new(model, rules).unwrap();
        let points = outcome_points(&rules);
        let position = Position::SHORT_START;
        let mut expected = [0.0; NUM_OUTCOMES];
        for first in 1..=6 {
            for second in 1..=6 {
                let plays = crate::movegen::legal_plays(position, Roll::new(first, second).unwrap(), &rules);
                let values = plays.positions().iter().map(|p| flip(evaluator.evaluate(p.swapped())));
                let best = values.max_by(|a, b| equity(a, &points).total_cmp(&equity(b, &points))).unwrap();
                expected.iter_mut().zip(best).for_each(|(sum, chance)| *sum += chance / 36.0);
            }
        }
        let found = worker.one_ply(position);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?} {expected:?}");
    }

    #[test]
    fn the_net_as_its_own_filter_changes_nothing() {
        let rules = Rules::SHORT;
        let model = model(rules, Layout::Short);
        let mut plain = Worker::new(model.clone(), rules, &options()).unwrap();
        for (keep, within) in [(1, f32::INFINITY), (100, 1e-6), (3, 0.05)] {
            let filter = PlayFilter { model: model.clone(), keep: Keep { most: keep, within } };
            let filtered = SelfPlay { filter: Some(filter), ..options() };
            let mut filtering = Worker::new(model.clone(), rules, &filtered).unwrap();
            assert_eq!(plain.play(&options(), 4), filtering.play(&filtered, 4), "{keep} within {within}");
        }
    }

    #[test]
    fn a_filter_shows_at_most_so_many_plays_and_none_far_behind() {
        let rules = Rules::SHORT;
        let model = model(rules, Layout::Short);
        let shown = |keep, within| {
            let filter = Some(PlayFilter { model: model.clone(), keep: Keep { most: keep, within } });
            let mut worker = Worker::new(model.clone(), rules, &SelfPlay { filter, ..options() }).unwrap();
            worker.add_candidates(Position::SHORT_START, Roll::new(5, 3).unwrap());
            (worker.candidates, worker.results)
        };
        let (numbers, all) = shown(1_000, f32::INFINITY);
        let mut evaluator = Evaluator::new(model.clone(), rules).unwrap();
        let points = *evaluator.points();
        let value = |result: &Position| equity(&flip(evaluator.evaluate(result.swapped())), &points);
        let mut equities: Vec<f32> = all.iter().map(value).collect();
        assert_eq!(numbers, (0..all.len() as u32).collect::<Vec<_>>());
        let mut sorted = equities.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let within = sorted[0] - (sorted[3] + sorted[4]) / 2.0;
        assert_eq!(shown(1_000, within).0.len(), 4);
        let (three, results) = shown(3, within);
        assert_eq!(three.iter().map(|&i| all[i as usize]).collect::<Vec<_>>(), results);
        equities = three.iter().map(|&i| equities[i as usize]).collect();
        assert_eq!(equities, sorted[..3]);
    }
}
