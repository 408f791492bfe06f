//! `nardy selfplay`: a model plays itself, as the trainer lets it, without learning.

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use nardy::eval::{Keep, Model};
use nardy::game::{ByColor, Color, GameRecord, GameState, Turn};
use nardy::net::write_atomically;
use nardy::rules::Rules;
use nardy::train::self_play::{PlayFilter, PlayedGame, SelfPlay, play_games};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Arguments of `nardy selfplay`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The model that plays both sides.
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// How many games.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Number of the first game; seed and number determine a game.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Base seed of the games.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads; 0 = one per core. Does not change the games.
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Rule set; the model's own if not given.
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,
    /// A cheap model that looks at all plays first.
    #[arg(long, value_name = "FILE")]
    filter: Option<PathBuf>,
    /// How many of the plays that the filter likes best the model looks at.
    #[arg(long, value_name = "N", default_value_t = 6, requires = "filter",
          value_parser = clap::value_parser!(u64).range(1..))]
    keep: u64,
    /// Write all games to this file, one a line (JSON).
    #[arg(long, value_name = "FILE.jsonl")]
    record: Option<PathBuf>,
}

/// Games between two looks at the clock and at Ctrl-C.
const ROUND: u64 = 400;

/// Plays the games, writes the summary to `out`.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let load = |path: &PathBuf| Model::load(path).with_context(|| format!("the model {}", path.display()));
    let model = Arc::new(load(&args.model)?);
    let rules = args.rules.unwrap_or(*model.rules());
    model.check_game(&rules)?;
    let filter = match &args.filter {
        Some(path) => {
            let keep = Keep { most: args.keep as usize, within: f32::INFINITY };
            Some(PlayFilter { model: Arc::new(load(path)?), keep })
        }
        None => None,
    };
    let end = args.first.checked_add(args.games).context("--first and --games: too many games")?;
    let threads = match args.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    };
    if let Some(path) = &args.record {
        ensure!(
            path.extension().is_some_and(|e| e == "jsonl"),
            "expected a name ending in .jsonl, found {}",
            path.display()
        );
    }
    let options = SelfPlay { seed: args.seed, random_plies: 0, starts: Vec::new(), filter, exact_endings: false };
    let stop = Arc::new(AtomicBool::new(false));
    let seen = stop.clone();
    ctrlc::set_handler(move || seen.store(true, Ordering::SeqCst))?;

    let bar = ProgressBar::new(args.games);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} games, {per_sec}, {eta} left")?);
    let name = args.model.file_stem().map_or("model".into(), |stem| stem.to_string_lossy().into_owned());
    let (mut tally, mut lines, begun) = (Tally::default(), Vec::new(), Instant::now());
    let mut first = args.first;
    while first < end && !stop.load(Ordering::SeqCst) {
        let numbers = first..end.min(first + ROUND);
        first = numbers.end;
        let (games, ()) = play_games(&model, rules, &options, numbers, threads, |_, game| game, || ())?;
        for game in games {
            tally.add(&game);
            if args.record.is_some() {
                record(&game, rules, &name)?.write_line(&mut lines)?;
            }
            bar.inc(1);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    bar.finish_and_clear();
    if let Some(path) = &args.record {
        write_atomically(path, &lines).with_context(|| format!("can't write the record {}", path.display()))?;
    }
    tally.write(seconds, threads, out)
}

/// The game as a record; White has the first turn.
fn record(game: &PlayedGame, rules: Rules, name: &str) -> Result<GameRecord> {
    let mut record = GameRecord::new(rules, ByColor::new(name.to_owned(), name.to_owned()), Color::White);
    record.turns = game.plies.iter().map(|ply| Turn { roll: ply.roll, steps: ply.steps }).collect();
    let mut state = GameState::start(&rules, Color::White, None)?;
    for turn in &record.turns {
        state.roll(turn.roll)?;
        state.play(turn.steps)?;
    }
    record.result = state.result();
    Ok(record)
}

/// Sums over all games.
#[derive(Default)]
struct Tally {
    games: u64,
    plies: u64,
    classes: [u64; 3],
    broken_off: u64,
}

impl Tally {
    fn add(&mut self, game: &PlayedGame) {
        self.games += 1;
        self.plies += game.plies.len() as u64;
        match game.outcome {
            Some(outcome) => self.classes[outcome % self.classes.len()] += 1,
            None => self.broken_off += 1,
        }
    }

    fn write(&self, seconds: f64, threads: usize, out: &mut dyn Write) -> Result<()> {
        let (games, plies) = (self.games as f64, self.plies as f64);
        writeln!(
            out,
            "{} games in {seconds:.1} s on {threads} threads: {:.0} games/s, {:.0} plies/s, {:.0} games/s a thread",
            self.games,
            games / seconds,
            plies / seconds,
            games / seconds / threads as f64
        )?;
        let [oin, mars, koks] = self.classes.map(|n| 100.0 * n as f64 / games.max(1.0));
        writeln!(
            out,
            "{:.1} plies a game; oin {oin:.1} %, mars {mars:.1} %, koks {koks:.1} %",
            plies / games.max(1.0)
        )?;
        if self.broken_off > 0 {
            writeln!(out, "{} games were too long and broken off", self.broken_off)?;
        }
        Ok(())
    }
}
