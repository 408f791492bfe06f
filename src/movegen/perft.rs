//! Counting positions to a fixed depth: the standard check of a move generator.

use super::{PlayList, legal_plays_into};
use crate::position::Position;
use crate::rules::Rules;
use crate::types::Roll;

/// Number of distinct play sequences of `depth` turns: the sum over the 21 rolls, each once, and over the distinct
/// results of each roll; a pass is one result, a finished game counts 1 at depth 0 and 0 below.
pub fn perft(position: Position, rules: &Rules, depth: u32) -> u64 {
    let mut lists = vec![PlayList::new(); depth as usize];
    perft_with(position, rules, &mut lists)
}

/// [`perft`] of each roll on its own, in the order of [`Roll::ALL`]. `depth` counts the turn of that roll, so it must be
/// at least 1.
pub fn divide(position: Position, rules: &Rules, depth: u32) -> [u64; 21] {
    let mut lists = vec![PlayList::new(); depth.max(1) as usize];
    Roll::ALL.map(|roll| if position.is_over() { 0 } else { roll_perft(position, roll, rules, &mut lists) })
}

fn perft_with(position: Position, rules: &Rules, lists: &mut [PlayList]) -> u64 {
    if lists.is_empty() {
        return 1;
    }
    if position.is_over() {
        return 0;
    }
    Roll::ALL.iter().map(|&roll| roll_perft(position, roll, rules, lists)).sum()
}

fn roll_perft(position: Position, roll: Roll, rules: &Rules, lists: &mut [PlayList]) -> u64 {
    let Some((plays, deeper)) = lists.split_first_mut() else { return 1 };
    legal_plays_into(position, roll, rules, plays);
    if deeper.is_empty() {
        return plays.len() as u64;
    }
    plays.positions().iter().map(|p| perft_with(p.swapped(), rules, deeper)).sum()
}
