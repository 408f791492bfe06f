//! Both sides with few checkers: the chance to win with best play.

use super::index::{POINTS, choose};
use super::one_sided::results_of;
use crate::movegen::PlayList;
use crate::rules::Rules;
use crate::types::Roll;

/// Most checkers of a side on the board.
pub(super) const MOST_CHECKERS: u8 = 6;

/// Sides with so many checkers; their numbers come first.
const SIDES: usize = choose(POINTS + MOST_CHECKERS as usize, POINTS);

/// Chances to win of the side on roll.
#[derive(Debug)]
pub(super) struct TwoSided {
    /// By the numbers of the side on roll and of the other.
    win: Vec<f32>,
}

/// Where the rolls lead from a side: for each roll, the numbers of the sides, ending where `ends` says.
struct Moves {
    results: Vec<u16>,
    ends: [u16; Roll::ALL.len()],
}

impl TwoSided {
    pub(super) fn new(rules: &Rules) -> TwoSided {
        let moves: Vec<Moves> = (0..SIDES).map(|index| moves_of(index, rules)).collect();
        let mut win = vec![0.0f32; SIDES * SIDES];
        // With nothing left a side has won already; with nothing left on the other side, it has lost: 0.
        // Each chance depends on pairs with a smaller greatest number, or with the same and a smaller other one.
        for larger in 1..SIDES {
            for smaller in 1..=larger {
                win[larger * SIDES + smaller] = best(&moves[larger], smaller, &win);
                win[smaller * SIDES + larger] = best(&moves[smaller], larger, &win);
            }
        }
        TwoSided { win }
    }

    pub(super) fn win(&self, us: usize, them: usize) -> f32 {
        self.win[us * SIDES + them]
    }
}

fn moves_of(index: usize, rules: &Rules) -> Moves {
    let (mut plays, mut reached, mut results) = (PlayList::new(), Vec::new(), Vec::new());
    let ends = Roll::ALL.map(|roll| {
        if index > 0 {
            results_of(index, roll, rules, &mut plays, &mut reached);
            results.extend(reached.iter().map(|&result| result as u16));
        }
        results.len() as u16
    });
    Moves { results, ends }
}

/// The mean over the rolls of the least chance that the other side can be left with.
fn best(moves: &Moves, them: usize, win: &[f32]) -> f32 {
    let row = &win[them * SIDES..][..SIDES];
    let mut start = 0;
    let mut sum = 0.0;
    for (roll, &end) in Roll::ALL.iter().zip(&moves.ends) {
        let end = usize::from(end);
        let least = moves.results[start..end].iter().fold(1.0f32, |least, &us| least.min(row[usize::from(us)]));
        sum += roll.weight() as f32 * (1.0 - least);
        start = end;
    }
    sum / 36.0
}
