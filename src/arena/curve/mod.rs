//! Learning curves: points per game against fixed opponents over a training run, read from tables and drawn as SVG.
//!
//! A [`Source`] is a run's `metrics.csv` with its recipe beside it, or a table of results that were measured elsewhere.

mod axis;
mod plot;
mod read;
mod table;

pub use plot::{PlotOptions, svg};
pub use read::{CONFIG_FILE, METRICS_FILE, read_all};

use std::io;
use std::path::PathBuf;

/// A result of a match against a fixed opponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Self-play games before it.
    pub games: Option<f64>,
    /// Processor minutes before it: one core busy for a minute is one.
    pub core_minutes: Option<f64>,
    /// Points per game from the learner's point of view.
    pub points: f64,
    /// Half-width of the 95 % interval of `points`; `None` if there were too few games for one.
    pub interval: Option<f64>,
}

/// The results against one opponent, in the order of their games.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Who learned: a run's name.
    pub run: String,
    /// Against whom.
    pub opponent: String,
    /// At least one.
    pub points: Vec<CurvePoint>,
}

/// Where a phase of the recipe begins.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseStart {
    /// Its name.
    pub name: String,
    /// Games of the phases before it.
    pub games: f64,
    /// Processor minutes of the phases before it, where they were counted.
    pub core_minutes: Option<f64>,
}

/// What was read from one file or directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The file the curves come from.
    pub file: PathBuf,
    /// The run's name, by its recipe or its directory or file.
    pub name: String,
    /// One for each opponent, at least one.
    pub curves: Vec<Curve>,
    /// The phases that were begun; empty without a recipe.
    pub phases: Vec<PhaseStart>,
}

impl Source {
    /// Some of its points say how many games came before them.
    pub fn has_games(&self) -> bool {
        self.all_points().any(|point| point.games.is_some())
    }

    /// Some of its points say how much processor time came before them.
    pub fn has_core_minutes(&self) -> bool {
        self.all_points().any(|point| point.core_minutes.is_some())
    }

    /// Some of its points do not say how much processor time came before them.
    pub fn lacks_core_minutes(&self) -> bool {
        self.all_points().any(|point| point.core_minutes.is_none())
    }

    fn all_points(&self) -> impl Iterator<Item = &CurvePoint> {
        self.curves.iter().flat_map(|curve| &curve.points)
    }
}

/// Why a curve can't be read or drawn.
#[derive(Debug, thiserror::Error)]
pub enum CurveError {
    /// The file system refused.
    #[error("can't read {path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// A directory that no run has written to.
    #[error("expected the directory of a training run, found no {METRICS_FILE} in {0}")]
    NoRun(PathBuf),
    /// A first line that names neither a run's columns nor those of results.
    #[error(
        "{path}: expected a first line that begins with `step` (a run's {METRICS_FILE}) or names the columns opponent, points, \
         interval and games or core_minutes, found {found:?}"
    )]
    Header {
        /// The file.
        path: PathBuf,
        /// Its first line.
        found: String,
    },
    /// A run's column that lacks its partner.
    #[error("{path}: expected a column {expected:?} beside {found:?}")]
    Partner {
        /// The file.
        path: PathBuf,
        /// The column that isn't there.
        expected: String,
        /// The column that is.
        found: String,
    },
    /// A line with another number of cells than the first one.
    #[error("{path}, line {line}: expected {expected} cells, one for each column, found {found}")]
    Cells {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Columns.
        expected: usize,
        /// Cells.
        found: usize,
    },
    /// A cell that holds something else than it should.
    #[error("{path}, line {line}, column {column}: expected {expected}, found {found:?}")]
    Cell {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Name of the column.
        column: String,
        /// What it should hold.
        expected: &'static str,
        /// What it holds.
        found: String,
    },
    /// Nothing to draw.
    #[error("{path}: expected results against a fixed opponent, found {found}")]
    NoResults {
        /// The file.
        path: PathBuf,
        /// What there is instead.
        found: &'static str,
    },
    /// A recipe that can't be read.
    #[error("{path}: expected a recipe with phases that have a name and games, found: {error}")]
    Recipe {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: String,
    },
    /// A result after no games can't stand on a logarithmic axis.
    #[error("expected results after more than 0 games or minutes for a logarithmic axis, found none")]
    Logarithm,
    /// The plot could not be drawn.
    #[error("can't draw the plot: {0}")]
    Plot(String),
}

#[cfg(test)]
mod tests;
