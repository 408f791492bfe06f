//! The words of a play, without a position.

use super::Numbers;
use crate::rules::Game;
use crate::types::{BAR, OFF};

/// Most legs one play can have: a double played by four checkers.
const MOST_LEGS: usize = 4;

/// One checker's way from one named point to the next, perhaps by several dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leg {
    /// The point it leaves, 1 to 25, in the mover's own numbering.
    pub from: u8,
    /// The point it reaches, 0 to 24, always below `from`.
    pub to: u8,
    /// The text marks a hit on `to`.
    pub hit: bool,
    /// The bytes of the text that the leg was read from, start and end.
    pub at: (usize, usize),
}

/// Why a text is no list of legs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LegsError {
    /// Something else was expected there.
    #[error("at byte {at}: expected {expected}, found {found}")]
    Unexpected {
        /// Offset in the text.
        at: usize,
        /// What could stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A number that is no point.
    #[error("at byte {at}: {found} is no point; expected {expected}")]
    BadPoint {
        /// Offset in the text.
        at: usize,
        /// The number read.
        found: String,
        /// The points there are.
        expected: &'static str,
    },
    /// A checker that has been borne off can't move.
    #[error("`{leg}` starts off the board: a checker borne off never moves again")]
    FromOff {
        /// The leg as written.
        leg: String,
    },
    /// Nobody moves to the bar by himself.
    #[error("`{leg}` leads to the bar, but only a hit puts a checker there")]
    ToBar {
        /// The leg as written.
        leg: String,
    },
    /// The wrong way round.
    #[error("`{leg}` goes backwards: checkers move from higher to lower points of their side's own numbering")]
    Backwards {
        /// The leg as written.
        leg: String,
    },
    /// More legs than dice.
    #[error("more than {MOST_LEGS} legs; a roll moves at most {MOST_LEGS} checkers")]
    TooMany,
}

/// What a text of a play says.
pub(super) enum Words {
    /// Nothing at all.
    Nothing,
    /// `pass` or another word for it.
    Pass,
    /// At least one leg.
    Legs(Vec<Leg>),
}

/// Reads legs in the mover's own numbering, without asking whether a position allows them: for game records. Chains
/// come as one leg per landing, `(2)` as two. An empty text and words for a pass (`pass`, `no move`, `cannot move`)
/// give no legs.
///
/// # Errors
/// What is wrong, and at which byte.
///
/// # Examples
/// ```
/// let legs = nardy::notation::parse_legs("bar/22* 8/5(2)").unwrap();
/// assert_eq!(legs.iter().map(|leg| (leg.from, leg.to, leg.hit)).collect::<Vec<_>>(), [
///     (25, 22, true),
///     (8, 5, false),
///     (8, 5, false),
/// ]);
/// ```
pub fn parse_legs(text: &str) -> Result<Vec<Leg>, LegsError> {
    // Own numbers are the same in both games.
    match read_words(text, Numbers::Own, Game::Short)? {
        Words::Legs(legs) => Ok(legs),
        Words::Nothing | Words::Pass => Ok(Vec::new()),
    }
}

/// Reads the text with its points in the given numbering; the legs come out in the mover's own.
pub(super) fn read_words(text: &str, numbers: Numbers, game: Game) -> Result<Words, LegsError> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => return Ok(Words::Nothing),
        ["pass"] | ["no", "move"] | ["cannot", "move"] => return Ok(Words::Pass),
        _ => {}
    }
    let mut reader = Reader { text, at: 0, numbers, game };
    let mut legs = Vec::new();
    loop {
        reader.skip(|c| c.is_whitespace() || matches!(c, ',' | ';'));
        if reader.peek().is_none() {
            break;
        }
        reader.chain(&mut legs)?;
    }
    if legs.is_empty() {
        return Err(reader.unexpected("a leg such as `13/8`"));
    }
    Ok(Words::Legs(legs))
}

fn is_dash(c: char) -> bool {
    // Hyphens, dashes, the minus sign and the small and full-width forms.
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}')
}

fn is_separator(c: char) -> bool {
    is_dash(c) || matches!(c, '/' | '\u{2044}' | '\u{2215}' | '\u{2192}')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    numbers: Numbers,
    game: Game,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        while let Some(c) = self.peek().filter(|&c| wanted(c)) {
            self.at += c.len_utf8();
        }
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        let found = self.peek().filter(|&c| wanted(c));
        self.at += found.map_or(0, char::len_utf8);
        found.is_some()
    }

    fn unexpected(&self, expected: &'static str) -> LegsError {
        let found = self.peek().map_or("the end of the text".into(), |c| format!("{c:?}"));
        LegsError::Unexpected { at: self.at, expected, found }
    }

    /// A chain of legs with its repeat count, added to `legs`.
    fn chain(&mut self, legs: &mut Vec<Leg>) -> Result<(), LegsError> {
        let first = legs.len();
        let mut start = self.at;
        let mut from = self.point("a point such as `13` or `bar`")?;
        loop {
            if !self.take(is_separator) {
                return Err(self.unexpected("`/` or a dash after the point"));
            }
            let next = self.at;
            let to = self.point("the point the checker goes to, such as `8` or `off`")?;
            let hit = self.take(|c| c == '*');
            legs.push(self.leg(from, to, hit, (start, self.at))?);
            (from, start) = (to, next);
            if !self.peek().is_some_and(is_separator) {
                break;
            }
            if legs.len() > MOST_LEGS {
                return Err(LegsError::TooMany);
            }
        }
        let times = self.repeats()?;
        if (legs.len() - first) * times + first > MOST_LEGS {
            return Err(LegsError::TooMany);
        }
        if self.take(|c| c == '*')
            && let Some(last) = legs.last_mut()
        {
            last.hit = true;
        }
        let chain = legs[first..].to_vec();
        (1..times).for_each(|_| legs.extend(&chain));
        match self.peek() {
            Some(c) if !c.is_whitespace() && !matches!(c, ',' | ';') => {
                Err(self.unexpected("a space or the end after the leg"))
            }
            _ => Ok(()),
        }
    }

    fn leg(&self, from: u8, to: u8, hit: bool, at: (usize, usize)) -> Result<Leg, LegsError> {
        let leg = self.text[at.0..at.1].to_string();
        match (from, to) {
            (OFF, _) => Err(LegsError::FromOff { leg }),
            (_, BAR) => Err(LegsError::ToBar { leg }),
            _ if from <= to => Err(LegsError::Backwards { leg }),
            _ => Ok(Leg { from, to, hit, at }),
        }
    }

    fn point(&mut self, expected: &'static str) -> Result<u8, LegsError> {
        let start = self.at;
        self.skip(|c| c.is_ascii_digit());
        if self.at > start {
            let digits = &self.text[start..self.at];
            let (range, points) = match self.numbers {
                Numbers::Own => (OFF..=BAR, "0 (off) to 25 (bar)"),
                Numbers::Opponent => (1..=24, "1 to 24, `bar` or `off`"),
            };
            return match digits.parse().ok().filter(|point| range.contains(point)) {
                Some(point) => Ok(self.numbers.convert(self.game, point)),
                None => {
                    let found = digits.chars().take(20).collect();
                    Err(LegsError::BadPoint { at: start, found, expected: points })
                }
            };
        }
        self.skip(char::is_alphabetic);
        match self.text[start..self.at].to_lowercase().as_str() {
            "bar" => Ok(BAR),
            "off" => Ok(OFF),
            _ => {
                self.at = start;
                Err(self.unexpected(expected))
            }
        }
    }

    /// `(n)` after a chain, or once.
    fn repeats(&mut self) -> Result<usize, LegsError> {
        if !self.take(|c| c == '(') {
            return Ok(1);
        }
        let times = self.peek().and_then(|c| c.to_digit(10)).filter(|n| (1..=4).contains(n));
        let Some(times) = times else {
            return Err(self.unexpected("a number from 1 to 4 in brackets"));
        };
        self.at += 1;
        if !self.take(|c| c == ')') {
            return Err(self.unexpected("`)` after the number"));
        }
        Ok(times as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &str) -> Vec<(u8, u8)> {
        parse_legs(text).unwrap_or_else(|e| panic!("{text:?}: {e}")).iter().map(|leg| (leg.from, leg.to)).collect()
    }

    #[test]
    fn every_spelling_gives_the_same_legs() {
        for text in ["13/8 24/21", "13-8, 24-21", "13–8;24−21", " 13/8\t24/21 ", "13→8 24/21", "13/8,24/21;"] {
            assert_eq!(points(text), [(13, 8), (24, 21)], "{text}");
        }
        for text in ["bar/22 6/off", "BAR/22* 6/OFF", "25/22 6/0", "Bar-22 6-off"] {
            assert_eq!(points(text), [(25, 22), (6, 0)], "{text}");
        }
        assert_eq!(points("24/18/13"), [(24, 18), (18, 13)]);
        assert_eq!(points("24/23/22(2)"), [(24, 23), (23, 22), (24, 23), (23, 22)]);
        for text in ["", "  ", "pass", "Pass", "NO MOVE", " cannot  move "] {
            assert_eq!(points(text), [], "{text:?}");
        }
    }

    #[test]
    fn marks_stay_with_their_landing() {
        let hits = |text| parse_legs(text).unwrap().iter().map(|leg| leg.hit).collect::<Vec<_>>();
        assert_eq!(hits("24/20*/14 6/5*"), [true, false, true]);
        assert_eq!(hits("6/3*(2)"), [true, true]);
        assert_eq!(hits("6/3(2)*"), [true, true]);
    }

    #[test]
    fn legs_remember_where_they_stood() {
        let text = "13/8 24/18/13*";
        let slices: Vec<_> = parse_legs(text).unwrap().iter().map(|leg| &text[leg.at.0..leg.at.1]).collect();
        assert_eq!(slices, ["13/8", "24/18", "18/13*"]);
    }
}
