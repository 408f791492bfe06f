//! The numbers of a run over time: TensorBoard event files and the same as `metrics.csv`.
//!
//! A resumed run drops the rows beyond the step that it goes on from and tells TensorBoard to forget its points beyond
//! it, so that both show one line without a fold.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{process, thread};

use tensorboard_proto::event::{Event, SessionLog, SessionLog_SessionStatus};
use tensorboard_rs::summary;
use tensorboard_rs::summary_writer::FileWriter;
use thiserror::Error;

use crate::net::{LockFile, write_atomically};

/// File name of the table of numbers.
pub const CSV_FILE: &str = "metrics.csv";
const LOCK: &str = "metrics.lock";
/// Number of bars in a histogram.
const BUCKETS: usize = 40;

/// What can go wrong with the files.
#[derive(Debug, Error)]
pub enum MetricsError {
    /// The file system refused.
    #[error("{path}: {error}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// Another writer has this directory open.
    #[error("{0} is in use by another run")]
    Locked(PathBuf),
    /// A new run in a directory that has numbers already.
    #[error("{0} exists already: resume its run or choose another directory")]
    Exists(PathBuf),
    /// A name that a column or tag can't have.
    #[error("expected different column names without commas, quotes and line breaks, and not \"step\", got {0:?}")]
    Column(String),
    /// A file that isn't the table of a run.
    #[error("{path}: expected a table whose first column is \"step\", got {got:?}")]
    Header {
        /// The file.
        path: PathBuf,
        /// The first line found.
        got: String,
    },
    /// A value for a column that wasn't announced.
    #[error("expected one of the columns {expected:?}, got {got:?}")]
    Unknown {
        /// All columns.
        expected: Vec<String>,
        /// The name used.
        got: String,
    },
}

/// Writes the numbers of one run. Events reach the disk at the latest when it is dropped.
pub struct MetricsWriter {
    columns: Vec<String>,
    csv: File,
    csv_path: PathBuf,
    events: FileWriter,
    /// Its lock ends with it.
    _lock: LockFile,
}

impl std::fmt::Debug for MetricsWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetricsWriter").field("csv", &self.csv_path).finish_non_exhaustive()
    }
}

impl MetricsWriter {
    /// Opens the files in `dir`, which is created if missing.
    ///
    /// `columns` are the names that [`record`](Self::record) will use. `resume` is the step that a resumed run goes on
    /// from, `None` for a new one. If it has columns that the table so far lacks, the table gets them, empty.
    ///
    /// # Errors
    /// Refuses a directory in use, a new run where there is one already, and a file that isn't such a table.
    pub fn open(dir: &Path, columns: &[&str], resume: Option<u64>) -> Result<Self, MetricsError> {
        check_columns(columns)?;
        fs::create_dir_all(dir).map_err(at(dir))?;
        let lock = lock(dir)?;
        let csv_path = dir.join(CSV_FILE);
        let old = match fs::read_to_string(&csv_path) {
            Ok(_) if resume.is_none() => return Err(MetricsError::Exists(csv_path)),
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(at(&csv_path)(error)),
        };
        let (columns, kept) = keep_rows(&csv_path, &old, columns, resume.unwrap_or(0))?;
        if kept != old {
            write_atomically(&csv_path, kept.as_bytes()).map_err(at(&csv_path))?;
        }
        let csv = OpenOptions::new().append(true).open(&csv_path).map_err(at(&csv_path))?;
        wait_for_a_free_name(dir)?;
        let mut events = FileWriter::new(dir);
        if let Some(step) = resume {
            forget_beyond(&mut events, step);
        }
        Ok(MetricsWriter { columns, csv, csv_path, events, _lock: lock })
    }

    /// Writes numbers that belong to `step`: one row of the table and one point of each curve.
    ///
    /// The row is one write, so a kill leaves at most one unfinished line, which the next opening drops.
    ///
    /// # Errors
    /// Refuses a name that isn't a column; reports what the file system refuses.
    pub fn record(&mut self, step: u64, values: &[(&str, f64)]) -> Result<(), MetricsError> {
        let mut cells = vec![String::new(); self.columns.len()];
        for (name, value) in values {
            let Some(column) = self.columns.iter().position(|column| column == name) else {
                return Err(MetricsError::Unknown { expected: self.columns.clone(), got: (*name).to_owned() });
            };
            cells[column] = value.to_string();
        }
        let row = format!("{step},{}\n", cells.join(","));
        self.csv.write_all(row.as_bytes()).map_err(at(&self.csv_path))?;
        for (name, value) in values {
            self.events.add_summary(summary::scalar(name, *value as f32), step as usize);
        }
        Ok(())
    }

    /// Writes the distribution of `values` at `step` as a histogram; only for TensorBoard.
    ///
    /// Values that aren't finite are left out; without any others nothing is written.
    pub fn histogram(&mut self, step: u64, name: &str, values: &[f32]) {
        let Some(h) = Histogram::new(values) else { return };
        let event = summary::histogram_raw(name, h.min, h.max, h.count, h.sum, h.sum_of_squares, &h.limits, &h.counts);
        self.events.add_summary(event, step as usize);
    }

    /// Asks for everything so far to be written to disk; the event file follows a little later, on a thread of its own.
    ///
    /// # Errors
    /// Reports what the file system refuses.
    pub fn flush(&mut self) -> Result<(), MetricsError> {
        self.events.flush();
        self.csv.sync_data().map_err(at(&self.csv_path))
    }
}

fn check_columns(columns: &[&str]) -> Result<(), MetricsError> {
    for (index, name) in columns.iter().enumerate() {
        let plain = !name.is_empty() && !name.contains([',', '"', '\n', '\r']) && *name != "step";
        if !plain || columns[..index].contains(name) {
            return Err(MetricsError::Column((*name).to_owned()));
        }
    }
    Ok(())
}

fn lock(dir: &Path) -> Result<LockFile, MetricsError> {
    let path = dir.join(LOCK);
    LockFile::take(&path).map_err(|error| match error {
        TryLockError::WouldBlock => MetricsError::Locked(dir.to_owned()),
        TryLockError::Error(error) => at(&path)(error),
    })
}

/// The columns of the table, those that are new last, and its text without unfinished lines and rows beyond `last_step`.
fn keep_rows(path: &Path, old: &str, columns: &[&str], last_step: u64) -> Result<(Vec<String>, String), MetricsError> {
    let mut lines = old.split_inclusive('\n');
    let first = lines.next().unwrap_or("step").trim_end();
    let mut cells = first.split(',');
    if cells.next() != Some("step") {
        return Err(MetricsError::Header { path: path.to_owned(), got: first.to_owned() });
    }
    let mut names: Vec<String> = cells.map(String::from).collect();
    let new: Vec<String> = columns.iter().filter(|c| !names.iter().any(|n| n == *c)).map(|c| (*c).to_owned()).collect();
    let empty = ",".repeat(new.len());
    names.extend(new);
    let step = |line: &str| line.split(',').next().and_then(|cell| cell.parse::<u64>().ok());
    let kept = lines.filter(|line| line.ends_with('\n') && step(line).is_some_and(|step| step <= last_step));
    let kept: String = kept.map(|line| format!("{}{empty}\n", line.trim_end())).collect();
    let header = format!("step,{}\n", names.join(","));
    Ok((names, header + &kept))
}

/// Event files are named by second and process: a second writer in the same second would empty the first one's file.
fn wait_for_a_free_name(dir: &Path) -> Result<(), MetricsError> {
    loop {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let taken = |name: &str| {
            let mut parts = name.rsplit('.');
            let process = parts.nth(1).is_some_and(|part| part == process::id().to_string());
            // The clock may move on before the writer looks at it.
            process && (now..=now + 1).any(|second| name.starts_with(&format!("events.out.tfevents.{second:010}.")))
        };
        let entries = fs::read_dir(dir).and_then(|entries| entries.collect::<io::Result<Vec<_>>>()).map_err(at(dir))?;
        if !entries.iter().any(|entry| entry.file_name().to_str().is_some_and(taken)) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// TensorBoard drops points at and beyond the step of such an event when it reads on.
fn forget_beyond(events: &mut FileWriter, step: u64) {
    let mut log = SessionLog::new();
    log.set_status(SessionLog_SessionStatus::START);
    let mut event = Event::new();
    event.set_session_log(log);
    events.add_event(&event, step as usize + 1);
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> MetricsError {
    let path = path.to_owned();
    |error| MetricsError::Io { path, error }
}

/// Counts in bars of equal width between the smallest and the largest value.
struct Histogram {
    min: f64,
    max: f64,
    count: f64,
    sum: f64,
    sum_of_squares: f64,
    /// Upper end of each bar.
    limits: Vec<f64>,
    counts: Vec<f64>,
}

impl Histogram {
    fn new(values: &[f32]) -> Option<Self> {
        let finite = || values.iter().filter(|value| value.is_finite()).map(|value| f64::from(*value));
        let min = finite().reduce(f64::min)?;
        let max = finite().reduce(f64::max)?;
        // All values equal: one bar that holds them, of some width.
        let width = if max > min { (max - min) / BUCKETS as f64 } else { 1e-6 * max.abs().max(1e-6) };
        let mut counts = vec![0.0; BUCKETS];
        let (mut count, mut sum, mut sum_of_squares) = (0.0, 0.0, 0.0);
        for value in finite() {
            counts[(((value - min) / width) as usize).min(BUCKETS - 1)] += 1.0;
            count += 1.0;
            sum += value;
            sum_of_squares += value * value;
        }
        let mut limits: Vec<f64> = (1..=BUCKETS).map(|bar| min + width * bar as f64).collect();
        // Rounding must not leave the largest value out.
        limits[BUCKETS - 1] = limits[BUCKETS - 1].max(max);
        Some(Histogram { min, max, count, sum, sum_of_squares, limits, counts })
    }
}

#[cfg(test)]
mod tests;
