//! `nardy tournament`: any number of players, saved and continued, with reports.

use crate::arena::{
    MOST_GAMES, OnFaultArg, PLAYER_HELP, PlayArgs, SHIPPED, exit_code, progress_bar, rules_for, stop_on_ctrl_c,
};
use crate::common::write_file;
use crate::match_::write_mat;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use nardy::arena::players::{PlayerSpec, Roster, rungs};
use nardy::arena::report::{self, Report};
use nardy::arena::stats::{Level, SprtSpec};
use nardy::arena::tournament::{Format, Settings, State, Store, Tournament, TournamentError};
use nardy::game::read_games;
use nardy::rules::Rules;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How often the state is saved.
const SAVE: Duration = Duration::from_secs(20);

/// Arguments of `nardy tournament`.
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYER_HELP)]
pub struct Args {
    /// The players; a directory stands for the models in it, oldest first.
    players: Vec<String>,
    /// Read players and settings from a TOML file; what is given here as well counts more.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Who plays whom: everybody everybody, the first player all others, or a ladder of models by age.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<FormatArg>,
    /// A player that is no rung of the ladder and plays each rung.
    #[arg(long, value_name = "PLAYER")]
    anchor: Vec<String>,
    /// How many games in each pairing, or how many matches with --length, rounded up to an even number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    games: Option<u64>,
    #[command(flatten)]
    play: PlayArgs,
    /// Directory of the state, the reports and the games; by default one that belongs to these players and settings.
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// Keep all games: as lines of JSON, or also as .mat.
    #[arg(long, value_enum, value_name = "FORM")]
    keep_games: Option<KeepArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    RoundRobin,
    Gauntlet,
    Ladder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KeepArg {
    Jsonl,
    Mat,
}

/// The TOML file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    rules: Option<Rules>,
    format: Option<Format>,
    games: Option<u64>,
    length: Option<u32>,
    seed: Option<u64>,
    reference: Option<String>,
    sprt: Option<SprtSpec>,
    on_fault: Option<nardy::arena::referee::OnFault>,
    max_faults: Option<u32>,
    move_time: Option<f64>,
    threads: Option<u16>,
    out: Option<PathBuf>,
    keep_games: Option<KeepArg>,
    #[serde(default)]
    anchors: Vec<PlayerSpec>,
    #[serde(default)]
    players: Vec<PlayerSpec>,
}

impl Config {
    fn load(path: &Path) -> Result<Config> {
        let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
        let config: Config = toml::from_str(&text).with_context(|| format!("can't use {}", path.display()))?;
        config.check().with_context(|| format!("can't use {}", path.display()))?;
        Ok(config)
    }

    /// The same limits as on the command line.
    fn check(&self) -> Result<()> {
        if let Some(games) = self.games.filter(|games| !(1..=MOST_GAMES).contains(games)) {
            bail!("games must be from 1 to {MOST_GAMES}, found {games}");
        }
        if self.length == Some(0) || self.threads == Some(0) {
            bail!("length and threads must be 1 or more, found 0");
        }
        if self.out.as_ref().is_some_and(|out| out.as_os_str().is_empty()) {
            bail!("out must be a directory, found a blank name");
        }
        Ok(())
    }
}

/// Plays what is left of the tournament, writes the reports and prints the table.
pub fn run(mut args: Args, out: &mut dyn Write) -> Result<ExitCode> {
    let stop = stop_on_ctrl_c()?;
    let config = args.config.as_deref().map(Config::load).transpose()?.unwrap_or_default();
    fill_in(&mut args.play, &config);
    let mut anchors = config.anchors;
    anchors.extend(args.anchor.iter().map(|text| text.parse()).collect::<Result<Vec<PlayerSpec>, _>>()?);
    let mut specs = anchors.clone();
    specs.extend(config.players);
    for text in &args.players {
        specs.extend(expand(text)?);
    }
    let rules = rules_for(args.play.rules, &specs)?;
    let roster = Roster::load(&specs, rules, SHIPPED, args.play.limits(&stop)?)?;
    let reference = args.play.reference()?;
    let mut settings = Settings::new(rules, &specs, &roster);
    args.play.apply(&mut settings, reference.as_ref());
    settings.format = args.format.map(Format::from).or(config.format).unwrap_or_default();
    settings.anchors = anchors.len();
    settings.pairs = args.games.or(config.games).unwrap_or(1000).div_ceil(2);
    let keep = args.keep_games.or(config.keep_games);
    settings.keep_games = keep.is_some();
    let directory = args.out.or(config.out).map_or_else(|| default_directory(&settings), Ok)?;
    let (mut store, mut state) = Store::open(&directory, &settings)?;
    let tournament = Tournament { roster: &roster, reference, threads: args.play.threads(), stop: stop.clone() };
    play(&tournament, &mut state, &mut store)?;
    if keep == Some(KeepArg::Mat) {
        export_mat(&store, &state)?;
    }
    let report = Report::of(&state, Level::P95);
    write_reports(&report, &directory)?;
    write!(out, "{}", report::terminal(&report))?;
    writeln!(out, "\nreports and state: {}", directory.display())?;
    if !report.complete {
        writeln!(out, "interrupted: the same command goes on")?;
    }
    Ok(exit_code(&stop))
}

impl From<FormatArg> for Format {
    fn from(arg: FormatArg) -> Format {
        match arg {
            FormatArg::RoundRobin => Format::RoundRobin,
            FormatArg::Gauntlet => Format::Gauntlet,
            FormatArg::Ladder => Format::Ladder,
        }
    }
}

/// Takes from the file what was not given on the command line.
fn fill_in(play: &mut PlayArgs, config: &Config) {
    use nardy::arena::referee::OnFault;
    let on_fault = |rule: OnFault| if rule == OnFault::Lose { OnFaultArg::Lose } else { OnFaultArg::Void };
    play.rules = play.rules.or(config.rules);
    play.seed = play.seed.or(config.seed);
    play.length = play.length.or(config.length);
    play.reference = play.reference.take().or_else(|| config.reference.clone());
    play.sprt = play.sprt.or(config.sprt);
    play.on_fault = play.on_fault.or(config.on_fault.map(on_fault));
    play.max_faults = play.max_faults.or(config.max_faults);
    play.move_time = play.move_time.or(config.move_time);
    play.threads = play.threads.or(config.threads);
}

/// A player, or the models of a directory.
fn expand(text: &str) -> Result<Vec<PlayerSpec>> {
    let path = Path::new(text);
    if !path.is_dir() {
        return Ok(vec![text.parse()?]);
    }
    let files = rungs(path).with_context(|| format!("no models in {}", path.display()))?;
    files.iter().map(|file| Ok(file.display().to_string().parse()?)).collect()
}

/// The same settings, whatever the number of games, have the same directory.
fn default_directory(settings: &Settings) -> Result<PathBuf> {
    let mut settings = settings.clone();
    settings.pairs = 0;
    let digest = Sha256::digest(serde_json::to_vec(&settings)?);
    let name: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    Ok(PathBuf::from(format!("tournament-{name}")))
}

fn play(tournament: &Tournament, state: &mut State, store: &mut Store) -> Result<()> {
    let (done, total) = state.progress();
    let bar = progress_bar(total, done);
    let (mut saved, mut shown) = (Instant::now(), Instant::now());
    let played = tournament.run(state, |state| -> Result<(), TournamentError> {
        bar.set_position(state.progress().0);
        if shown.elapsed() > Duration::from_secs(2) {
            shown = Instant::now();
            bar.set_message(standing(&Report::of(state, Level::P95)));
        }
        if saved.elapsed() > SAVE {
            store.save(state)?;
            saved = Instant::now();
        }
        Ok(())
    });
    bar.finish_and_clear();
    // What was played before something went wrong is kept, too.
    store.save(state)?;
    Ok(played?)
}

/// The leaders, for the progress line.
fn standing(report: &Report) -> String {
    let rating = |&player: &usize| {
        let rating = report.best_rating()?.ratings[player]?;
        Some(format!("{} {:+.3} ± {:.3}", report.players[player].name, rating.value, rating.interval.half_width()))
    };
    report.ranking.iter().filter_map(rating).take(3).collect::<Vec<_>>().join(", ")
}

fn write_reports(report: &Report, directory: &Path) -> Result<()> {
    let files = [
        ("report.json", report.to_json()?),
        ("report.md", report::markdown(report)),
        ("report.html", report::html(report)?),
        ("report.txt", report::terminal(report)),
        ("players.csv", report::players_csv(report)),
        ("pairings.csv", report::pairings_csv(report)),
    ];
    for (name, text) in files {
        let path = directory.join(name);
        write_file(&path, &text)?;
    }
    Ok(())
}

/// Writes the kept games once more as `.mat`.
fn export_mat(store: &Store, state: &State) -> Result<()> {
    for pairing in 0..state.pairings.len() {
        let path = store.games_file(pairing);
        let file = std::fs::File::open(path).with_context(|| format!("can't read {}", path.display()))?;
        let games = read_games(BufReader::new(file)).collect::<Result<Vec<_>, _>>()?;
        write_mat(&path.with_extension("mat"), state.settings.rules, state.settings.length, games)?;
    }
    Ok(())
}
