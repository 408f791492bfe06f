//! The GNU Position ID: 14 characters that hold a position of either game.
//!
//! 80 bits, lowest first: for the opponent and then for the side on roll, for points 1 to 24 and the bar of its own
//! numbering, as many ones as checkers and a zero. Written as base64. Checkers that are missing have been borne off.

use super::PositionTextError;
use crate::position::{Checkers, Position, PositionError};
use crate::rules::Game;
use crate::types::NUM_CHECKERS;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Characters of an ID.
pub(super) const LENGTH: usize = 14;
const FORMAT: &str = "GNU Position ID";
const BYTES: usize = 10;

/// The character can stand in an ID.
pub(super) fn is_digit(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '+' || c == '/'
}

/// The GNU Position ID of a valid position.
///
/// # Examples
/// ```
/// use nardy::position::{Position, text::gnu_id};
///
/// assert_eq!(gnu_id(Position::SHORT_START), "4HPwATDgc/ABMA");
/// ```
pub fn gnu_id(position: Position) -> String {
    let (mut bits, mut at) = (0u128, 0);
    for side in [position.them, position.us] {
        for &count in &side.counts()[1..] {
            bits |= ((1u128 << count) - 1) << at;
            at += u32::from(count) + 1;
        }
    }
    STANDARD_NO_PAD.encode(&bits.to_le_bytes()[..BYTES])
}

/// Reads a GNU Position ID as a position of the game.
///
/// # Errors
/// A wrong length or character, or why the position can't stand.
pub fn parse_gnu_id(text: &str, game: Game) -> Result<Position, PositionTextError> {
    let length = text.chars().count();
    if let Some((i, c)) = text.chars().enumerate().find(|&(_, c)| !is_digit(c)) {
        let (column, expected) = (i + 1, "a letter, a digit, `+` or `/`");
        return Err(PositionTextError::Unexpected { format: FORMAT, column, expected, found: format!("{c:?}") });
    }
    if length != LENGTH {
        return Err(PositionTextError::WrongLength { format: FORMAT, expected: "14 characters", found: length });
    }
    let mut bytes = [0; 16];
    if STANDARD_NO_PAD.decode_slice(text, &mut bytes).is_err() {
        let last = text.chars().last().map(|c| format!("{c:?}")).unwrap_or_default();
        let expected = "`A`, `Q`, `g` or `w`, since the last character holds only two bits";
        return Err(PositionTextError::Unexpected { format: FORMAT, column: LENGTH, expected, found: last });
    }
    let mut bits = u128::from_le_bytes(bytes);
    let them = take_side(&mut bits, "opp")?;
    let us = take_side(&mut bits, "own")?;
    if bits != 0 {
        return Err(PositionTextError::BitsLeft);
    }
    let position = Position { us, them };
    position.validate(game)?;
    Ok(position)
}

fn take_side(bits: &mut u128, side: &'static str) -> Result<Checkers, PositionError> {
    let mut counts = [0u8; 26];
    let mut found = 0;
    for count in &mut counts[1..] {
        let ones = bits.trailing_ones();
        found += ones;
        // At most 80 of the 128 bits are ones.
        *count = ones as u8;
        *bits >>= ones + 1;
    }
    counts[0] = u32::from(NUM_CHECKERS).saturating_sub(found) as u8;
    Checkers::from_counts(&counts).ok_or(PositionError::CheckerCount { side, found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;
    use crate::rules::Rules;
    use crate::types::Roll;

    #[test]
    fn the_known_ids_are_read_and_written() {
        assert_eq!(parse_gnu_id("4HPwATDgc/ABMA", Game::Short), Ok(Position::SHORT_START));
        assert_eq!(gnu_id(Position::SHORT_START), "4HPwATDgc/ABMA");
        let wide = parse_gnu_id("AACAkCRJqqoAAA", Game::Short).unwrap();
        assert_eq!(legal_plays(wide, Roll::new(1, 1).unwrap(), &Rules::SHORT).len(), 2220);
        assert_eq!(gnu_id(wide), "AACAkCRJqqoAAA");
        let head = parse_gnu_id(&gnu_id(Position::LONG_START), Game::Long).unwrap();
        assert_eq!(head, Position::LONG_START);
    }
}
