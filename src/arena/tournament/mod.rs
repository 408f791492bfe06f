//! Tournaments: pairings of players, played on all cores, saved and continued, with the same result whatever the number of
//! threads and interruptions.
//!
//! The unit is a pair of games (or matches) with the same dice and the seats swapped. Pair `n` of a pairing has a seed of
//! its own and its result counts in the order of `n`, so neither threads nor the moment of an interruption matter.

mod run;
mod settings;
mod state;
mod store;
mod total;

pub use run::Tournament;
pub use settings::{Format, Settings};
pub use state::State;
pub use store::Store;
pub use total::{Blunder, PairOutcome, PairingTotal};

use super::players::RosterError;
use super::referee::RefereeError;
use super::stats::StatsError;
use crate::game::{PlayError, RecordError};
use std::path::PathBuf;

/// Why a tournament can't go on.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// Too few players.
    #[error("a tournament needs two players or more, found {found}")]
    Players {
        /// How many there are.
        found: usize,
    },
    /// Settings that exclude each other.
    #[error("{0}")]
    Contradiction(String),
    /// Somebody else plays a tournament in this directory.
    #[error("{} is in use: another tournament is being played in it", .0.display())]
    InUse(PathBuf),
    /// A player can't take part.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// A player of this process made no legal choice.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A game could not be replayed.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A number out of range.
    #[error(transparent)]
    Stats(#[from] StatsError),
    /// A file can't be read or written.
    #[error("can't use {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: std::io::Error,
    },
    /// The file is no saved state.
    #[error("{}: expected the saved state of a tournament, found something else ({error}); give another directory", path.display())]
    NoState {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// The saved state is that of another tournament.
    #[error("{} holds another tournament: {why}; give another directory, or remove this one", path.display())]
    OtherTournament {
        /// The file.
        path: PathBuf,
        /// What differs.
        why: String,
    },
}

impl TournamentError {
    /// `None` for an interruption, which is no error.
    fn of(error: RefereeError) -> Option<TournamentError> {
        match error {
            RefereeError::Interrupted => None,
            RefereeError::Play(error) => Some(error.into()),
        }
    }
}
