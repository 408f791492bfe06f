//! One trial: a position played on.

use super::settings::{BLOCK, RolloutSettings};
use crate::bearoff::Bearoff;
use crate::eval::{Outcomes, flip};
use crate::game::{NUM_OUTCOMES, below, seed_for_game};
use crate::movegen::{PlayList, legal_plays_into};
use crate::position::Position;
use crate::search::{Limits, Searcher};
use crate::types::Roll;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A game that goes on for longer is valued as it stands.
const MOST_PLIES: u32 = 2_000;

/// The dice of a trial, the same for every candidate.
pub(super) struct TrialDice {
    seed: u64,
    trial: u64,
    random: ChaCha8Rng,
    thrown: u32,
}

impl TrialDice {
    pub(super) fn new(seed: u64, trial: u64) -> TrialDice {
        TrialDice { seed, trial, random: ChaCha8Rng::seed_from_u64(seed_for_game(seed, trial)), thrown: 0 }
    }

    /// The next throw. The first goes through all 36 from trial to trial, the second from block to block, each in an order of
    /// its own.
    pub(super) fn next(&mut self) -> Roll {
        let number = match self.thrown {
            0 => order(self.seed, self.trial / BLOCK * 2)[(self.trial % BLOCK) as usize],
            // Within a block, each first throw is followed by another second one.
            1 => {
                let first = order(self.seed, self.trial / BLOCK * 2)[(self.trial % BLOCK) as usize];
                let long = self.trial / (BLOCK * BLOCK);
                order(self.seed, 2 * long + 1)[((self.trial / BLOCK + u64::from(first)) % BLOCK) as usize]
            }
            _ => below(&mut self.random, BLOCK) as u8,
        };
        self.thrown += 1;
        Roll::new(number / 6 + 1, number % 6 + 1).unwrap_or(Roll::ALL[0])
    }
}

/// The numbers 0 to 35 in a random order.
fn order(seed: u64, number: u64) -> [u8; BLOCK as usize] {
    let mut random = ChaCha8Rng::seed_from_u64(seed_for_game(seed ^ 0x7374_7261_7461, number));
    let mut order = std::array::from_fn(|i| i as u8);
    for i in (1..order.len()).rev() {
        order.swap(i, below(&mut random, i as u64 + 1) as usize);
    }
    order
}

/// A thread's tools for trials.
pub(super) struct Trials<'a> {
    searcher: &'a mut Searcher,
    settings: &'a RolloutSettings,
    plays: PlayList,
}

impl<'a> Trials<'a> {
    pub(super) fn new(searcher: &'a mut Searcher, settings: &'a RolloutSettings) -> Trials<'a> {
        Trials { searcher, settings, plays: PlayList::new() }
    }

    /// What trial number `trial` gives the side on roll, luck taken out; the chances may then be outside 0 to 1.
    pub(super) fn play(&mut self, start: Position, trial: u64) -> Outcomes {
        let mut dice = TrialDice::new(self.settings.seed, trial);
        let most = self.settings.truncate.unwrap_or(MOST_PLIES);
        let exact = self.searcher.settings().exact_endings && Bearoff::of(self.searcher.rules()).is_some();
        let mut position = start;
        // As the side on roll at the start sees it.
        let mut luck = [0.0f32; NUM_OUTCOMES];
        let mut ours = true;
        for _ in 0..most {
            if position.is_over() || (exact && Bearoff::covers(position)) {
                break;
            }
            let roll = dice.next();
            let (result, lucky) = self.turn(position, roll);
            let lucky = if ours { lucky } else { flip(lucky) };
            luck.iter_mut().zip(lucky).for_each(|(sum, lucky)| *sum += lucky);
            (position, ours) = (result.swapped(), !ours);
        }
        let value = self.searcher.evaluator().evaluate(position);
        let value = if ours { value } else { flip(value) };
        std::array::from_fn(|i| value[i] - luck[i])
    }

    /// The result of the play that is made, and how much better than on average the roll was for the side that threw it.
    fn turn(&mut self, position: Position, roll: Roll) -> (Position, Outcomes) {
        let mut lucky = [0.0; NUM_OUTCOMES];
        let mut result = None;
        if self.settings.luck_adjusted {
            let replies = self.searcher.replies(position);
            for (reply, roll) in replies.iter().zip(Roll::ALL) {
                let weight = roll.weight() as f32 / 36.0;
                lucky.iter_mut().zip(reply.outcomes).for_each(|(sum, chance)| *sum -= weight * chance);
            }
            let reply = replies[roll.index()];
            lucky.iter_mut().zip(reply.outcomes).for_each(|(sum, chance)| *sum += chance);
            result = Some(reply.result);
        }
        match result {
            Some(result) if self.settings.depth == 0 => (result, lucky),
            _ => {
                legal_plays_into(position, roll, self.searcher.rules(), &mut self.plays);
                let ranking = self.searcher.rank(position, &self.plays, &Limits::depth(self.settings.depth));
                (self.plays.positions()[ranking.plays[0].index], lucky)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn first_throws_are_stratified_and_pairs_of_throws_too() {
        let mut pairs = BTreeMap::new();
        for block in 0..BLOCK {
            let mut firsts = BTreeMap::new();
            for trial in block * BLOCK..(block + 1) * BLOCK {
                let mut dice = TrialDice::new(7, trial);
                let (first, second) = (dice.next(), dice.next());
                *firsts.entry(first).or_insert(0) += 1;
                *pairs.entry((first, second)).or_insert(0) += 1;
            }
            assert!(firsts.len() == 21 && firsts.iter().all(|(roll, &n)| n == roll.weight()), "block {block}");
        }
        assert_eq!(pairs.len(), 21 * 21);
        assert!(pairs.iter().all(|((a, b), &n)| n == a.weight() * b.weight()));
    }

    #[test]
    fn later_throws_are_random_and_the_same_in_every_run() {
        let throws = |seed, trial| {
            let mut dice = TrialDice::new(seed, trial);
            (0..20).map(|_| dice.next()).collect::<Vec<_>>()
        };
        assert_eq!(throws(1, 5), throws(1, 5));
        assert_ne!(throws(1, 5)[2..], throws(1, 6)[2..]);
        assert_ne!(throws(1, 5)[2..], throws(2, 5)[2..]);
        let sixes = (0..2000).filter(|&trial| throws(1, trial)[10] == Roll::ALL[20]).count();
        // 2000 / 36 = 55.6, standard deviation 7.3.
        assert!((30..85).contains(&sixes), "{sixes}");
    }
}
