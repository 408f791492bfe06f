//! Benchmarks of decisions: positions with dice from self-play, each play in question rolled out once and for all, so that any
//! player can be told what its choices cost.
//!
//! A [`Maker`] samples decisions ([`sample`]) and rolls out their plays; the set is a file of JSON lines ([`Store`]). A
//! [`Judge`] asks players for their choices, rolls out those that nobody thought of with the same dice, and hands all to
//! the figures ([`crate::arena::report::BenchmarkReport`]). Neither depends on the number of threads or on interruptions.

mod judge;
mod make;
mod phase;
mod sample;
mod set;
mod store;

pub use judge::{Choice, Judge, JudgedSet};
pub use make::Maker;
pub use phase::{CRASHED_REST, OPENING_HEAD, OPENING_TURNS, Phase};
pub use sample::{Sample, sample};
pub use set::{BenchmarkSettings, Decision, JudgedPlay};
pub use store::{Benchmark, Store};

use super::players::RosterError;
use crate::game::{PlayError, RecordError, seed_for_game};
use std::path::PathBuf;

/// Why a benchmark can't be made or used.
#[derive(Debug, thiserror::Error)]
pub enum BenchmarkError {
    /// A player or the model can't be used.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// A game of self-play went wrong.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A game of self-play can't be replayed.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The games have fewer different decisions than asked for.
    #[error("expected {wanted} different decisions, found only {found} in {games} games")]
    TooFew {
        /// How many were asked for.
        wanted: u64,
        /// How many there are.
        found: u64,
        /// Games played.
        games: u64,
    },
    /// A file can't be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: std::io::Error,
    },
    /// A line of the file can't be used.
    #[error("{}, line {line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, counted from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// The file holds another benchmark.
    #[error("{} holds another benchmark: {why}; give another file, or remove this one", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        why: String,
    },
    /// A player that was to propose plays failed.
    #[error("player {player} failed at decision {decision}: {detail}")]
    Failed {
        /// The player.
        player: String,
        /// Which decision, counted from 1.
        decision: usize,
        /// What happened.
        detail: String,
    },
}

/// Seeds of rollouts stand so far behind those of the games.
const ROLLOUTS: u64 = 1 << 40;

/// The seed of the dice with which the plays of a decision are rolled out.
fn rollout_seed(seed: u64, decision: usize) -> u64 {
    seed_for_game(seed, ROLLOUTS + decision as u64)
}
