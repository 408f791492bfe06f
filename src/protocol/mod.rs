//! The bot's line protocol: a line in, reply lines out. No input or output happens here.
//!
//! [`parse_command`] turns the bytes of a line into a [`Command`], a [`Session`] turns lines into replies. What it
//! needs of the outside world, it asks of two traits: an [`Engine`] evaluates plays, a [`Host`] tells the time and
//! whether to stop thinking. docs/protocol.md describes every command with transcripts.
//!
//! Input comes from programs of all qualities, so nothing here may panic on it: the lints below refuse every
//! construct that could.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod command;
pub mod cube;
mod dice_log;
mod engine;
mod error;
pub mod gnubg;
mod level;
mod referee;
mod save;
mod session;
mod settings;
mod table;
mod thinking;

pub use command::{Command, LONGEST_LINE, Limits, Role, parse_command};
pub use dice_log::{DiceLog, commitment};
pub use engine::{Candidate, Engine, EngineError, ModelEngine, RolledPlay, RolloutTask, Task, Thought};
pub use error::{ErrorCode, ProtocolError};
pub use level::{Level, UnknownLevel};
pub use session::{Host, Reply, Session, UntimedHost};
pub use settings::{KEYS, PointNumbering, Settings};
pub use table::Table;
