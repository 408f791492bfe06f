//! Numbers for the ways in which a side's checkers can stand at home.

use crate::position::Checkers;
use crate::types::NUM_CHECKERS;

/// Number of ways in which 0 to 15 checkers can stand on six points.
pub const NUM_HOME: usize = choose(POINTS + NUM_CHECKERS as usize, POINTS);

/// Points of the home.
pub(super) const POINTS: usize = 6;

pub(super) const fn choose(n: usize, k: usize) -> usize {
    let (mut result, mut i) = (1, 0);
    if k > n {
        return 0;
    }
    while i < k {
        result = result * (n - i) / (i + 1);
        i += 1;
    }
    result
}

/// `CHOOSE[n][k]` for n up to 21 and k up to 6.
static CHOOSE: [[u32; POINTS + 1]; 22] = {
    let mut table = [[0; POINTS + 1]; 22];
    let mut n = 0;
    while n < 22 {
        let mut k = 0;
        while k <= POINTS {
            table[n][k] = choose(n, k) as u32;
            k += 1;
        }
        n += 1;
    }
    table
};

/// All the side's checkers are at home or off.
#[inline]
pub(super) fn at_home(side: Checkers) -> bool {
    !side.any_in(7, 25)
}

/// The number of a side that has all its checkers at home or off, below [`NUM_HOME`]; `None` for any other.
///
/// Every step makes the number smaller, and sides with fewer checkers on the board come before those with more: the sums of
/// checkers on 6, on 6 and 5, … on 6 to 1, made different by adding their place, are the elements of a set of six, and sets are
/// numbered in the usual (colexicographic) order.
#[inline]
pub fn index_of(side: Checkers) -> Option<usize> {
    if !at_home(side) {
        return None;
    }
    let (mut sum, mut index) = (0usize, 0);
    for place in 1..=POINTS {
        sum += usize::from(side.count((POINTS + 1 - place) as u8));
        index += CHOOSE[sum + place - 1][place];
    }
    Some(index as usize)
}

/// The side with that number; `None` if there is none.
pub fn side_of(index: usize) -> Option<Checkers> {
    if index >= NUM_HOME {
        return None;
    }
    let mut rest = index as u32;
    let mut sums = [0usize; POINTS + 1];
    for place in (1..=POINTS).rev() {
        let mut element = place - 1;
        while CHOOSE[element + 1][place] <= rest {
            element += 1;
        }
        rest -= CHOOSE[element][place];
        sums[place] = element + 1 - place;
    }
    let mut counts = [0u8; 26];
    for place in 1..=POINTS {
        counts[POINTS + 1 - place] = (sums[place] - sums[place - 1]) as u8;
    }
    counts[0] = NUM_CHECKERS - sums[POINTS] as u8;
    Checkers::from_counts(&counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;
    use crate::position::Position;
    use crate::rules::Rules;
    use crate::types::Roll;

    #[test]
    fn numbers_and_sides_are_each_others_inverse() {
        assert_eq!(NUM_HOME, 54_264);
        for index in 0..NUM_HOME {
            assert_eq!(side_of(index).and_then(index_of), Some(index));
        }
        assert_eq!(side_of(NUM_HOME), None);
        assert_eq!(index_of(Checkers::from_points(&[(7, 1)])), None);
        assert_eq!(index_of(Checkers::from_points(&[])), Some(0));
        assert_eq!(index_of(Checkers::from_points(&[(6, 15)])), Some(NUM_HOME - 1));
    }

    #[test]
    fn every_step_makes_the_number_smaller_and_sides_with_few_checkers_come_first() {
        for index in (1..NUM_HOME).step_by(97) {
            let us = side_of(index).unwrap();
            let on_board = usize::from(NUM_CHECKERS - us.off());
            assert!((choose(on_board + 5, 6)..choose(on_board + 6, 6)).contains(&index));
            let position = Position { us, them: Checkers::from_points(&[(1, 15)]) };
            for roll in Roll::ALL {
                for result in legal_plays(position, roll, &Rules::LONG).positions() {
                    assert!(index_of(result.us).unwrap() < index);
                }
            }
        }
    }
}
