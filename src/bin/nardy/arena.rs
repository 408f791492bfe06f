//! What `nardy match` and `nardy tournament` share: arguments, progress, Ctrl-C.

use crate::common::threads;
use crate::models;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use nardy::arena::engine::EngineLimits;
use nardy::arena::players::{LoadedModel, PlayerKind, PlayerSpec, Shipped, ShippedModel};
use nardy::arena::referee::OnFault;
use nardy::arena::stats::{Hypotheses, SprtSpec};
use nardy::arena::tournament::Settings;
use nardy::rules::{Game, Rules};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How players are named, for the help text.
pub const PLAYER_HELP: &str = "\
A PLAYER is one of
  random, pips (races), pubeval (short nardy)         players that are built in
  short, long, short,plies=2                          the models that are built in
  MODEL.safetensors[,plies=N][,filter=FILE]           a model file, looking N plies ahead (0 to 3)
  ubgi:COMMAND                                        a program that speaks UBGI, in any of its dialects
  gnubg:plies=N                                       GNU Backgammon, if it is installed
each with a name of its own if wanted: best=models/a.safetensors";

/// The models in this program.
pub const SHIPPED: Shipped = Shipped {
    short: Some(ShippedModel { model: models::SHORT, filter: Some(models::SHORT_FILTER) }),
    long: Some(ShippedModel { model: models::LONG, filter: Some(models::LONG_FILTER) }),
};

/// What a failure of an engine costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnFaultArg {
    /// The game, as the dearest loss still possible.
    Lose,
    /// Nothing: the pair of games does not count.
    Void,
}

impl From<OnFaultArg> for OnFault {
    fn from(arg: OnFaultArg) -> OnFault {
        match arg {
            OnFaultArg::Lose => OnFault::Lose,
            OnFaultArg::Void => OnFault::Void,
        }
    }
}

/// Most games of a pairing: as good as no limit, and small enough for every sum.
pub const MOST_GAMES: u64 = 1_000_000_000_000;

/// How games are played and judged.
#[derive(Debug, clap::Args)]
pub struct PlayArgs {
    /// Seed of the dice and of random players: the same seed plays the same games [default: 1].
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Rule set, with single options changed if wanted: `long`, `short-site`, `long,head=needed_any,block=home`; by default the
    /// usual rules of the game that the players know, of long nardy if they know both.
    #[arg(long, value_name = "RULES")]
    pub rules: Option<Rules>,
    /// Play matches to that many points instead of single games.
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u32).range(1..))]
    pub length: Option<u32>,
    /// A model that judges the luck of every roll and the loss of every decision: intervals become narrower, games slower.
    #[arg(long, value_name = "MODEL")]
    pub reference: Option<String>,
    /// Stop a pairing as soon as one of two hypotheses is accepted: points:H0:H1, luck:H0:H1 (luck-adjusted points) or
    /// elo:H0:H1, then if wanted ,alpha=0.05,beta=0.05,min_pairs=100. `luck` needs --reference and single games.
    #[arg(long, value_name = "TEST", value_parser = sprt)]
    pub sprt: Option<SprtSpec>,
    /// What it costs an engine to fail: the game, or nothing [default: lose].
    #[arg(long, value_enum, value_name = "RULE")]
    pub on_fault: Option<OnFaultArg>,
    /// After more failures than this in a pairing, a player is withdrawn from the pairing [default: 3].
    #[arg(long, value_name = "N")]
    pub max_faults: Option<u32>,
    /// Seconds that an engine may take for a play [default: 30].
    #[arg(long, value_name = "SECONDS")]
    pub move_time: Option<f64>,
    /// Threads; all cores by default. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

impl PlayArgs {
    /// How many threads to use.
    pub fn threads(&self) -> usize {
        threads(self.threads)
    }

    /// How long engines may take.
    ///
    /// # Errors
    /// If the time is no positive number of seconds.
    pub fn limits(&self, stop: &Arc<AtomicBool>) -> Result<EngineLimits> {
        let usual = EngineLimits::default();
        let move_time = match self.move_time {
            None => usual.move_time,
            Some(seconds) if seconds > 0.0 && seconds < 1e6 => Duration::from_secs_f64(seconds),
            Some(seconds) => bail!("--move-time needs a number of seconds above 0, found {seconds}"),
        };
        Ok(EngineLimits { move_time, stop: Arc::clone(stop), ..usual })
    }

    /// The reference model.
    ///
    /// # Errors
    /// If it can't be loaded or used.
    pub fn reference(&self) -> Result<Option<LoadedModel>> {
        self.reference.as_deref().map(reference).transpose()
    }

    /// Enters these arguments.
    pub fn apply(&self, settings: &mut Settings, reference: Option<&LoadedModel>) {
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings.length = self.length.or(settings.length);
        settings.sprt = self.sprt.or(settings.sprt);
        settings.on_fault = self.on_fault.map_or(settings.on_fault, OnFault::from);
        settings.max_faults = self.max_faults.unwrap_or(settings.max_faults);
        settings.move_seconds = self.move_time.unwrap_or(settings.move_seconds);
        let ahead =
            |model: &LoadedModel| if model.plies > 0 { format!(",plies={}", model.plies) } else { String::new() };
        settings.reference = reference.map(|model| model.sha256.clone() + &ahead(model)).unwrap_or_default();
    }
}

/// Loads a reference model, `MODEL[,plies=N][,filter=FILE]`, `short` or `long`.
pub fn reference(text: &str) -> Result<LoadedModel> {
    let spec: PlayerSpec = text.parse()?;
    if !matches!(spec.kind, PlayerKind::Model { .. } | PlayerKind::Shipped { .. }) {
        bail!("a reference must be a model file, `short` or `long`, found {text:?}");
    }
    LoadedModel::of(&spec, text, SHIPPED)?.context("the reference has no model")
}

fn sprt(text: &str) -> Result<SprtSpec> {
    let expected = || format!("expected points:H0:H1, luck:H0:H1 or elo:H0:H1, found {text:?}");
    let mut parts = text.split(',');
    let head: Vec<&str> = parts.next().unwrap_or_default().split(':').collect();
    let [unit, h0, h1] = head[..] else { bail!(expected()) };
    let (h0, h1): (f64, f64) = (h0.parse().with_context(expected)?, h1.parse().with_context(expected)?);
    let mut spec = SprtSpec::new(match unit {
        "points" => Hypotheses::Points { h0, h1 },
        "luck" => Hypotheses::LuckAdjustedPoints { h0, h1 },
        "elo" => Hypotheses::Elo { h0, h1 },
        _ => bail!(expected()),
    });
    for part in parts {
        let (name, value) = part.split_once('=').with_context(expected)?;
        match name.trim() {
            "alpha" => spec.alpha = value.parse().with_context(expected)?,
            "beta" => spec.beta = value.parse().with_context(expected)?,
            "min_pairs" | "min-pairs" => spec.min_pairs = value.parse().with_context(expected)?,
            _ => bail!("a test has alpha, beta and min_pairs, found {name:?}"),
        }
    }
    spec.validate()?;
    Ok(spec)
}

/// The rules that were asked for, or the usual ones of the game that the players know, or long nardy's.
///
/// # Errors
/// If no rules were asked for and players know different games, or a model can't be loaded.
pub fn rules_for(asked: Option<Rules>, specs: &[PlayerSpec]) -> Result<Rules> {
    if let Some(rules) = asked {
        return Ok(rules);
    }
    let mut first: Option<(String, Game)> = None;
    for (spec, name) in specs.iter().zip(PlayerSpec::names(specs)) {
        let game = match &spec.kind {
            PlayerKind::Gnubg { .. } | PlayerKind::Builtin("pubeval") => Some(Game::Short),
            _ => LoadedModel::of(spec, &name, SHIPPED)?.map(|model| model.model.rules().game),
        };
        match (&first, game) {
            (Some((other, known)), Some(game)) if *known != game => {
                bail!("all players must play the same game, but {other} plays {known} nardy and {name} {game} nardy")
            }
            (None, Some(game)) => first = Some((name, game)),
            _ => {}
        }
    }
    Ok(first.map_or(Rules::LONG, |(_, game)| Rules::default_of(game)))
}

/// A flag that Ctrl-C sets; the second Ctrl-C ends the program at once.
pub fn stop_on_ctrl_c() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })?;
    Ok(stop)
}

/// The exit code of a program that was interrupted.
pub fn exit_code(stop: &AtomicBool) -> ExitCode {
    if stop.load(Ordering::SeqCst) { ExitCode::from(130) } else { ExitCode::SUCCESS }
}

/// A bar that counts pairs of games.
pub fn progress_bar(total: u64, done: u64) -> ProgressBar {
    let template = "{bar:24} {pos}/{len} pairs, {per_sec}, {eta} left  {msg}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(total).with_style(style).with_position(done);
    bar.reset_eta();
    bar
}

/// Where games are to be recorded, by the ending of the file's name.
pub fn is_mat(path: &Path) -> Result<bool> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl") => Ok(false),
        Some("mat") => Ok(true),
        _ => bail!("can't tell the record's format from {}: expected a name ending in .jsonl or .mat", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_read_with_its_error_rates() {
        let spec = sprt("luck:0:0.05,alpha=0.01,min_pairs=50").unwrap();
        assert_eq!(spec.hypotheses, Hypotheses::LuckAdjustedPoints { h0: 0.0, h1: 0.05 });
        assert_eq!((spec.alpha, spec.beta, spec.min_pairs), (0.01, 0.05, 50));
        let error = |text| sprt(text).unwrap_err().to_string();
        assert!(error("points:0").starts_with("expected points:H0:H1"));
        assert!(error("elo:0:20,gamma=1").starts_with("a test has alpha"));
        assert_eq!(error("elo:5:5"), "the two hypotheses of an SPRT must differ, both are 5");
    }
}
