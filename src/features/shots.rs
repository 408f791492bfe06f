//! Counting rolls, in 36ths, by bitboards and a table.

use crate::types::{PointSet, Roll};

/// Rolls, of 36, with which a checker that has the points `d` (bit `12 - d`) before it blocked plays both dice (of a
/// double: two of the four).
const RUNNING: [u8; 4096] = {
    let mut table = [0u8; 4096];
    let mut pattern = 0;
    while pattern < 4096 {
        let mut i = 0;
        while i < 21 {
            let roll = Roll::ALL[i];
            let (high, low) = (roll.high() as usize, roll.low() as usize);
            if !(blocked_at(pattern, high + low) || blocked_at(pattern, high) && blocked_at(pattern, low)) {
                table[pattern] += roll.weight() as u8;
            }
            i += 1;
        }
        pattern += 1;
    }
    table
};

const fn blocked_at(pattern: usize, distance: usize) -> bool {
    pattern >> (12 - distance) & 1 != 0
}

/// Rolls, of 36, with which the checker on `point` plays both dice (of a double: two of the four), `blocked` being the
/// points it can't land on. Beyond point 1 nothing blocks.
#[inline(always)]
pub(super) fn running_rolls(point: u8, blocked: PointSet) -> u8 {
    let before = (u64::from(blocked.0 & PointSet::BOARD.0) << 12 >> point) as usize & 4095;
    RUNNING[before]
}

/// Rolls, of 36, with which one of the `attackers` hits one of the `blots`, all in the attacker's numbering, landing on
/// `open` points on the way. With a checker on the bar only that one attacks.
///
/// All blots are looked at together and there are no branches, so that a loop over positions becomes vector instructions.
#[inline(always)]
pub(super) fn hitting_rolls(attackers: u32, blots: u32, open: u32) -> u32 {
    let bar = attackers & 1 << 25;
    let attackers = if bar != 0 { bar } else { attackers };
    // Some blot has an attacker so many points away, where bit `blot` of the way to it is set.
    let reached = |distance: usize, way: u32| u32::from(attackers >> distance & way & blots != 0);
    let opens: [u32; 7] = std::array::from_fn(|die| open >> die);
    let direct: [u32; 7] = std::array::from_fn(|die| reached(die, u32::MAX));
    let mut rolls = 0;
    for high in 1..=6 {
        for low in 1..high {
            let summed = reached(high + low, opens[high] | opens[low]);
            rolls += 2 * (direct[high] | direct[low] | summed);
        }
        let twice = opens[high] & open >> (2 * high);
        let thrice = twice & open >> (3 * high);
        let double = reached(2 * high, opens[high]) | reached(3 * high, twice) | reached(4 * high, thrice);
        rolls += direct[high] | double;
    }
    rolls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(points: &[u8]) -> PointSet {
        PointSet(points.iter().fold(0, |set, p| set | 1 << p))
    }

    #[test]
    fn shots_are_those_of_the_textbook() {
        // Chances of hitting a lone checker at each distance with nothing in the way, of 36.
        let expected = [11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1];
        for (distance, rolls) in (1..=24).zip(expected) {
            let target = if distance == 24 { 1 } else { 24 - distance };
            let attacker = target + distance;
            assert_eq!(hitting_rolls(set(&[attacker]).0, set(&[target]).0, u32::MAX), rolls, "distance {distance}");
        }
    }

    #[test]
    fn blocked_points_take_combination_shots_away() {
        // Six away with 1, 2 … 5 all blocked: only direct sixes are left.
        let open = !set(&[7, 8, 9, 10, 11]).0;
        assert_eq!(hitting_rolls(set(&[12]).0, set(&[6]).0, open), 11);
        assert_eq!(hitting_rolls(set(&[12, 7]).0, set(&[6]).0, open), 20);
    }

    #[test]
    fn a_full_prime_lets_nothing_run() {
        assert_eq!(running_rolls(24, set(&[])), 36);
        assert_eq!(running_rolls(24, set(&[18, 19, 20, 21, 22, 23])), 0);
        // Only 6-6 is stopped by the point 12 away, only what ends there.
        assert_eq!(running_rolls(24, set(&[12])), 35);
        assert_eq!(running_rolls(5, set(&[])), 36);
    }
}
