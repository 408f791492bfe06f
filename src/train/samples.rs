//! Positions with what is to be learned about them, and the memory of past rounds.
//!
//! Exact one-ply targets: B(t) is the mean over the 21 rolls of the best reply to the position of ply t, V(t) the net's
//! value of it. B takes the luck of one roll out, but looks no further. The luck of later rolls can be taken out in the same
//! way: G(t) = B(t) + λ · flip(G(t + 1) − V(t + 1)), where a B(t + 1) was worked out, and G(t) = B(t) where not. Since V(t + 1)
//! is the very value that B(t) averages over all rolls, the correction has the mean of a longer backup and none of the luck
//! of the roll that led to ply t + 1; with λ = 1 it is a luck-adjusted rollout of one game over the stretch.

use super::config::{Endings, Phase, Targets};
use super::lambda::{LambdaError, lambda_returns};
use super::self_play::{PlayedGame, PlayedPly, Worker};
use crate::bearoff::Bearoff;
use crate::eval::{Outcomes, flip};
use crate::features::Layout;
use crate::game::{NUM_OUTCOMES, draw_to_front, seed_for_game};
use crate::position::{Checkers, Position};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// A position with its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seen by the side on roll.
    pub position: Position,
    /// The chances to learn, for the side on roll.
    pub target: Outcomes,
    /// Which outcomes are possible.
    pub mask: u8,
}

/// Bytes of a sample in a checkpoint.
const SAMPLE_BYTES: usize = 32 + 4 * NUM_OUTCOMES + 1;

/// The samples of one game. Which positions are taken, if not all, follows from the seed and the game's number.
///
/// # Errors
/// If the game's values and masks contradict each other.
pub fn samples_of(
    game: &PlayedGame,
    phase: &Phase,
    lambda: f64,
    seed: u64,
    worker: &mut Worker,
) -> Result<Vec<Sample>, LambdaError> {
    let Some(outcome) = game.outcome else { return Ok(Vec::new()) };
    let taken = taken(game, phase, seed);
    let targets = match phase.targets {
        Targets::Lambda => {
            let values: Vec<Outcomes> = game.plies.iter().map(|ply| ply.value).collect();
            let masks: Vec<u8> = game.plies.iter().map(|ply| ply.mask).collect();
            let mut targets = Vec::new();
            lambda_returns(&values, &masks, outcome, lambda, &mut targets)?;
            for (target, ply) in targets.iter_mut().zip(&game.plies).filter(|(_, ply)| is_exact(phase, ply)) {
                *target = possible(ply.value, ply.mask);
            }
            targets
        }
        Targets::OnePly => one_ply_targets(game, phase, lambda as f32, &taken, worker),
    };
    let plies = game.plies.iter().zip(targets).zip(taken).filter(|(_, taken)| *taken);
    Ok(plies.map(|((ply, target), _)| Sample { position: ply.position, target, mask: ply.mask }).collect())
}

/// The tables know the position's value better than any game or net.
fn is_exact(phase: &Phase, ply: &PlayedPly) -> bool {
    phase.endings != Endings::Net && Bearoff::covers(ply.position)
}

/// Which plies are learned from: stretches of the phase's length, beginning at a random place.
fn taken(game: &PlayedGame, phase: &Phase, seed: u64) -> Vec<bool> {
    let mut choices = ChaCha8Rng::seed_from_u64(seed_for_game(seed, game.number) ^ 0x7461_7267_6574_7321);
    let mut next = || phase.share >= 1.0 || f64::from(choices.next_u32()) < phase.share * 4_294_967_296.0;
    let offset = (seed_for_game(!seed, game.number) % phase.stretch as u64) as usize;
    let mut in_stretch = false;
    let is_learned = |ply: &PlayedPly| phase.endings != Endings::Skip || !Bearoff::covers(ply.position);
    let one = |(i, ply): (usize, &PlayedPly)| {
        if i == 0 || (i + offset).is_multiple_of(phase.stretch) {
            in_stretch = next();
        }
        in_stretch && is_learned(ply)
    };
    game.plies.iter().enumerate().map(one).collect()
}

/// The targets of the plies that are taken, from the last to the first, each with what the one after it tells; the module's
/// description says how. Those of other plies mean nothing.
fn one_ply_targets(
    game: &PlayedGame,
    phase: &Phase,
    lambda: f32,
    taken: &[bool],
    worker: &mut Worker,
) -> Vec<Outcomes> {
    let mut targets = vec![Outcomes::default(); game.plies.len()];
    // λ · flip(G − V) of the ply after, if it was taken.
    let mut correction = Outcomes::default();
    for (i, ply) in game.plies.iter().enumerate().rev() {
        if !taken[i] {
            correction = Outcomes::default();
            continue;
        }
        let backup = if is_exact(phase, ply) { ply.value } else { worker.one_ply(ply.position) };
        let target: Outcomes = std::array::from_fn(|k| backup[k] + correction[k]);
        correction = flip(std::array::from_fn(|k| lambda * (target[k] - ply.value[k])));
        targets[i] = possible(target, ply.mask);
    }
    targets
}

/// Chances without what is impossible – traces of excluded outcomes, chances corrected to below 0 – and with the sum 1.
fn possible(mut target: Outcomes, mask: u8) -> Outcomes {
    let mut sum = 0.0;
    for (i, chance) in target.iter_mut().enumerate() {
        *chance = if mask >> i & 1 == 0 { 0.0 } else { chance.max(0.0) };
        sum += *chance;
    }
    target.map(|chance| chance / sum)
}

/// The samples of the last rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    rounds: VecDeque<Vec<Sample>>,
}

impl Memory {
    /// Adds a round and forgets those beyond the last `keep`.
    pub fn push(&mut self, round: Vec<Sample>, keep: usize) {
        self.rounds.push_back(round);
        while self.rounds.len() > keep.max(1) {
            self.rounds.pop_front();
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.rounds.clear();
    }

    /// A random choice without repetition until everything has been chosen once, then again: `number` samples in
    /// random order.
    pub fn draw(&self, number: usize, seed: u64) -> Vec<Sample> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut all: Vec<Sample> = self.rounds.iter().flatten().copied().collect();
        let mut drawn = Vec::with_capacity(number);
        while drawn.len() < number && !all.is_empty() {
            let wanted = (number - drawn.len()).min(all.len());
            draw_to_front(&mut all, wanted, &mut rng);
            drawn.extend_from_slice(&all[..wanted]);
        }
        drawn
    }

    /// Bytes for a checkpoint.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.rounds.len() as u64).to_le_bytes().to_vec();
        for round in &self.rounds {
            bytes.extend((round.len() as u64).to_le_bytes());
            for sample in round {
                bytes.extend(sample.position.us.0.to_le_bytes());
                bytes.extend(sample.position.them.0.to_le_bytes());
                sample.target.iter().for_each(|chance| bytes.extend(chance.to_le_bytes()));
                bytes.push(sample.mask);
            }
        }
        bytes
    }

    /// What [`Memory::to_bytes`] wrote; `None` if these are not such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Memory> {
        let (count, mut rest) = read_u64(bytes)?;
        let mut rounds = VecDeque::new();
        for _ in 0..count {
            let (len, after) = read_u64(rest)?;
            let size = usize::try_from(len).ok()?.checked_mul(SAMPLE_BYTES)?;
            let (samples, after) = after.split_at_checked(size)?;
            rounds.push_back(samples.chunks_exact(SAMPLE_BYTES).map(read_sample).collect::<Option<_>>()?);
            rest = after;
        }
        rest.is_empty().then_some(Memory { rounds })
    }
}

fn read_u64(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*number), rest))
}

fn read_sample(bytes: &[u8]) -> Option<Sample> {
    let (us, rest) = bytes.split_first_chunk()?;
    let (them, rest) = rest.split_first_chunk()?;
    let mut target = [0.0; NUM_OUTCOMES];
    for (chance, four) in target.iter_mut().zip(rest.as_chunks().0) {
        *chance = f32::from_le_bytes(*four);
    }
    let position = Position { us: Checkers(u128::from_le_bytes(*us)), them: Checkers(u128::from_le_bytes(*them)) };
    Some(Sample { position, target, mask: *rest.last()? })
}

/// Encodes samples as sparse rows for the learner.
#[derive(Debug, Default)]
pub struct Rows {
    /// Index and value of every input that isn't 0, row after row.
    pub entries: Vec<(u16, f32)>,
    /// For each row the number of entries up to its end.
    pub ends: Vec<usize>,
    /// Targets.
    pub targets: Vec<Outcomes>,
    /// Masks.
    pub masks: Vec<u8>,
}

impl Rows {
    /// Replaces the rows by those of `samples`.
    pub fn fill(&mut self, samples: &[Sample], layout: Layout) {
        self.entries.clear();
        self.ends.clear();
        for sample in samples {
            layout.encode(sample.position, &mut self.entries);
            self.ends.push(self.entries.len());
        }
        self.targets.clear();
        self.targets.extend(samples.iter().map(|sample| sample.target));
        self.masks.clear();
        self.masks.extend(samples.iter().map(|sample| sample.mask));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Model;
    use crate::net::NetWeights;
    use crate::rules::Rules;
    use crate::train::config::Config;
    use crate::train::self_play::SelfPlay;
    use std::sync::Arc;

    #[test]
    fn endings_are_learned_exactly_or_not_at_all() {
        let model = random_model();
        let starts = vec![Position {
            us: Checkers::from_points(&[(8, 1), (5, 3), (2, 4)]),
            them: Checkers::from_points(&[(6, 7), (3, 5), (1, 3)]),
        }];
        let tables = Bearoff::of(&Rules::SHORT).unwrap();
        for (endings, targets) in [("exact", "lambda"), ("exact", "one-ply"), ("skip", "lambda"), ("net", "lambda")] {
            let text = include_str!("../../training/quick.toml");
            let set = [format!("phase.0.endings=\"{endings}\""), format!("phase.0.targets=\"{targets}\"")];
            let config = Config::read(text, &set).unwrap();
            let phase = &config.phases[0];
            let exact_endings = endings != "net";
            let options = SelfPlay { seed: 1, random_plies: 0, starts: starts.clone(), filter: None, exact_endings };
            let mut worker = Worker::new(model.clone(), Rules::SHORT, &options).unwrap();
            let (mut covered, mut other, mut exact) = (0, 0, 0);
            for number in 0..20 {
                let game = worker.play(&options, number);
                for sample in samples_of(&game, phase, 0.7, 1, &mut worker).unwrap() {
                    match tables.outcomes(sample.position, &Rules::SHORT) {
                        Some(expected) => {
                            covered += 1;
                            exact += usize::from((0..6).all(|i| (expected[i] - sample.target[i]).abs() < 1e-5));
                        }
                        None => other += 1,
                    }
                    assert!((sample.target.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                }
            }
            assert!(other > 0, "{endings}");
            match endings {
                "exact" => assert!(covered > 20 && exact == covered, "{covered} {exact}"),
                "skip" => assert_eq!(covered, 0),
                _ => assert!(covered > 20 && exact < covered / 2, "{covered} {exact}"),
            }
        }
    }

    fn random_model() -> Arc<Model> {
        let net = NetWeights::random(&[Layout::Points.num_inputs(), 8, 6], 5).unwrap();
        Arc::new(Model::of_net(&net, Layout::Points, Rules::SHORT).unwrap())
    }

    /// A recipe of one phase that learns one-ply backups, and games from a race that soon ends.
    fn backups(settings: &[&str], model: Arc<Model>) -> (Config, SelfPlay, Worker) {
        let settings: Vec<String> = ["phase.0.targets=one-ply"].iter().chain(settings).map(|s| s.to_string()).collect();
        let config = Config::read(include_str!("../../training/quick.toml"), &settings).unwrap();
        let starts = vec![Position {
            us: Checkers::from_points(&[(8, 1), (5, 2), (2, 2), (0, 10)]),
            them: Checkers::from_points(&[(6, 3), (3, 2), (1, 1), (0, 9)]),
        }];
        let options = SelfPlay { seed: 1, random_plies: 0, starts, filter: None, exact_endings: false };
        let worker = Worker::new(model, Rules::SHORT, &options).unwrap();
        (config, options, worker)
    }

    #[test]
    fn without_lambda_a_target_is_the_backup_and_with_it_the_next_one_corrects_it() {
        let (config, options, mut worker) = backups(&["phase.0.stretch=3"], random_model());
        let game = worker.play(&options, 4);
        let backups = samples_of(&game, &config.phases[0], 0.0, 1, &mut worker).unwrap();
        let corrected = samples_of(&game, &config.phases[0], 0.6, 1, &mut worker).unwrap();
        assert!(game.plies.len() > 4 && backups.len() == game.plies.len());
        for (sample, ply) in backups.iter().zip(&game.plies) {
            let expected = worker.one_ply(ply.position);
            assert!((0..6).all(|k| (sample.target[k] - expected[k]).abs() < 1e-6));
        }
        assert_eq!(corrected.last(), backups.last());
        for i in 0..backups.len() - 1 {
            for k in 0..6 {
                let other = (k + 3) % 6;
                let after = corrected[i + 1].target[other] - game.plies[i + 1].value[other];
                let expected = backups[i].target[k] + 0.6 * after;
                // Where nothing was cut off at 0.
                if corrected[i].target.iter().all(|chance| *chance > 0.0) {
                    assert!((corrected[i].target[k] - expected).abs() < 1e-4, "ply {i}, outcome {k}");
                }
            }
        }
    }

    #[test]
    fn corrected_backups_have_the_mean_of_the_results_and_less_variance() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/short-quick.safetensors");
        let (config, options, mut worker) = backups(&[], Arc::new(Model::load(path).unwrap()));
        let number = 2_000;
        let (mut sums, mut squares) = ([0.0f64; 2], [0.0f64; 2]);
        for number in 0..number {
            let game = worker.play(&options, number);
            let sample = samples_of(&game, &config.phases[0], 1.0, 1, &mut worker).unwrap()[0];
            // The chance that the side on roll first wins, by the result and by the target.
            let won = (game.outcome.unwrap() < 3) == (game.plies.len() % 2 == 1);
            for (i, value) in
                [f64::from(u8::from(won)), f64::from(sample.target[..3].iter().sum::<f32>())].iter().enumerate()
            {
                sums[i] += value;
                squares[i] += value * value;
            }
        }
        let n = number as f64;
        let mean = sums.map(|sum| sum / n);
        let variance = [0, 1].map(|i| squares[i] / n - mean[i] * mean[i]);
        let error = ((variance[0] + variance[1]) / n).sqrt();
        assert!((mean[0] - mean[1]).abs() < 3.5 * error, "{mean:?} ± {error}");
        assert!(variance[1] < 0.2 * variance[0], "{variance:?}");
    }

    #[test]
    fn stretches_are_taken_or_left_as_a_whole() {
        let (config, options, mut worker) = backups(&["phase.0.stretch=3", "phase.0.share=0.3"], random_model());
        let (mut taken_plies, mut all) = (0, 0);
        for number in 0..600 {
            let game = worker.play(&options, number);
            let taken = taken(&game, &config.phases[0], 7);
            (taken_plies, all) = (taken_plies + taken.iter().filter(|t| **t).count(), all + taken.len());
            // Inside a game no stretch is shorter than three; only its ends may cut one off.
            let runs: Vec<&[bool]> = taken.chunk_by(|a, b| a == b).collect();
            assert!(runs.iter().skip(1).rev().skip(1).all(|run| run.len() % 3 == 0), "{taken:?}");
        }
        let share = taken_plies as f64 / all as f64;
        assert!((0.25..0.35).contains(&share), "{share}");
    }

    fn samples(n: usize) -> Vec<Sample> {
        let sample = |i: usize| Sample {
            position: Position::SHORT_START,
            target: [i as f32, 0.0, 0.0, 0.0, 0.0, 1.0],
            mask: i as u8,
        };
        (0..n).map(sample).collect()
    }

    #[test]
    fn a_draw_takes_every_sample_once_before_any_twice() {
        let mut memory = Memory::default();
        memory.push(samples(7), 2);
        memory.push(samples(5), 2);
        let drawn = memory.draw(30, 1);
        assert_eq!(drawn, memory.draw(30, 1));
        assert_ne!(drawn, memory.draw(30, 2));
        for twelve in drawn.chunks(12).filter(|chunk| chunk.len() == 12) {
            let mut masks: Vec<u8> = twelve.iter().map(|sample| sample.mask).collect();
            masks.sort_unstable();
            assert_eq!(masks, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6]);
        }
    }

    #[test]
    fn memory_forgets_old_rounds_and_survives_its_bytes() {
        let mut memory = Memory::default();
        (1..5).for_each(|n| memory.push(samples(n), 3));
        assert_eq!(memory.draw(100, 0).len(), 100);
        let bytes = memory.to_bytes();
        assert_eq!(Memory::from_bytes(&bytes), Some(memory));
        for cut in 0..bytes.len() {
            assert_eq!(Memory::from_bytes(&bytes[..cut]), None, "{cut}");
        }
    }
}
