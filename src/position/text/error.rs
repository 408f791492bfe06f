//! What can be wrong with the text of a position.

use crate::position::PositionError;

/// Why a text is no position. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionTextError {
    /// The text is well formed, but the position can't stand on a board.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// None of the formats.
    #[error(
        "{found:?} is no position; expected `start`, a literal such as `own 24:15 | opp 24:15`, a GNU Position ID of \
         14 characters, an XGID (`XGID=…`) or a FIBS board (`board:…`)"
    )]
    Unknown {
        /// The text, at most 60 characters of it.
        found: String,
    },
    /// A format that can't hold long nardy.
    #[error("{format} holds a position of short nardy, not of long nardy")]
    ShortOnly {
        /// The format, with its article.
        format: &'static str,
    },
    /// Something else was expected at a column.
    #[error("{format}: column {column}: expected {expected}, found {found}")]
    Unexpected {
        /// The format.
        format: &'static str,
        /// Where.
        column: usize,
        /// What could stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A point named twice in a literal.
    #[error("literal: column {column}: {side} {point} is given twice")]
    Twice {
        /// Where.
        column: usize,
        /// `own` or `opp`.
        side: &'static str,
        /// The point.
        point: String,
    },
    /// Too few or too many characters or fields.
    #[error("{format}: expected {expected}, found {found}")]
    WrongLength {
        /// The format.
        format: &'static str,
        /// How many, of what.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A field with an impossible value.
    #[error("{format}: field {field} must be {expected}, found {found:?}")]
    Field {
        /// The format.
        format: &'static str,
        /// The field's name.
        field: String,
        /// What it could be.
        expected: &'static str,
        /// Its text.
        found: String,
    },
    /// Bits set behind the last checker of a GNU Position ID.
    #[error("GNU Position ID: more checkers follow after both sides' bars")]
    BitsLeft,
    /// A FIBS board whose counts of borne-off checkers contradict its points.
    #[error("FIBS board: {given} checkers off for {side}, but its points and bar leave {counted}")]
    WrongOff {
        /// `you` or `opponent`, as the board has it.
        side: &'static str,
        /// The number in the field.
        given: i32,
        /// 15 less those on the board.
        counted: i32,
    },
}
