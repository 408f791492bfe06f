//! The directory of a tournament: its state, and the records of its games.

use super::TournamentError;
use super::settings::Settings;
use super::state::State;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A directory that holds `state.json` and, if games are kept, `games/A-vs-B.jsonl`.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    files: Vec<(PathBuf, Option<File>)>,
}

impl Store {
    /// Opens or makes the directory and loads the state in it, or begins a new one.
    ///
    /// # Errors
    /// If the directory can't be used, or holds another tournament.
    pub fn open(directory: &Path, settings: &Settings) -> Result<(Store, State), TournamentError> {
        let failed = |error| TournamentError::File { path: directory.into(), error };
        std::fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join("state.json");
        let state = match path.exists() {
            true => State::load(&path, settings)?,
            false => State::new(settings.clone())?,
        };
        let files = settings.pairings().into_iter().map(|(a, b)| {
            let [a, b] = [a, b].map(|player| file_name(&settings.names[player]));
            (directory.join("games").join(format!("{a}-vs-{b}.jsonl")), None)
        });
        let mut store = Store { directory: directory.into(), files: files.collect() };
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

/// A name without what file systems don't like.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}
