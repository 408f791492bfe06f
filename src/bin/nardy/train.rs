//! `nardy train`: learning by self-play, from a recipe.

use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use nardy::arena::duel::{Duel, Players};
use nardy::arena::stats::Level;
use nardy::eval::{Evaluator, Model, ModelPlayer, builtin_player};
use nardy::net::write_atomically;
use nardy::train::config::Config;
use nardy::train::metrics::MetricsWriter;
use nardy::train::run::{RoundReport, Run};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Arguments of `nardy train`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The recipe, such as training/quick.toml.
    config: PathBuf,
    /// Go on from the newest good checkpoint of this run directory.
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Go on although the recipe differs from the checkpoint's in what has already begun, such as the games or the rate of the
    /// phase under way. The result is then not what the recipe gives when it is run as a whole.
    #[arg(long, requires = "resume")]
    changed: bool,
    /// Change a knob of the recipe: `seed=7`, `phase.0.games=5000`. May be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Scale the games of all phases so that they sum to N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Save and stop after so many minutes; resume to go on.
    #[arg(long, value_name = "M")]
    minutes: Option<f64>,
    /// Save and stop once so many games are learned from; resume to go on.
    #[arg(long, value_name = "N")]
    stop_at: Option<u64>,
    /// Directory of the run's files; training/runs/NAME if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What to report between two evaluations.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Trains, and writes plan and results to `out`; progress goes to standard error.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let text =
        std::fs::read_to_string(&args.config).with_context(|| format!("the recipe {}", args.config.display()))?;
    let mut config = Config::read(&text, &args.set).with_context(|| format!("the recipe {}", args.config.display()))?;
    if let Some(games) = args.games {
        config.scale_games(games);
    }
    let dir = args.resume.clone().or(args.out.clone()).unwrap_or_else(|| Path::new("training/runs").join(&config.name));
    write!(out, "{}files        {}\n\n", config.plan(), dir.display())?;
    out.flush()?;

    let run = match &args.resume {
        Some(dir) => {
            let (run, skipped) = Run::resume(config, dir, args.changed)?;
            for fault in skipped {
                eprintln!("warning: a newer checkpoint was refused: {fault}");
            }
            let progress = run.progress();
            writeln!(out, "resumed at game {}", progress.games)?;
            run
        }
        None => {
            let old = dir.join("checkpoints");
            let used = old
                .read_dir()
                .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| entry.path().is_dir())));
            ensure!(
                !used,
                "{} holds checkpoints of an earlier run; give --resume {0} to go on, or another --out",
                dir.display()
            );
            Run::new(config, &dir)?
        }
    };
    Session::new(run, dir, &args)?.work(out)
}

/// One sitting at a run.
struct Session {
    run: Run,
    dir: PathBuf,
    opponents: Vec<Opponent>,
    metrics: MetricsWriter,
    previous: Option<Arc<Model>>,
    stop: Arc<AtomicBool>,
    stop_at: u64,
    begun: Instant,
    first_game: u64,
    limit: Option<Duration>,
    bar: ProgressBar,
    last_line: Instant,
    last_verdict: String,
    window: Window,
}

/// Sums since the last point of the curves.
#[derive(Default)]
struct Window {
    samples: f64,
    games: f64,
    plies: f64,
    classes: [f64; 3],
    loss: f64,
    td_error: f64,
    seconds: f64,
    learn_seconds: f64,
}

enum Opponent {
    Builtin(String),
    Previous,
    Model(String, Arc<Model>),
}

impl Opponent {
    fn name(&self) -> &str {
        match self {
            Opponent::Builtin(name) | Opponent::Model(name, _) => name,
            Opponent::Previous => "previous",
        }
    }
}

impl Session {
    fn new(run: Run, dir: PathBuf, args: &Args) -> Result<Session> {
        let config = run.config();
        let mut opponents = Vec::new();
        for name in &config.evaluation.opponents {
            opponents.push(match name.as_str() {
                "previous" => Opponent::Previous,
                file if file.ends_with(".safetensors") => {
                    let model = Model::load(file).with_context(|| format!("the opponent {file}"))?;
                    model.check_game(&config.rules)?;
                    let name =
                        Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy().into_owned());
                    Opponent::Model(name, Arc::new(model))
                }
                name => {
                    builtin_player(name, config.rules.game)?;
                    Opponent::Builtin(name.to_owned())
                }
            });
        }
        let mut columns: Vec<String> = CURVES.into_iter().chain([IDLE]).map(String::from).collect();
        for opponent in &opponents {
            columns.push(format!("points/{}", opponent.name()));
            columns.push(format!("points_interval/{}", opponent.name()));
        }
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let games = run.progress().games;
        let metrics = MetricsWriter::open(&dir, &columns, args.resume.as_ref().map(|_| games))?;
        write_atomically(&dir.join("config.toml"), config.to_toml().as_bytes()).context("the copy of the recipe")?;
        let stop = Arc::new(AtomicBool::new(false));
        let seen = stop.clone();
        ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::SeqCst) {
                // The second time, at once: the last checkpoint is whole.
                std::process::exit(130);
            }
        })?;
        let total = config.total_games();
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new(total) } else { ProgressBar::hidden() };
        bar.set_style(ProgressStyle::with_template("{bar:24} {pos}/{len} games  {msg}")?);
        let limit = args.minutes.map(|m| Duration::try_from_secs_f64(60.0 * m)).transpose().context("--minutes")?;
        Ok(Session {
            stop_at: args.stop_at.unwrap_or(u64::MAX),
            begun: Instant::now(),
            first_game: games,
            last_line: Instant::now(),
            last_verdict: String::new(),
            window: Window::default(),
            previous: None,
            run,
            dir,
            opponents,
            metrics,
            stop,
            limit,
            bar,
        })
    }

    fn work(mut self, out: &mut dyn Write) -> Result<()> {
        let every = self.run.config().evaluation.every;
        let save_every = self.run.config().checkpoints.every;
        let mut games = self.run.progress().games;
        while !self.run.is_done() {
            let report = match self.run.step() {
                Ok(report) => report,
                Err(error) => bail!("training stopped: {error} (directory {})", self.dir.display()),
            };
            let now = self.run.progress().games;
            self.window.add(&report);
            let crossed = |every: u64| every > 0 && now / every > games / every;
            let done = self.run.is_done();
            let interrupted = self.stop.load(Ordering::SeqCst)
                || now >= self.stop_at
                || self.limit.is_some_and(|limit| self.begun.elapsed() >= limit);
            if crossed(every) && !done {
                self.evaluate(now, &report, out)?;
            } else if crossed(20_000) {
                self.record(now, &report, &[])?;
            }
            if crossed(save_every) || done || interrupted {
                self.run.save()?;
                self.run.export("model.safetensors")?;
            }
            self.show(&report);
            games = now;
            if interrupted && !done {
                self.bar.finish_and_clear();
                self.metrics.flush()?;
                writeln!(out, "stopped and saved at game {now}; go on with --resume {}", self.dir.display())?;
                return Ok(());
            }
            if done {
                self.evaluate(now, &report, out)?;
            }
        }
        self.bar.finish_and_clear();
        self.metrics.flush()?;
        let progress = self.run.progress();
        writeln!(
            out,
            "{} games, {} plies learned from in {:.0} s; the model is {}",
            progress.games,
            progress.plies,
            self.begun.elapsed().as_secs_f64(),
            self.dir.join("model.safetensors").display()
        )?;
        Ok(())
    }

    /// Games a second and time left, on the bar or as a line now and then.
    fn show(&mut self, report: &RoundReport) {
        let progress = self.run.progress();
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = (progress.games - self.first_game) as f64 / seconds.max(1e-9);
        let total = self.run.config().total_games();
        let left = (total.saturating_sub(progress.games)) as f64 / rate.max(1e-9);
        let positions = rate * progress.plies as f64 / progress.games.max(1) as f64;
        let text = format!(
            "{rate:.0} games/s, {positions:.0} positions/s, loss {:.4}, {}left {:.0}:{:02.0}",
            report.loss,
            self.last_verdict,
            (left / 60.0).floor(),
            left % 60.0
        );
        self.bar.set_position(progress.games);
        self.bar.set_message(text.clone());
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            eprintln!("{}/{total} games  {text}", progress.games);
        }
    }

    /// Matches against every opponent; a line each, and a point on the curves.
    fn evaluate(&mut self, games: u64, report: &RoundReport, out: &mut dyn Write) -> Result<()> {
        let config = self.run.config().clone();
        let model = self.run.model()?;
        let mut values = Vec::new();
        for opponent in &self.opponents {
            let other = match opponent {
                Opponent::Previous => match &self.previous {
                    Some(model) => Opponent::Model("previous".into(), model.clone()),
                    None => continue,
                },
                Opponent::Builtin(name) => Opponent::Builtin(name.clone()),
                Opponent::Model(name, model) => Opponent::Model(name.clone(), model.clone()),
            };
            let duel = Duel {
                rules: config.rules,
                seed: config.seed,
                pairs: config.evaluation.games.div_ceil(2),
                threads: config.threads(),
                reference: config.evaluation.luck.then(|| model.clone()),
            };
            let stats = duel.play(|| players(&model, &other, &config), |_, _| ())?;
            let estimate = match config.evaluation.luck {
                true => stats.luck().adjusted().estimate(Level::P95),
                false => stats.report(Level::P95).pairs.mean,
            };
            let half = estimate.interval.map_or(f64::NAN, |interval| interval.half_width());
            let adjusted = if config.evaluation.luck { ", luck-adjusted" } else { "" };
            let line = format!(
                "after {games} games: {:+.3} ± {half:.3} points a game against {} ({} games{adjusted})",
                estimate.mean,
                opponent.name(),
                2 * duel.pairs
            );
            self.bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
            self.last_verdict = format!("{:+.2} vs {}, ", estimate.mean, opponent.name());
            values.push((format!("points/{}", opponent.name()), estimate.mean));
            values.push((format!("points_interval/{}", opponent.name()), half));
        }
        self.previous = Some(model);
        if let Some((idle, units)) = self.run.idle_units(2_048)? {
            let line = format!("after {games} games: {idle} of {units} hidden units are idle");
            self.bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
            values.push((IDLE.to_owned(), idle as f64 / units.max(1) as f64));
        }
        let values: Vec<(&str, f64)> = values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        self.record(games, report, &values)?;
        for (i, weights) in self.run.layer_weights()?.iter().enumerate() {
            self.metrics.histogram(games, &format!("weights/layer{}", i + 1), weights);
        }
        let activations = self.run.activations(256)?;
        self.metrics.histogram(games, "activations/layer1", &activations);
        Ok(())
    }

    /// One point on the curves.
    fn record(&mut self, games: u64, report: &RoundReport, more: &[(&str, f64)]) -> Result<()> {
        let w = std::mem::take(&mut self.window);
        let per_game = |n: f64| n / w.games.max(1.0);
        let numbers = [
            w.loss / w.samples.max(1.0),
            w.td_error / w.samples.max(1.0),
            w.games / w.seconds.max(1e-9),
            w.plies / w.seconds.max(1e-9),
            per_game(w.plies),
            per_game(w.classes[1]),
            per_game(w.classes[2]),
            report.rate,
            report.lambda,
            w.learn_seconds / w.seconds.max(1e-9),
            self.run.core_seconds() / 60.0,
        ];
        // Nothing has been played since the last point when a match follows it at once: no zeros on the curves then.
        let unknown = if w.games > 0.0 { 0 } else { CURVES.len() - 1 };
        let mut values: Vec<(&str, f64)> = CURVES.into_iter().zip(numbers).skip(unknown).collect();
        values.extend(more);
        Ok(self.metrics.record(games, &values)?)
    }
}

/// Names of the curves, in the order of [`Session::record`].
const CURVES: [&str; 11] = [
    "loss",
    "td_error",
    "speed/games_per_second",
    "speed/positions_per_second",
    "games/plies",
    "games/mars_rate",
    "games/koks_rate",
    "knobs/rate",
    "knobs/lambda",
    "speed/learning_share",
    "speed/core_minutes",
];

/// The share of the hidden units that no position of the last round brings above 0, at evaluations.
const IDLE: &str = "net/idle_share";

impl Window {
    fn add(&mut self, report: &RoundReport) {
        self.samples += report.samples as f64;
        self.games += report.played.games as f64;
        self.plies += report.played.plies as f64;
        self.classes.iter_mut().zip(report.played.classes).for_each(|(sum, n)| *sum += n as f64);
        self.loss += report.loss * report.samples as f64;
        self.td_error += report.td_error * report.samples as f64;
        self.seconds += report.seconds;
        self.learn_seconds += report.learn_seconds;
    }
}

fn players(model: &Arc<Model>, opponent: &Opponent, config: &Config) -> Players {
    let player = |name: &str, model: &Arc<Model>| {
        let evaluator = Evaluator::new(model.clone(), config.rules).expect("the game was checked");
        Box::new(ModelPlayer::new(name, evaluator))
    };
    let other: Box<dyn nardy::game::Player + Send> = match opponent {
        Opponent::Builtin(name) => builtin_player(name, config.rules.game).expect("checked when the run began"),
        Opponent::Model(name, other) => player(name, other),
        Opponent::Previous => unreachable!("replaced by the model before"),
    };
    [player("net", model), other]
}
