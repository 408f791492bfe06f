//! One rating over all players of a tournament.
//!
//! [`least_squares`] and [`least_squares_by_games`] place players in points per game, [`bradley_terry`] in Elo (who wins,
//! not by how much). All fix the mean of each connected group at 0 and give a covariance, because the
//! uncertainty of a distance is not the sum of two intervals: ask [`RatingTable::difference`].

mod bradley_terry;
mod graph;
mod least_squares;

pub use bradley_terry::{BradleyTerryOptions, Wins, bradley_terry};
pub use least_squares::{Pairing, least_squares, least_squares_by_games, pairings};

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::estimate::chance_positive;
use super::{Interval, Level, StatsError};

/// The unit of a rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingUnit {
    /// Difference of two ratings = expected points per game of the first against the second.
    PointsPerGame,
    /// Difference of two ratings = Elo distance by wins.
    Elo,
}

/// A rating, relative to the mean of the player's group.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The rating, in the unit of the table; the mean of the group is 0.
    pub value: f64,
    /// Its standard error.
    pub std_error: f64,
    /// Its interval.
    pub interval: Interval,
}

/// The distance between two rated players.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Rating of the first less rating of the second.
    pub value: f64,
    /// Its standard error, with the covariance taken into account.
    pub std_error: f64,
    /// Its interval.
    pub interval: Interval,
    /// Roughly the chance that the first is the better one, 0 to 1.
    pub chance_better: f64,
}

/// How well one number per player explains all pairings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Sum of squared residuals in standard errors.
    pub chi_squared: f64,
    /// Pairings beyond those needed to place the players; `chi_squared` should be near it.
    pub degrees_of_freedom: usize,
    /// Chance of a worse fit if the model is right, 0 to 1; below 0.01 say that some players do
    /// better against particular others than one scale can tell. `None` without degrees of freedom.
    pub p_value: Option<f64>,
}

/// Ratings of all players.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatingTable {
    /// Unit of every number here.
    pub unit: RatingUnit,
    /// Level of every interval here.
    pub level: Level,
    /// Players by number; `None` for a player without pairings.
    pub ratings: Vec<Option<Rating>>,
    /// Players connected by pairings, each group in rising order. With more than one group the
    /// tournament is **disconnected**: ratings of different groups cannot be compared.
    pub groups: Vec<Vec<usize>>,
    /// Covariances of the ratings, row by row; 0 between groups.
    pub covariance: Vec<Vec<f64>>,
    /// Goodness of fit.
    pub fit: Fit,
}

impl RatingTable {
    /// Whether pairings connect all players, so that every rating can be compared with every other.
    pub fn is_connected(&self) -> bool {
        self.groups.len() <= 1
    }

    /// The distance from player `b` to player `a`, positive if `a` is better. `None` if they are in
    /// different groups or there is no such player.
    pub fn difference(&self, a: usize, b: usize) -> Option<Difference> {
        let group = self.groups.iter().find(|g| g.contains(&a))?;
        if !group.contains(&b) {
            return None;
        }
        let (first, second) = (self.ratings.get(a)?.as_ref()?, self.ratings.get(b)?.as_ref()?);
        let cov = |i: usize, j: usize| self.covariance[i][j];
        let variance = cov(a, a) + cov(b, b) - cov(a, b) - cov(b, a);
        let std_error = variance.max(0.0).sqrt();
        let value = first.value - second.value;
        Some(Difference {
            value,
            std_error,
            interval: Interval::around(value, self.level.z() * std_error),
            chance_better: chance_positive(value, std_error),
        })
    }

    /// Rated players from best to worst; equal ones by number. Only within a group does the order
    /// mean anything.
    pub fn ranking(&self) -> Vec<usize> {
        let value = |player: &usize| self.ratings[*player].map_or(f64::NEG_INFINITY, |r| r.value);
        let rated = |player: &usize| self.ratings[*player].is_some();
        let mut players: Vec<usize> = (0..self.ratings.len()).filter(rated).collect();
        players.sort_by(|a, b| value(b).total_cmp(&value(a)));
        players
    }

    /// A table without ratings, to be filled group by group.
    fn empty(unit: RatingUnit, level: Level, groups: Vec<Vec<usize>>, players: usize) -> Self {
        RatingTable {
            unit,
            level,
            ratings: vec![None; players],
            groups,
            covariance: vec![vec![0.0; players]; players],
            fit: Fit::new(0.0, 0),
        }
    }

    /// Enters the ratings and covariances of a group, both given by place in the group.
    fn fill(&mut self, group: &[usize], values: &[f64], covariance: &DMatrix<f64>) {
        let z = self.level.z();
        for (i, (&player, &value)) in group.iter().zip(values).enumerate() {
            let std_error = covariance[(i, i)].max(0.0).sqrt();
            let interval = Interval::around(value, z * std_error);
            self.ratings[player] = Some(Rating { value, std_error, interval });
            for (j, &other) in group.iter().enumerate() {
                self.covariance[player][other] = covariance[(i, j)];
            }
        }
    }
}

impl Fit {
    fn new(chi_squared: f64, degrees_of_freedom: usize) -> Self {
        let p_value = ChiSquared::new(degrees_of_freedom as f64).ok().map(|distribution| distribution.sf(chi_squared));
        Fit { chi_squared, degrees_of_freedom, p_value }
    }
}

/// Refuses pairings that name no two players.
fn check_players(a: usize, b: usize, players: usize) -> Result<(), StatsError> {
    if let Some(player) = [a, b].into_iter().find(|p| *p >= players) {
        return Err(StatsError::UnknownPlayer { player, players });
    }
    if a == b {
        return Err(StatsError::SamePlayer { player: a });
    }
    Ok(())
}

/// The information about differences between `size` players: every entry `(i, j, weight)` adds
/// `weight` to both diagonal places and takes it off both others (a graph Laplacian).
fn information(size: usize, entries: impl Iterator<Item = (usize, usize, f64)>) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(size, size);
    for (i, j, weight) in entries {
        matrix[(i, i)] += weight;
        matrix[(j, j)] += weight;
        matrix[(i, j)] -= weight;
        matrix[(j, i)] -= weight;
    }
    matrix
}

/// The covariance that belongs to `information` when ratings are fixed to mean 0: its
/// pseudo-inverse. The matrix knows nothing of a common shift; `c·J/n` (J all ones) supplies that
/// direction alone, so after inverting, `J/(c·n)` takes it out again.
fn covariance(information: DMatrix<f64>) -> Result<DMatrix<f64>, StatsError> {
    let n = information.nrows() as f64;
    let scale = information.diagonal().sum() / n;
    let filled = information.add_scalar(scale / n);
    let inverse = filled.cholesky().ok_or(StatsError::IllConditioned)?.inverse();
    let covariance = inverse.add_scalar(-1.0 / (scale * n));
    if covariance.iter().all(|c| c.is_finite()) { Ok(covariance) } else { Err(StatsError::IllConditioned) }
}
