//! `nardy match`: two players against each other with duplicate dice.

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use nardy::eval::builtin_player;
use nardy::game::{
    ByColor, Color, GameRecord, GameResult, Goal, MatchRecord, Player, Seats, WinKind, play_game, play_match,
    seed_for_game,
};
use nardy::rules::Rules;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Arguments of `nardy match`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The first player: random, pips (races), pubeval (short nardy).
    a: String,
    /// The second player.
    b: String,
    /// How many games to play, or how many matches with --length. Two and two share their dice, each player starting
    /// once.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Seed of the dice and of random players: the same seed plays the same games.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Rule set, with single options changed if wanted: `long`, `short-site`, `long,head=needed_any,block=home`.
    #[arg(long, value_name = "RULES", default_value = "long")]
    rules: Rules,
    /// Play matches to that many points instead of single games.
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u32).range(1..))]
    length: Option<u32>,
    /// Write all games to a file: .jsonl (a game a line, with seeds) or .mat (one money session or match).
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

/// Plays the games and writes the summary.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let mut players = named_players(&args)?;
    let mut recorder = Recorder::open(&args)?;
    let mut tally = Tally::default();
    let bar = progress_bar(&args);
    {
        let [a, b] = &mut players;
        let mut seats: Seats = ByColor::new(a, b);
        for number in 0..args.games {
            let (pair, swapped) = (number / 2, number % 2 == 1);
            let seed = seed_for_game(args.seed, pair);
            let games = match args.length {
                None => vec![play_game(&mut seats, &args.rules, seed, swapped)?],
                Some(length) => play_match(&mut seats, &args.rules, length, seed, swapped)?.games,
            };
            tally.add(&games, args.length.is_some());
            recorder.add(games)?;
            bar.inc(1);
            if swapped && number % 64 == 63 {
                bar.set_message(tally.estimate());
            }
        }
    }
    bar.finish_and_clear();
    recorder.close(&args, ByColor::new(players[0].name(), players[1].name()))?;
    let names = [players[0].name(), players[1].name()];
    tally.write(&args, &names, out)
}

/// A player under a name of its own, so that two of the same kind can be told apart.
struct Named {
    name: String,
    player: Box<dyn Player + Send>,
}

impl Player for Named {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn choose(
        &mut self,
        position: nardy::position::Position,
        roll: nardy::types::Roll,
        rules: &Rules,
        plays: &nardy::movegen::PlayList,
    ) -> usize {
        self.player.choose(position, roll, rules, plays)
    }
}

fn named_players(args: &Args) -> Result<[Named; 2]> {
    let same = args.a == args.b;
    let named = |name: &str, number: u8| -> Result<Named> {
        let player = builtin_player(name, args.rules.game)?;
        Ok(Named { name: if same { format!("{name}-{number}") } else { name.into() }, player })
    };
    Ok([named(&args.a, 1)?, named(&args.b, 2)?])
}

fn progress_bar(args: &Args) -> ProgressBar {
    let unit = if args.length.is_some() { "matches" } else { "games" };
    let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left {{msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(args.games).with_style(style)
}

/// Where records go.
enum Recorder {
    Nowhere,
    Lines(BufWriter<File>),
    /// The whole session is written at its end.
    Mat(File, Vec<GameRecord>),
}

impl Recorder {
    fn open(args: &Args) -> Result<Recorder> {
        let Some(path) = &args.record else {
            return Ok(Recorder::Nowhere);
        };
        let create = || File::create(path).with_context(|| format!("can't write the record {}", path.display()));
        match path.extension().and_then(|e| e.to_str()) {
            Some("jsonl") => Ok(Recorder::Lines(BufWriter::new(create()?))),
            Some("mat") if args.length.is_some() && args.games > 1 => {
                bail!("a .mat file holds one match: use --games 1 or a .jsonl file")
            }
            Some("mat") => Ok(Recorder::Mat(create()?, Vec::new())),
            _ => bail!(
                "can't tell the record's format from {}: expected a name ending in .jsonl or .mat",
                path.display()
            ),
        }
    }

    fn add(&mut self, games: Vec<GameRecord>) -> Result<()> {
        match self {
            Recorder::Nowhere => {}
            Recorder::Lines(writer) => games.iter().try_for_each(|game| game.write_line(writer))?,
            Recorder::Mat(_, all) => all.extend(games),
        }
        Ok(())
    }

    fn close(self, args: &Args, players: ByColor<String>) -> Result<()> {
        match self {
            Recorder::Nowhere => Ok(()),
            Recorder::Lines(mut writer) => Ok(writer.flush()?),
            Recorder::Mat(mut file, games) => {
                let goal = args.length.map_or(Goal::Money { ante: 1 }, Goal::Points);
                let text = MatchRecord { rules: args.rules, players, goal, games }.to_mat()?;
                Ok(file.write_all(text.as_bytes())?)
            }
        }
    }
}

/// Results of the first player.
#[derive(Default)]
struct Tally {
    /// Points of each game, or 1 and -1 for each match.
    results: Vec<i64>,
    games: u64,
    turns: u64,
    /// Wins and losses by kind, and draws.
    won: [u64; 4],
    lost: [u64; 4],
    drawn: u64,
}

impl Tally {
    fn add(&mut self, games: &[GameRecord], is_match: bool) {
        let results = || games.iter().filter_map(|game| game.result);
        let points: i64 = results().map(|result| result.points_of(Color::White)).sum();
        // The winner of a match is the winner of its last game.
        let last = results().last().map_or(0, |result| result.points_of(Color::White).signum());
        self.results.push(if is_match { last } else { points });
        self.games += games.len() as u64;
        self.turns += games.iter().map(|game| game.turns.len() as u64).sum::<u64>();
        for result in results() {
            match result {
                GameResult::Draw => self.drawn += 1,
                GameResult::Win { winner: Color::White, kind, .. } => self.won[kind as usize] += 1,
                GameResult::Win { kind, .. } => self.lost[kind as usize] += 1,
            }
        }
    }

    /// Mean result of all units.
    fn mean(&self) -> f64 {
        self.results.iter().sum::<i64>() as f64 / self.results.len().max(1) as f64
    }

    /// Half the 95 % interval: 1.96 standard errors, taken over the means of complete pairs.
    fn half_interval(&self) -> Option<f64> {
        let pairs: Vec<f64> = self.results.chunks_exact(2).map(|pair| (pair[0] + pair[1]) as f64 / 2.0).collect();
        if pairs.len() < 2 {
            return None;
        }
        let n = pairs.len() as f64;
        let mean = pairs.iter().sum::<f64>() / n;
        let variance = pairs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Some(1.96 * (variance / n).sqrt())
    }

    /// Mean and interval.
    fn estimate(&self) -> String {
        match self.half_interval() {
            Some(half) => format!("{:+.4} ± {half:.4}", self.mean()),
            None => format!("{:+.4}", self.mean()),
        }
    }

    fn write(&self, args: &Args, names: &[String; 2], out: &mut dyn Write) -> Result<()> {
        let units = match args.length {
            None => "games".to_string(),
            Some(length) => format!("matches to {length}"),
        };
        let pairs = args.games / 2;
        writeln!(out, "{} against {}: {} {units}, {pairs} pairs with duplicate dice", names[0], names[1], args.games)?;
        writeln!(out, "rules {}, seed {}", args.rules, args.seed)?;
        let what = if args.length.is_some() { "matches won minus lost, per match" } else { "points per game" };
        writeln!(out, "{}: {} {what} (95 % interval over pairs)", names[0], self.estimate())?;
        let percent = |count: u64| 100.0 * count as f64 / self.games as f64;
        for (verb, counts) in [("wins", &self.won), ("loses", &self.lost)] {
            let kind = |kind: WinKind| percent(counts[kind as usize]);
            let (all, mars) = (percent(counts.iter().sum()), kind(WinKind::Mars) + kind(WinKind::HomeMars));
            let koks = kind(WinKind::Koks);
            writeln!(out, "{}: {verb} {all:.1} % of the games, {mars:.1} % as mars and {koks:.1} % as koks", names[0])?;
        }
        if self.drawn > 0 {
            writeln!(out, "draws: {:.1} %", percent(self.drawn))?;
        }
        writeln!(out, "{:.1} turns per game", self.turns as f64 / self.games as f64)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_taken_over_pairs() {
        let tally = Tally { results: vec![1, 1, -1, 1, 2, -1, -1, -1, 2], ..Tally::default() };
        // Pair means 1, 0, 0.5, -1; their mean 0.125, variance 2.1875 / 3.
        let half = tally.half_interval().unwrap();
        assert!((half - 1.96 * (2.1875f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12, "{half}");
        assert_eq!(tally.mean(), 3.0 / 9.0);
        let two = Tally { results: vec![1, -1, 1], ..Tally::default() };
        assert_eq!((two.half_interval(), two.estimate().as_str()), (None, "+0.3333"));
    }
}
