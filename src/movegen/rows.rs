//! The six-block rule of long nardy (docs/rules.md, 1.6) as shift-and on the ring of 24 points.

use crate::position::{Checkers, other_side_set};
use crate::rules::{Block, BlockPath, BlockWhen, Game, Rules};
use crate::types::PointSet;

const RING: u32 = 0x00FF_FFFF;

/// Which rows the mover must not hold this turn; the opponent does not move meanwhile, so it is fixed for the turn.
///
/// Bit `q - 1` of a set of starts stands for the row whose lowest point in the opponent's numbering is `q`; rows may
/// run on from 24 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// Starts of rows of six that are not permitted.
    forbidden: u32,
    /// Length and starts of rows that are too long for any permission (`block_cap`); length 0 = no limit.
    cap: (u32, u32),
    /// Every step is tested, not only the last.
    pub(super) every_step: bool,
}

impl Rows {
    /// Nothing is forbidden.
    pub(super) const FREE: Rows = Rows { forbidden: 0, cap: (0, 0), every_step: false };

    /// What the opponent's checkers forbid.
    pub(super) fn new(rules: &Rules, them: Checkers) -> Rows {
        let Some(front) = PointSet(them.occupied().0 & PointSet::BOARD.0).lowest() else {
            return Rows::FREE;
        };
        if rules.block == Block::None {
            return Rows::FREE;
        }
        let unpassed = match rules.block {
            // A row q..q+5 is passed once front < q, and front never lies inside it.
            Block::Ahead => (1u32 << front.saturating_sub(6)) - 1,
            Block::Home if front > 6 => RING,
            _ => 0,
        };
        let cap = match u32::from(rules.block_cap) {
            0 => (0, 0),
            cap => (cap + 1, starts(rules.block_path, cap + 1)),
        };
        let six = match rules.block_path {
            BlockPath::Opp => const { starts(BlockPath::Opp, 6) },
            BlockPath::Own => const { starts(BlockPath::Own, 6) },
            BlockPath::Ring => RING,
        };
        // Nobody crosses the opponent's own corner, so `ahead` never forbids a row there.
        Rows { forbidden: unpassed & six, cap, every_step: rules.block_when == BlockWhen::Step }
    }

    /// Some row could be forbidden this turn.
    pub(super) fn any(&self) -> bool {
        self.forbidden != 0 || self.cap.0 != 0
    }

    /// The mover, holding these points of his own numbering, has a forbidden row.
    #[inline]
    pub(super) fn forbid(&self, occupied: u32) -> bool {
        let ring = ring_of(occupied);
        six_in_a_row(ring) & u64::from(self.forbidden) != 0
            || (self.cap.0 != 0 && run(ring, self.cap.0) & u64::from(self.cap.1) != 0)
    }

    /// With `steps` steps that reach at most the points `reachable` a forbidden row could arise (or is there already).
    #[inline]
    pub(super) fn threaten(&self, occupied: u32, reachable: u32, steps: u32) -> bool {
        if self.cap.0 != 0 {
            return true;
        }
        let ring = ring_of(occupied);
        let filled = six_in_a_row(ring | ring_of(reachable)) & u64::from(self.forbidden);
        filled != 0 && filled & few_missing(!ring, steps) != 0
    }
}

/// The mover's points as two laps of the ring in the opponent's numbering, bit `q - 1`.
#[inline]
fn ring_of(occupied: u32) -> u64 {
    let board = u64::from(other_side_set(Game::Long, PointSet(occupied)).0 >> 1);
    board | board << 24
}

#[inline]
const fn six_in_a_row(ring: u64) -> u64 {
    let two = ring & ring >> 1;
    two & two >> 2 & two >> 4
}

const fn run(ring: u64, length: u32) -> u64 {
    let (mut all, mut i) = (ring, 1);
    while i < length {
        all &= ring >> i;
        i += 1;
    }
    all
}

/// Starts of the windows of six that miss at most `steps` (2, or 4 of a double) points: a bit-sliced sum.
#[inline]
const fn few_missing(missing: u64, steps: u32) -> u64 {
    let (a, b, c) = (missing, missing >> 1, missing >> 2);
    let (d, e, f) = (missing >> 3, missing >> 4, missing >> 5);
    let (sum1, carry1) = (a ^ b ^ c, a & b | c & (a ^ b));
    let (sum2, carry2) = (d ^ e ^ f, d & e | f & (d ^ e));
    let (ones, carry) = (sum1 ^ sum2, sum1 & sum2);
    let twos = carry1 ^ carry2 ^ carry;
    let fours = carry1 & carry2 | carry & (carry1 ^ carry2);
    if steps <= 2 { !(fours | twos & ones) } else { !(fours & (twos | ones)) }
}

/// Starts of all rows of a length along the path.
const fn starts(path: BlockPath, length: u32) -> u32 {
    let (mut set, mut q) = (0, 1);
    while q <= 24 {
        let end = q + length - 1;
        let on_path = match path {
            BlockPath::Opp => end <= 24,
            // The mover's own corner lies between the opponent's 12 and 13 (and 36 and 37, a lap on).
            BlockPath::Own => !(q <= 12 && end >= 13 || q <= 36 && end >= 37),
            BlockPath::Ring => true,
        };
        if on_path {
            set |= 1 << (q - 1);
        }
        q += 1;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_with_few_gaps_are_those_counted_one_by_one() {
        let mut ring = 0x9E37_79B9_7F4A_7C15u64;
        for _ in 0..1000 {
            ring = ring.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let missing = ring >> 20;
            for steps in [2, 4] {
                let expected =
                    (0..24).filter(|i| (missing >> i & 63).count_ones() <= steps).fold(0, |set, i| set | 1u64 << i);
                assert_eq!(few_missing(missing, steps) & u64::from(RING), expected);
            }
        }
    }

    #[test]
    fn paths_differ_at_the_two_corners() {
        assert_eq!(starts(BlockPath::Opp, 6), (1 << 19) - 1);
        assert_eq!(starts(BlockPath::Own, 6), 0x7F | 0xFFF << 12);
        assert_eq!(starts(BlockPath::Ring, 6), RING);
    }
}
