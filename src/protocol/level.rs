//! Playing strength: weaker levels err as people do, a little and often, never senselessly.
//!
//! A level picks among the plays that lose at most [`Level::most_loss`] against the best one. A play that loses `d` points
//! has the weight `exp(-d / temperature)`: near-equal plays are mistaken for each other, clear blunders are rare. Which one
//! is picked depends on the seed, the position and the dice only, so a game can be repeated.

use super::engine::Candidate;
use crate::position::Position;
use crate::types::Roll;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// A named strength.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Always the best play that is found.
    #[default]
    Full,
    /// Confuses plays that are nearly equal.
    Expert,
    /// Errs as a regular of a club does.
    Club,
    /// Errs visibly in most games.
    Casual,
    /// Has just learned the rules.
    Beginner,
}

/// A text that names no level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown level {found:?}; expected one of {}", Level::ALL.map(Level::as_str).join(", "))]
pub struct UnknownLevel {
    /// The text that was read.
    pub found: String,
}

impl Level {
    /// Every level, strongest first.
    pub const ALL: [Level; 5] = [Level::Full, Level::Expert, Level::Club, Level::Casual, Level::Beginner];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Level::Full => "full",
            Level::Expert => "expert",
            Level::Club => "club",
            Level::Casual => "casual",
            Level::Beginner => "beginner",
        }
    }

    /// Temperature in points of equity; 0 = always the best.
    pub const fn temperature(self) -> f32 {
        match self {
            Level::Full => 0.0,
            Level::Expert => 0.01,
            Level::Club => 0.03,
            Level::Casual => 0.08,
            Level::Beginner => 0.2,
        }
    }

    /// The most points of equity that a play may lose against the best one to be picked at all.
    pub const fn most_loss(self) -> f32 {
        match self {
            Level::Full => 0.0,
            Level::Expert => 0.05,
            Level::Club => 0.12,
            Level::Casual => 0.25,
            Level::Beginner => 0.5,
        }
    }

    /// The number of the candidate to play; candidates are sorted, best first.
    pub fn pick(self, candidates: &[Candidate], seed: u64, position: Position, roll: Roll) -> usize {
        if self == Level::Full {
            return 0;
        }
        let weights: Vec<f64> = candidates
            .iter()
            .map(|candidate| candidate.loss)
            .take_while(|&loss| loss <= self.most_loss())
            .map(|loss| f64::from(-loss / self.temperature()).exp())
            .collect();
        let mut left = chance(seed, position, roll) * weights.iter().sum::<f64>();
        for (i, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return i;
            }
        }
        0
    }
}

/// A number from 0 up to 1 that depends on all three evenly.
fn chance(seed: u64, position: Position, roll: Roll) -> f64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(position.us.counts());
    hash.update(position.them.counts());
    hash.update([roll.high(), roll.low()]);
    let number = hash.finalize().iter().take(8).fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    (number >> 11) as f64 / (1u64 << 53) as f64
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Level, UnknownLevel> {
        let found = Level::ALL.into_iter().find(|level| level.as_str() == text);
        found.ok_or_else(|| UnknownLevel { found: text.chars().take(40).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;
    use crate::rules::Rules;

    /// Plays that lose 0, 0.01, 0.02 … points.
    fn candidates(position: Position, roll: Roll) -> Vec<Candidate> {
        let plays = legal_plays(position, roll, &Rules::SHORT);
        let value = |(i, play)| {
            let loss = 0.01 * i as f32;
            Candidate { play, outcomes: [0.0; 6], equity: 0.5 - loss, loss, depth: 0 }
        };
        plays.iter().enumerate().map(value).collect()
    }

    #[test]
    fn weaker_levels_lose_more_but_never_more_than_they_may() {
        let (position, roll) = (Position::SHORT_START, Roll::new(2, 1).unwrap());
        let candidates = candidates(position, roll);
        let mut last = -1.0;
        for level in Level::ALL {
            let losses: Vec<f32> =
                (0..2000).map(|seed| candidates[level.pick(&candidates, seed, position, roll)].loss).collect();
            assert!(losses.iter().all(|&loss| loss <= level.most_loss() + 1e-6), "{level}");
            let mean = losses.iter().sum::<f32>() / losses.len() as f32;
            assert!(mean > last, "{level} loses {mean}, the one before {last}");
            last = mean;
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_mistakes_and_another_seed_others() {
        let (position, roll) = (Position::SHORT_START, Roll::new(4, 1).unwrap());
        let candidates = candidates(position, roll);
        let picks = |seed| Roll::ALL.map(|roll| Level::Beginner.pick(&candidates, seed, position, roll));
        assert_eq!(picks(5), picks(5));
        assert_ne!(picks(5), picks(6));
    }

    #[test]
    fn chances_are_weighted_as_documented() {
        let (position, roll) = (Position::SHORT_START, Roll::new(4, 1).unwrap());
        let two = &candidates(position, roll)[..2];
        let second = (0..20_000).filter(|&seed| Level::Expert.pick(two, seed, position, roll) == 1).count();
        // exp(-1) / (1 + exp(-1)) = 0.2689; four standard errors are 0.0125.
        assert!((second as f64 / 20_000.0 - 0.2689).abs() < 0.0125, "{second}");
    }
}
