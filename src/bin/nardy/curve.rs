//! `nardy curve`: the learning curves of training runs as SVG.

use crate::common::write_file;
use anyhow::{Result, bail};
use nardy::arena::curve::{CurvePoint, PlotOptions, Source, read_all, svg};
use std::io::Write;
use std::path::PathBuf;

const SOURCE_HELP: &str = "\
A SOURCE is
  the directory of a run, or its metrics.csv          every opponent of its evaluations but `previous`
  a table of results as CSV                           with the columns opponent, points, interval (half of the 95 %
                                                      interval's width), games or core_minutes or both, and if wanted
                                                      run (the line's name)";

/// Arguments of `nardy curve`.
#[derive(Debug, clap::Args)]
#[command(after_help = SOURCE_HELP)]
pub struct Args {
    /// Runs and tables of results, drawn into one plot.
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// The SVG file to write.
    #[arg(long, value_name = "FILE.svg")]
    out: PathBuf,
    /// Draw only this opponent; can be given several times.
    #[arg(long, value_name = "NAME")]
    opponent: Vec<String>,
    /// The line above the plot.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Logarithmic axes of games and minutes.
    #[arg(long)]
    log: bool,
}

/// Draws the curves and says what they hold.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    if args.out.extension().is_none_or(|extension| extension != "svg") {
        bail!("--out needs a name ending in .svg, found {}", args.out.display());
    }
    let mut sources = read_all(&args.sources)?;
    keep(&mut sources, &args.opponent)?;
    let text = svg(&sources, &PlotOptions { title: args.title, logarithmic: args.log })?;
    write_file(&args.out, &text)?;
    for source in &sources {
        for curve in &source.curves {
            let (run, opponent) = (&curve.run, &curve.opponent);
            match &curve.points[..] {
                [first, .., last] => {
                    let (count, first, last) = (curve.points.len(), result(first), result(last));
                    writeln!(out, "{run} against {opponent}: {count} results, {first}, to {last}")?;
                }
                points => {
                    points.iter().try_for_each(|only| writeln!(out, "{run} against {opponent}: {}", result(only)))?
                }
            }
        }
        let file = source.file.display();
        if !source.has_core_minutes() {
            writeln!(out, "{file} has no core-minutes: drawn against games only")?;
        } else if source.lacks_core_minutes() {
            writeln!(out, "{file} lacks the core-minutes of some results: these are drawn against games only")?;
        }
        if !source.has_games() {
            writeln!(out, "{file} has no games: drawn against core-minutes only")?;
        }
    }
    writeln!(out, "plot: {}", args.out.display())?;
    Ok(())
}

/// Leaves only these opponents, unless none is named.
fn keep(sources: &mut Vec<Source>, opponents: &[String]) -> Result<()> {
    let mut known: Vec<String> =
        sources.iter().flat_map(|source| source.curves.iter().map(|curve| curve.opponent.clone())).collect();
    known.sort();
    known.dedup();
    if let Some(unknown) = opponents.iter().find(|name| !known.contains(name)) {
        bail!("expected one of the opponents {}, found {unknown:?}", known.join(", "));
    }
    if !opponents.is_empty() {
        for source in sources.iter_mut() {
            source.curves.retain(|curve| opponents.contains(&curve.opponent));
        }
        sources.retain(|source| !source.curves.is_empty());
    }
    Ok(())
}

/// `+0.5745 ± 0.0557 after 2000200 games and 35.2 core-minutes`.
fn result(point: &CurvePoint) -> String {
    let games = point.games.map(|games| format!("{games} games"));
    let minutes = point.core_minutes.map(|minutes| format!("{minutes:.1} core-minutes"));
    let after = games.into_iter().chain(minutes).collect::<Vec<_>>().join(" and ");
    let interval = point.interval.map(|half| format!(" ± {half:.4}")).unwrap_or_default();
    format!("{:+.4}{interval} after {after}", point.points)
}
