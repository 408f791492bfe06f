//! A thread's part of the tree: the replies to all rolls, and what a position is worth once they are played.

use super::cache::{Cache, hash};
use super::control::Control;
use crate::eval::{Evaluator, Keep, ModelError, Outcomes, best_of, equity, flip};
use crate::game::NUM_OUTCOMES;
use crate::movegen::{PlayList, legal_plays_into};
use crate::position::Position;
use crate::types::Roll;

/// The best play of a roll at 0-ply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply {
    /// The position after it, seen by the side that made it.
    pub result: Position,
    /// That side's chances.
    pub outcomes: Outcomes,
}

/// The best plays of all rolls, in the order of [`Roll::ALL`].
pub type Replies = [Reply; Roll::ALL.len()];

/// What each outcome is worth to the other side.
pub(super) fn flip_worth(worth: &Outcomes) -> Outcomes {
    flip(*worth).map(|points| -points)
}

/// The mean over the rolls of what `value` says of each.
pub(super) fn mean_over_rolls(mut value: impl FnMut(usize) -> Option<Outcomes>) -> Option<Outcomes> {
    let mut mean = [0.0f32; NUM_OUTCOMES];
    for roll in Roll::ALL {
        let weight = roll.weight() as f32 / 36.0;
        let outcomes = value(roll.index())?;
        mean.iter_mut().zip(outcomes).for_each(|(sum, chance)| *sum += weight * chance);
    }
    Some(mean)
}

/// A thread's tools.
#[derive(Debug)]
pub(super) struct Explorer {
    pub(super) evaluator: Evaluator,
    filter: Option<Evaluator>,
    keep: Keep,
    plays: PlayList,
    /// The results of all rolls, and where those of each roll end.
    results: Vec<Position>,
    ends: Vec<usize>,
    ranked: Vec<(f32, u32)>,
    /// The results that are to be valued, and where those of each roll end.
    kept: Vec<u32>,
    kept_ends: Vec<usize>,
    values: Vec<Outcomes>,
    batch: Batch,
}

/// Positions that are not in the cache.
#[derive(Debug, Default)]
struct Batch {
    positions: Vec<Position>,
    hashes: Vec<u64>,
    /// (place among the kept results, place in the batch).
    wanted: Vec<(u32, u32)>,
    /// Finds a position that is already in the batch by its hash.
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl Batch {
    /// Forgets everything and prepares for up to `most` positions.
    fn clear(&mut self, most: usize) {
        self.positions.clear();
        self.hashes.clear();
        self.wanted.clear();
        self.slots.clear();
        self.slots.resize((2 * most).next_power_of_two(), FREE);
    }

    /// Adds a position unless it is there.
    fn add(&mut self, position: Position, hash: u64, place: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> 32) as usize & mask;
        while self.slots[slot] != FREE && self.hashes[self.slots[slot] as usize] != hash {
            slot = (slot + 1) & mask;
        }
        if self.slots[slot] == FREE {
            self.slots[slot] = self.positions.len() as u32;
            self.positions.push(position);
            self.hashes.push(hash);
        }
        self.wanted.push((place, self.slots[slot]));
    }
}

impl Explorer {
    pub(super) fn new(evaluator: Evaluator, filter: Option<Evaluator>, keep: Keep) -> Explorer {
        Explorer {
            evaluator,
            filter,
            keep,
            plays: PlayList::new(),
            results: Vec::new(),
            ends: Vec::new(),
            ranked: Vec::new(),
            kept: Vec::new(),
            kept_ends: Vec::new(),
            values: Vec::new(),
            batch: Batch::default(),
        }
    }

    /// Tools of the same kind for another thread.
    pub(super) fn fork(&self) -> Result<Explorer, ModelError> {
        let filter = self.filter.as_ref().map(Evaluator::fork).transpose()?;
        Ok(Explorer::new(self.evaluator.fork()?, filter, self.keep))
    }

    /// The best replies of the side on roll at 0-ply; `None` once the search is stopped.
    pub(super) fn replies(
        &mut self,
        position: Position,
        worth: &Outcomes,
        cache: &Cache,
        control: &Control,
    ) -> Option<Replies> {
        self.generate(position);
        self.choose_kept(position, worth);
        if control.count(self.kept.len() as u64) {
            return None;
        }
        self.value_kept(cache);
        let mut start = 0;
        Some(std::array::from_fn(|roll| {
            let end = self.kept_ends[roll];
            let best = start + best_of(&self.values[start..end], worth);
            start = end;
            Reply { result: self.results[self.kept[best] as usize], outcomes: self.values[best] }
        }))
    }

    fn generate(&mut self, position: Position) {
        let rules = *self.evaluator.rules();
        self.results.clear();
        self.ends.clear();
        for roll in Roll::ALL {
            legal_plays_into(position, roll, &rules, &mut self.plays);
            self.results.extend_from_slice(self.plays.positions());
            self.ends.push(self.results.len());
        }
    }

    fn choose_kept(&mut self, position: Position, worth: &Outcomes) {
        self.kept.clear();
        self.kept_ends.clear();
        let Some(filter) = &mut self.filter else {
            self.kept.extend(0..self.results.len() as u32);
            self.kept_ends.extend_from_slice(&self.ends);
            return;
        };
        let outcomes = filter.evaluate_results(position, &self.results);
        let mut start = 0;
        for &end in &self.ends {
            self.ranked.clear();
            self.ranked.extend((start as u32..).zip(&outcomes[start..end]).map(|(i, o)| (equity(o, worth), i)));
            self.keep.select(&mut self.ranked);
            self.kept.extend(self.ranked.iter().map(|r| r.1));
            self.kept_ends.push(self.kept.len());
            start = end;
        }
    }

    /// Values the kept results, from the cache or by the network.
    fn value_kept(&mut self, cache: &Cache) {
        self.values.clear();
        self.values.resize(self.kept.len(), [0.0; NUM_OUTCOMES]);
        self.batch.clear(self.kept.len());
        for (place, &index) in (0u32..).zip(&self.kept) {
            let result = self.results[index as usize];
            let hash = hash(result);
            match cache.get(hash) {
                Some(outcomes) => self.values[place as usize] = outcomes,
                None => self.batch.add(result, hash, place),
            }
        }
        if self.batch.positions.is_empty() {
            return;
        }
        let found = self.evaluator.evaluate_each(&self.batch.positions);
        for (&hash, outcomes) in self.batch.hashes.iter().zip(found) {
            cache.put(hash, outcomes);
        }
        for &(place, i) in &self.batch.wanted {
            self.values[place as usize] = found[i as usize];
        }
    }

    /// Chances of the side on roll, `depth` plies looked ahead (at least 1); `None` once the search is stopped.
    pub(super) fn look_ahead(
        &mut self,
        position: Position,
        depth: u32,
        worth: &Outcomes,
        cache: &Cache,
        control: &Control,
    ) -> Option<Outcomes> {
        let replies = self.replies(position, worth, cache, control)?;
        let other_worth = flip_worth(worth);
        mean_over_rolls(|roll| {
            let Reply { result, outcomes } = replies[roll];
            if depth <= 1 || result.is_over() {
                return Some(outcomes);
            }
            self.look_ahead(result.swapped(), depth - 1, &other_worth, cache, control).map(flip)
        })
    }
}
