//! `nardy analyse`: what every decision of recorded games cost, by a reference model.

use crate::arena::reference;
use crate::common::{check_writable, write_file};
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use nardy::arena::report::{JudgedGame, Review};
use nardy::arena::stats::Level;
use nardy::game::{GameRecord, MatchRecord, read_games};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Arguments of `nardy analyse`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games: .jsonl (a game a line), .json (a match) or .mat.
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The model that judges: a file, `short` or `long`.
    #[arg(long, value_name = "MODEL")]
    reference: String,
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
    args.json.iter().chain(&args.html).try_for_each(|path| check_writable(path))?;
    let judged = judge(&args, &games)?;
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
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let mut analysts = (0..threads).map(|_| model.analyst(&args.reference, rules)).collect::<Result<Vec<_>, _>>()?;
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} games, {eta} left");
    let bar = ProgressBar::new(games.len() as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(games.len()));
    std::thread::scope(|scope| {
        for analyst in &mut analysts {
            scope.spawn(|| {
                while let Some((number, game)) = take(&next, games) {
                    let judged = JudgedGame::new(analyst, game, args.worst, args.luck);
                    done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((number, judged));
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(number, _)| *number);
    let numbered =
        |(number, judged): (usize, Result<JudgedGame, _>)| judged.with_context(|| format!("game {}", number + 1));
    done.into_iter().map(numbered).collect()
}

fn take<'a>(next: &AtomicUsize, games: &'a [GameRecord]) -> Option<(usize, &'a GameRecord)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    games.get(number).map(|game| (number, game))
}
