//! A position of either game: 32 bytes, seen by the side on roll.
//!
//! Each side's 15 checkers are 26 nibbles of a `u128` in that side's own numbering, so a step is one addition and one
//! subtraction; the bitboards that the generator works on (occupied points, points with two or more) are folded out of
//! the nibbles with a few shifts. Which game it is, dice, score and colours are not part of the position.

pub mod text;
mod validate;

pub use validate::PositionError;

use crate::rules::Game;
use crate::types::{BAR, NUM_CHECKERS, OFF, PointSet};
use std::fmt;

const LOW_BITS: u128 = 0x11_1111_1111_1111_1111_1111_1111;

/// What a step adds to [`Checkers`], by die and source: a table, since shifting a `u128` by a variable is slow.
pub(crate) static STEP_DELTAS: [[u128; 32]; 8] = {
    let mut deltas = [[0u128; 32]; 8];
    let mut die = 1;
    while die <= 6 {
        let mut from = 1;
        while from <= BAR as usize {
            let to = from.saturating_sub(die);
            deltas[die][from] = (1u128 << (4 * to)).wrapping_sub(1 << (4 * from));
            from += 1;
        }
        die += 1;
    }
    deltas
};

/// What a hit adds to [`Checkers`], by the point that is hit.
static HIT_DELTAS: [u128; 32] = {
    let mut deltas = [0u128; 32];
    let mut point = 1;
    while point <= 24 {
        deltas[point] = (1 << (4 * BAR)) - (1 << (4 * point));
        point += 1;
    }
    deltas
};

/// The bits of each point's count.
static NIBBLES: [u128; 32] = {
    let mut nibbles = [0u128; 32];
    let mut point = 0;
    while point <= BAR as usize {
        nibbles[point] = 15 << (4 * point);
        point += 1;
    }
    nibbles
};

/// The checkers of one side: nibble `p` of the number counts those on own point `p` (0 = off, 25 = bar).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Checkers(pub(crate) u128);

impl Checkers {
    /// The side's checkers from `(point, count)` pairs; those missing to 15 are counted as borne off.
    ///
    /// # Panics
    /// If a point is above 25 or there are more than 15 checkers: meant for literals, not for input.
    pub const fn from_points(points: &[(u8, u8)]) -> Checkers {
        let (mut bits, mut total, mut i) = (0u128, 0, 0);
        while i < points.len() {
            let (point, count) = points[i];
            assert!(point <= BAR, "points go from 0 to 25");
            bits += (count as u128) << (4 * point);
            total += count;
            assert!(total <= NUM_CHECKERS, "a side has 15 checkers");
            i += 1;
        }
        Checkers(bits + (NUM_CHECKERS - total) as u128)
    }

    /// The side's checkers from 26 counts, `[0]` borne off, `[25]` on the bar; `None` unless they sum to 15.
    pub fn from_counts(counts: &[u8; 26]) -> Option<Checkers> {
        let total: u32 = counts.iter().map(|&n| u32::from(n)).sum();
        (total == u32::from(NUM_CHECKERS))
            .then(|| Checkers(counts.iter().rev().fold(0, |bits, &n| bits << 4 | u128::from(n))))
    }

    /// The 26 counts, `[0]` borne off, `[25]` on the bar.
    pub fn counts(self) -> [u8; 26] {
        std::array::from_fn(|point| self.count(point as u8))
    }

    /// Checkers on a point of the side's own numbering, 0 to 15.
    #[inline(always)]
    pub const fn count(self, point: u8) -> u8 {
        (self.0 >> (4 * point)) as u8 & 15
    }

    /// Checkers borne off.
    #[inline]
    pub const fn off(self) -> u8 {
        self.count(OFF)
    }

    /// Checkers on the bar.
    #[inline]
    pub const fn bar(self) -> u8 {
        self.count(BAR)
    }

    /// Points 1 to 25 that hold at least one checker.
    #[inline(always)]
    pub const fn occupied(self) -> PointSet {
        let x = self.0 | self.0 >> 1;
        PointSet(fold(x | x >> 2) & !1)
    }

    /// Points 1 to 25 that hold at least two checkers.
    #[inline]
    pub const fn held(self) -> PointSet {
        let x = self.0 >> 1;
        PointSet(fold(x | x >> 1 | x >> 2) & !1)
    }

    /// [`Checkers::occupied`] and [`Checkers::held`] for little more than the price of one.
    #[inline(always)]
    pub(crate) const fn occupied_and_held(self) -> (PointSet, PointSet) {
        const fn lowest_bits(x: u64) -> (u64, u64) {
            let two = x >> 1 | x >> 2 | x >> 3;
            (x | two, two)
        }
        two_folds(lowest_bits(self.0 as u64), lowest_bits((self.0 >> 64) as u64))
    }

    /// Points 1 to 25 that hold at least three checkers, and at least four.
    #[inline]
    pub(crate) const fn three_and_four(self) -> (PointSet, PointSet) {
        const fn lowest_bits(x: u64) -> (u64, u64) {
            let four = x >> 2 | x >> 3;
            (x & x >> 1 | four, four)
        }
        two_folds(lowest_bits(self.0 as u64), lowest_bits((self.0 >> 64) as u64))
    }

    /// The point of the rearmost checker, 1 to 25; `None` if all are off.
    #[inline(always)]
    pub const fn rear(self) -> Option<u8> {
        let on_board = self.0 & !15;
        if on_board == 0 { None } else { Some(31 - on_board.leading_zeros() as u8 / 4) }
    }

    /// Some checker stands on own points `low` to `high`.
    #[inline(always)]
    pub const fn any_in(self, low: u8, high: u8) -> bool {
        self.0 >> (4 * low) & ((1 << (4 * (high - low + 1))) - 1) != 0
    }

    /// Pips the side still has to travel to bear everything off, 0 to 375.
    pub const fn pip_count(self) -> u32 {
        let (mut pips, mut point) = (0, 1);
        while point <= BAR {
            pips += point as u32 * self.count(point) as u32;
            point += 1;
        }
        pips
    }

    /// The same with one checker moved; the caller knows that there is one on `from`.
    #[must_use]
    pub(crate) const fn moved(self, from: u8, to: u8) -> Checkers {
        Checkers(self.0 - (1 << (4 * from)) + (1 << (4 * to)))
    }

    /// The same after one step; the caller knows that there is a checker on `from`.
    #[inline]
    #[must_use]
    pub(crate) fn stepped(self, from: u8, die: u8) -> Checkers {
        Checkers(self.0.wrapping_add(STEP_DELTAS[die as usize & 7][from as usize & 31]))
    }

    /// There is nothing on `point`.
    #[inline]
    pub(crate) fn is_empty_at(self, point: u8) -> bool {
        self.0 & NIBBLES[point as usize & 31] == 0
    }

    /// The same with the lone checker on `point` sent to the bar.
    #[inline]
    #[must_use]
    pub(crate) fn hit(self, point: u8) -> Checkers {
        Checkers(self.0 + HIT_DELTAS[point as usize & 31])
    }
}

/// Gathers the lowest bit of each nibble into one bit per point.
#[inline(always)]
const fn fold(x: u128) -> u32 {
    const fn half(x: u64) -> u32 {
        let x = (x | x >> 3) & 0x0303_0303_0303_0303;
        let x = (x | x >> 6) & 0x000F_000F_000F_000F;
        let x = (x | x >> 12) & 0x0000_00FF_0000_00FF;
        (x | x >> 24) as u32 & 0xFFFF
    }
    let x = x & LOW_BITS;
    half(x as u64) | half((x >> 64) as u64) << 16
}

/// [`fold`] of two numbers at once, each given as its lower and upper half, point 0 left out: the four halves share one
/// word, of which each nibble becomes four bits 16 apart (four exchanges of two bits of the bits' index). Halves, since
/// shifts of a `u128` are slow.
#[inline(always)]
const fn two_folds(lower: (u64, u64), upper: (u64, u64)) -> (PointSet, PointSet) {
    const fn exchange(x: u64, distance: u32, mask: u64) -> u64 {
        let changed = (x ^ x >> distance) & mask;
        x ^ changed ^ changed << distance
    }
    const LOWER: u64 = LOW_BITS as u64 ^ 1;
    const UPPER: u64 = (LOW_BITS >> 64) as u64;
    let x = lower.0 & LOWER | (upper.0 & UPPER) << 1 | (lower.1 & LOWER) << 2 | (upper.1 & UPPER) << 3;
    let x = exchange(x, 30, 0x0000_0000_CCCC_CCCC);
    let x = exchange(x, 6, 0x00CC_00CC_00CC_00CC);
    let x = exchange(x, 15, 0x0000_AAAA_0000_AAAA);
    let x = exchange(x, 3, 0x0A0A_0A0A_0A0A_0A0A);
    (PointSet(x as u32), PointSet((x >> 32) as u32))
}

impl fmt::Debug for Checkers {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (i, point) in self.occupied().enumerate() {
            write!(f, "{}{point}:{}", if i == 0 { "" } else { " " }, self.count(point))?;
        }
        Ok(())
    }
}

/// A position as the side on roll (`us`) sees it; both sides in their own numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The side on roll.
    pub us: Checkers,
    /// The opponent.
    pub them: Checkers,
}

impl Position {
    /// Start of long nardy: all 15 on the head.
    pub const LONG_START: Position = {
        let side = Checkers::from_points(&[(24, 15)]);
        Position { us: side, them: side }
    };

    /// Start of short nardy.
    pub const SHORT_START: Position = {
        let side = Checkers::from_points(&[(24, 2), (13, 5), (8, 3), (6, 5)]);
        Position { us: side, them: side }
    };

    /// The start position of a game.
    pub const fn start(game: Game) -> Position {
        match game {
            Game::Long => Position::LONG_START,
            Game::Short => Position::SHORT_START,
        }
    }

    /// The same position seen by the other side.
    #[inline]
    #[must_use]
    pub const fn swapped(self) -> Position {
        Position { us: self.them, them: self.us }
    }

    /// One of the sides has borne off all its checkers.
    #[inline]
    pub const fn is_over(self) -> bool {
        self.us.off() == NUM_CHECKERS || self.them.off() == NUM_CHECKERS
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "own {:?} | opp {:?}", self.us, self.them)
    }
}

/// The same point in the other side's numbering (docs/rules.md, 0): half a lap away in long nardy, mirrored in short.
#[inline]
pub const fn other_side(game: Game, point: u8) -> u8 {
    match game {
        Game::Long if point > 12 => point - 12,
        Game::Long => point + 12,
        Game::Short => 25 - point,
    }
}

/// A set of board points in the other side's numbering; off and bar are dropped.
#[inline(always)]
pub const fn other_side_set(game: Game, set: PointSet) -> PointSet {
    let board = set.0 & PointSet::BOARD.0;
    PointSet(match game {
        Game::Long => (board >> 12 | board << 12) & PointSet::BOARD.0,
        Game::Short => board.reverse_bits() >> 6,
    })
}

/// [`other_side_set`] of two sets of short nardy, in one reversal of bits.
#[inline(always)]
pub(crate) const fn other_side_sets(a: PointSet, b: PointSet) -> (PointSet, PointSet) {
    let both = ((b.0 as u64) << 32 | a.0 as u64).reverse_bits();
    (PointSet((both >> 38) as u32 & PointSet::BOARD.0), PointSet((both >> 6) as u32 & PointSet::BOARD.0))
}

/// In short nardy, some checkers of the two sides have not passed each other yet, so that hits are possible.
#[inline(always)]
pub fn in_contact(one: Checkers, other: Checkers) -> bool {
    match (one.rear(), other.rear()) {
        (Some(a), Some(b)) => a + b > 25,
        _ => false,
    }
}

/// Nothing can be hit or blocked any more: both sides only run home and bear off.
#[inline(always)]
pub fn is_race(game: Game, position: Position) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_takes_32_bytes() {
        assert_eq!(std::mem::size_of::<Position>(), 32);
    }

    #[test]
    fn bitboards_agree_with_the_counts() {
        let side = Checkers::from_points(&[(25, 2), (24, 1), (17, 4), (16, 1), (15, 3), (1, 1)]);
        assert_eq!(side.occupied().collect::<Vec<_>>(), [25, 24, 17, 16, 15, 1]);
        assert_eq!(side.held().collect::<Vec<_>>(), [25, 17, 15]);
        assert_eq!(side.occupied_and_held(), (side.occupied(), side.held()));
        let (three, four) = side.three_and_four();
        assert_eq!(three.collect::<Vec<_>>(), [17, 15]);
        assert_eq!(four.collect::<Vec<_>>(), [17]);
        assert_eq!(side.off(), 3);
        assert_eq!(side.pip_count(), 50 + 24 + 68 + 16 + 45 + 1);
        assert_eq!(Checkers::from_counts(&side.counts()), Some(side));
    }

    #[test]
    fn sets_change_sides_as_their_points_do() {
        for game in [Game::Long, Game::Short] {
            for point in 1..=24 {
                let set = other_side_set(game, PointSet(1 << point));
                assert_eq!(set, PointSet(1 << other_side(game, point)), "{game:?} {point}");
            }
            assert_eq!(other_side_set(game, PointSet(1 | 1 << 25)), PointSet(0));
            let (a, b) = (PointSet(0x0234_5671), PointSet(0x03FF_0F0F));
            let both = (other_side_set(Game::Short, a), other_side_set(Game::Short, b));
            assert_eq!(other_side_sets(a, b), both);
        }
    }
}
