//! The file of a benchmark: a line of settings, then a line for each decision.

use super::set::{BenchmarkSettings, Decision};
use super::{BenchmarkError, Sample};
use crate::net::write_atomically;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A benchmark as far as it has been made.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// How it is made.
    pub settings: BenchmarkSettings,
    /// The decisions, in the order of play.
    pub decisions: Vec<Decision>,
}

fn file_error(path: &Path) -> impl Fn(std::io::Error) -> BenchmarkError {
    move |error| BenchmarkError::File { path: path.into(), error }
}

impl Benchmark {
    /// Reads a file. A last line that was cut off in the middle is left out.
    ///
    /// # Errors
    /// If it can't be read or holds anything else.
    pub fn load(path: &Path) -> Result<Benchmark, BenchmarkError> {
        let text = std::fs::read_to_string(path).map_err(file_error(path))?;
        Ok(Benchmark::read(path, &text)?.0)
    }

    /// The benchmark, and how many bytes of the text are whole lines.
    fn read(path: &Path, text: &str) -> Result<(Benchmark, usize), BenchmarkError> {
        let refuse = |line: usize, why: String| BenchmarkError::Line { path: path.into(), line, why };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines().enumerate();
        let first = lines.next().map(|(_, line)| line).unwrap_or_default();
        let found = serde_json::from_str::<serde_json::Value>(first).ok();
        let version = found.as_ref().and_then(|header| header.get("nardy_benchmark")?.as_u64());
        match version {
            None => return Err(refuse(1, "expected the settings of a benchmark (`nardy benchmark make`)".into())),
            Some(found) if found != u64::from(BenchmarkSettings::VERSION) => {
                let expected = BenchmarkSettings::VERSION;
                return Err(refuse(1, format!("its version is {found}, expected {expected}")));
            }
            Some(_) => {}
        }
        let settings: BenchmarkSettings = serde_json::from_str(first).map_err(|error| refuse(1, error.to_string()))?;
        let decisions =
            lines.map(|(number, line)| Decision::of_line(line, &settings.rules).map_err(|why| refuse(number + 1, why)));
        let decisions = decisions.collect::<Result<_, _>>()?;
        Ok((Benchmark { settings, decisions }, whole))
    }

    /// Writes the whole file anew.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn save(&self, path: &Path) -> Result<(), BenchmarkError> {
        let failed = file_error(path);
        let header = serde_json::to_string(&self.settings).map_err(|error| failed(error.into()))?;
        let mut text = header + "\n";
        for decision in &self.decisions {
            text += &decision.to_line(&self.settings.rules).map_err(|error| failed(error.into()))?;
            text.push('\n');
        }
        write_atomically(path, text.as_bytes()).map_err(failed)
    }
}

/// The file of a benchmark that is being made.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    settings: BenchmarkSettings,
}

impl Store {
    /// Begins a file, or opens one of the same settings to go on behind the decisions that it has, which are returned. More
    /// decisions than before may be asked for.
    ///
    /// # Errors
    /// If the file can't be used, or holds another benchmark.
    pub fn open(
        path: &Path,
        settings: &BenchmarkSettings,
        samples: &[Sample],
    ) -> Result<(Store, Vec<Decision>), BenchmarkError> {
        let failed = file_error(path);
        let mut done = Vec::new();
        if path.exists() {
            let text = std::fs::read_to_string(path).map_err(&failed)?;
            let (found, _) = Benchmark::read(path, &text)?;
            let other = |why: String| BenchmarkError::Other { path: path.into(), why };
            if let Some(why) = settings.difference(&found.settings) {
                return Err(other(why));
            }
            if found.decisions.len() > samples.len() {
                let (more, fewer) = (found.decisions.len(), samples.len());
                return Err(other(format!("it already has {more} decisions, more than the {fewer} asked for")));
            }
            let differs = |(decision, sample): (&Decision, &Sample)| decision.sample != *sample;
            if let Some(number) = found.decisions.iter().zip(samples).position(differs) {
                return Err(other(format!("decision {} is not the one that the seed leads to", number + 1)));
            }
            done = found.decisions;
        }
        let whole = Benchmark { settings: settings.clone(), decisions: done };
        // Anew: the number of decisions may be another one, the last line may have been cut off.
        whole.save(path)?;
        let mut file = OpenOptions::new().write(true).open(path).map_err(&failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok((Store { path: path.into(), file, settings: settings.clone() }, whole.decisions))
    }

    /// Adds a decision.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn add(&mut self, decision: &Decision) -> Result<(), BenchmarkError> {
        let failed = file_error(&self.path);
        let line = decision.to_line(&self.settings.rules).map_err(|error| failed(error.into()))? + "\n";
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data()).map_err(failed)
    }
}
