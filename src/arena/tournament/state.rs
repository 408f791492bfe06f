//! Where a tournament stands, and its file.

use super::TournamentError;
use super::settings::Settings;
use super::total::{PairOutcome, PairingTotal};
use crate::arena::stats::InOrder;
use crate::net::write_atomically;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the file; another one is refused.
const VERSION: u32 = 1;

/// All results so far. Saved and loaded again it goes on to the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    version: u32,
    /// What is played.
    pub settings: Settings,
    /// Results of each pairing, in the order of [`Settings::pairings`].
    pub pairings: Vec<InOrder<PairingTotal, PairOutcome>>,
    /// Bytes of each pairing's file of records that belong to this state.
    pub record_bytes: Vec<u64>,
}

impl State {
    /// A tournament before its first game.
    ///
    /// # Errors
    /// If there are fewer than two players, or settings exclude each other.
    pub fn new(settings: Settings) -> Result<State, TournamentError> {
        settings.check()?;
        let count = settings.pairings().len();
        let total = PairingTotal::new(settings.sprt, settings.max_faults)?;
        let pairings = (0..count).map(|_| InOrder::new(total.clone())).collect();
        Ok(State { version: VERSION, settings, pairings, record_bytes: vec![0; count] })
    }

    /// The results of a pairing.
    pub fn total(&self, pairing: usize) -> &PairingTotal {
        self.pairings[pairing].get()
    }

    /// The pairing needs no more pairs.
    pub fn is_finished(&self, pairing: usize) -> bool {
        self.pairings[pairing].next() >= self.settings.pairs || self.total(pairing).is_closed()
    }

    /// Every pairing is finished.
    pub fn is_complete(&self) -> bool {
        (0..self.pairings.len()).all(|pairing| self.is_finished(pairing))
    }

    /// Pairs counted so far, and pairs in all if no pairing ends early.
    pub fn progress(&self) -> (u64, u64) {
        let done = (0..self.pairings.len())
            .map(|i| if self.is_finished(i) { self.settings.pairs } else { self.pairings[i].next() })
            .sum();
        (done, self.settings.pairs * self.pairings.len() as u64)
    }

    /// Saves the state: the file is always whole.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn save(&self, path: &Path) -> Result<(), TournamentError> {
        let error = |error: std::io::Error| TournamentError::File { path: path.into(), error };
        let bytes = serde_json::to_vec(self).map_err(|e| error(e.into()))?;
        write_atomically(path, &bytes).map_err(error)
    }

    /// Loads a state and checks that it belongs to these settings; more pairs than before may be asked for.
    ///
    /// # Errors
    /// If the file can't be read or belongs to another tournament.
    pub fn load(path: &Path, settings: &Settings) -> Result<State, TournamentError> {
        let file = |error: std::io::Error| TournamentError::File { path: path.into(), error };
        let other = |why: String| TournamentError::OtherTournament { path: path.into(), why };
        let text = std::fs::read_to_string(path).map_err(file)?;
        let broken = |error| TournamentError::NoState { path: path.into(), error };
        let mut state: State = serde_json::from_str(&text).map_err(broken)?;
        if state.version != VERSION {
            return Err(other(format!("its version is {}, expected {VERSION}", state.version)));
        }
        if let Some(difference) = settings.difference(&state.settings) {
            return Err(other(difference));
        }
        let count = settings.pairings().len();
        if state.pairings.len() != count || state.record_bytes.len() != count {
            return Err(other(format!("it has {} pairings, expected {count}", state.pairings.len())));
        }
        settings.check()?;
        let most = state.pairings.iter().map(InOrder::next).max().unwrap_or(0);
        if settings.pairs < most {
            return Err(other(format!(
                "it already has {most} pairs of games, more than the {} asked for",
                settings.pairs
            )));
        }
        state.settings = settings.clone();
        Ok(state)
    }
}
