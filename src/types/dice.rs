//! Two dice.

use std::fmt;
use std::str::FromStr;

/// A throw of two dice; the order in which they fell does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Roll {
    high: u8,
    low: u8,
}

impl Roll {
    /// The 21 distinct rolls in the order 1-1, 2-1, 2-2, 3-1 … 6-6.
    pub const ALL: [Roll; 21] = {
        let mut all = [Roll { high: 1, low: 1 }; 21];
        let (mut high, mut i) = (1, 0);
        while high <= 6 {
            let mut low = 1;
            while low <= high {
                all[i] = Roll { high, low };
                i += 1;
                low += 1;
            }
            high += 1;
        }
        all
    };

    /// The roll of two dice, or `None` if one of them is not 1 to 6.
    pub const fn new(a: u8, b: u8) -> Option<Roll> {
        if a < 1 || a > 6 || b < 1 || b > 6 {
            return None;
        }
        Some(if a >= b { Roll { high: a, low: b } } else { Roll { high: b, low: a } })
    }

    /// The larger die (either one of a double).
    pub const fn high(self) -> u8 {
        self.high
    }

    /// The smaller die (either one of a double).
    pub const fn low(self) -> u8 {
        self.low
    }

    /// Both dice show the same number.
    pub const fn is_double(self) -> bool {
        self.high == self.low
    }

    /// How many of the 36 equally likely throws give this roll: 1 or 2.
    pub const fn weight(self) -> u32 {
        if self.is_double() { 1 } else { 2 }
    }

    /// Place in [`Roll::ALL`], 0 to 20.
    pub const fn index(self) -> usize {
        (self.high as usize * (self.high as usize - 1)) / 2 + self.low as usize - 1
    }

    /// The dice a turn may use, larger first: two, or four of a double.
    pub fn dice(self) -> impl Iterator<Item = u8> {
        let n = if self.is_double() { 4 } else { 2 };
        [self.high, self.low, self.low, self.low].into_iter().take(n)
    }
}

/// A text that names no roll.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected two dice from 1 to 6 such as `31`, `3-1` or `3 1`, found {found:?}")]
pub struct ParseRollError {
    /// The text that was read.
    pub found: String,
}

impl FromStr for Roll {
    type Err = ParseRollError;

    fn from_str(text: &str) -> Result<Roll, ParseRollError> {
        let refuse = || ParseRollError { found: text.chars().take(40).collect() };
        let trimmed = text.trim();
        let mut chars = trimmed.chars();
        let (Some(a), Some(b)) = (chars.next(), chars.next_back()) else {
            return Err(refuse());
        };
        let between = chars.as_str().trim();
        if !matches!(between, "" | "-" | "," | ":" | "/") {
            return Err(refuse());
        }
        let die = |c: char| c.to_digit(10).map_or(0, |d| d as u8);
        Roll::new(die(a), die(b)).ok_or_else(refuse)
    }
}

impl Roll {
    /// Both dice as records write them, the higher one first: `63`.
    pub fn digits(self) -> String {
        format!("{}{}", self.high, self.low)
    }
}

impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}-{}", self.high, self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_roll_knows_its_index_and_the_weights_sum_to_36() {
        for (i, roll) in Roll::ALL.into_iter().enumerate() {
            assert_eq!(roll.index(), i);
            assert_eq!(roll.to_string().parse::<Roll>(), Ok(roll));
        }
        assert_eq!(Roll::ALL.iter().map(|r| r.weight()).sum::<u32>(), 36);
    }

    #[test]
    fn the_usual_spellings_of_dice_are_read_and_others_refused() {
        for text in ["31", "13", "3-1", "3 1", "1, 3", " 1:3 "] {
            assert_eq!(text.parse(), Ok(Roll { high: 3, low: 1 }), "{text}");
        }
        for text in ["", "3", "70", "07", "311", "3--1", "a1", "3-1-1", "٣1"] {
            assert!(text.parse::<Roll>().is_err(), "{text}");
        }
    }
}
