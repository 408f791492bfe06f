//! How many rolls one side needs.

use super::index::{NUM_HOME, POINTS, choose, index_of, side_of};
use crate::movegen::{PlayList, legal_plays_into};
use crate::position::{Checkers, Position};
use crate::rules::Rules;
use crate::types::{NUM_CHECKERS, Roll};

/// More rolls than any side at home can need: each bears off a checker or uses up most of its pips.
const MOST_ROLLS: usize = 40;

/// Numbers of rolls at the end of a distribution are left out if all of them together are less likely than this.
const NEGLIGIBLE: f64 = 1e-9;

/// The first number of a side with all its checkers on the board.
const ALL_ON_BOARD: usize = choose(POINTS + NUM_CHECKERS as usize - 1, POINTS);

/// Distributions of different lengths, one after the other.
#[derive(Debug, Default)]
pub(super) struct Distributions {
    chances: Vec<f32>,
    ends: Vec<u32>,
}

impl Distributions {
    pub(super) fn get(&self, i: usize) -> &[f32] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.chances[start as usize..self.ends[i] as usize]
    }

    fn push(&mut self, chances: &[f64]) {
        self.chances.extend(chances.iter().map(|&chance| chance as f32));
        self.ends.push(self.chances.len() as u32);
    }
}

/// Rolls until a side is off, and until its first checker is.
#[derive(Debug)]
pub(super) struct OneSided {
    finish: Distributions,
    /// For the sides with all checkers on the board.
    first: Distributions,
}

impl OneSided {
    /// Computes both, from the sides that have the least left.
    pub(super) fn new(rules: &Rules) -> OneSided {
        let mut finish = Planner::new();
        let mut first = Planner::new();
        let mut plays = PlayList::new();
        let mut results = Vec::new();
        finish.settle(&[1.0]);
        first.settle(&[1.0]);
        for index in 1..NUM_HOME {
            let all_on_board = index >= ALL_ON_BOARD;
            for roll in Roll::ALL {
                results_of(index, roll, rules, &mut plays, &mut results);
                finish.add(roll, results.iter().copied());
                if all_on_board {
                    // Whatever has borne off a checker is done.
                    first.add(roll, results.iter().map(|&result| (result + 1).saturating_sub(ALL_ON_BOARD)));
                }
            }
            finish.finish();
            if all_on_board {
                first.finish();
            }
        }
        OneSided { finish: finish.done, first: first.done }
    }

    pub(super) fn finish(&self, index: usize) -> &[f32] {
        self.finish.get(index)
    }

    pub(super) fn first(&self, index: usize) -> &[f32] {
        self.first.get((index + 1).saturating_sub(ALL_ON_BOARD))
    }
}

/// Numbers of the sides that a roll can lead to.
pub(super) fn results_of(index: usize, roll: Roll, rules: &Rules, plays: &mut PlayList, results: &mut Vec<usize>) {
    results.clear();
    let Some(us) = side_of(index) else { return };
    // On its own ace point, the other side is in nobody's way in either game.
    let position = Position { us, them: Checkers::from_points(&[(1, NUM_CHECKERS)]) };
    legal_plays_into(position, roll, rules, plays);
    results.extend(plays.positions().iter().filter_map(|result| index_of(result.us)));
}

/// Finds the distributions with the least means, one after the other, each from those before it.
pub(super) struct Planner {
    pub(super) done: Distributions,
    means: Vec<f64>,
    current: [f64; MOST_ROLLS],
}

impl Planner {
    pub(super) fn new() -> Planner {
        Planner { done: Distributions::default(), means: Vec::new(), current: [0.0; MOST_ROLLS] }
    }

    pub(super) fn settle(&mut self, chances: &[f64]) {
        self.means.push(chances.iter().zip(0u32..).map(|(chance, n)| chance * f64::from(n)).sum());
        self.done.push(chances);
    }

    /// The one with the least mean.
    pub(super) fn best(&self, reached: impl Iterator<Item = usize>) -> Option<usize> {
        reached.min_by(|&a, &b| self.means[a].total_cmp(&self.means[b]).then(a.cmp(&b)))
    }

    /// With this roll, one of these can be reached.
    pub(super) fn add(&mut self, roll: Roll, reached: impl Iterator<Item = usize>) {
        let best = self.best(reached).unwrap_or(0);
        let weight = f64::from(roll.weight()) / 36.0;
        for (sum, &chance) in self.current[1..].iter_mut().zip(self.done.get(best)) {
            *sum += weight * f64::from(chance);
        }
    }

    /// All rolls have been added.
    pub(super) fn finish(&mut self) {
        let current = std::mem::replace(&mut self.current, [0.0; MOST_ROLLS]);
        let (mut len, mut left_out) = (MOST_ROLLS, 0.0);
        while left_out + current[len - 1] < NEGLIGIBLE {
            len -= 1;
            left_out += current[len];
        }
        self.settle(&current[..len]);
    }
}
