//! `nardy match`: two players against each other with duplicate dice.

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use nardy::arena::duel::seen_by_white;
use nardy::arena::stats::{Ending, Estimate, GameResult as Outcome, Level, PairResult, PairStats, Rate};
use nardy::eval::builtin_player;
use nardy::game::{
    ByColor, Color, GameRecord, GameResult, Goal, MatchRecord, Player, Seats, play_game, play_match, seed_for_game,
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
            tally.add(&games, &args.rules, args.length.is_some())?;
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
    stats: PairStats,
    /// The first game (or match) of a pair whose second one is still to come.
    half: Option<Outcome>,
    games: u64,
    turns: u64,
}

impl Tally {
    fn add(&mut self, games: &[GameRecord], rules: &Rules, is_match: bool) -> Result<()> {
        self.games += games.len() as u64;
        self.turns += games.iter().map(|game| game.turns.len() as u64).sum::<u64>();
        // Who wins the last game of a match has won the match.
        let result = games.last().and_then(|game| game.result).context("a game was broken off")?;
        let outcome = if is_match { match_outcome(result)? } else { seen_by_white(result, rules, None)? };
        match self.half.take() {
            None => self.half = Some(outcome),
            Some(first) => self.stats.push(&PairResult::new(first, outcome)),
        }
        Ok(())
    }

    /// Mean and interval.
    fn estimate(&self) -> String {
        let Estimate { mean, interval, .. } = self.stats.report(Level::P95).mean;
        match interval {
            Some(interval) => format!("{mean:+.4} ± {:.4}", interval.half_width()),
            None => format!("{mean:+.4}"),
        }
    }

    fn write(&self, args: &Args, names: &[String; 2], out: &mut dyn Write) -> Result<()> {
        let (a, b, pairs) = (&names[0], &names[1], args.games / 2);
        let (units, unit) = match args.length {
            None => ("games".to_string(), "game"),
            Some(length) => (format!("matches to {length} points"), "match"),
        };
        writeln!(out, "{a} against {b}: {} {units}, {pairs} pairs with duplicate dice", args.games)?;
        writeln!(out, "rules {}, seed {}", args.rules, args.seed)?;
        if pairs > 0 {
            let report = self.stats.report(Level::P95);
            let what = if args.length.is_some() { "matches won minus lost, per match" } else { "points per game" };
            writeln!(out, "{a}: {} {what} (95 % interval over pairs)", self.estimate())?;
            let win = report.win;
            let (low, high) = (100.0 * win.interval.low, 100.0 * win.interval.high);
            writeln!(out, "{a}: wins {:.1} % ({low:.1} to {high:.1} %) of the {units}", 100.0 * win.value)?;
            if args.length.is_none() {
                let percent = |rate: Rate| format!("{:.1} %", 100.0 * rate.value);
                let (mars, koks) = (percent(report.win_mars), percent(report.win_koks));
                writeln!(out, "{a}: wins {mars} as mars and {koks} as koks")?;
                let (mars, koks) = (percent(report.lose_mars), percent(report.lose_koks));
                writeln!(out, "{a}: loses {mars} as mars and {koks} as koks, draws {}", percent(report.draw))?;
            }
        }
        if let Some(single) = self.half {
            writeln!(out, "{a}: {:+} in one more {unit} without its pair", single.points())?;
        }
        writeln!(out, "{:.1} turns per game", self.turns as f64 / self.games as f64)?;
        Ok(())
    }
}

/// A match as the first player sees it: one point for the winner of its last game.
fn match_outcome(last: GameResult) -> Result<Outcome> {
    let won = last.winner() == Some(Color::White);
    let (points, ending) = if won { (1.0, Ending::WinOin) } else { (-1.0, Ending::LoseOin) };
    Ok(Outcome::new(points, ending, None)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nardy::game::WinKind;

    #[test]
    fn games_and_matches_are_counted_for_the_first_player() {
        let win = |winner, kind, points| GameResult::Win { winner, kind, points, resigned: false };
        let seen = |result| seen_by_white(result, &Rules::LONG, None).map(|o| (o.points(), o.ending())).unwrap();
        assert_eq!(seen(win(Color::White, WinKind::HomeMars, 2)), (2.0, Ending::WinMars));
        assert_eq!(seen(win(Color::Black, WinKind::Koks, 3)), (-3.0, Ending::LoseKoks));
        assert_eq!(seen(GameResult::Draw), (0.0, Ending::Draw));
        let lost = match_outcome(win(Color::Black, WinKind::Mars, 2)).unwrap();
        assert_eq!((lost.points(), lost.ending()), (-1.0, Ending::LoseOin));
    }
}
