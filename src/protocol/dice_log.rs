//! Dice that can be checked afterwards.
//!
//! The seed of a game's dice is fixed before its first throw, and its hash is told ([`commitment`]). After the game the
//! seed is told, too: anybody can hash it, and throw the same dice again with [`SeededDice`].

use crate::game::{DiceSource, SeededDice, Throw};
use crate::types::Roll;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// SHA-256, in hexadecimal, of the text `nardy-dice:` followed by the seed in decimal digits.
///
/// # Examples
/// ```
/// // printf nardy-dice:42 | sha256sum
/// assert_eq!(nardy::protocol::commitment(42), "493ae2ae9556553376492c764b285a715328ceeb5300e044ec2cbfe4a95a5e83");
/// ```
pub fn commitment(seed: u64) -> String {
    let hash = Sha256::digest(format!("nardy-dice:{seed}"));
    hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The dice of one game: seeded, every throw written down.
#[derive(Clone, Debug)]
pub struct DiceLog {
    seed: u64,
    dice: SeededDice,
    throws: Vec<Throw>,
    by_turn: BTreeMap<usize, Roll>,
}

impl DiceLog {
    /// The dice of a seed, none thrown yet.
    pub fn new(seed: u64) -> DiceLog {
        DiceLog { seed, dice: SeededDice::new(seed), throws: Vec::new(), by_turn: BTreeMap::new() }
    }

    /// The seed; to be kept secret until the game is over.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Every throw so far, those for the start included, in their order.
    pub fn throws(&self) -> &[Throw] {
        &self.throws
    }

    /// The roll of a turn, counted from 0: thrown once, the same again if a play was taken back. Taking plays back can
    /// so never fetch better dice.
    pub fn roll_of_turn(&mut self, turn: usize) -> Roll {
        if let Some(&roll) = self.by_turn.get(&turn) {
            return roll;
        }
        let throw = self.dice.next_throw();
        self.throws.push(throw);
        self.by_turn.insert(turn, throw.roll());
        throw.roll()
    }

    /// The dice of the throw for the start are those of turn 0.
    pub(super) fn opening_is_first_turn(&mut self, roll: Roll) {
        self.by_turn.insert(0, roll);
    }

    /// The roll of that turn has been thrown.
    pub(super) fn has_thrown(&self, turn: usize) -> bool {
        self.by_turn.contains_key(&turn)
    }

    /// Which throw is whose turn, for [`DiceLog::restore`].
    pub(super) fn turns(&self) -> impl Iterator<Item = (usize, Roll)> + '_ {
        self.by_turn.iter().map(|(&turn, &roll)| (turn, roll))
    }

    /// The dice of a seed after a number of throws.
    pub(super) fn restore(seed: u64, throws: usize, by_turn: impl IntoIterator<Item = (usize, Roll)>) -> DiceLog {
        let mut log = DiceLog::new(seed);
        for _ in 0..throws {
            let throw = log.dice.next_throw();
            log.throws.push(throw);
        }
        log.by_turn.extend(by_turn);
        log
    }
}

impl DiceSource for DiceLog {
    fn throw(&mut self) -> Option<Throw> {
        let throw = self.dice.next_throw();
        self.throws.push(throw);
        Some(throw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_taken_back_has_the_same_dice_again() {
        let mut log = DiceLog::new(7);
        let rolls: Vec<Roll> = (0..5).map(|turn| log.roll_of_turn(turn)).collect();
        assert_eq!((0..5).map(|turn| log.roll_of_turn(turn)).collect::<Vec<_>>(), rolls);
        assert_eq!(log.throws().len(), 5);
        let mut again = SeededDice::new(7);
        assert!(rolls.iter().all(|&roll| roll == again.next_roll()));
        let mut restored = DiceLog::restore(7, 5, log.turns());
        assert_eq!(restored.roll_of_turn(3), rolls[3]);
        assert_eq!(restored.roll_of_turn(5), log.roll_of_turn(5));
    }
}
