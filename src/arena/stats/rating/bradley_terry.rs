//! Ratings in Elo from wins alone (Bradley–Terry).

use serde::{Deserialize, Serialize};

use super::{Fit, RatingTable, RatingUnit, check_players, covariance, graph, information};
use crate::arena::stats::{Level, PairStats, StatsError};

/// Elo per unit of log-strength: `400/ln 10`.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Largest relative change of a strength at which the iteration has settled.
const SETTLED: f64 = 1e-12;

/// How often two players beat each other; a draw is half a win for each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wins {
    /// Number of the first player.
    pub a: usize,
    /// Number of the second player.
    pub b: usize,
    /// Games won by `a`.
    pub wins_a: f64,
    /// Games won by `b`.
    pub wins_b: f64,
}

impl Wins {
    /// The wins of a match between players `a` and `b`, with `stats` from `a`'s point of view.
    pub fn of(a: usize, b: usize, stats: &PairStats) -> Self {
        let (wins_a, wins_b) = stats.wins();
        Wins { a, b, wins_a, wins_b }
    }

    fn games(&self) -> f64 {
        self.wins_a + self.wins_b
    }
}

/// Settings of [`bradley_terry`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BradleyTerryOptions {
    /// Level of the intervals; 95 % by default.
    pub level: Level,
    /// Wins given to each side of every pairing beforehand; 0 by default. 0.5 keeps distances finite
    /// where one side has won every game, at the price of pulling all players together a little.
    pub virtual_wins: f64,
    /// Iterations allowed; 200,000 by default.
    pub max_iterations: usize,
}

impl Default for BradleyTerryOptions {
    fn default() -> Self {
        BradleyTerryOptions { level: Level::P95, virtual_wins: 0.0, max_iterations: 200_000 }
    }
}

/// The most likely ratings in Elo if `a` beats `b` with chance `1/(1 + 10^((r[b] − r[a])/400))` in
/// every game, by the MM algorithm, with the covariance from the Fisher information; the mean of
/// each connected group is 0.
///
/// # Errors
/// [`StatsError::Unbounded`] if between some players all games were won by one side;
/// [`StatsError::NotConverged`] if the iterations do not suffice; other variants for wrong input.
pub fn bradley_terry(players: usize, wins: &[Wins], options: &BradleyTerryOptions) -> Result<RatingTable, StatsError> {
    let wins = prepare(players, wins, options.virtual_wins)?;
    let links: Vec<_> = wins.iter().map(|w| (w.a, w.b)).collect();
    let groups = graph::connected(players, &links);
    let won = |from: usize, to: usize, n: f64| (n > 0.0).then_some((from, to));
    let beats = |w: &Wins| [won(w.a, w.b, w.wins_a), won(w.b, w.a, w.wins_b)];
    let beaten: Vec<_> = wins.iter().flat_map(beats).flatten().collect();
    let strong = graph::strongly_connected(players, &beaten);
    if strong.len() > groups.len() {
        return Err(StatsError::Unbounded { groups: strong });
    }
    let mut table = RatingTable::empty(RatingUnit::Elo, options.level, groups, players);
    let mut chi_squared = 0.0;
    for group in table.groups.clone() {
        if group.len() > 1 {
            chi_squared += fit_group(&mut table, &group, &wins, options)?;
        }
    }
    let needed = players - table.groups.len();
    table.fit = Fit::new(chi_squared, wins.len().saturating_sub(needed));
    Ok(table)
}

/// Checks every entry, adds the virtual wins and drops entries without games.
fn prepare(players: usize, wins: &[Wins], extra: f64) -> Result<Vec<Wins>, StatsError> {
    let mut prepared = Vec::with_capacity(wins.len());
    for w in wins {
        let (a, b) = (w.a, w.b);
        check_players(a, b, players)?;
        for got in [w.wins_a, w.wins_b, extra] {
            if !got.is_finite() || got < 0.0 {
                return Err(StatsError::Wins { a, b, got });
            }
        }
        if w.games() > 0.0 {
            prepared.push(Wins { wins_a: w.wins_a + extra, wins_b: w.wins_b + extra, ..*w });
        }
    }
    Ok(prepared)
}

/// Rates one connected group and returns its part of chi-squared.
fn fit_group(
    table: &mut RatingTable,
    group: &[usize],
    wins: &[Wins],
    options: &BradleyTerryOptions,
) -> Result<f64, StatsError> {
    let place = |player: usize| group.binary_search(&player).ok();
    let inside = |w: &Wins| {
        let (a, b) = (place(w.a)?, place(w.b)?);
        Some(Wins { a, b, ..*w })
    };
    let wins: Vec<Wins> = wins.iter().filter_map(inside).collect();
    let strengths = maximise(group.len(), &wins, options.max_iterations)?;
    let chance = |w: &Wins| strengths[w.a] / (strengths[w.a] + strengths[w.b]);
    let entries = wins.iter().map(|w| {
        let p = chance(w);
        (w.a, w.b, w.games() * p * (1.0 - p))
    });
    let covariance = covariance(information(group.len(), entries))? * (ELO * ELO);
    let logs: Vec<f64> = strengths.iter().map(|s| s.ln()).collect();
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    let values: Vec<f64> = logs.iter().map(|l| ELO * (l - mean)).collect();
    table.fill(group, &values, &covariance);
    let residual = |w: &Wins| {
        let (n, p) = (w.games(), chance(w));
        (w.wins_a - n * p).powi(2) / (n * p * (1.0 - p))
    };
    Ok(wins.iter().map(residual).sum())
}

/// The MM algorithm (Hunter 2004): `s[i] ← W[i] / Σ games[ij]/(s[i] + s[j])` until nothing moves.
/// Every round raises the likelihood; all players are updated from the same old strengths, so the
/// result does not depend on their order. Strengths are kept at geometric mean 1.
fn maximise(size: usize, wins: &[Wins], max_iterations: usize) -> Result<Vec<f64>, StatsError> {
    let mut total = vec![0.0; size];
    for w in wins {
        total[w.a] += w.wins_a;
        total[w.b] += w.wins_b;
    }
    let mut strengths = vec![1.0f64; size];
    let mut load = vec![0.0; size];
    let mut change = f64::INFINITY;
    for _ in 0..max_iterations {
        load.fill(0.0);
        for w in wins {
            let share = w.games() / (strengths[w.a] + strengths[w.b]);
            load[w.a] += share;
            load[w.b] += share;
        }
        let next: Vec<f64> = total.iter().zip(&load).map(|(w, l)| w / l).collect();
        let mean = next.iter().map(|s| s.ln()).sum::<f64>() / size as f64;
        change = 0.0;
        for (old, new) in strengths.iter_mut().zip(next) {
            let new = new / mean.exp();
            change = f64::max(change, (new / *old - 1.0).abs());
            *old = new;
        }
        if change <= SETTLED {
            return Ok(strengths);
        }
    }
    Err(StatsError::NotConverged { iterations: max_iterations, change })
}
