//! `nardy benchmark run`.

use super::Progress;
use crate::arena::{SHIPPED, exit_code, stop_on_ctrl_c};
use crate::common::{check_writable, threads, write_file};
use anyhow::{Context, Result, bail, ensure};
use nardy::arena::benchmark::{Benchmark, BenchmarkSettings, Judge};
use nardy::arena::engine::EngineLimits;
use nardy::arena::players::{LoadedModel, PlayerSpec, Roster};
use nardy::arena::report::BenchmarkReport;
use nardy::arena::stats::Level;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Arguments of `nardy benchmark run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file that `nardy benchmark make` wrote.
    file: PathBuf,
    /// The players to be measured; differences are told against the first.
    #[arg(required = true)]
    players: Vec<String>,
    /// The model that the benchmark was made with, if it isn't found any more as it was named then.
    #[arg(long, value_name = "MODEL", conflicts_with = "no_rollouts")]
    model: Option<String>,
    /// Don't roll out choices that the benchmark does not know; they are counted apart.
    #[arg(long)]
    no_rollouts: bool,
    /// Add to the file the choices that had to be rolled out.
    #[arg(long, conflicts_with = "no_rollouts")]
    add: bool,
    /// How many of each player's worst choices to show.
    #[arg(long, value_name = "N", default_value_t = 3)]
    worst: usize,
    /// Draw with plain ASCII characters.
    #[arg(long)]
    ascii: bool,
    /// Write all figures to a file as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the report as a page of HTML with boards.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Threads; all cores by default. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// Asks the players and writes the tables and the worst choices.
pub fn run(args: Args, out: &mut dyn Write) -> Result<ExitCode> {
    let stop = stop_on_ctrl_c()?;
    let specs = args.players.iter().map(|text| text.parse()).collect::<Result<Vec<PlayerSpec>, _>>()?;
    let benchmark = Benchmark::load(&args.file)?;
    ensure!(!benchmark.decisions.is_empty(), "{} has no decisions yet", args.file.display());
    let rules = benchmark.settings.rules;
    let limits = EngineLimits { stop: Arc::clone(&stop), ..EngineLimits::default() };
    let roster = Roster::load(&specs, rules, SHIPPED, limits)?;
    let model = model(&args, &benchmark.settings)?;
    [&args.json, &args.markdown, &args.html].into_iter().flatten().try_for_each(|path| check_writable(path))?;
    let threads = threads(args.threads);
    let judge = Judge { benchmark: &benchmark, roster: &roster, model: model.as_ref(), threads, stop: &stop };
    let mut progress = Progress::new(benchmark.decisions.len() as u64, 0);
    let set = judge.run(|number| progress.done(number as u64 + 1))?;
    progress.end();
    if args.add && set.added.iter().any(|&added| added > 0) {
        let mut decisions = set.decisions.clone();
        decisions.extend_from_slice(&benchmark.decisions[decisions.len()..]);
        Benchmark { decisions, settings: benchmark.settings.clone() }.save(&args.file)?;
    }
    let names = roster.names().iter().cloned().zip(specs.iter().map(PlayerSpec::to_string)).collect::<Vec<_>>();
    let report = BenchmarkReport::of(&benchmark.settings, &set, &names, args.worst, Level::P95);
    save(args.json.as_deref(), || Ok(report.to_json()?))?;
    save(args.markdown.as_deref(), || Ok(report.markdown()))?;
    save(args.html.as_deref(), || Ok(report.html()))?;
    write!(out, "{}", report.terminal(args.ascii))?;
    if stop.load(Ordering::SeqCst) {
        writeln!(out, "\ninterrupted")?;
    }
    Ok(exit_code(&stop))
}

fn save(path: Option<&Path>, text: impl Fn() -> Result<String>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    write_file(path, &text()?)
}

/// The model that rolls out choices which the benchmark does not know.
fn model(args: &Args, settings: &BenchmarkSettings) -> Result<Option<LoadedModel>> {
    if args.no_rollouts {
        return Ok(None);
    }
    let name = args.model.as_deref().unwrap_or(&settings.model);
    let hint = "give the model with --model, or --no-rollouts to count choices that are not in the benchmark apart";
    let spec: PlayerSpec = name.parse()?;
    let model = LoadedModel::of(&spec, name, SHIPPED).with_context(|| hint)?.with_context(|| hint)?;
    if model.rollout_sha256 != settings.model_sha256 {
        bail!("{name} is not the model that the benchmark was made with; {hint}");
    }
    Ok(Some(model))
}
