//! Positions with what is to be learned about them, and the memory of past rounds.

use super::config::{Endings, Phase, Targets};
use super::lambda::{LambdaError, lambda_returns};
use super::self_play::{PlayedGame, PlayedPly, Worker};
use crate::bearoff::Bearoff;
use crate::eval::Outcomes;
use crate::features::Layout;
use crate::game::{NUM_OUTCOMES, seed_for_game};
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
    // Where the tables know better than any game or net.
    let is_exact = |ply: &PlayedPly| phase.endings != Endings::Net && Bearoff::covers(ply.position);
    let is_learned = |ply: &PlayedPly| phase.endings != Endings::Skip || !Bearoff::covers(ply.position);
    let mut choices = ChaCha8Rng::seed_from_u64(seed_for_game(seed, game.number) ^ 0x7461_7267_6574_7321);
    let mut taken = || phase.share >= 1.0 || f64::from(choices.next_u32()) < phase.share * 4_294_967_296.0;
    match phase.targets {
        Targets::Lambda => {
            let values: Vec<Outcomes> = game.plies.iter().map(|ply| ply.value).collect();
            let masks: Vec<u8> = game.plies.iter().map(|ply| ply.mask).collect();
            let mut targets = Vec::new();
            lambda_returns(&values, &masks, outcome, lambda, &mut targets)?;
            let samples = game.plies.iter().zip(targets).filter(|(ply, _)| taken() && is_learned(ply));
            let sample = |(ply, target): (&PlayedPly, Outcomes)| {
                let target = if is_exact(ply) { possible(ply.value, ply.mask) } else { target };
                Sample { position: ply.position, target, mask: ply.mask }
            };
            Ok(samples.map(sample).collect())
        }
        Targets::OnePly => {
            let plies = game.plies.iter().filter(|ply| taken() && is_learned(ply));
            let sample = |ply: &PlayedPly| {
                let target = if is_exact(ply) { ply.value } else { worker.one_ply(ply.position) };
                Sample { position: ply.position, target: possible(target, ply.mask), mask: ply.mask }
            };
            Ok(plies.map(sample).collect())
        }
    }
}

/// Chances without the rounding that would leave traces of impossible outcomes or a sum other than 1.
fn possible(mut target: Outcomes, mask: u8) -> Outcomes {
    let mut sum = 0.0;
    for (i, chance) in target.iter_mut().enumerate() {
        if mask >> i & 1 == 0 {
            *chance = 0.0;
        }
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
            for i in 0..wanted {
                let rest = (all.len() - i) as u64;
                let j = i + ((u64::from(rng.next_u32()) * rest) >> 32) as usize;
                all.swap(i, j);
            }
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
        let net = NetWeights::random(&[Layout::Points.num_inputs(), 8, 6], 5).unwrap();
        let model = Arc::new(Model::of_net(&net, Layout::Points, Rules::SHORT).unwrap());
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
