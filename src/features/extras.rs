//! Inputs that describe the position as a whole.

use super::shots::{hitting_rolls, running_rolls};
use crate::position::{Checkers, Position, is_race, other_side_set, other_side_sets};
use crate::rules::Game;
use crate::types::{BAR, PointSet};

/// Inputs per side.
const PER_SIDE: usize = 5;
/// Inputs beyond the point inputs, in either game: a race flag and five per side.
pub(super) const NUM_EXTRAS: usize = 1 + 2 * PER_SIDE;

/// The inputs beyond the point inputs, in their order.
pub type Extras = [f32; NUM_EXTRAS];

/// Checkers of one side as sets of points in either side's numbering.
struct Sets {
    occupied: PointSet,
    held: PointSet,
    occupied_seen: PointSet,
    held_seen: PointSet,
}

impl Sets {
    #[inline(always)]
    fn of(side: Checkers) -> Sets {
        let (occupied, held) = side.occupied_and_held();
        let (occupied_seen, held_seen) = other_side_sets(occupied, held);
        Sets { occupied, held, occupied_seen, held_seen }
    }
}

/// Small numbers divided by `by`; a division costs as much as a good part of the rest.
const fn fractions<const N: usize>(by: u8) -> [f32; N] {
    let (mut table, mut n) = ([0.0; N], 0);
    while n < N {
        table[n] = n as f32 / by as f32;
        n += 1;
    }
    table
}

static THIRTY_SIXTHS: [f32; 37] = fractions(36);
static SIXTHS: [f32; 32] = fractions(6);
static FIFTEENTHS: [f32; 16] = fractions(15);

/// A race is told by its flag alone.
const RACE: Extras = {
    let mut extras = [0.0; NUM_EXTRAS];
    extras[0] = 1.0;
    extras
};

#[inline(always)]
fn contact(us: [f32; PER_SIDE], them: [f32; PER_SIDE]) -> Extras {
    let mut extras = [0.0; NUM_EXTRAS];
    extras[1..=PER_SIDE].copy_from_slice(&us);
    extras[1 + PER_SIDE..].copy_from_slice(&them);
    extras
}

#[inline(always)]
pub(super) fn short(position: Position) -> Extras {
    let Position { us, them } = position;
    if is_race(Game::Short, position) {
        return RACE;
    }
    let (our_sets, their_sets) = (Sets::of(us), Sets::of(them));
    contact(short_side(&our_sets, &their_sets, them), short_side(&their_sets, &our_sets, us))
}

/// What one side (`own`) of short nardy gives in contact, each about 0 to 1: how its rear checker runs, how it may be
/// hit, its longest prime, how the opponent dances on its home, and how much of the opponent stands behind its prime.
#[inline(always)]
fn short_side(own: &Sets, opp: &Sets, opp_checkers: Checkers) -> [f32; PER_SIDE] {
    let rear = own.occupied.highest().unwrap_or(0);
    let running = THIRTY_SIXTHS[usize::from(running_rolls(rear, opp.held_seen))];

    let blots = PointSet(own.occupied_seen.0 & !own.held_seen.0);
    let hit = THIRTY_SIXTHS[usize::from(hitting_rolls(opp.occupied, blots, PointSet(!own.held_seen.0)))];

    let (length, start) = longest_run(own.held.0 & PointSet::BOARD.0);
    let closed = SIXTHS[(own.held.0 & PointSet::HOME.0).count_ones() as usize & 31];
    // The prime begins at own point `start`; an enemy checker is behind it if it stands on a lower own point.
    let behind = if length >= 3 { checkers_from(opp_checkers, 26 - start) } else { 0 };
    [running, hit, SIXTHS[usize::from(length & 31)], closed * closed, FIFTEENTHS[usize::from(behind & 15)] * 2.0]
}

#[inline(always)]
pub(super) fn long(position: Position) -> Extras {
    let Position { us, them } = position;
    if is_race(Game::Long, position) {
        return RACE;
    }
    let (ours, theirs) = (us.occupied(), them.occupied());
    contact(long_side(us, ours, them, theirs), long_side(them, theirs, us, ours))
}

/// What one side (`own`) of long nardy gives while the sides can still be in each other's way, each about 0 to 1: its
/// possible steps, the dice it can't play at all, the ways off its head, its longest row on the opponent's path, and how
/// much of the opponent stands behind that row.
#[inline(always)]
fn long_side(own: Checkers, occupied: PointSet, opp: Checkers, opp_occupied: PointSet) -> [f32; PER_SIDE] {
    let open = PointSet::BOARD.0 & !other_side_set(Game::Long, opp_occupied).0;
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
        SIXTHS[dead_dice as usize & 31],
        SIXTHS[head_ways as usize & 31],
        SIXTHS[usize::from(length & 31)],
        FIFTEENTHS[usize::from(behind & 15)],
    ]
}

/// Length and lowest point of the longest run of points (the highest of several).
#[inline(always)]
fn longest_run(points: u32) -> (u8, u8) {
    let (mut runs, mut length, mut last) = (points, 0, 0);
    // As many rounds as most positions need, without a branch to foretell; then the rest.
    for _ in 0..5 {
        last = if runs != 0 { runs } else { last };
        length += u8::from(runs != 0);
        runs &= runs >> 1;
    }
    while runs != 0 {
        (last, length) = (runs, length + 1);
        runs &= runs >> 1;
    }
    (length, PointSet(last).highest().unwrap_or(0))
}

/// Checkers on `point` or further back, bar included.
#[inline(always)]
fn checkers_from(side: Checkers, point: u8) -> u8 {
    const LOW: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    let nibbles = if point > BAR { 0 } else { side.0 >> (4 * point) };
    let sum_pairs = |half: u64| (half & LOW) + (half >> 4 & LOW);
    let bytes = sum_pairs(nibbles as u64) + sum_pairs((nibbles >> 64) as u64);
    (bytes.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u8
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
        let [running, hit, prime, dancing, behind] = short_side(&Sets::of(own), &Sets::of(opp), opp);
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
        let [steps, dead, head, row, behind] = long_side(own, own.occupied(), opp, opp.occupied());
        // From 24 six dice, from 11 … 7 six each (own 12 is behind them).
        assert_eq!(steps, 36.0 / 36.0);
        assert_eq!((dead, head, row, behind), (0.0, 1.0, 5.0 / 6.0, 1.0));
    }

    #[test]
    fn a_race_has_only_its_flag() {
        assert_eq!(short(Position { us: side(&[(6, 15)]), them: side(&[(18, 15)]) }), RACE);
        assert_eq!(long(Position { us: side(&[(6, 15)]), them: side(&[(6, 15)]) }), RACE);
        assert_eq!(long(Position::LONG_START)[0], 0.0);
    }
}
