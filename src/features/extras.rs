//! Inputs that describe the position as a whole.

use super::POINT_INPUTS;
use super::shots::{hitting_rolls, running_rolls};
use crate::position::{Checkers, Position, in_contact, other_side_set};
use crate::rules::Game;
use crate::types::{BAR, PointSet};

/// Inputs per side.
const PER_SIDE: usize = 5;
/// Inputs of short nardy beyond the point inputs: a race flag and five per side.
pub(super) const NUM_SHORT: usize = 1 + 2 * PER_SIDE;
/// Inputs of long nardy beyond the point inputs: a race flag and five per side.
pub(super) const NUM_LONG: usize = 1 + 2 * PER_SIDE;

fn push_all(race: bool, sides: [[f32; PER_SIDE]; 2], inputs: &mut Vec<(u16, f32)>) {
    let flag = std::iter::once(f32::from(u8::from(race)));
    let values = flag.chain(sides.into_iter().flatten());
    inputs.extend((POINT_INPUTS as u16..).zip(values).filter(|(_, value)| *value != 0.0));
}

pub(super) fn is_race(game: Game, position: Position) -> bool {
    let Position { us, them } = position;
    match game {
        Game::Short => !in_contact(us, them),
        // Each side's rear checker has only empty points before it, as far as the other side goes.
        Game::Long => {
            let (Some(a), Some(b)) = (us.rear(), them.rear()) else { return true };
            let clear = |rear: u8, opp: Checkers| other_side_set(game, opp.occupied()).lowest() > Some(rear);
            clear(a, them) && clear(b, us)
        }
    }
}

pub(super) fn short(position: Position, inputs: &mut Vec<(u16, f32)>) {
    let Position { us, them } = position;
    if is_race(Game::Short, position) {
        push_all(true, [[0.0; PER_SIDE]; 2], inputs);
    } else {
        push_all(false, [short_side(us, them), short_side(them, us)], inputs);
    }
}

/// What one side (`own`) of short nardy gives in contact, each about 0 to 1: how its rear checker runs, how it may be
/// hit, its longest prime, how the opponent dances on its home, and how much of the opponent stands behind its prime.
fn short_side(own: Checkers, opp: Checkers) -> [f32; PER_SIDE] {
    let (held, occupied) = (own.held(), own.occupied());
    let opp_held = other_side_set(Game::Short, opp.held());
    let rear = occupied.highest().unwrap_or(0);
    let running = f32::from(running_rolls(rear, opp_held)) / 36.0;

    let held_seen_by_opp = other_side_set(Game::Short, held);
    let blots = PointSet(other_side_set(Game::Short, occupied).0 & !held_seen_by_opp.0);
    let hit = f32::from(hitting_rolls(opp.occupied(), blots, PointSet(!held_seen_by_opp.0))) / 36.0;

    let (length, start) = longest_run(held.0 & PointSet::BOARD.0);
    let closed = (held.0 & PointSet::HOME.0).count_ones() as f32 / 6.0;
    // The prime begins at own point `start`; an enemy checker is behind it if it stands on a lower own point.
    let behind = if length >= 3 { checkers_from(opp, 26 - start) } else { 0 };
    [running, hit, f32::from(length) / 6.0, closed * closed, f32::from(behind) / 15.0 * 2.0]
}

pub(super) fn long(position: Position, inputs: &mut Vec<(u16, f32)>) {
    let Position { us, them } = position;
    if is_race(Game::Long, position) {
        push_all(true, [[0.0; PER_SIDE]; 2], inputs);
    } else {
        push_all(false, [long_side(us, them), long_side(them, us)], inputs);
    }
}

/// What one side (`own`) of long nardy gives while the sides can still be in each other's way, each about 0 to 1: its
/// possible steps, the dice it can't play at all, the ways off its head, its longest row on the opponent's path, and how
/// much of the opponent stands behind that row.
fn long_side(own: Checkers, opp: Checkers) -> [f32; PER_SIDE] {
    let occupied = own.occupied();
    let open = PointSet::BOARD.0 & !other_side_set(Game::Long, opp.occupied()).0;
    let (mut steps, mut dead_dice) = (0, 0);
    for die in 1..=6 {
        let sources = (occupied.0 & open << die).count_ones();
        steps += sources;
        dead_dice += u32::from(sources == 0);
    }
    let head_ways = if own.count(24) > 0 { (open & 0x00FC_0000).count_ones() } else { 0 };
    let (length, start) = longest_run(other_side_set(Game::Long, occupied).0);
    let behind = if length >= 3 { checkers_from(opp, start + length) } else { 0 };
    [
        steps as f32 / 36.0,
        dead_dice as f32 / 6.0,
        head_ways as f32 / 6.0,
        f32::from(length) / 6.0,
        f32::from(behind) / 15.0,
    ]
}

/// Length and lowest point of the longest run of points (the highest of several).
fn longest_run(points: u32) -> (u8, u8) {
    let (mut runs, mut length, mut last) = (points, 0, 0);
    while runs != 0 {
        (last, length) = (runs, length + 1);
        runs &= runs >> 1;
    }
    (length, PointSet(last).highest().unwrap_or(0))
}

/// Checkers on `point` or further back, bar included.
fn checkers_from(side: Checkers, point: u8) -> u8 {
    let mut nibbles = if point > BAR { 0 } else { side.0 >> (4 * point) };
    let mut total = 0;
    while nibbles != 0 {
        total += nibbles as u8 & 15;
        nibbles >>= 4;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(points: &[(u8, u8)]) -> Checkers {
        Checkers::from_points(points)
    }

    #[test]
    fn runs_and_checkers_behind_them_are_counted() {
        assert_eq!(longest_run(0b0111_0110), (3, 4));
        assert_eq!(longest_run(0b10_1110_1110), (3, 5));
        assert_eq!(longest_run(0), (0, 0));
        assert_eq!(checkers_from(side(&[(25, 1), (24, 2), (6, 5)]), 24), 3);
        assert_eq!(checkers_from(side(&[(25, 1), (24, 2), (6, 5)]), 26), 0);
    }

    #[test]
    fn a_side_of_short_nardy_in_numbers() {
        // Five-point prime 4..8, ace point open; a lone enemy checker on our 1 (his 24), another of his on the bar.
        let own = side(&[(8, 2), (7, 2), (6, 3), (5, 3), (4, 3), (13, 2)]);
        let opp = side(&[(25, 1), (24, 1), (6, 13)]);
        let [running, hit, prime, dancing, behind] = short_side(own, opp);
        assert!(running > 0.5 && running <= 1.0);
        assert_eq!((hit, prime), (0.0, 5.0 / 6.0));
        assert_eq!(dancing, (3.0f32 / 6.0).powi(2));
        assert_eq!(behind, 2.0 / 15.0 * 2.0);
    }

    #[test]
    fn a_side_of_long_nardy_in_numbers() {
        // Own 11..7 are his 23..19; his head (own 12) stops own fives from 17 … but none stand there.
        let own = side(&[(24, 5), (11, 2), (10, 2), (9, 2), (8, 2), (7, 2)]);
        let opp = side(&[(24, 15)]);
        let [steps, dead, head, row, behind] = long_side(own, opp);
        // From 24 six dice, from 11 … 7 six each (own 12 is behind them).
        assert_eq!(steps, 36.0 / 36.0);
        assert_eq!((dead, head, row, behind), (0.0, 1.0, 5.0 / 6.0, 1.0));
    }

    #[test]
    fn a_race_has_only_its_flag() {
        let mut inputs = Vec::new();
        short(Position { us: side(&[(6, 15)]), them: side(&[(18, 15)]) }, &mut inputs);
        assert_eq!(inputs, [(POINT_INPUTS as u16, 1.0)]);
        inputs.clear();
        long(Position { us: side(&[(6, 15)]), them: side(&[(6, 15)]) }, &mut inputs);
        assert_eq!(inputs, [(POINT_INPUTS as u16, 1.0)]);
        inputs.clear();
        long(Position::LONG_START, &mut inputs);
        assert_ne!(inputs[0].0, POINT_INPUTS as u16);
    }
}
