//! What a tournament says: one set of figures, shown as a table for the terminal, CSV, JSON, Markdown and a page of HTML.

mod benchmark;
mod board;
mod csv;
mod html;
pub(super) mod plots;
mod review;
mod table;
mod text;

pub use benchmark::{BenchmarkPlayer, BenchmarkReport, BenchmarkRow, Mistake};
pub use board::{Arrows, board_svg};
pub use csv::{pairings_csv, players_csv};
pub use html::html;
pub use plots::PlotError;
pub use review::{InQuestion, JudgedGame, Review, ReviewedPlayer};
pub use text::{markdown, terminal};

use super::analysis::LossStats;
use super::referee::{GameFault, OnFault};
use super::seat::Clock;
use super::stats::rating::{BradleyTerryOptions, RatingTable, Wins, bradley_terry, least_squares_by_games, pairings};
use super::stats::{Estimate, Interval, Level, MatchReport, Moments, PairReport, PairStats, Verdict};
use super::tournament::{Blunder, Format, State};
use crate::rules::Rules;
use serde::Serialize;

/// Worst decisions in a report, divided among the players.
const BLUNDERS: usize = 24;

/// The figures of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The rules.
    pub rules: Rules,
    /// Who played whom.
    pub format: Format,
    /// How many of the first players are anchors of a ladder, not rungs.
    pub anchors: usize,
    /// Points to win a match; `None` for single games.
    pub length: Option<u32>,
    /// Seed of everything.
    pub seed: u64,
    /// Pairs of games (or matches) asked for in each pairing.
    pub pairs: u64,
    /// Everything has been played.
    pub complete: bool,
    /// What a failure costs.
    pub on_fault: OnFault,
    /// Level of every interval.
    pub level: Level,
    /// The players in the order in which they were given.
    pub players: Vec<PlayerRow>,
    /// Numbers of players, best first.
    pub ranking: Vec<usize>,
    /// Ratings in points per game, every pairing weighing by its games.
    pub rating: Option<RatingTable>,
    /// The same from luck-adjusted points if luck was measured; raw ones of pairings in which the reference does harm.
    pub adjusted_rating: Option<RatingTable>,
    /// Ratings in Elo, by wins; half a win is given to each side of a pairing beforehand.
    pub elo: Option<RatingTable>,
    /// The pairings.
    pub pairings: Vec<PairingRow>,
    /// Failures with the words exchanged.
    pub faults: Vec<FaultRow>,
    /// The worst decisions of each player, if a reference judged them: best player first, worst decision first.
    pub blunders: Vec<BlunderRow>,
}

/// A player's figures over all its games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerRow {
    /// Its name.
    pub name: String,
    /// The player as it was given.
    pub player: String,
    /// Games (or matches) that count.
    pub games: u64,
    /// Points per game and rates, over all opponents together. Pairings from which a player was withdrawn don't count.
    pub points: PairReport,
    /// Equity lost per decision, by the reference.
    pub loss: Option<LossRow>,
    /// Failures.
    pub faults: u64,
    /// Thinking time; differs from run to run.
    pub time: TimeRow,
}

/// Equity lost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LossRow {
    /// Points lost per decision.
    pub per_decision: Estimate,
    /// Decisions judged.
    pub decisions: u64,
    /// Decisions that lost 0.02 points or more.
    pub errors: u64,
    /// Decisions that lost 0.08 points or more.
    pub blunders: u64,
}

/// Thinking time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeRow {
    /// Decisions timed.
    pub decisions: u64,
    /// Mean time of a decision in seconds.
    pub mean_seconds: Option<f64>,
    /// The longest one in seconds.
    pub longest_seconds: f64,
}

/// A pairing's figures, from player A's point of view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairingRow {
    /// Number of player A.
    pub a: usize,
    /// Number of player B.
    pub b: usize,
    /// Points, rates, luck, test.
    pub result: MatchReport,
    /// Games played, those of matches and of void pairs among them.
    pub games: u64,
    /// Turns per game.
    pub plies_per_game: f64,
    /// Pairs that do not count because of a failure.
    pub void_pairs: u64,
    /// Equity lost by A and by B.
    pub loss: [Option<LossRow>; 2],
    /// Failures of A and of B.
    pub faults: [u64; 2],
    /// Who failed too often to go on: number of the player.
    pub withdrawn: Option<usize>,
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultRow {
    /// Who failed.
    pub player: String,
    /// Against whom.
    pub opponent: String,
    /// When, and the words exchanged.
    #[serde(flatten)]
    pub fault: GameFault,
}

/// A decision that cost much.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlunderRow {
    /// Who.
    pub player: String,
    /// Against whom.
    pub opponent: String,
    /// Where, and what.
    #[serde(flatten)]
    pub blunder: Blunder,
}

impl LossRow {
    /// The figures, if anything was judged.
    pub fn of(stats: &LossStats, level: Level) -> Option<LossRow> {
        Some(LossRow {
            per_decision: stats.estimate(level)?,
            decisions: stats.decisions(),
            errors: stats.errors(),
            blunders: stats.blunders(),
        })
    }
}

impl TimeRow {
    fn of(clock: &Clock) -> TimeRow {
        TimeRow {
            decisions: clock.decisions,
            mean_seconds: clock.mean_seconds(),
            longest_seconds: clock.longest as f64 / 1e9,
        }
    }
}

/// What adds up for a player.
#[derive(Clone, Copy, Default)]
struct Sum {
    points: PairStats,
    loss: LossStats,
    clock: Clock,
    faults: u64,
}

impl Report {
    /// The figures of a tournament as it stands.
    pub fn of(state: &State, level: Level) -> Report {
        let settings = &state.settings;
        let pairs = settings.pairings();
        let rows = pairs.iter().enumerate().map(|(i, &(a, b))| PairingRow::of(state, i, (a, b), level)).collect();
        let sums = sums(state, &pairs);
        let players = sums.iter().enumerate().map(|(player, sum)| PlayerRow {
            name: settings.names[player].clone(),
            player: settings.players[player].clone(),
            games: 2 * sum.points.pairs().count(),
            points: sum.points.report(level),
            loss: LossRow::of(&sum.loss, level),
            faults: sum.faults,
            time: TimeRow::of(&sum.clock),
        });
        let mut report = Report {
            rules: settings.rules,
            format: settings.format,
            anchors: settings.anchors,
            length: settings.length,
            seed: settings.seed,
            pairs: settings.pairs,
            complete: state.is_complete(),
            on_fault: settings.on_fault,
            level,
            players: players.collect(),
            ranking: Vec::new(),
            rating: points_rating(state, &pairs, level, false),
            adjusted_rating: points_rating(state, &pairs, level, true),
            elo: elo_rating(state, &pairs, level),
            pairings: rows,
            faults: faults(state, &pairs),
            blunders: blunders(state, &pairs),
        };
        report.ranking = report.rank();
        report.blunders = report.best_first(report.blunders.clone());
        report
    }

    /// Best first by rating; players without one last, by points.
    fn rank(&self) -> Vec<usize> {
        let rated = |player: usize| self.best_rating().and_then(|table| table.ratings[player]).map(|r| r.value);
        let key = |player: usize| (rated(player), self.players[player].points.mean.mean);
        let mut ranking: Vec<usize> = (0..self.players.len()).collect();
        ranking.sort_by(|&a, &b| key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal));
        ranking
    }

    /// The worst decisions of each player, the best player's first, from all that were kept, worst first.
    fn best_first(&self, all: Vec<BlunderRow>) -> Vec<BlunderRow> {
        let each = (BLUNDERS / self.players.len().max(1)).max(2);
        let of_player = |&player: &usize| {
            let name = &self.players[player].name;
            all.iter().filter(move |row| row.player == *name).take(each).cloned()
        };
        self.ranking.iter().flat_map(of_player).collect()
    }

    /// The sharper rating in points: luck-adjusted where there is one.
    pub fn best_rating(&self) -> Option<&RatingTable> {
        self.adjusted_rating.as_ref().or(self.rating.as_ref())
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// None that a report can get into.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// A unit in words: `game`, or `match to 5 points`.
    pub fn unit(&self, plural: bool) -> String {
        match (self.length, plural) {
            (None, false) => "game".into(),
            (None, true) => "games".into(),
            (Some(n), false) => format!("match to {n} points"),
            (Some(n), true) => format!("matches to {n} points"),
        }
    }
}

impl PairingRow {
    fn of(state: &State, pairing: usize, (a, b): (usize, usize), level: Level) -> PairingRow {
        let total = state.total(pairing);
        PairingRow {
            a,
            b,
            result: total.stats.report(level),
            games: total.games,
            plies_per_game: total.turns as f64 / total.games.max(1) as f64,
            void_pairs: total.void_pairs,
            loss: [LossRow::of(&total.losses.white, level), LossRow::of(&total.losses.black, level)],
            faults: total.fault_counts,
            withdrawn: total.withdrawn.map(|side| if side == 0 { a } else { b }),
        }
    }

    /// The sharper estimate of A's points per game: luck-adjusted where luck was measured and takes spread away.
    pub fn best_points(&self) -> Estimate {
        let sharper = self.result.luck.filter(|luck| luck.variance_ratio.is_some_and(|ratio| ratio < 1.0));
        sharper.map_or(self.result.pairs.mean, |luck| luck.adjusted)
    }

    /// What the test says, in words; `None` without one.
    pub fn verdict(&self) -> Option<&'static str> {
        Some(match self.result.sprt?.verdict {
            Verdict::Undecided => "undecided",
            Verdict::AcceptH0 => "H0 accepted",
            Verdict::AcceptH1 => "H1 accepted",
        })
    }
}

/// The results of a pairing count for players and ratings: nobody has been withdrawn from it.
fn counts(state: &State, pairing: usize) -> bool {
    state.total(pairing).withdrawn.is_none()
}

fn sums(state: &State, pairs: &[(usize, usize)]) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); state.settings.names.len()];
    for (i, &(a, b)) in pairs.iter().enumerate() {
        let total = state.total(i);
        if counts(state, i) {
            sums[a].points.merge(total.stats.pairs());
            sums[b].points.merge(&total.seen_by_b);
        }
        sums[a].loss.merge(&total.losses.white);
        sums[b].loss.merge(&total.losses.black);
        sums[a].clock.merge(&total.clocks.white);
        sums[b].clock.merge(&total.clocks.black);
        sums[a].faults += total.fault_counts[0];
        sums[b].faults += total.fault_counts[1];
    }
    sums
}

fn points_rating(state: &State, pairs: &[(usize, usize)], level: Level, adjusted: bool) -> Option<RatingTable> {
    let stats = |i: usize| &state.total(i).stats;
    if adjusted && (0..pairs.len()).all(|i| stats(i).luck().adjusted().count() == 0) {
        return None;
    }
    let moments = |i: usize| -> Moments {
        let (luck, raw) = (*stats(i).luck().adjusted(), *stats(i).pairs().pairs());
        let sharper = luck.count() == raw.count() && luck.sum_squares() < raw.sum_squares();
        if adjusted && sharper { luck } else { raw }
    };
    let counted = pairs.iter().enumerate().filter(|(i, _)| counts(state, *i));
    let matches: Vec<_> = counted.map(|(i, &(a, b))| (a, b, moments(i))).collect();
    let games = matches.iter().map(|(_, _, moments)| moments.count() as f64).filter(|&count| count > 0.0);
    let weighted: Vec<_> = pairings(&matches).ok()?.into_iter().zip(games).collect();
    least_squares_by_games(state.settings.names.len(), &weighted, level).ok()
}

fn elo_rating(state: &State, pairs: &[(usize, usize)], level: Level) -> Option<RatingTable> {
    let counted = pairs.iter().enumerate().filter(|(i, _)| counts(state, *i));
    let wins: Vec<Wins> = counted.map(|(i, &(a, b))| Wins::of(a, b, state.total(i).stats.pairs())).collect();
    let options = BradleyTerryOptions { level, virtual_wins: 0.5, ..BradleyTerryOptions::default() };
    bradley_terry(state.settings.names.len(), &wins, &options).ok()
}

fn opponents(state: &State, (a, b): (usize, usize), side: usize) -> (String, String) {
    let names = &state.settings.names;
    let (player, opponent) = if side == 0 { (a, b) } else { (b, a) };
    (names[player].clone(), names[opponent].clone())
}

fn faults(state: &State, pairs: &[(usize, usize)]) -> Vec<FaultRow> {
    let of_pairing = |(i, &pair): (usize, &(usize, usize))| {
        state.total(i).faults.iter().map(move |fault| {
            let (player, opponent) = opponents(state, pair, fault.player);
            FaultRow { player, opponent, fault: fault.clone() }
        })
    };
    pairs.iter().enumerate().flat_map(of_pairing).collect()
}

fn blunders(state: &State, pairs: &[(usize, usize)]) -> Vec<BlunderRow> {
    let of_pairing = |(i, &pair): (usize, &(usize, usize))| {
        state.total(i).blunders.iter().map(move |blunder| {
            let (player, opponent) = opponents(state, pair, blunder.player);
            BlunderRow { player, opponent, blunder: blunder.clone() }
        })
    };
    let mut all: Vec<BlunderRow> = pairs.iter().enumerate().flat_map(of_pairing).collect();
    // Stable: equal losses stay in the order of the pairings.
    all.sort_by(|a, b| b.blunder.loss.total_cmp(&a.blunder.loss));
    all
}

/// `+0.1234`; what is rounded to nothing is `+0.0000`, whatever its sign.
pub fn with_sign(x: f64, digits: usize) -> String {
    let text = format!("{x:+.digits$}");
    match text.contains(|c: char| c.is_ascii_digit() && c != '0') {
        true => text,
        false => text.replacen('-', "+", 1),
    }
}

/// `+0.1234 ± 0.0056`.
pub fn signed(mean: f64, interval: Option<Interval>) -> String {
    match interval {
        Some(interval) => format!("{} ± {:.4}", with_sign(mean, 4), interval.half_width()),
        None => with_sign(mean, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_to_nothing_has_no_minus() {
        assert_eq!(with_sign(-3e-17, 4), "+0.0000");
        assert_eq!(with_sign(-0.00006, 4), "-0.0001");
        assert_eq!(with_sign(-0.4, 0), "+0");
        assert_eq!(with_sign(12.5, 1), "+12.5");
        assert_eq!(signed(-3e-17, None), "+0.0000");
    }
}
