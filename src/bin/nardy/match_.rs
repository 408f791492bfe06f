//! `nardy match`: two players against each other with duplicate dice, the short way to a tournament of two.

use crate::arena::{
    MOST_GAMES, PLAYER_HELP, PlayArgs, SHIPPED, exit_code, is_mat, progress_bar, rules_for, stop_on_ctrl_c,
};
use crate::common::{check_writable, write_file};
use anyhow::{Context, Result, bail};
use nardy::arena::players::{PlayerSpec, Roster};
use nardy::arena::report::{Report, signed};
use nardy::arena::stats::{Estimate, Level, Rate};
use nardy::arena::tournament::{Settings, State, Tournament};
use nardy::game::{ByColor, GameRecord, Goal, MatchRecord};
use nardy::rules::Rules;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Arguments of `nardy match`.
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYER_HELP)]
pub struct Args {
    /// The first player.
    a: PlayerSpec,
    /// The second player.
    b: PlayerSpec,
    /// How many games to play, or how many matches with --length, rounded up to an even number: two and two share their
    /// dice, each player starting once.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    games: u64,
    #[command(flatten)]
    play: PlayArgs,
    /// Write all games to a file: .jsonl (a game a line, with seeds) or .mat (the games as one money session; with
    /// --length a file for each match, numbered).
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write all figures to a file as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Plays the games and writes the summary.
pub fn run(args: Args, out: &mut dyn Write) -> Result<ExitCode> {
    let stop = stop_on_ctrl_c()?;
    let specs = [args.a.clone(), args.b.clone()];
    let rules = rules_for(args.play.rules, &specs)?;
    let roster = Roster::load(&specs, rules, SHIPPED, args.play.limits(&stop)?)?;
    let reference = args.play.reference()?;
    if args.json.is_some() && args.json == args.record {
        bail!("--record and --json need two different files, both are {}", args.json.unwrap_or_default().display());
    }
    args.json.as_deref().map_or(Ok(()), check_writable)?;
    let mut settings = Settings::new(rules, &specs, &roster);
    args.play.apply(&mut settings, reference.as_ref());
    settings.pairs = args.games.div_ceil(2);
    settings.keep_games = args.record.is_some();
    settings.check()?;
    let mut recorder = args.record.as_deref().map(|path| Recorder::open(path, &settings)).transpose()?;
    let mut state = State::new(settings)?;
    let bar = progress_bar(state.settings.pairs, 0);
    let tournament = Tournament { roster: &roster, reference, threads: args.play.threads(), stop: stop.clone() };
    let mut failed = None;
    tournament.run(&mut state, |state| {
        let games = std::mem::take(&mut state.pairings[0].get_mut().outbox);
        if let Some(recorder) = &mut recorder
            && let Err(error) = recorder.add(games)
        {
            failed.get_or_insert(error);
            stop.store(true, Ordering::SeqCst);
        }
        let (done, _) = state.progress();
        bar.set_position(done);
        if done % 32 == 0 {
            bar.set_message(estimate(&Report::of(state, Level::P95).pairings[0].best_points()));
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(recorder) = recorder {
        recorder.close()?;
    }
    let report = Report::of(&state, Level::P95);
    if let Some(path) = &args.json {
        write_file(path, &report.to_json()?)?;
    }
    summary(&report, out)?;
    // A result that does not count must not look like one that does.
    Ok(if report.pairings[0].withdrawn.is_some() { ExitCode::FAILURE } else { exit_code(&stop) })
}

/// Mean and interval.
fn estimate(estimate: &Estimate) -> String {
    signed(estimate.mean, estimate.interval)
}

fn summary(report: &Report, out: &mut dyn Write) -> Result<()> {
    let (a, b) = (&report.players[0].name, &report.players[1].name);
    let row = &report.pairings[0];
    let pairs = &row.result.pairs;
    let (units, games) = (report.unit(true), 2 * pairs.mean.units);
    writeln!(out, "{a} against {b}: {games} {units}, {} pairs with duplicate dice", pairs.mean.units)?;
    writeln!(out, "rules {}, seed {}", report.rules, report.seed)?;
    if pairs.mean.units > 0 {
        let what = if report.length.is_some() { "matches won minus lost, per match" } else { "points per game" };
        writeln!(out, "{a}: {} {what} (95 % interval over pairs)", estimate(&pairs.mean))?;
        if let Some(luck) = row.result.luck {
            let ratio = luck.variance_ratio.map(|r| format!(", variance × {r:.3}")).unwrap_or_default();
            writeln!(
                out,
                "{a}: {} luck-adjusted{ratio} (mean luck {})",
                estimate(&luck.adjusted),
                estimate(&luck.luck)
            )?;
        }
        let win = pairs.win;
        let (low, high) = (100.0 * win.interval.low, 100.0 * win.interval.high);
        writeln!(out, "{a}: wins {:.1} % ({low:.1} to {high:.1} %) of the {units}", 100.0 * win.value)?;
        if report.length.is_none() {
            let percent = |rate: Rate| format!("{:.1} %", 100.0 * rate.value);
            let (mars, koks) = (percent(pairs.win_mars), percent(pairs.win_koks));
            writeln!(out, "{a}: wins {mars} as mars and {koks} as koks")?;
            let (mars, koks) = (percent(pairs.lose_mars), percent(pairs.lose_koks));
            writeln!(out, "{a}: loses {mars} as mars and {koks} as koks, draws {}", percent(pairs.draw))?;
        }
    }
    for player in &report.players {
        if let Some(loss) = player.loss {
            let (per_decision, count) = (estimate(&loss.per_decision), loss.decisions);
            let per_decision = per_decision.trim_start_matches('+');
            writeln!(out, "{}: {per_decision} points lost per decision, of {count}", player.name)?;
        }
    }
    writeln!(out, "{:.1} turns per game", row.plies_per_game)?;
    if let (Some(verdict), Some(test)) = (row.verdict(), row.result.sprt) {
        let (llr, lower, upper) = (test.llr, test.lower, test.upper);
        writeln!(out, "test: {verdict} after {} pairs, llr {llr:+.2} ({lower:+.2} to {upper:+.2})", test.pairs)?;
    }
    if let Some(player) = row.withdrawn {
        writeln!(out, "{} failed too often and was withdrawn", report.players[player].name)?;
    }
    if row.void_pairs > 0 {
        writeln!(out, "{} pairs do not count because of failures", row.void_pairs)?;
    }
    for fault in &report.faults {
        let (at, half) = (&fault.fault, if fault.fault.swapped { ", second game" } else { "" });
        writeln!(out, "{}: seed {}{half}, turn {}: {}", fault.player, at.seed, at.turn, at.fault)?;
    }
    if !report.complete {
        writeln!(out, "interrupted: {games} of {} {units} were played", 2 * report.pairs)?;
    }
    Ok(())
}

/// Where games are written to, in their order.
enum Recorder {
    Lines(BufWriter<File>),
    /// A `.mat` file holds one match, which is written as a whole.
    Mat {
        path: PathBuf,
        rules: Rules,
        length: Option<u32>,
        games: Vec<GameRecord>,
    },
}

impl Recorder {
    fn open(path: &Path, settings: &Settings) -> Result<Recorder> {
        if is_mat(path)? {
            check_writable(path)?;
            let (rules, length) = (settings.rules, settings.length);
            return Ok(Recorder::Mat { path: path.into(), rules, length, games: Vec::new() });
        }
        let file = File::create(path).with_context(|| format!("can't write {}", path.display()))?;
        Ok(Recorder::Lines(BufWriter::new(file)))
    }

    fn add(&mut self, lines: Vec<String>) -> Result<()> {
        match self {
            Recorder::Lines(writer) => lines.iter().try_for_each(|line| writeln!(writer, "{line}"))?,
            Recorder::Mat { games, .. } => {
                for line in lines {
                    games.push(GameRecord::from_json(&line)?);
                }
            }
        }
        Ok(())
    }

    fn close(self) -> Result<()> {
        match self {
            Recorder::Lines(mut writer) => Ok(writer.flush()?),
            Recorder::Mat { path, rules, length, games } => write_mat(&path, rules, length, games),
        }
    }
}

/// Writes games as `.mat`: as one money session, or each match to a file of its own with a number in its name.
pub fn write_mat(path: &Path, rules: Rules, length: Option<u32>, games: Vec<GameRecord>) -> Result<()> {
    let Some(first) = games.first() else { return Ok(()) };
    let players: ByColor<String> = first.players.clone();
    let goal = length.map_or(Goal::Money { ante: 1 }, Goal::Points);
    let mut matches: Vec<Vec<GameRecord>> = Vec::new();
    match length {
        None => matches.push(games),
        Some(length) => {
            let mut points = ByColor::new(0, 0);
            for game in games {
                if matches.is_empty() || points.white >= length || points.black >= length {
                    matches.push(Vec::new());
                    points = ByColor::new(0, 0);
                }
                if let Some(nardy::game::GameResult::Win { winner, points: won, .. }) = game.result {
                    points[winner] += won;
                }
                matches.last_mut().context("no match")?.push(game);
            }
        }
    }
    let single = matches.len() == 1;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    for (number, games) in (1..).zip(matches) {
        let path = if single { path.to_path_buf() } else { path.with_file_name(format!("{stem}-{number}.mat")) };
        let text = MatchRecord { rules, players: players.clone(), goal, games }.to_mat()?;
        write_file(&path, &text)?;
    }
    Ok(())
}
