//! `own 24:9 21:6 | opp 24:15`: positions that can be read without a board.
//!
//! Each side in its own numbers, `point:count`; `bar:1` and `off:3` (or 25 and 0) too. Checkers that are not named have
//! been borne off; if `off` is given, it must agree. `own` is the side on roll.

use super::{PositionTextError, column_of};
use crate::position::{Checkers, Position, PositionError};
use crate::rules::Game;
use crate::types::{BAR, NUM_CHECKERS, OFF};
use std::fmt;

const FORMAT: &str = "literal";

impl fmt::Display for Checkers {
    /// `bar:1 13:5 6:3 off:6`: the counts that are not zero, from the bar down.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let off = (self.off() > 0).then_some(OFF);
        for (i, point) in self.occupied().chain(off).enumerate() {
            f.write_str(if i == 0 { "" } else { " " })?;
            match point {
                BAR => f.write_str("bar")?,
                OFF => f.write_str("off")?,
                _ => write!(f, "{point}")?,
            }
            write!(f, ":{}", self.count(point))?;
        }
        Ok(())
    }
}

impl fmt::Display for Position {
    /// The literal that [`parse_literal`] reads.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "own {} | opp {}", self.us, self.them)
    }
}

/// Reads `own 24:9 21:6 | opp 24:15`.
///
/// # Errors
/// What is wrong and at which column, or why the position can't stand.
pub fn parse_literal(text: &str, game: Game) -> Result<Position, PositionTextError> {
    let mut reader = Reader { text, at: 0 };
    let us = reader.side("own", Some('|'))?;
    let them = reader.side("opp", None)?;
    let position = Position { us, them };
    position.validate(game)?;
    Ok(position)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &str {
        let start = self.at;
        while let Some(c) = self.peek().filter(|&c| wanted(c)) {
            self.at += c.len_utf8();
        }
        &self.text[start..self.at]
    }

    fn unexpected(&self, at: usize, expected: &'static str) -> PositionTextError {
        let rest = &self.text[at..];
        let is_word = |c: char| c.is_alphanumeric();
        let word: String = rest.chars().take_while(|&c| is_word(c)).take(20).collect();
        let found = match rest.chars().next() {
            None => "the end of the text".into(),
            Some(c) if word.is_empty() => format!("{c:?}"),
            Some(_) => format!("{word:?}"),
        };
        PositionTextError::Unexpected { format: FORMAT, column: column_of(self.text, at), expected, found }
    }

    /// `own` or `opp` and its counts, up to the end mark.
    fn side(&mut self, side: &'static str, end: Option<char>) -> Result<Checkers, PositionTextError> {
        self.take_while(char::is_whitespace);
        let start = self.at;
        if self.take_while(char::is_alphabetic).to_lowercase() != side {
            return Err(self.unexpected(start, if side == "own" { "`own`" } else { "`opp`" }));
        }
        let mut counts = [None; 26];
        loop {
            self.take_while(|c| c.is_whitespace() || c == ',');
            let start = self.at;
            if self.peek() == end {
                self.at += end.map_or(0, char::len_utf8);
                break;
            }
            let (point, count) = self.entry(side)?;
            if counts[point as usize].replace(count).is_some() {
                let (column, point) = (column_of(self.text, start), point.to_string());
                return Err(PositionTextError::Twice { column, side, point });
            }
        }
        let on_board: u32 = counts[1..].iter().flatten().map(|&n| u32::from(n)).sum();
        let all = u32::from(NUM_CHECKERS);
        let off = counts[0].map_or(all.saturating_sub(on_board), u32::from);
        let mut numbers = counts.map(|count: Option<u8>| count.unwrap_or(0));
        // At most 15, like every count.
        numbers[0] = off as u8;
        let found = on_board + off;
        Checkers::from_counts(&numbers).ok_or_else(|| PositionError::CheckerCount { side, found }.into())
    }

    /// `point:count`.
    fn entry(&mut self, side: &str) -> Result<(u8, u8), PositionTextError> {
        let start = self.at;
        let point = match self.take_while(char::is_alphanumeric).to_lowercase().as_str() {
            "bar" => Some(BAR),
            "off" => Some(OFF),
            digits => digits.parse().ok().filter(|&point| point <= BAR),
        };
        let Some(point) = point else {
            let ends = if side == "own" {
                "a point (1 to 24, `bar`, `off`) or `|`"
            } else {
                "a point (1 to 24, `bar`, `off`)"
            };
            return Err(self.unexpected(start, ends));
        };
        if self.take_while(|c| c == ':') != ":" {
            return Err(self.unexpected(self.at, "one `:` after the point"));
        }
        let start = self.at;
        match self.take_while(|c| c.is_ascii_digit()).parse::<u8>() {
            Ok(count) if count <= NUM_CHECKERS => Ok((point, count)),
            _ => Err(self.unexpected(start, "a number of checkers from 0 to 15")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_is_read_as_it_is_written() {
        for (text, game) in [
            ("own 24:15 | opp 24:15", Game::Long),
            ("own 24:1 8:1 6:13 | opp 21:2 9:2 7:3 6:4 5:4", Game::Short),
            ("own bar:2 6:3 off:10 | opp 24:1 1:1 off:13", Game::Short),
            ("own off:15 | opp 1:15", Game::Short),
        ] {
            assert_eq!(parse_literal(text, game).unwrap().to_string(), text);
        }
    }

    #[test]
    fn off_may_be_left_out_and_numbers_may_stand_for_bar_and_off() {
        let full = parse_literal("own bar:1 3:2 off:12 | opp off:15", Game::Short).unwrap();
        for text in ["own bar:1 3:2 | opp", "OWN 25:1, 3:2, 0:12|OPP 0:15", " own 3:2 bar:1 24:0 | opp off:15 "] {
            assert_eq!(parse_literal(text, Game::Short), Ok(full), "{text}");
        }
    }
}
