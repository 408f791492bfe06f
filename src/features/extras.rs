//! Inputs that describe the position as a whole.

use super::shots::{hitting_rolls, running_rolls};
use crate::position::{Checkers, Position, in_contact, other_side_set, other_side_sets};
use crate::rules::Game;
use crate::types::{BAR, PointSet};

/// Inputs per side.
const PER_SIDE: usize = 5;
/// Inputs beyond the point inputs, in either game: a race flag and five per side.
pub(super) const NUM_EXTRAS: usize = 1 + 2 * PER_SIDE;

/// The inputs beyond the point inputs, in their order.
pub type Extras = [f32; NUM_EXTRAS];

/// Small numbers divided by `by`; a division costs as much as a good part of the rest.
const fn fractions<const N: usize>(by: u8) -> [f32; N] {
    let (mut table, mut n) = ([0.0; N], 0);
    while n < N {
        table[n] = n as f32 / by as f32;
        n += 1;
    }
    table
}

static THIRTY_SIXTHS: [f32; 128] = fractions(36);
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

/// Numbers of the positions that are described together, one for each side of each position: `[us, them][position]`. The
/// loops over them have no branches, so that the compiler turns them into vector instructions.
type Lanes<const N: usize> = [[u32; N]; 2];

/// `f` of the same lane of two others.
#[inline(always)]
fn zip<const N: usize>(a: &Lanes<N>, b: &Lanes<N>, f: impl Fn(u32, u32) -> u32) -> Lanes<N> {
    let mut out = [[0; N]; 2];
    for side in 0..2 {
        for i in 0..N {
            out[side][i] = f(a[side][i], b[side][i]);
        }
    }
    out
}

/// The lanes of the other sides.
#[inline(always)]
fn opponents<const N: usize>([us, them]: Lanes<N>) -> Lanes<N> {
    [them, us]
}

/// The extras of several positions of short nardy. For each side in contact, each number about 0 to 1: how its rear checker
/// runs, how it may be hit, its longest prime, how the opponent dances on its home, and how much of the opponent stands
/// behind its prime.
#[inline(always)]
pub(super) fn short<const N: usize>(positions: &[Position; N]) -> [Extras; N] {
    let races = positions.map(|position| is_race(Game::Short, position));
    if races == [true; N] {
        return [RACE; N];
    }
    // Checkers as sets of points in either side's numbering.
    let [mut occupied, mut held, mut occupied_seen, mut held_seen] = [[[0; N]; 2]; 4];
    for (i, position) in positions.iter().enumerate() {
        for (side, checkers) in [position.us, position.them].into_iter().enumerate() {
            let sets = checkers.occupied_and_held();
            let seen = other_side_sets(sets.0, sets.1);
            (occupied[side][i], held[side][i]) = (sets.0.0, sets.1.0);
            (occupied_seen[side][i], held_seen[side][i]) = (seen.0.0, seen.1.0);
        }
    }
    let blots = zip(&occupied_seen, &held_seen, |occupied, held| occupied & !held);
    let attackers_and_blots = [opponents(occupied), blots];
    let mut hits = [[0; N]; 2];
    let mut lengths = [[0; N]; 2];
    let mut primes = [[0; N]; 2];
    for side in 0..2 {
        for i in 0..N {
            let [attackers, blots] = attackers_and_blots.map(|lanes| lanes[side][i]);
            hits[side][i] = hitting_rolls(attackers, blots, !held_seen[side][i]);
            // Fifteen checkers hold seven points at most.
            (lengths[side][i], primes[side][i]) = longest_run::<7>(held[side][i] & PointSet::BOARD.0);
        }
    }
    let closed = zip(&held, &held, |held, _| (held & PointSet::HOME.0).count_ones());
    let side = |side: usize, i: usize| {
        let rear = PointSet(occupied[side][i]).highest().unwrap_or(0);
        let running = running_rolls(rear, PointSet(held_seen[1 - side][i]));
        let length = lengths[side][i];
        // The prime begins at own point `start`; an enemy checker is behind it if it stands on a lower own point.
        let start = PointSet(primes[side][i]).highest().unwrap_or(0);
        let opponent = if side == 0 { positions[i].them } else { positions[i].us };
        let behind = if length >= 3 { checkers_from(opponent, 26 - start) } else { 0 };
        let closed = SIXTHS[closed[side][i] as usize & 31];
        [
            THIRTY_SIXTHS[usize::from(running & 63)],
            THIRTY_SIXTHS[hits[side][i] as usize & 63],
            SIXTHS[length as usize & 31],
            closed * closed,
            FIFTEENTHS[usize::from(behind & 15)] * 2.0,
        ]
    };
    std::array::from_fn(|i| if races[i] { RACE } else { contact(side(0, i), side(1, i)) })
}

/// The extras of several positions of long nardy. For each side, while the sides can still be in each other's way, each
/// number about 0 to 1: its possible steps, the dice it can't play at all, the ways off its head, its longest row on the
/// opponent's path, and how much of the opponent stands behind that row.
#[inline(always)]
pub(super) fn long<const N: usize>(positions: &[Position; N]) -> [Extras; N] {
    let races = positions.map(|position| is_race(Game::Long, position));
    if races == [true; N] {
        return [RACE; N];
    }
    let mut occupied = [[0; N]; 2];
    for (i, position) in positions.iter().enumerate() {
        occupied[0][i] = position.us.occupied().0;
        occupied[1][i] = position.them.occupied().0;
    }
    let seen = zip(&occupied, &occupied, |occupied, _| other_side_set(Game::Long, PointSet(occupied)).0);
    let open = zip(&opponents(seen), &seen, |enemy, _| PointSet::BOARD.0 & !enemy);
    let [mut steps, mut dead_dice, mut head_ways, mut lengths, mut rows] = [[[0; N]; 2]; 5];
    for side in 0..2 {
        for i in 0..N {
            let (occupied, open) = (occupied[side][i], open[side][i]);
            for die in 1..=6 {
                let sources = (occupied & open << die).count_ones();
                steps[side][i] += sources;
                dead_dice[side][i] += u32::from(sources == 0);
            }
            let ways = open & 0x00FC_0000 & (occupied >> 24 & 1).wrapping_neg();
            head_ways[side][i] = ways.count_ones();
            (lengths[side][i], rows[side][i]) = longest_run::<15>(seen[side][i]);
        }
    }
    let side = |side: usize, i: usize| {
        let length = lengths[side][i];
        let start = PointSet(rows[side][i]).highest().unwrap_or(0);
        let opponent = if side == 0 { positions[i].them } else { positions[i].us };
        let behind = if length >= 3 { checkers_from(opponent, start + length as u8) } else { 0 };
        [
            THIRTY_SIXTHS[steps[side][i] as usize & 127],
            SIXTHS[dead_dice[side][i] as usize & 31],
            SIXTHS[head_ways[side][i] as usize & 31],
            SIXTHS[length as usize & 31],
            FIFTEENTHS[usize::from(behind & 15)],
        ]
    };
    std::array::from_fn(|i| if races[i] { RACE } else { contact(side(0, i), side(1, i)) })
}

/// Length of the longest run of points, up to `MOST`, and the lowest points of all runs of that length.
#[inline(always)]
fn longest_run<const MOST: usize>(points: u32) -> (u32, u32) {
    let (mut runs, mut length, mut last) = (points, 0, 0);
    for _ in 0..MOST {
        last = if runs != 0 { runs } else { last };
        length += u32::from(runs != 0);
        runs &= runs >> 1;
    }
    (length, last)
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
        assert_eq!(longest_run::<7>(0b0111_0110), (3, 1 << 4));
        assert_eq!(longest_run::<7>(0b10_1110_1110), (3, 1 << 5 | 1 << 1));
        assert_eq!(longest_run::<15>(0), (0, 0));
        assert_eq!(longest_run::<15>(0xFFFE), (15, 2));
        assert_eq!(checkers_from(side(&[(25, 1), (24, 2), (6, 5)]), 24), 3);
        assert_eq!(checkers_from(side(&[(25, 1), (24, 2), (6, 5)]), 26), 0);
    }

    #[test]
    fn a_side_of_short_nardy_in_numbers() {
        // Five-point prime 4..8, ace point open; a lone enemy checker on our 1 (his 24), another of his on the bar.
        let own = side(&[(8, 2), (7, 2), (6, 3), (5, 3), (4, 3), (13, 2)]);
        let opp = side(&[(25, 1), (24, 1), (6, 13)]);
        let [_, running, hit, prime, dancing, behind, ..] = short(&[Position { us: own, them: opp }])[0];
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
        let [_, steps, dead, head, row, behind, ..] = long(&[Position { us: own, them: opp }])[0];
        // From 24 six dice, from 11 … 7 six each (own 12 is behind them).
        assert_eq!(steps, 36.0 / 36.0);
        assert_eq!((dead, head, row, behind), (0.0, 1.0, 5.0 / 6.0, 1.0));
    }

    #[test]
    fn a_race_has_only_its_flag() {
        assert_eq!(short(&[Position { us: side(&[(6, 15)]), them: side(&[(18, 15)]) }]), [RACE]);
        assert_eq!(long(&[Position { us: side(&[(6, 15)]), them: side(&[(6, 15)]) }]), [RACE]);
        assert_eq!(long(&[Position::LONG_START])[0][0], 0.0);
    }
}
