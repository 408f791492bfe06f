//! `nardy analyse`: what every decision of recorded games cost, by a reference model.

use crate::arena::reference;
use crate::common::{check_writable, threads, write_file};
use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use nardy::arena::analysis::{Decision, ERROR, RolledDecision};
use nardy::arena::parallel::in_order;
use nardy::arena::report::{InQuestion, JudgedGame, Review};
use nardy::arena::stats::Level;
use nardy::game::{GameRecord, MatchRecord, read_games};
use nardy::rollout::{Roller, RolloutSettings};
use nardy::rules::Rules;
use nardy::search::MAX_DEPTH;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Arguments of `nardy analyse`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games: .jsonl (a game a line), .json (a match) or .mat.
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The model that judges: `short`, `long` or a file, looking ahead if wanted: MODEL[,plies=N][,filter=FILE].
    #[arg(long, value_name = "MODEL")]
    reference: String,
    #[command(flatten)]
    rollouts: RolloutArgs,
    /// How many of the worst decisions to show.
    #[arg(long, value_name = "N", default_value_t = 5)]
    worst: usize,
    /// Measure the luck of the dice, too; takes twenty times as long.
    #[arg(long)]
    luck: bool,
    /// Draw with plain ASCII characters.
    #[arg(long)]
    ascii: bool,
    /// Write all figures to a file as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page of HTML with the worst decisions as boards.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Threads; all cores by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// Which decisions are rolled out, and how.
#[derive(Debug, clap::Args)]
struct RolloutArgs {
    /// Judge costly decisions by rollouts of the reference instead of its word.
    #[arg(long)]
    rollout: bool,
    /// Roll out decisions that lose so many points or more by the reference.
    #[arg(long, value_name = "POINTS", default_value_t = ERROR, requires = "rollout")]
    rollout_loss: f64,
    /// Roll out decisions, too, in which the reference sees the two best plays no further apart than that.
    #[arg(long, value_name = "POINTS", requires = "rollout")]
    rollout_close: Option<f64>,
    /// Roll out no more decisions than that: those that lose most by the reference.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "rollout")]
    rollout_most: usize,
    /// Most games played out for each play, rounded up to a multiple of 36.
    #[arg(long, value_name = "N", default_value_t = 432, requires = "rollout", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    trials: u64,
    /// Let the reference value the position after that many plies; 0 plays every game to its end.
    #[arg(long, value_name = "PLIES", default_value_t = 10, requires = "rollout")]
    truncate: u32,
    /// Plies that are looked ahead for each play in the games: 0, the network alone, to 3.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "rollout", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    ply: u32,
    /// Most plays rolled out besides the one that was made: the best at 2-ply.
    #[arg(long, value_name = "N", default_value_t = 4, requires = "rollout")]
    candidates: usize,
    /// Other plays that lose more points than this at 2-ply are not rolled out.
    #[arg(long, value_name = "POINTS", default_value_t = 0.05, requires = "rollout")]
    within: f32,
    /// Seed of the dice of the rollouts.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "rollout")]
    seed: u64,
}

impl RolloutArgs {
    fn check(&self) -> Result<()> {
        let points = [("--rollout-loss", self.rollout_loss), ("--rollout-close", self.rollout_close.unwrap_or(0.0))];
        for (name, points) in points.into_iter().chain([("--within", f64::from(self.within))]) {
            ensure!(points >= 0.0, "{name} needs a number of points, 0 or more, found {points}");
        }
        Ok(())
    }

    fn question(&self) -> Option<InQuestion> {
        let close = self.rollout_close.unwrap_or(f64::NEG_INFINITY);
        self.rollout.then_some(InQuestion { loss: self.rollout_loss, close })
    }

    fn settings(&self) -> RolloutSettings {
        RolloutSettings {
            trials: self.trials,
            truncate: (self.truncate > 0).then_some(self.truncate),
            depth: self.ply,
            seed: self.seed,
            ..RolloutSettings::default()
        }
    }
}

/// Judges the games and writes the table and the worst decisions.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let mut games = Vec::new();
    for path in &args.records {
        games.extend(read(path).with_context(|| format!("can't use {}", path.display()))?);
    }
    let Some(first) = games.first() else { bail!("there are no games in these files") };
    let rules = first.rules;
    if let Some(other) = games.iter().find(|game| game.rules != rules) {
        bail!("all games must have the same rules, found {rules} and {}", other.rules);
    }
    args.rollouts.check()?;
    args.json.iter().chain(&args.html).try_for_each(|path| check_writable(path))?;
    let mut judged = judge(&args, &games)?;
    if args.rollouts.rollout {
        roll_out(&args, rules, &mut judged)?;
    }
    let review = Review::of(rules, &args.reference, &judged, args.worst, Level::P95);
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&review)?;
        write_file(path, &text)?;
    }
    if let Some(path) = &args.html {
        write_file(path, &review.html())?;
    }
    Ok(write!(out, "{}", review.terminal(args.ascii))?)
}

/// The games of a file, by the ending of its name.
fn read(path: &Path) -> Result<Vec<GameRecord>> {
    let text = || std::fs::read_to_string(path);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl") => {
            let file = BufReader::new(std::fs::File::open(path)?);
            Ok(read_games(file).collect::<Result<_, _>>()?)
        }
        Some("json") => Ok(MatchRecord::from_json(&text()?)?.games),
        Some("mat") => Ok(MatchRecord::from_mat(&text()?)?.games),
        _ => bail!("expected a name ending in .jsonl, .json or .mat"),
    }
}

/// Judges all games on all cores; the results are in the order of the games.
fn judge(args: &Args, games: &[GameRecord]) -> Result<Vec<JudgedGame>> {
    let model = reference(&args.reference)?;
    let rules = games.first().map(|game| game.rules).context("no games")?;
    let question = args.rollouts.question();
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} games, {eta} left");
    let bar = ProgressBar::new(games.len() as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut judged = Vec::with_capacity(games.len());
    in_order(
        (0, games.len()),
        (threads(args.threads), &AtomicBool::new(false)),
        || Ok(model.analyst(&args.reference, rules)?),
        |analyst, number| {
            let judged = JudgedGame::new(analyst, &games[number], args.worst, args.luck, question);
            bar.inc(1);
            // An error is a result, too: of several the first is told.
            Ok(Some(judged))
        },
        |number, game| {
            judged.push(game.with_context(|| format!("game {}", number + 1))?);
            Ok::<(), anyhow::Error>(())
        },
    )?;
    bar.finish_and_clear();
    Ok(judged)
}

/// Settles the decisions in question, those that lose most by the reference first.
fn roll_out(args: &Args, rules: Rules, judged: &mut [JudgedGame]) -> Result<()> {
    let model = reference(&args.reference)?;
    let numbered = judged.iter().enumerate();
    let of_game = |(game, judged): (usize, &JudgedGame)| {
        judged.open().enumerate().map(|(number, decision)| (game, number, *decision)).collect::<Vec<_>>()
    };
    let mut open: Vec<(usize, usize, Decision)> = numbered.flat_map(of_game).collect();
    open.sort_by(|(.., a), (.., b)| b.loss.total_cmp(&a.loss));
    open.truncate(args.rollouts.rollout_most);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} decisions, {per_sec}, {eta} left");
    let bar = ProgressBar::new(open.len() as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let (candidates, within) = (args.rollouts.candidates, args.rollouts.within);
    in_order(
        (0, open.len()),
        (threads(args.threads), &AtomicBool::new(false)),
        || model.roller(&args.reference, rules, args.rollouts.settings()),
        |roller: &mut Roller, number| Ok(RolledDecision::of(&open[number].2, roller, (candidates, within), &|| false)),
        |number, rolled| {
            let (game, place, _) = open[number];
            judged[game].settle(&rules, place, &rolled);
            bar.inc(1);
            Ok(())
        },
    )?;
    bar.finish_and_clear();
    Ok(())
}
