//! Checkpoints: sets of named files that are either complete and unharmed or not offered at all.
//!
//! ```text
//! runs/quick/checkpoints/
//!   lock                        held while a store is open
//!   checkpoint-000000012000/    counter 12000, say games
//!     manifest.json             format, counter, length and SHA-256 of every other file
//!     weights.safetensors …     whatever the caller gave
//!   .tmp-checkpoint-…           left behind by a kill; removed at the next opening
//! ```
//!
//! A checkpoint is written to a temporary directory, synced and then renamed, so a kill or power failure leaves the
//! earlier checkpoints and at most a temporary directory. What the files mean is the caller's business.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::net::LockFile;

const FORMAT: &str = "nardy-checkpoint";
const VERSION: u32 = 1;
const MANIFEST: &str = "manifest.json";
const LOCK: &str = "lock";
const PREFIX: &str = "checkpoint-";
const TEMPORARY: &str = ".tmp-";
const SET_ASIDE: &str = "set-aside-";

/// What can go wrong with a store or one of its checkpoints.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file system refused.
    #[error("{path}: {error}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// Another store is open on this directory.
    #[error("{0} is in use by another run")]
    Locked(PathBuf),
    /// Nothing to keep.
    #[error("expected to keep at least 1 checkpoint, got 0")]
    KeepNone,
    /// A name that isn't a plain file name, or occurs twice.
    #[error("expected different names of letters, digits, '.', '-' and '_' for a checkpoint's files, got {0:?}")]
    Name(String),
    /// An attempt to save behind a newer checkpoint.
    #[error("can't save a checkpoint {counter} behind checkpoint {newest}: this directory belongs to a longer run")]
    Behind {
        /// The counter to save.
        counter: u64,
        /// The newest in the store.
        newest: u64,
    },
    /// A manifest that isn't one.
    #[error("{path}: expected the manifest of checkpoint {counter} in format {FORMAT} {VERSION}, got {got}")]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The counter in its directory's name.
        counter: u64,
        /// What it holds instead.
        got: String,
    },
    /// A file that isn't what was saved.
    #[error("{path}: expected {expected}, got {got}: the file is damaged")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Length or digest in the manifest.
        expected: String,
        /// Length or digest of the file.
        got: String,
    },
}

/// The checkpoints of one run.
#[derive(Debug)]
pub struct CheckpointStore {
    root: PathBuf,
    keep: usize,
    /// Its lock ends with it.
    _lock: LockFile,
}

/// A checkpoint that was read back unharmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The counter it was saved under.
    pub counter: u64,
    /// Its directory.
    pub path: PathBuf,
    /// Its files by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The newest good checkpoint and the newer ones that aren't.
#[derive(Debug)]
pub struct Latest {
    /// `None` if there is no good one.
    pub checkpoint: Option<Checkpoint>,
    /// Directory and fault of each newer one, newest first.
    pub skipped: Vec<(PathBuf, CheckpointError)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: String,
    version: u32,
    counter: u64,
    files: BTreeMap<String, Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    bytes: u64,
    sha256: String,
}

impl CheckpointStore {
    /// Opens the store in `root`, which is created if missing, and removes what a killed run left half-written.
    ///
    /// The store keeps the `keep` checkpoints with the highest counters.
    ///
    /// # Errors
    /// Refuses a directory that another store has open, in this process or another.
    pub fn open(root: &Path, keep: usize) -> Result<Self, CheckpointError> {
        if keep == 0 {
            return Err(CheckpointError::KeepNone);
        }
        fs::create_dir_all(root).map_err(at(root))?;
        let lock_path = root.join(LOCK);
        let lock = LockFile::take(&lock_path).map_err(|error| match error {
            TryLockError::WouldBlock => CheckpointError::Locked(root.to_owned()),
            TryLockError::Error(error) => CheckpointError::Io { path: lock_path, error },
        })?;
        for name in names(root)? {
            if name.starts_with(TEMPORARY) {
                let path = root.join(name);
                fs::remove_dir_all(&path).map_err(at(&path))?;
            }
        }
        Ok(CheckpointStore { root: root.to_owned(), keep, _lock: lock })
    }

    /// The counters of all checkpoints, good or not, in ascending order.
    ///
    /// # Errors
    /// Reports what the file system refuses.
    pub fn counters(&self) -> Result<Vec<u64>, CheckpointError> {
        let mut counters: Vec<u64> = names(&self.root)?
            .iter()
            .filter_map(|name| name.strip_prefix(PREFIX)?.parse().ok())
            .filter(|counter| self.directory(*counter).is_dir())
            .collect();
        counters.sort_unstable();
        Ok(counters)
    }

    fn directory(&self, counter: u64) -> PathBuf {
        self.root.join(format!("{PREFIX}{counter:012}"))
    }

    /// Saves `files` (name, contents) under `counter`, replacing a checkpoint of the same counter, and then removes the
    /// oldest ones beyond those to keep. Returns the new directory.
    ///
    /// # Errors
    /// Refuses names that aren't plain and a counter below the newest one's. After an error the earlier checkpoints
    /// are all there.
    pub fn save(&self, counter: u64, files: &[(&str, &[u8])]) -> Result<PathBuf, CheckpointError> {
        check_names(files)?;
        if let Some(newest) = self.counters()?.last().copied().filter(|newest| *newest > counter) {
            return Err(CheckpointError::Behind { counter, newest });
        }
        let target = self.directory(counter);
        let temporary = self.root.join(format!("{TEMPORARY}{PREFIX}{counter:012}"));
        if temporary.exists() {
            // A failed attempt of this very store.
            fs::remove_dir_all(&temporary).map_err(at(&temporary))?;
        }
        fs::create_dir(&temporary).map_err(at(&temporary))?;
        let mut entries = BTreeMap::new();
        for (name, bytes) in files {
            write_synced(&temporary.join(name), bytes)?;
            entries.insert((*name).to_owned(), Entry { bytes: bytes.len() as u64, sha256: sha256(bytes) });
        }
        let manifest = Manifest { format: FORMAT.to_owned(), version: VERSION, counter, files: entries };
        let path = temporary.join(MANIFEST);
        let text = serde_json::to_vec_pretty(&manifest).map_err(|error| at(&path)(error.into()))?;
        write_synced(&path, &text)?;
        sync_directory(&temporary)?;
        if target.exists() {
            // Its files may be open or damaged: out of the way first, so that the rename finds nothing there.
            let old = self.root.join(format!("{TEMPORARY}replaced-{counter:012}"));
            fs::rename(&target, &old).map_err(at(&target))?;
            fs::rename(&temporary, &target).map_err(at(&target))?;
            fs::remove_dir_all(&old).map_err(at(&old))?;
        } else {
            fs::rename(&temporary, &target).map_err(at(&target))?;
        }
        sync_directory(&self.root)?;
        self.remove_old()?;
        Ok(target)
    }

    fn remove_old(&self) -> Result<(), CheckpointError> {
        let counters = self.counters()?;
        for counter in &counters[..counters.len().saturating_sub(self.keep)] {
            let path = self.directory(*counter);
            fs::remove_dir_all(&path).map_err(at(&path))?;
        }
        Ok(())
    }

    /// Reads one checkpoint back, comparing every file with its digest.
    ///
    /// # Errors
    /// Names the file that is missing or differs from what was saved.
    pub fn load(&self, counter: u64) -> Result<Checkpoint, CheckpointError> {
        let directory = self.directory(counter);
        let manifest = read_manifest(&directory.join(MANIFEST), counter)?;
        let mut files = BTreeMap::new();
        for (name, entry) in manifest.files {
            let path = directory.join(&name);
            let bytes = fs::read(&path).map_err(at(&path))?;
            let damaged = |expected, got| CheckpointError::Damaged { path: path.clone(), expected, got };
            if bytes.len() as u64 != entry.bytes {
                return Err(damaged(format!("{} bytes", entry.bytes), format!("{} bytes", bytes.len())));
            }
            let digest = sha256(&bytes);
            if digest != entry.sha256 {
                return Err(damaged(format!("SHA-256 {}", entry.sha256), digest));
            }
            files.insert(name, bytes);
        }
        Ok(Checkpoint { counter, path: directory, files })
    }

    /// Reads the newest checkpoint that is unharmed and says which newer ones aren't and why.
    ///
    /// # Errors
    /// Reports a directory that can't be listed; faults of single checkpoints are in [`Latest::skipped`].
    pub fn latest_valid(&self) -> Result<Latest, CheckpointError> {
        let mut skipped = Vec::new();
        for counter in self.counters()?.into_iter().rev() {
            match self.load(counter) {
                Ok(checkpoint) => return Ok(Latest { checkpoint: Some(checkpoint), skipped }),
                Err(error) => skipped.push((self.directory(counter), error)),
            }
        }
        Ok(Latest { checkpoint: None, skipped })
    }

    /// Renames every checkpoint newer than `counter` to `set-aside-…`, so that a run which goes on from `counter` can
    /// save again. Returns the new names.
    ///
    /// # Errors
    /// Reports what the file system refuses.
    pub fn rewind(&self, counter: u64) -> Result<Vec<PathBuf>, CheckpointError> {
        let mut renamed = Vec::new();
        for newer in self.counters()?.into_iter().filter(|newer| *newer > counter) {
            let from = self.directory(newer);
            let free = (0u32..).map(|n| self.root.join(format!("{SET_ASIDE}{newer:012}-{n}"))).find(|to| !to.exists());
            if let Some(to) = free {
                fs::rename(&from, &to).map_err(at(&from))?;
                renamed.push(to);
            }
        }
        Ok(renamed)
    }
}

fn read_manifest(path: &Path, counter: u64) -> Result<Manifest, CheckpointError> {
    let bytes = fs::read(path).map_err(at(path))?;
    let wrong = |got| CheckpointError::Manifest { path: path.to_owned(), counter, got };
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    if manifest.format != FORMAT || manifest.version != VERSION {
        return Err(wrong(format!("format {} {}", manifest.format, manifest.version)));
    }
    if manifest.counter != counter {
        return Err(wrong(format!("counter {}", manifest.counter)));
    }
    match manifest.files.keys().find(|name| !is_plain(name)) {
        Some(name) => Err(wrong(format!("a file named {name:?}"))),
        None => Ok(manifest),
    }
}

fn check_names(files: &[(&str, &[u8])]) -> Result<(), CheckpointError> {
    let mut seen = BTreeSet::new();
    match files.iter().find(|(name, _)| !is_plain(name) || !seen.insert(*name)) {
        Some((name, _)) => Err(CheckpointError::Name((*name).to_owned())),
        None => Ok(()),
    }
}

/// Whether a name stays inside its directory and isn't the manifest's.
fn is_plain(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && !name.starts_with('.') && name != MANIFEST && name.chars().all(allowed)
}

fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let mut file = File::create(path).map_err(at(path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(at(path))
}

/// Makes the entries of a directory durable. Elsewhere than on Unix a directory can't be opened, and needn't be.
fn sync_directory(path: &Path) -> Result<(), CheckpointError> {
    if cfg!(unix) { File::open(path).and_then(|directory| directory.sync_all()).map_err(at(path)) } else { Ok(()) }
}

fn names(root: &Path) -> Result<Vec<String>, CheckpointError> {
    let entries = fs::read_dir(root).and_then(|entries| entries.collect::<io::Result<Vec<_>>>()).map_err(at(root))?;
    Ok(entries.iter().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CheckpointError {
    let path = path.to_owned();
    |error| CheckpointError::Io { path, error }
}

#[cfg(test)]
mod tests;
