//! Where dice come from.
//!
//! # The seeded dice, exactly
//! A seed of 64 bits is stretched to a key of 256 bits: the first four outputs of SplitMix64 started at the seed, each
//! written little-endian. The stream is ChaCha with 8 rounds, 64-bit block counter from 0, nonce 0. Its bytes are taken
//! one after another; a byte of 252 or more is skipped (so that all 36 throws are equally likely); of any other byte
//! `b`, the first die is `1 + b % 36 / 6` and the second `1 + b % 6`. The same seed gives the same dice on every
//! platform and in any language with a ChaCha8.

use super::Color;
use crate::types::Roll;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Two dice in the order in which they fell, 1 to 6 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Throw {
    first: u8,
    second: u8,
}

impl Throw {
    /// The throw of two dice, or `None` if one of them is not 1 to 6.
    pub const fn new(first: u8, second: u8) -> Option<Throw> {
        match Roll::new(first, second) {
            Some(_) => Some(Throw { first, second }),
            None => None,
        }
    }

    /// The first die: White's when the two throw for the start.
    pub const fn first(self) -> u8 {
        self.first
    }

    /// The second die: Black's when the two throw for the start.
    pub const fn second(self) -> u8 {
        self.second
    }

    /// The roll that the two dice make.
    pub fn roll(self) -> Roll {
        Roll::new(self.first, self.second).expect("a throw holds two dice from 1 to 6")
    }
}

/// A source of dice.
pub trait DiceSource {
    /// The next throw; `None` when the source has no more.
    fn throw(&mut self) -> Option<Throw>;

    /// The next roll of a turn; `None` when the source has no more.
    fn roll(&mut self) -> Option<Roll> {
        self.throw().map(Throw::roll)
    }

    /// The throw for the start: each player one die, equal dice are thrown again. Who starts, and with which two
    /// different dice if the rules let him play them.
    fn opening(&mut self) -> Option<(Color, Roll)> {
        loop {
            let throw = self.throw()?;
            if throw.first != throw.second {
                let starter = if throw.first > throw.second { Color::White } else { Color::Black };
                return Some((starter, throw.roll()));
            }
        }
    }
}

impl<D: DiceSource + ?Sized> DiceSource for &mut D {
    fn throw(&mut self) -> Option<Throw> {
        (**self).throw()
    }
}

/// Reproducible dice from a seed; how is told at the head of this module. They never run out.
#[derive(Clone, Debug)]
pub struct SeededDice {
    rng: ChaCha8Rng,
    word: u32,
    bytes_left: u8,
}

impl SeededDice {
    /// The dice of a seed.
    pub fn new(seed: u64) -> SeededDice {
        let mut key = [0; 32];
        for (i, eight) in key.chunks_exact_mut(8).enumerate() {
            let output = mix(seed.wrapping_add(GOLDEN.wrapping_mul(i as u64 + 1)));
            eight.copy_from_slice(&output.to_le_bytes());
        }
        SeededDice { rng: ChaCha8Rng::from_seed(key), word: 0, bytes_left: 0 }
    }

    /// The dice of one game of a run, see [`seed_for_game`].
    pub fn for_game(base: u64, game: u64) -> SeededDice {
        SeededDice::new(seed_for_game(base, game))
    }

    /// The next throw.
    #[inline]
    pub fn next_throw(&mut self) -> Throw {
        loop {
            if self.bytes_left == 0 {
                self.word = self.rng.next_u32();
                self.bytes_left = 4;
            }
            let byte = self.word as u8;
            self.word >>= 8;
            self.bytes_left -= 1;
            if byte < 252 {
                return Throw { first: 1 + byte % 36 / 6, second: 1 + byte % 6 };
            }
        }
    }

    /// The next roll of a turn.
    #[inline]
    pub fn next_roll(&mut self) -> Roll {
        self.next_throw().roll()
    }
}

impl DiceSource for SeededDice {
    fn throw(&mut self) -> Option<Throw> {
        Some(self.next_throw())
    }
}

/// The seed of one game of a run: output `game` (counted from 0) of a SplitMix64 whose start is the first output of a
/// SplitMix64 started at `base`. Different games of a run have different seeds, so any game can be replayed alone.
pub const fn seed_for_game(base: u64, game: u64) -> u64 {
    mix(mix(base.wrapping_add(GOLDEN)).wrapping_add(GOLDEN.wrapping_mul(game.wrapping_add(1))))
}

/// The output function of SplitMix64.
const fn mix(state: u64) -> u64 {
    let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// The dice of another source with the two dice of each throw exchanged: the same rolls, but the other player wins the
/// throw for the start. A pair of games with duplicate dice and swapped seats is a game with a source and one with it
/// swapped, each player keeping his colour.
#[derive(Clone, Debug)]
pub struct SwappedDice<D>(pub D);

impl<D: DiceSource> DiceSource for SwappedDice<D> {
    fn throw(&mut self) -> Option<Throw> {
        self.0.throw().map(|t| Throw { first: t.second, second: t.first })
    }
}

/// Dice that are given beforehand, or fed one by one as a person throws them; when all are used, there are no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptedDice {
    throws: VecDeque<Throw>,
}

impl ScriptedDice {
    /// The dice of a list. Start with an empty list for manual dice.
    pub fn new(throws: impl IntoIterator<Item = Throw>) -> ScriptedDice {
        ScriptedDice { throws: throws.into_iter().collect() }
    }

    /// Adds a throw at the end.
    pub fn feed(&mut self, throw: Throw) {
        self.throws.push_back(throw);
    }

    /// Throws left.
    pub fn len(&self) -> usize {
        self.throws.len()
    }

    /// All throws are used.
    pub fn is_empty(&self) -> bool {
        self.throws.is_empty()
    }
}

/// A text that is no list of throws.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("throw {number} of the dice list: expected two digits from 1 to 6 such as `31`, found {found:?}")]
pub struct ParseDiceError {
    /// Which throw, counted from 1.
    pub number: usize,
    /// The text that was read.
    pub found: String,
}

impl std::str::FromStr for ScriptedDice {
    type Err = ParseDiceError;

    /// Reads throws divided by blanks: `31 66 2-5`. Their order inside a throw is kept.
    fn from_str(text: &str) -> Result<ScriptedDice, ParseDiceError> {
        let throw = |(i, word): (usize, &str)| {
            let digits: Vec<u8> = word.bytes().filter(|b| *b != b'-').map(|b| b.wrapping_sub(b'0')).collect();
            match digits[..] {
                [first, second] => Throw::new(first, second),
                _ => None,
            }
            .ok_or_else(|| ParseDiceError { number: i + 1, found: word.chars().take(40).collect() })
        };
        text.split_whitespace().enumerate().map(throw).collect::<Result<_, _>>().map(|throws| ScriptedDice { throws })
    }
}

/// Dice that are asked for when they are needed, such as by a prompt.
#[derive(Clone, Debug)]
pub struct AskedDice<F>(pub F);

impl<F: FnMut() -> Option<Throw>> DiceSource for AskedDice<F> {
    fn throw(&mut self) -> Option<Throw> {
        (self.0)()
    }
}

impl DiceSource for ScriptedDice {
    fn throw(&mut self) -> Option<Throw> {
        self.throws.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(throws: impl Iterator<Item = Throw>) -> String {
        throws.map(|t| format!("{}{}", t.first, t.second)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn splitmix_gives_the_published_outputs() {
        // First outputs of SplitMix64 from 1234567, as in its author's reference program.
        let outputs = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423u64];
        for (i, expected) in (1..).zip(outputs) {
            assert_eq!(mix(1_234_567u64.wrapping_add(GOLDEN.wrapping_mul(i))), expected);
        }
    }

    #[test]
    fn every_throw_is_equally_likely_in_the_mapping_of_bytes() {
        let mut seen = [0; 36];
        for byte in 0..252u8 {
            seen[usize::from(byte % 36)] += 1;
            let throw = Throw { first: 1 + byte % 36 / 6, second: 1 + byte % 6 };
            assert_eq!((throw.first - 1) * 6 + throw.second - 1, byte % 36);
        }
        assert_eq!(seen, [7; 36]);
    }

    #[test]
    fn long_runs_of_seeded_dice_are_even() {
        let mut seen = [0u32; 36];
        let mut dice = SeededDice::new(7);
        for _ in 0..360_000 {
            let t = dice.next_throw();
            seen[usize::from((t.first - 1) * 6 + t.second - 1)] += 1;
        }
        // Chi-square with 35 degrees of freedom: above 66.6 once in a thousand seeds.
        let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 66.6, "chi-square {chi}");
    }

    #[test]
    fn games_of_a_run_have_their_own_seeds() {
        let mut seeds: Vec<u64> = (0..1000).flat_map(|g| (0..3).map(move |base| seed_for_game(base, g))).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 3000);
    }

    #[test]
    fn equal_dice_are_thrown_again_for_the_start() {
        let mut dice: ScriptedDice = "33 25 6-1".parse().unwrap();
        assert_eq!(dice.opening(), Some((Color::Black, Roll::new(5, 2).unwrap())));
        assert_eq!(dice.roll(), Roll::new(6, 1));
        assert_eq!((dice.roll(), dice.opening()), (None, None));
    }

    #[test]
    fn swapped_dice_give_the_same_rolls_and_the_other_starter() {
        let (mut plain, mut swapped) = (SeededDice::new(3), SwappedDice(SeededDice::new(3)));
        let (starter, roll) = plain.opening().unwrap();
        assert_eq!(swapped.opening(), Some((starter.other(), roll)));
        assert!((0..100).all(|_| plain.roll() == swapped.roll()));
    }

    #[test]
    fn fed_and_asked_dice_come_in_the_order_given() {
        let mut fed = ScriptedDice::default();
        assert_eq!(fed.throw(), None);
        fed.feed(Throw::new(1, 4).unwrap());
        assert_eq!((fed.len(), fed.throw()), (1, Throw::new(1, 4)));
        let mut answers = vec![Throw::new(2, 2)];
        let mut asked = AskedDice(|| answers.pop().flatten());
        assert_eq!((asked.roll(), asked.roll()), (Roll::new(2, 2), None));
    }

    #[test]
    fn wrong_dice_lists_are_refused_with_the_place() {
        for (script, number) in [("31 7", 2), ("31 64 07", 3), ("x", 1), ("311", 1), ("3١", 1)] {
            assert_eq!(script.parse::<ScriptedDice>().unwrap_err().number, number, "{script}");
        }
    }

    #[test]
    fn seeded_dice_are_the_same_for_ever() {
        let first = |seed| {
            let mut dice = SeededDice::new(seed);
            text((0..20).map(|_| dice.next_throw()))
        };
        // Computed by a separate ChaCha8 written from its specification.
        assert_eq!(first(0), "35 32 65 24 34 56 15 26 12 41 13 45 24 54 22 45 21 45 62 32");
        assert_eq!(first(20_251_130), "43 44 62 65 41 15 33 31 56 52 24 56 31 25 46 22 55 52 22 63");
        let mut dice = SeededDice::new(42);
        let late = (0..10_000).map(|_| dice.next_throw()).skip(9_990);
        assert_eq!(text(late), "16 56 23 34 52 26 46 15 16 35");
        assert_eq!(seed_for_game(1, 0), 6_791_897_765_849_424_158);
        assert_eq!(seed_for_game(1, 1), 17_405_687_883_870_564_846);
        assert_eq!(seed_for_game(u64::MAX, 1_000_000), 8_506_374_182_050_514_795);
    }
}
