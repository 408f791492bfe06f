//! What the bot answers when it can't do what a line asks.

use std::fmt;

/// The first word after `error`: what kind of fault it is. Programs look at this, people at the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The first word of the line is no command.
    UnknownCommand,
    /// The command is known, what follows it can't be read.
    BadArgument,
    /// Something has to be said first: a position, dice.
    MissingContext,
    /// It can be read, but not now: the game is over, the dice have been thrown.
    BadState,
    /// A request that this program understands and does not serve.
    Unsupported,
    /// A play or step against the rules of the game.
    IllegalPlay,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [ErrorCode; 6] = [
        ErrorCode::UnknownCommand,
        ErrorCode::BadArgument,
        ErrorCode::MissingContext,
        ErrorCode::BadState,
        ErrorCode::Unsupported,
        ErrorCode::IllegalPlay,
    ];

    /// The word on the line.
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorCode::UnknownCommand => "unknown_command",
            ErrorCode::BadArgument => "bad_argument",
            ErrorCode::MissingContext => "missing_context",
            ErrorCode::BadState => "bad_state",
            ErrorCode::Unsupported => "unsupported",
            ErrorCode::IllegalPlay => "illegal_play",
        }
    }
}

/// Longest message, in characters: a line that quotes its fault stays readable.
const LONGEST: usize = 400;

/// An error line. Its text is one line whatever was quoted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ProtocolError {
    code: ErrorCode,
    message: String,
}

impl ProtocolError {
    /// An error with its message; line feeds and other control characters become blanks.
    pub fn new(code: ErrorCode, message: impl fmt::Display) -> ProtocolError {
        let text = message.to_string();
        let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        ProtocolError { code, message: clean.take(LONGEST).collect() }
    }

    /// What kind of fault.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What was expected and what came.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn argument(message: impl fmt::Display) -> ProtocolError {
        ProtocolError::new(ErrorCode::BadArgument, message)
    }

    pub(super) fn context(message: impl fmt::Display) -> ProtocolError {
        ProtocolError::new(ErrorCode::MissingContext, message)
    }

    pub(super) fn state(message: impl fmt::Display) -> ProtocolError {
        ProtocolError::new(ErrorCode::BadState, message)
    }

    pub(super) fn illegal(message: impl fmt::Display) -> ProtocolError {
        ProtocolError::new(ErrorCode::IllegalPlay, message)
    }

    pub(super) fn unsupported(message: impl fmt::Display) -> ProtocolError {
        ProtocolError::new(ErrorCode::Unsupported, message)
    }
}

impl fmt::Display for ProtocolError {
    /// `error CODE MESSAGE`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "error {} {}", self.code.as_str(), self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_of_bounded_length_whatever_it_quotes() {
        let error = ProtocolError::argument(format!("found {}\nand\r\0more", "x".repeat(100_000)));
        let line = error.to_string();
        assert!(line.starts_with("error bad_argument found xxx"), "{line}");
        assert!(line.chars().count() < 450 && !line.contains(['\n', '\r', '\0']));
        assert_eq!(ProtocolError::state("a\nb").to_string(), "error bad_state a b");
    }
}
