//! Learning curves from the files that hold them.

use super::table::{Row, Table};
use super::{Curve, CurveError, CurvePoint, PhaseStart, Source};
use serde::Deserialize;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The table of numbers in a run's directory.
pub const METRICS_FILE: &str = "metrics.csv";
/// The recipe in a run's directory.
pub const CONFIG_FILE: &str = "config.toml";

/// A run's column of processor minutes.
const CORE_MINUTES: &str = "speed/core_minutes";
/// What a run's columns of results and of their intervals begin with.
const POINTS: &str = "points/";
const INTERVAL: &str = "points_interval/";
/// The opponent that changes with the learner: no measure of its progress.
const PREVIOUS: &str = "previous";

/// Reads directories of runs, their tables, and tables of results.
///
/// Runs that have both the same name and an opponent in common are called by their directory or file.
///
/// # Errors
/// Says what was expected and found where.
pub fn read_all<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<Source>, CurveError> {
    let mut sources = paths.iter().map(|path| read(path.as_ref())).collect::<Result<Vec<_>, _>>()?;
    for name in [directory_name, |source: &Source| source.file.display().to_string()] {
        let clash = |a: &Source, b: &Source| a.curves.iter().any(|x| b.curves.iter().any(|y| same_line(x, y)));
        let clashes = |i: usize| (0..sources.len()).any(|j| i != j && clash(&sources[i], &sources[j]));
        for i in (0..sources.len()).filter(|&i| clashes(i)).collect::<Vec<_>>() {
            let (old, new) = (sources[i].name.clone(), name(&sources[i]));
            sources[i].name.clone_from(&new);
            sources[i].curves.iter_mut().filter(|curve| curve.run == old).for_each(|curve| curve.run.clone_from(&new));
        }
    }
    Ok(sources)
}

fn same_line(a: &Curve, b: &Curve) -> bool {
    a.run == b.run && a.opponent == b.opponent
}

/// The name of a run's directory, or of a table of results.
fn directory_name(source: &Source) -> String {
    match source.file.file_name().is_some_and(|name| name == METRICS_FILE) {
        true => name_of(source.file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))),
        false => name_of(&source.file),
    }
}

/// Reads the directory of a run, its table, or a table of results.
fn read(path: &Path) -> Result<Source, CurveError> {
    let file = if path.is_dir() { path.join(METRICS_FILE) } else { path.to_path_buf() };
    let text = fs::read_to_string(&file).map_err(|error| match error.kind() {
        ErrorKind::NotFound if path.is_dir() => CurveError::NoRun(path.to_path_buf()),
        _ => CurveError::Io { path: file.clone(), error },
    })?;
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    let mut source = match first.split(',').next() {
        Some("step") => metrics(&file, &text)?,
        _ => results(&file, &text, first)?,
    };
    if source.curves.is_empty() {
        let found = match source.phases.is_empty() && text.lines().nth(1).is_none() {
            true => "an empty table",
            false => "no evaluation yet, or only against the network before",
        };
        return Err(CurveError::NoResults { path: file, found });
    }
    let x = |point: &CurvePoint| (point.games.unwrap_or(f64::MAX), point.core_minutes.unwrap_or(f64::MAX));
    for curve in &mut source.curves {
        curve.points.sort_by(|a, b| x(a).partial_cmp(&x(b)).unwrap_or(std::cmp::Ordering::Equal));
    }
    Ok(source)
}

/// The last part of a path's name, for what has no name of its own.
fn name_of(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A run's table, and the recipe beside it.
fn metrics(file: &Path, text: &str) -> Result<Source, CurveError> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let recipe = recipe(&directory.join(CONFIG_FILE))?;
    let table = Table::new(file, text, true)?;
    let name = recipe.as_ref().and_then(|recipe| recipe.name.clone()).unwrap_or_else(|| name_of(directory));
    let minutes = table.column(CORE_MINUTES);
    let mut progress = vec![(0.0, Some(0.0))];
    let (mut last, mut steps) = (0.0, Vec::new());
    for row in table.rows() {
        let games = row.amount(0)?.ok_or_else(|| row.wrong(0, "a number of games"))?;
        let minutes = minutes.map(|column| row.amount(column)).transpose()?.flatten();
        progress.push((games, minutes));
        steps.push((row, games, minutes));
        last = games;
    }
    let mut curves = Vec::new();
    for (column, title) in table.columns().iter().enumerate() {
        let Some(opponent) = title.strip_prefix(POINTS).filter(|opponent| *opponent != PREVIOUS) else { continue };
        let partner = format!("{INTERVAL}{opponent}");
        let Some(interval) = table.column(&partner) else {
            return Err(CurveError::Partner { path: file.into(), expected: partner, found: title.clone() });
        };
        let mut points = Vec::new();
        for &(row, games, core_minutes) in &steps {
            let Some(value) = row.number(column)? else { continue };
            points.push(CurvePoint {
                games: Some(games),
                core_minutes,
                points: value,
                interval: row.interval(interval)?,
            });
        }
        if !points.is_empty() {
            curves.push(Curve { run: name.clone(), opponent: opponent.into(), points });
        }
    }
    let phases = recipe.map(|recipe| phases(&recipe, last, &progress)).unwrap_or_default();
    Ok(Source { file: file.into(), name, curves, phases })
}

/// A table of results: a line for each. Columns that are not known are notes.
fn results(file: &Path, text: &str, first: &str) -> Result<Source, CurveError> {
    let table = Table::new(file, text, false)?;
    let column = |name: &str| table.column(name);
    let (games, minutes) = (column("games"), column("core_minutes"));
    let (Some(points), Some(interval), Some(opponent), true) =
        (column("points"), column("interval"), column("opponent"), games.or(minutes).is_some())
    else {
        return Err(CurveError::Header { path: file.into(), found: first.chars().take(120).collect() });
    };
    let name = file.file_stem().map_or_else(|| name_of(file), |stem| stem.to_string_lossy().into_owned());
    let run = column("run");
    let mut curves: Vec<Curve> = Vec::new();
    for row in table.rows() {
        let needed = |column: usize, value: Option<f64>| value.ok_or_else(|| row.wrong(column, "a number"));
        let amount = |column: Option<usize>| Ok(column.map(|column| row.amount(column)).transpose()?.flatten());
        let point = CurvePoint {
            games: amount(games)?,
            core_minutes: amount(minutes)?,
            points: needed(points, row.number(points)?)?,
            interval: row.interval(interval)?,
        };
        if point.games.or(point.core_minutes).is_none() {
            return Err(row.wrong(games.or(minutes).unwrap_or_default(), "the games or minutes before this result"));
        }
        let run = named(row, run).unwrap_or(&name);
        let opponent = named(row, Some(opponent)).ok_or_else(|| row.wrong(opponent, "a name"))?;
        match curves.iter_mut().find(|curve| curve.run == run && curve.opponent == opponent) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { run: run.into(), opponent: opponent.into(), points: vec![point] }),
        }
    }
    Ok(Source { file: file.into(), name, curves, phases: Vec::new() })
}

fn named(row: Row<'_>, column: Option<usize>) -> Option<&str> {
    column.map(|column| row.text(column)).filter(|text| !text.is_empty())
}

/// What a curve needs of a recipe.
#[derive(Deserialize)]
struct Recipe {
    name: Option<String>,
    #[serde(default, rename = "phase")]
    phases: Vec<RecipePhase>,
}

#[derive(Deserialize)]
struct RecipePhase {
    name: String,
    games: u64,
}

/// The recipe, if there is one.
fn recipe(path: &Path) -> Result<Option<Recipe>, CurveError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CurveError::Io { path: path.into(), error }),
    };
    let broken = |error: toml::de::Error| CurveError::Recipe { path: path.into(), error: error.message().into() };
    toml::from_str(&text).map(Some).map_err(broken)
}

/// Where the phases begin that a run of `last` games has come to; `progress` are games and minutes so far.
fn phases(recipe: &Recipe, last: f64, progress: &[(f64, Option<f64>)]) -> Vec<PhaseStart> {
    let mut start = 0;
    let starts = recipe.phases.iter().map(|phase| {
        let games = start as f64;
        start += phase.games;
        PhaseStart { name: phase.name.clone(), games, core_minutes: minutes_at(games, progress) }
    });
    starts.filter(|phase| phase.games == 0.0 || phase.games < last).collect()
}

/// Minutes after so many games, on the straight line between the rows around them if both count minutes.
fn minutes_at(games: f64, progress: &[(f64, Option<f64>)]) -> Option<f64> {
    let pair = progress.windows(2).find(|pair| pair[0].0 <= games && games <= pair[1].0)?;
    let ((x0, y0), (x1, y1)) = ((pair[0].0, pair[0].1?), (pair[1].0, pair[1].1?));
    Some(if x1 > x0 { y0 + (y1 - y0) * (games - x0) / (x1 - x0) } else { y0 })
}
