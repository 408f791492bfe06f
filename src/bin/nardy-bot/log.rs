//! What was said, in a file or on standard error.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A place for the log, or none.
pub struct Log(Option<Mutex<Box<dyn Write + Send>>>);

impl Log {
    /// No log, standard error (`-`), or a file that is begun anew.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn open(path: Option<&Path>) -> io::Result<Log> {
        Ok(Log(match path {
            None => None,
            Some(path) if path == Path::new("-") => Some(Mutex::new(Box::new(io::stderr()))),
            Some(path) => Some(Mutex::new(Box::new(File::create(path)?))),
        }))
    }

    /// Writes a line after a mark of its direction. A log that can't be written any more must not stop the game.
    pub fn line(&self, mark: char, text: &[u8]) {
        if let Some(log) = &self.0 {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = writeln!(log, "{mark} {}", String::from_utf8_lossy(text).trim_end());
            let _ = log.flush();
        }
    }
}
