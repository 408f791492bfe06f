//! Numbers such as "1.6" and names such as "B3" are those of docs/rules.md.

/// 1.7: bearing off.
mod bearing_off;
/// 1.6: six in a row.
mod block;
/// 1.5: as many dice as possible, the larger one.
mod full_use;
/// 1.4: checkers leaving the head.
mod head;
/// 2: what only short nardy has.
mod short;
/// 1.3: single steps.
mod steps;

use crate::positions::{position, rules};
use nardy::movegen::{IllegalPlay, IllegalStep, is_legal, legal_plays, naive};
use nardy::position::Position;
use nardy::rules::{Block, BlockPath, BlockWhen, Head, Rules};
use nardy::types::{Roll, Step};
use std::collections::BTreeSet;

fn roll(a: u8, b: u8) -> Roll {
    Roll::new(a, b).unwrap()
}

/// The plays as text, in ascending order; both generators must find the same.
fn plays(position: Position, roll: Roll, rules: &Rules) -> Vec<String> {
    let mut fast: Vec<String> = legal_plays(position, roll, rules).iter().map(|play| play.steps.to_string()).collect();
    let mut slow: Vec<String> =
        naive::legal_plays(position, roll, rules).iter().map(|play| play.steps.to_string()).collect();
    fast.sort();
    slow.sort();
    assert_eq!(fast, slow, "{position:?} {roll} {rules}");
    fast
}

fn step(from: u8, die: u8) -> Step {
    Step { from, die }
}

fn results(position: Position, roll: Roll, rules: &Rules) -> BTreeSet<Position> {
    legal_plays(position, roll, rules).iter().map(|play| play.position).collect()
}

/// The position for the other side after a play.
fn after(position: Position, roll: Roll, rules: &Rules, steps: &str) -> Position {
    let list = legal_plays(position, roll, rules);
    let play = list.iter().find(|play| play.steps.to_string() == steps);
    play.unwrap_or_else(|| panic!("{steps} is not legal")).position.swapped()
}
