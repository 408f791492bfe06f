//! Positions as text: read in any common format, written in each, and drawn.
//!
//! | format | games | holds |
//! |---|---|---|
//! | `own 24:9 21:6 \| opp 24:15` ([`parse_literal`], `Display` of [`Position`]) | both | the position |
//! | GNU Position ID ([`gnu_id`], [`parse_gnu_id`]) | both | the position |
//! | XGID ([`Xgid`]) | short | also turn, dice, score, cube |
//! | FIBS board ([`FibsBoard`]) | short | also names, turn, dice, score, cube |
//!
//! [`parse_position`] finds out by itself which one a text is. Everything read is checked by
//! [`Position::validate`].

mod draw;
mod error;
mod fibs;
mod gnu_id;
mod literal;
mod xgid;

pub use draw::{DrawOptions, PointNumbers, View, draw};
pub use error::PositionTextError;
pub use fibs::{FibsBoard, FibsDialect};
pub use gnu_id::{gnu_id, parse_gnu_id};
pub use literal::parse_literal;
pub use xgid::{CubeOwner, Xgid, XgidAction};

use super::Position;
use crate::rules::Game;
use crate::types::Roll;

/// The format a position was written in, with what it held besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionFormat {
    /// The word `start`.
    Start,
    /// `own … | opp …`.
    Literal,
    /// GNU Position ID.
    GnuId,
    /// XGID.
    Xgid(Xgid),
    /// FIBS board.
    Fibs(Box<FibsBoard>),
}

/// A position read from text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedPosition {
    /// The position, seen by the side on roll, valid in the game it was read for.
    pub position: Position,
    /// The dice, if the text holds a roll.
    pub roll: Option<Roll>,
    /// The format and what else it held.
    pub format: PositionFormat,
}

/// Reads a position of the game in any format: `start`, `own … | opp …`, a GNU Position ID, and for short nardy an XGID
/// or a FIBS board.
///
/// # Errors
/// What is wrong with the text, and where, or with the position.
///
/// # Examples
/// ```
/// use nardy::position::{Position, text::parse_position};
/// use nardy::rules::Game;
///
/// let start = parse_position("4HPwATDgc/ABMA", Game::Short).unwrap();
/// assert_eq!(start.position, Position::SHORT_START);
/// let error = parse_position("own 24:9 12:6 | opp 24:15", Game::Long).unwrap_err();
/// assert_eq!(error.to_string(), "own point 12 holds checkers of both sides (opponent's point 24)");
/// ```
pub fn parse_position(text: &str, game: Game) -> Result<ParsedPosition, PositionTextError> {
    let text = text.trim();
    let plain = |position, format| Ok(ParsedPosition { position, roll: None, format });
    match recognise(text) {
        Some(Kind::Start) => plain(Position::start(game), PositionFormat::Start),
        Some(Kind::Literal) => plain(parse_literal(text, game)?, PositionFormat::Literal),
        Some(Kind::GnuId) => plain(parse_gnu_id(text, game)?, PositionFormat::GnuId),
        Some(kind @ (Kind::Xgid | Kind::Fibs)) if game == Game::Long => {
            Err(PositionTextError::ShortOnly { format: if kind == Kind::Xgid { "an XGID" } else { "a FIBS board" } })
        }
        Some(Kind::Xgid) => {
            let xgid: Xgid = text.parse()?;
            let roll = xgid.roll();
            Ok(ParsedPosition { position: xgid.position, roll, format: PositionFormat::Xgid(xgid) })
        }
        Some(Kind::Fibs) => {
            let board: FibsBoard = text.parse()?;
            let (position, roll) = (board.position()?, board.roll());
            Ok(ParsedPosition { position, roll, format: PositionFormat::Fibs(Box::new(board)) })
        }
        None => Err(PositionTextError::Unknown { found: text.chars().take(60).collect() }),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Start,
    Literal,
    GnuId,
    Xgid,
    Fibs,
}

/// The format that a text seems to be meant in.
fn recognise(text: &str) -> Option<Kind> {
    let lower = text.to_lowercase();
    let looks_like_xgid = |part: &str| part.len() == 26 && part.chars().all(|c| xgid::count_of(c).is_some());
    if lower == "start" {
        Some(Kind::Start)
    } else if lower.starts_with("xgid") || text.split_once(':').is_some_and(|(part, _)| looks_like_xgid(part)) {
        Some(Kind::Xgid)
    } else if lower.starts_with("board:") {
        Some(Kind::Fibs)
    } else if lower.contains('|') || lower.starts_with("own ") || lower.starts_with("opp ") {
        Some(Kind::Literal)
    } else if text.len() > 6 && text.chars().all(gnu_id::is_digit) || text.chars().count() == gnu_id::LENGTH {
        Some(Kind::GnuId)
    } else {
        None
    }
}

/// The numbering of columns in messages: characters from 1.
fn column_of(text: &str, byte: usize) -> usize {
    text[..byte].chars().count() + 1
}
