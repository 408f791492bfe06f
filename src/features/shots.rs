//! Counting rolls, in 36ths, by tables and bitboards.

use crate::types::{PointSet, Roll};

/// Rolls (bit = index in [`Roll::ALL`]) that show one of the dice in a set (bit `d - 1`).
const SHOWING: [u32; 64] = {
    let mut table = [0u32; 64];
    let mut set = 0;
    while set < 64 {
        let mut i = 0;
        while i < 21 {
            let roll = Roll::ALL[i];
            if set >> (roll.high() - 1) & 1 != 0 || set >> (roll.low() - 1) & 1 != 0 {
                table[set] |= 1 << i;
            }
            i += 1;
        }
        set += 1;
    }
    table
};

const DOUBLES: u32 = {
    let (mut set, mut i) = (0, 0);
    while i < 21 {
        if Roll::ALL[i].is_double() {
            set |= 1 << i;
        }
        i += 1;
    }
    set
};

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

/// Rolls of two different dice that sum to one of a set of distances (bit `sum - 3`).
const SUMMING: [u32; 512] = {
    let mut table = [0u32; 512];
    let mut set = 0;
    while set < 512 {
        let mut i = 0;
        while i < 21 {
            let roll = Roll::ALL[i];
            if !roll.is_double() && set >> (roll.high() + roll.low() - 3) & 1 != 0 {
                table[set] |= 1 << i;
            }
            i += 1;
        }
        set += 1;
    }
    table
};

/// Index in [`Roll::ALL`] of each double.
const DOUBLE_INDEX: [u32; 7] = {
    let (mut table, mut i) = ([0; 7], 0);
    while i < 21 {
        if Roll::ALL[i].is_double() {
            table[Roll::ALL[i].high() as usize] = i as u32;
        }
        i += 1;
    }
    table
};

/// Doubles (bit = index in [`Roll::ALL`]) with which an attacker reaches a blot in two to four steps, all blots at once.
#[inline(always)]
fn doubles_hitting(attackers: u32, blots: u32, open: u32) -> u32 {
    let mut hits = 0;
    for die in 1..=6u32 {
        let once = open >> die;
        let twice = once & open >> (2 * die);
        let thrice = twice & open >> (3 * die);
        let reached = once & attackers >> (2 * die) | twice & attackers >> (3 * die) | thrice & attackers >> (4 * die);
        hits |= u32::from(reached & blots != 0) << DOUBLE_INDEX[die as usize];
    }
    hits
}

/// Rolls, of 36, with which one of the `attackers` hits one of the `blots`, all in the attacker's numbering, landing on
/// `open` points on the way. With a checker on the bar only that one attacks.
#[inline(always)]
pub(super) fn hitting_rolls(attackers: PointSet, blots: PointSet, open: PointSet) -> u8 {
    let bar = attackers.0 & 1 << 25;
    let attackers = if bar != 0 { bar } else { attackers.0 };
    let mut hits = doubles_hitting(attackers, blots.0, open.0);
    let mut rest = blots.0;
    while rest != 0 {
        let blot = rest.trailing_zeros();
        rest &= rest - 1;
        // Bit k: an attacker k points away; k points away is open.
        let (distances, open) = (attackers >> blot, open.0 >> blot);
        hits |= SHOWING[(distances >> 1 & 63) as usize];
        hits |= SUMMING[(distances >> 3 & 511) as usize] & SHOWING[(open >> 1 & 63) as usize];
    }
    (2 * (hits & !DOUBLES).count_ones() + (hits & DOUBLES).count_ones()) as u8
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
            assert_eq!(
                hitting_rolls(set(&[attacker]), set(&[target]), PointSet(u32::MAX)),
                rolls,
                "distance {distance}"
            );
        }
    }

    #[test]
    fn blocked_points_take_combination_shots_away() {
        // Six away with 1, 2 … 5 all blocked: only direct sixes are left.
        let open = PointSet(!set(&[7, 8, 9, 10, 11]).0);
        assert_eq!(hitting_rolls(set(&[12]), set(&[6]), open), 11);
        assert_eq!(hitting_rolls(set(&[12, 7]), set(&[6]), open), 20);
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
