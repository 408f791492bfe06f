//! The directory of a tournament: its state, and the records of its games.

use super::TournamentError;
use super::settings::Settings;
use super::state::State;
use crate::net::LockFile;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that is locked while a tournament is played in its directory.
const LOCK: &str = "lock";

/// A directory that holds `state.json` and, if games are kept, `games/A-vs-B.jsonl`.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    files: Vec<(PathBuf, Option<File>)>,
    /// Its lock ends with it.
    _lock: LockFile,
}

impl Store {
    /// Opens or makes the directory and loads the state in it, or begins a new one.
    ///
    /// # Errors
    /// If the directory can't be used, is in use, or holds another tournament.
    pub fn open(directory: &Path, settings: &Settings) -> Result<(Store, State), TournamentError> {
        let failed = |error| TournamentError::File { path: directory.into(), error };
        settings.check()?;
        std::fs::create_dir_all(directory).map_err(failed)?;
        let lock = lock(directory)?;
        let path = directory.join("state.json");
        let state = match path.exists() {
            true => State::load(&path, settings)?,
            false => State::new(settings.clone())?,
        };
        let files = record_names(settings).into_iter().map(|name| (directory.join("games").join(name), None));
        let mut store = Store { directory: directory.into(), files: files.collect(), _lock: lock };
        if settings.keep_games {
            std::fs::create_dir_all(directory.join("games")).map_err(failed)?;
            store.cut_files(&state)?;
        }
        Ok((store, state))
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a pairing's games, one line of JSON each.
    pub fn games_file(&self, pairing: usize) -> &Path {
        &self.files[pairing].0
    }

    /// Drops records that were written after the state was saved: their games will be played again.
    fn cut_files(&mut self, state: &State) -> Result<(), TournamentError> {
        for ((path, file), &bytes) in self.files.iter_mut().zip(&state.record_bytes) {
            let open = || -> std::io::Result<File> {
                let mut file = OpenOptions::new().create(true).write(true).truncate(false).open(&*path)?;
                if file.metadata()?.len() < bytes {
                    return Err(std::io::Error::other(format!("records are missing: expected {bytes} bytes or more")));
                }
                file.set_len(bytes)?;
                file.seek(SeekFrom::End(0))?;
                Ok(file)
            };
            *file = Some(open().map_err(|error| TournamentError::File { path: path.clone(), error })?);
        }
        Ok(())
    }

    /// Writes new records and then the state.
    ///
    /// # Errors
    /// If a file can't be written.
    pub fn save(&mut self, state: &mut State) -> Result<(), TournamentError> {
        for (i, (path, file)) in self.files.iter_mut().enumerate() {
            let lines = std::mem::take(&mut state.pairings[i].get_mut().outbox);
            let Some(file) = file.as_mut().filter(|_| !lines.is_empty()) else { continue };
            let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
            let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
            written.map_err(|error| TournamentError::File { path: path.clone(), error })?;
            state.record_bytes[i] += text.len() as u64;
        }
        state.save(&self.directory.join("state.json"))
    }
}

/// Takes the directory, as long as the lock lives.
fn lock(directory: &Path) -> Result<LockFile, TournamentError> {
    let path = directory.join(LOCK);
    LockFile::take(&path).map_err(|error| match error {
        TryLockError::WouldBlock => TournamentError::InUse(directory.into()),
        TryLockError::Error(error) => TournamentError::File { path, error },
    })
}

/// The name of each pairing's file of records, all different, also where capital letters don't count.
fn record_names(settings: &Settings) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (a, b) in settings.pairings() {
        let [a, b] = [a, b].map(|player| file_name(&settings.names[player]));
        let numbered = |number: u32| match number {
            1 => format!("{a}-vs-{b}.jsonl"),
            _ => format!("{a}-vs-{b}+{number}.jsonl"),
        };
        let is_free = |name: &String| names.iter().all(|other| other.to_lowercase() != name.to_lowercase());
        let name = (1..).map(numbered).find(is_free).unwrap_or_default();
        names.push(name);
    }
    names
}

/// A name without what file systems don't like.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engine::EngineLimits;
    use crate::arena::players::{PlayerSpec, Roster, Shipped};
    use crate::rules::Rules;

    fn settings(players: &[&str]) -> Settings {
        let specs: Vec<PlayerSpec> = players.iter().map(|text| text.parse().unwrap()).collect();
        let roster = Roster::load(&specs, Rules::SHORT, Shipped::default(), EngineLimits::default()).unwrap();
        Settings { keep_games: true, ..Settings::new(Rules::SHORT, &specs, &roster) }
    }

    #[test]
    fn pairings_of_players_with_similar_names_have_records_of_their_own() {
        let names = record_names(&settings(&["a b=pips", "a_b=random", "A?B=pubeval", "c=pips"]));
        assert_eq!(
            names,
            [
                "a_b-vs-a_b.jsonl",
                "a_b-vs-A_B+2.jsonl",
                "a_b-vs-c.jsonl",
                "a_b-vs-A_B+3.jsonl",
                "a_b-vs-c+2.jsonl",
                "A_B-vs-c+3.jsonl"
            ]
        );
    }

    #[test]
    fn a_directory_is_used_by_one_tournament_at_a_time() {
        let directory = std::env::temp_dir().join(format!("nardy-store-lock-{}", std::process::id()));
        let settings = settings(&["pips", "random"]);
        let first = Store::open(&directory, &settings).unwrap();
        let second = Store::open(&directory, &settings).unwrap_err();
        assert!(matches!(&second, TournamentError::InUse(_)), "{second}");
        drop(first);
        assert!(Store::open(&directory, &settings).is_ok());
        std::fs::remove_dir_all(directory).unwrap();
    }
}
