//! XGID: a position of short nardy with turn, dice, score and cube.
//!
//! `XGID=` and 26 characters, then nine fields behind colons. The characters stand for the lower-case side's bar,
//! points 1 to 24 and the upper-case side's bar, all in the numbering of the upper-case side; `A` to `O` are 1 to 15
//! of its checkers, `a` to `o` those of the other side.

use super::PositionTextError;
use crate::position::{Checkers, Position, PositionError};
use crate::rules::Game;
use crate::types::{NUM_CHECKERS, Roll};
use std::fmt;
use std::str::FromStr;

const FORMAT: &str = "XGID";

/// Who may turn the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CubeOwner {
    /// Both sides.
    Nobody,
    /// The upper-case side.
    Upper,
    /// The lower-case side.
    Lower,
}

/// What the side whose turn it is has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum XgidAction {
    /// Roll or double (`00`).
    RollOrDouble,
    /// Play a roll.
    Play(Roll),
    /// It has doubled, the other side answers (`D`).
    Doubled,
    /// It has doubled and the other side beavered (`B`).
    Beavered,
    /// Doubled, beavered and raccooned (`R`).
    Raccooned,
}

/// Everything an XGID holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Xgid {
    /// The position seen by the side whose turn it is, valid in short nardy.
    pub position: Position,
    /// It is the upper-case side's turn.
    pub upper_to_move: bool,
    /// The cube shows 2 to this power, 0 to 12.
    pub cube_log2: u8,
    /// Who owns the cube.
    pub cube_owner: CubeOwner,
    /// What is to be done.
    pub action: XgidAction,
    /// Points in the match: the upper-case side's, the lower-case side's.
    pub score: [u32; 2],
    /// Crawford game (1) in a match; in money play 1 for Jacoby plus 2 for beavers.
    pub crawford_jacoby: u8,
    /// Points to win the match, 0 in money play.
    pub match_length: u32,
    /// The cube can't go above 2 to this power.
    pub max_cube_log2: u8,
}

/// A character of the board as (upper-case, lower-case) checkers.
pub(super) fn count_of(c: char) -> Option<(u8, u8)> {
    match c {
        '-' => Some((0, 0)),
        'A'..='O' => Some((c as u8 - b'A' + 1, 0)),
        'a'..='o' => Some((0, c as u8 - b'a' + 1)),
        _ => None,
    }
}

impl Xgid {
    /// A money game without cube: the upper-case side is on roll, to throw or to play `roll`.
    pub fn money(position: Position, roll: Option<Roll>) -> Xgid {
        Xgid {
            position,
            upper_to_move: true,
            cube_log2: 0,
            cube_owner: CubeOwner::Nobody,
            action: roll.map_or(XgidAction::RollOrDouble, XgidAction::Play),
            score: [0, 0],
            crawford_jacoby: 0,
            match_length: 0,
            max_cube_log2: 10,
        }
    }

    /// The dice to be played, if they have been thrown.
    pub fn roll(&self) -> Option<Roll> {
        match self.action {
            XgidAction::Play(roll) => Some(roll),
            _ => None,
        }
    }
}

impl FromStr for Xgid {
    type Err = PositionTextError;

    fn from_str(text: &str) -> Result<Xgid, PositionTextError> {
        let text = text.trim();
        let prefix = text.get(..5).filter(|start| start.eq_ignore_ascii_case("xgid="));
        let skipped = prefix.map_or(0, str::len);
        let fields: Vec<&str> = text[skipped..].split(':').collect();
        let (upper, lower) = board(fields[0], skipped)?;
        let &[_, cube, owner, turn, dice, upper_score, lower_score, flag, length, max_cube] = fields.as_slice() else {
            let (expected, found) = ("9 fields after the 26 characters", fields.len() - 1);
            return Err(PositionTextError::WrongLength { format: FORMAT, expected, found });
        };
        let upper_to_move = one_of("turn", turn, "1 or -1", &[("1", true), ("-1", false)])?;
        let position =
            if upper_to_move { Position { us: upper, them: lower } } else { Position { us: lower, them: upper } };
        position.validate(Game::Short)?;
        let owners = [("0", CubeOwner::Nobody), ("1", CubeOwner::Upper), ("-1", CubeOwner::Lower)];
        Ok(Xgid {
            position,
            upper_to_move,
            cube_log2: number("cube", cube, "a power of two from 0 to 12", 12)?,
            cube_owner: one_of("cube owner", owner, "0, 1 or -1", &owners)?,
            action: action(dice)?,
            score: [number("score 1", upper_score, SCORE, 9999)?, number("score 2", lower_score, SCORE, 9999)?],
            crawford_jacoby: number("Crawford/Jacoby", flag, "a number from 0 to 3", 3)?,
            match_length: number("match length", length, SCORE, 9999)?,
            max_cube_log2: number("highest cube", max_cube, "a power of two from 0 to 99", 99)?,
        })
    }
}

const SCORE: &str = "a number of points from 0 to 9999";

/// The checkers of the upper-case and the lower-case side.
fn board(text: &str, skipped: usize) -> Result<(Checkers, Checkers), PositionTextError> {
    let (mut upper, mut lower) = ([0u8; 26], [0u8; 26]);
    let mut length = 0;
    for (i, c) in text.chars().enumerate() {
        let Some((ours, theirs)) = count_of(c) else {
            let (column, expected) = (skipped + i + 1, "`-`, `A` to `O` or `a` to `o`");
            return Err(PositionTextError::Unexpected { format: FORMAT, column, expected, found: format!("{c:?}") });
        };
        length += 1;
        if i < 26 {
            (upper[i], lower[25 - i]) = (ours, theirs);
        }
    }
    if length != 26 {
        let expected = "26 characters before the first colon";
        return Err(PositionTextError::WrongLength { format: FORMAT, expected, found: length });
    }
    // Each side's bar belongs to it alone.
    for (column, wrong, expected) in [
        (1, upper[0], "`-` or the lower-case side's checkers on its bar"),
        (26, lower[0], "`-` or the upper-case side's checkers on its bar"),
    ] {
        if wrong > 0 {
            let found = format!("{:?}", text.chars().nth(column - 1).unwrap_or('-'));
            return Err(PositionTextError::Unexpected { format: FORMAT, column: skipped + column, expected, found });
        }
    }
    Ok((side("the upper-case side", upper)?, side("the lower-case side", lower)?))
}

fn side(name: &'static str, mut counts: [u8; 26]) -> Result<Checkers, PositionError> {
    let found = counts.iter().map(|&n| u32::from(n)).sum();
    counts[0] = u32::from(NUM_CHECKERS).saturating_sub(found) as u8;
    Checkers::from_counts(&counts).ok_or(PositionError::CheckerCount { side: name, found })
}

fn bad_field(field: &str, expected: &'static str, found: &str) -> PositionTextError {
    let found = found.chars().take(20).collect();
    PositionTextError::Field { format: FORMAT, field: field.into(), expected, found }
}

fn one_of<T: Copy>(
    field: &str,
    text: &str,
    expected: &'static str,
    values: &[(&str, T)],
) -> Result<T, PositionTextError> {
    let value = values.iter().find(|(name, _)| *name == text);
    value.map(|&(_, value)| value).ok_or_else(|| bad_field(field, expected, text))
}

fn number<T: FromStr + PartialOrd>(
    field: &str,
    text: &str,
    expected: &'static str,
    most: T,
) -> Result<T, PositionTextError> {
    let value = text.parse().ok().filter(|value| *value <= most);
    value.ok_or_else(|| bad_field(field, expected, text))
}

fn action(text: &str) -> Result<XgidAction, PositionTextError> {
    match text {
        "00" => return Ok(XgidAction::RollOrDouble),
        "D" => return Ok(XgidAction::Doubled),
        "B" => return Ok(XgidAction::Beavered),
        "R" => return Ok(XgidAction::Raccooned),
        _ => {}
    }
    let expected = "`00`, two dice such as `63`, `D`, `B` or `R`";
    let roll = (text.len() == 2).then(|| text.parse().ok()).flatten();
    roll.map(XgidAction::Play).ok_or_else(|| bad_field("dice", expected, text))
}

impl fmt::Display for Xgid {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (upper, lower) = match self.upper_to_move {
            true => (self.position.us, self.position.them),
            false => (self.position.them, self.position.us),
        };
        f.write_str("XGID=")?;
        for i in 0..26u8 {
            let ours = if i == 0 { 0 } else { upper.count(i) };
            let theirs = if i == 25 { 0 } else { lower.count(25 - i) };
            let c = match (ours, theirs) {
                (0, 0) => '-',
                (n, 0) => (b'A' + n - 1) as char,
                (_, n) => (b'a' + n - 1) as char,
            };
            write!(f, "{c}")?;
        }
        let owner = match self.cube_owner {
            CubeOwner::Nobody => 0,
            CubeOwner::Upper => 1,
            CubeOwner::Lower => -1,
        };
        write!(f, ":{}:{owner}:{}", self.cube_log2, if self.upper_to_move { 1 } else { -1 })?;
        match self.action {
            XgidAction::RollOrDouble => f.write_str(":00")?,
            XgidAction::Play(roll) => write!(f, ":{}{}", roll.high(), roll.low())?,
            XgidAction::Doubled => f.write_str(":D")?,
            XgidAction::Beavered => f.write_str(":B")?,
            XgidAction::Raccooned => f.write_str(":R")?,
        }
        let [upper_score, lower_score] = self.score;
        write!(f, ":{upper_score}:{lower_score}:{}:{}:{}", self.crawford_jacoby, self.match_length, self.max_cube_log2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10";

    #[test]
    fn the_start_is_read_and_written() {
        let xgid: Xgid = START.parse().unwrap();
        assert_eq!(xgid, Xgid::money(Position::SHORT_START, None));
        assert_eq!(xgid.to_string(), START);
        assert_eq!(START[5..].parse(), Ok(xgid));
    }

    #[test]
    fn the_lower_case_side_sees_the_board_from_its_own_end() {
        // The upper-case side has two checkers on the bar and bears in, the lower-case side is to play 6-3.
        let text = "XGID=a--B--E-B---dD---c-e----AA:1:-1:-1:63:2:4:1:7:10";
        let xgid: Xgid = text.parse().unwrap();
        assert_eq!(xgid.to_string(), text);
        assert_eq!(xgid.position.to_string(), "own bar:1 13:4 8:3 6:5 off:2 | opp bar:1 24:1 13:4 8:2 6:5 3:2");
        assert_eq!((xgid.roll(), xgid.score, xgid.match_length), (Roll::new(6, 3), [2, 4], 7));
    }
}
