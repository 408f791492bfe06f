//! `nardy benchmark make`.

use super::Progress;
use crate::arena::{SHIPPED, exit_code, stop_on_ctrl_c};
use crate::common::threads;
use anyhow::{Context, Result, bail, ensure};
use nardy::arena::benchmark::{BenchmarkSettings, Decision, Maker, Phase, Store, sample};
use nardy::arena::engine::EngineLimits;
use nardy::arena::players::{LoadedModel, PlayerKind, PlayerSpec, Roster};
use nardy::rollout::BLOCK;
use nardy::rules::Rules;
use nardy::search::MAX_DEPTH;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Arguments of `nardy benchmark make`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file: a line of settings, then one for each decision.
    file: PathBuf,
    /// The model that plays the games and the rollouts: `short`, `long` or MODEL.safetensors[,filter=FILE].
    #[arg(long, value_name = "MODEL")]
    model: String,
    /// Rule set, with single options changed if wanted; by default the usual ones of the model's game.
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,
    /// Decisions.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    decisions: u64,
    /// Most decisions of one game.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    per_game: u32,
    /// A player whose choices are rolled out in any case; by default the model looking 0, 1 and 2 plies ahead.
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// Most plays that the model proposes: the best at 2-ply.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    candidates: u16,
    /// The model proposes no play that loses more points than this at 2-ply.
    #[arg(long, value_name = "POINTS", default_value_t = 0.05)]
    within: f32,
    /// Most games played out for each play, rounded up to a multiple of 36.
    #[arg(long, value_name = "N", default_value_t = 432, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    trials: u64,
    /// Games between two looks at the results, rounded up to a multiple of 36.
    #[arg(long, value_name = "N", default_value_t = 144, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    batch: u64,
    /// Let the model value the position after that many plies; 0 plays every game to its end.
    #[arg(long, value_name = "PLIES", default_value_t = 10)]
    truncate: u32,
    /// Plies that are looked ahead for each play in the games: 0, the network alone, to 3.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    ply: u32,
    /// Stop rolling out a play that is behind by so many standard errors; 0 = never.
    #[arg(long, value_name = "N", default_value_t = 4.0)]
    clear: f64,
    /// Stop once the 95 % intervals of what the plays in question lose are this narrow on either side; 0 = never.
    #[arg(long, value_name = "POINTS", default_value_t = 0.003)]
    enough: f64,
    /// Seed of the games and of the rollouts' dice.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads; all cores by default. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// Makes what is left of the benchmark.
pub fn run(args: Args, out: &mut dyn Write) -> Result<ExitCode> {
    ensure!(args.within >= 0.0, "--within needs a number of points, 0 or more, found {}", args.within);
    ensure!(args.clear >= 0.0, "--clear needs a number, 0 or more, found {}", args.clear);
    ensure!(args.enough >= 0.0, "--enough needs a number of points, 0 or more, found {}", args.enough);
    let stop = stop_on_ctrl_c()?;
    let spec: PlayerSpec = args.model.parse()?;
    if !matches!(spec.kind, PlayerKind::Model { .. } | PlayerKind::Shipped { .. }) {
        bail!("--model needs a model file, `short` or `long`, found {:?}", args.model);
    }
    let model = LoadedModel::of(&spec, &args.model, SHIPPED)?.context("there is no model")?;
    ensure!(model.plies == 0, "--model takes no plies; see --ply and --player");
    let rules = args.rules.unwrap_or_else(|| Rules::default_of(model.model.rules().game));
    let specs = players(&args, &spec)?;
    let limits = EngineLimits { stop: Arc::clone(&stop), ..EngineLimits::default() };
    let roster = Roster::load(&specs, rules, SHIPPED, limits)?;
    let settings = settings(&args, rules, &model, &specs, &roster);
    let samples = sample(&settings, &model)?;
    let (mut store, mut decisions) = Store::open(&args.file, &settings, &samples)?;
    let threads = threads(args.threads);
    let mut progress = Progress::new(settings.decisions, decisions.len() as u64);
    let maker = Maker { settings: &settings, model: &model, roster: &roster, threads, stop: &stop };
    maker.run(&samples, decisions.len(), |decision| {
        store.add(&decision)?;
        decisions.push(decision);
        progress.done(decisions.len() as u64);
        Ok(())
    })?;
    progress.end();
    tell(&decisions, &settings, out)?;
    if stop.load(Ordering::SeqCst) {
        writeln!(out, "interrupted: the same command goes on")?;
    }
    Ok(exit_code(&stop))
}

/// The players that were named, or the model looking further and further ahead.
fn players(args: &Args, model: &PlayerSpec) -> Result<Vec<PlayerSpec>> {
    if !args.players.is_empty() {
        return args.players.iter().map(|text| Ok(text.parse()?)).collect();
    }
    let looking = |depth: u32| {
        let kind = match model.kind.clone() {
            PlayerKind::Model { path, filter, .. } => PlayerKind::Model { path, filter, plies: depth },
            PlayerKind::Shipped { game, .. } => PlayerKind::Shipped { game, plies: depth },
            other => other,
        };
        PlayerSpec { kind, ..model.clone() }
    };
    Ok((0..=2).map(looking).collect())
}

fn settings(
    args: &Args,
    rules: Rules,
    model: &LoadedModel,
    specs: &[PlayerSpec],
    roster: &Roster,
) -> BenchmarkSettings {
    BenchmarkSettings {
        version: BenchmarkSettings::VERSION,
        rules,
        model: args.model.clone(),
        model_sha256: model.rollout_sha256.clone(),
        seed: args.seed,
        decisions: args.decisions,
        per_game: args.per_game,
        candidates: usize::from(args.candidates),
        within: args.within,
        players: specs.iter().map(PlayerSpec::to_string).collect(),
        players_sha256: roster.fingerprints(),
        trials: args.trials.next_multiple_of(BLOCK),
        batch: args.batch.next_multiple_of(BLOCK),
        truncate: (args.truncate > 0).then_some(args.truncate),
        ply: args.ply,
        clear: (args.clear > 0.0).then_some(args.clear),
        enough: args.enough,
    }
}

/// How many decisions of each phase there are, and how sharp the rollouts are.
fn tell(decisions: &[Decision], settings: &BenchmarkSettings, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} of {} decisions", decisions.len(), settings.decisions)?;
    for phase in Phase::ALL {
        let of_phase: Vec<&Decision> = decisions.iter().filter(|decision| decision.phase == phase).collect();
        if of_phase.is_empty() {
            continue;
        }
        let rolled = of_phase.iter().filter(|decision| decision.plays.len() > 1).count();
        let plays: usize = of_phase.iter().map(|decision| decision.plays.len()).sum();
        let mean = plays as f64 / of_phase.len() as f64;
        write!(out, "{:8} {:6}, plays in question {mean:.1}, rolled out {rolled}", phase, of_phase.len())?;
        match median_half_width(&of_phase) {
            Some(half) => writeln!(out, "; median 95 % interval of second best less best ± {half:.4}")?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

/// Half the width of the interval of what the second-best play loses.
fn median_half_width(decisions: &[&Decision]) -> Option<f64> {
    let second = |decision: &&Decision| {
        let best = decision.best();
        let others = (0..decision.plays.len()).filter(|&play| play != best).map(|play| decision.loss(play));
        others.min_by(|a, b| a.mean.total_cmp(&b.mean)).map(|loss| loss.half_width()).filter(|half| half.is_finite())
    };
    let mut halves: Vec<f64> = decisions.iter().filter_map(second).collect();
    halves.sort_by(f64::total_cmp);
    halves.get(halves.len() / 2).copied()
}
