//! Ratings in points per game.

use serde::{Deserialize, Serialize};

use super::{Fit, RatingTable, RatingUnit, check_players, covariance, graph, information};
use crate::arena::stats::{Level, Moments, StatsError};

/// How many pairs' worth of trust the common spread gets when the spread of one pairing is
/// estimated. Without it a pairing of three pairs that happen to be alike would outweigh all others;
/// from some hundred pairs on it no longer matters.
const COMMON_SPREAD_WEIGHT: f64 = 10.0;

/// What two players' games said.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    /// Number of the first player.
    pub a: usize,
    /// Number of the second player.
    pub b: usize,
    /// Points per game of `a` against `b`, raw or luck-adjusted.
    pub mean: f64,
    /// Standard error of `mean`, above 0.
    pub std_error: f64,
}

/// Pairings from the pair means of all matches, given as `(a, b, points per game of a)`.
///
/// The variance of a match is `(m2 + 10·s²)/(n − 1 + 10)` with its sum of squared deviations `m2`
/// over `n` pairs and the variance `s²` common to all matches, so even a match of one pair, or of
/// two equal players that always tie, gets a sensible weight. Matches without pairs are left out.
///
/// # Errors
/// [`StatsError::NoSpread`] if no match has two pairs that differ.
pub fn pairings(matches: &[(usize, usize, Moments)]) -> Result<Vec<Pairing>, StatsError> {
    let played = || matches.iter().filter(|(_, _, m)| m.count() > 0);
    let squares: f64 = played().map(|(_, _, m)| m.sum_squares()).sum();
    let freedom: f64 = played().map(|(_, _, m)| m.count() as f64 - 1.0).sum();
    if played().next().is_none() {
        return Ok(Vec::new());
    }
    if freedom <= 0.0 || squares <= 0.0 {
        return Err(StatsError::NoSpread);
    }
    let common = COMMON_SPREAD_WEIGHT * squares / freedom;
    let pairing = |&(a, b, m): &(usize, usize, Moments)| {
        let n = m.count() as f64;
        let variance = (m.sum_squares() + common) / (n - 1.0 + COMMON_SPREAD_WEIGHT);
        Pairing { a, b, mean: m.mean(), std_error: (variance / n).sqrt() }
    };
    Ok(played().map(pairing).collect())
}

/// Ratings `r` in points per game that minimise `Σ ((mean − (r[a] − r[b]))/std_error)²`, with their
/// covariance; the mean of each connected group is 0.
///
/// # Errors
/// [`StatsError`] if a pairing names no two players, its mean is not finite or its standard error
/// not above 0, or if weights differ so much that they cannot be solved for.
pub fn least_squares(players: usize, pairings: &[Pairing], level: Level) -> Result<RatingTable, StatsError> {
    for p in pairings {
        check_players(p.a, p.b, players)?;
        crate::arena::stats::moments::check("the mean of a pairing", p.mean)?;
        let weight = p.std_error.powi(-2);
        if p.std_error.is_nan() || p.std_error <= 0.0 || !weight.is_normal() {
            let (a, b, got) = (p.a, p.b, p.std_error);
            return Err(StatsError::StandardError { a, b, got });
        }
    }
    let links: Vec<_> = pairings.iter().map(|p| (p.a, p.b)).collect();
    let groups = graph::connected(players, &links);
    let mut table = RatingTable::empty(RatingUnit::PointsPerGame, level, groups, players);
    let mut chi_squared = 0.0;
    for group in table.groups.clone() {
        if group.len() > 1 {
            chi_squared += fit_group(&mut table, &group, pairings)?;
        }
    }
    // Every group needs one pairing less than it has players to be placed.
    let needed = players - table.groups.len();
    table.fit = Fit::new(chi_squared, pairings.len().saturating_sub(needed));
    Ok(table)
}

/// Ratings in points per game in which every pairing weighs by its games: `r` minimises
/// `Σ weight·(mean − (r[a] − r[b]))²`, while intervals follow from the standard errors. In a full round robin of equal
/// lengths a rating is the mean result against the field, times `(n − 1)/n`.
///
/// [`least_squares`] is sharper if one number per player explains all results. Where it does not, as between players of
/// very different strength, it believes most in the results that can hardly vary: everybody beats the weakest player by
/// nearly the most there is, with a tiny error, and all of them come out alike. Here such pairings have no more say than
/// others. The goodness of fit is that of [`least_squares`].
///
/// # Errors
/// As [`least_squares`], or if a weight is not above 0.
pub fn least_squares_by_games(
    players: usize,
    pairings: &[(Pairing, f64)],
    level: Level,
) -> Result<RatingTable, StatsError> {
    for &(Pairing { a, b, .. }, weight) in pairings {
        if !weight.is_normal() || weight <= 0.0 {
            return Err(StatsError::Weight { a, b, got: weight });
        }
    }
    let plain: Vec<Pairing> = pairings.iter().map(|(pairing, _)| *pairing).collect();
    let mut table = least_squares(players, &plain, level)?;
    for group in table.groups.clone() {
        if group.len() > 1 {
            fit_group_by_games(&mut table, &group, pairings)?;
        }
    }
    Ok(table)
}

/// Rates one connected group with given weights; `G·S·G` is the covariance of a fit whose weights are not the inverse
/// variances, with the pseudo-inverse `G` of the weights' Laplacian and the Laplacian `S` of `(weight·std_error)²`.
fn fit_group_by_games(table: &mut RatingTable, group: &[usize], pairings: &[(Pairing, f64)]) -> Result<(), StatsError> {
    let place = |player: usize| group.binary_search(&player).ok();
    let inside: Vec<(usize, usize, &Pairing, f64)> =
        pairings.iter().filter_map(|(p, weight)| Some((place(p.a)?, place(p.b)?, p, *weight))).collect();
    let solver = covariance(information(group.len(), inside.iter().map(|&(i, j, _, weight)| (i, j, weight))))?;
    let mut pull = nalgebra::DVector::zeros(group.len());
    for &(i, j, p, weight) in &inside {
        pull[i] += weight * p.mean;
        pull[j] -= weight * p.mean;
    }
    let noise =
        information(group.len(), inside.iter().map(|&(i, j, p, weight)| (i, j, (weight * p.std_error).powi(2))));
    let values = &solver * pull;
    table.fill(group, values.as_slice(), &(&solver * noise * &solver));
    Ok(())
}

/// Rates one connected group and returns its part of chi-squared.
fn fit_group(table: &mut RatingTable, group: &[usize], pairings: &[Pairing]) -> Result<f64, StatsError> {
    let place = |player: usize| group.binary_search(&player).ok();
    // (place of a, place of b, mean, weight)
    let inside: Vec<(usize, usize, f64, f64)> =
        pairings.iter().filter_map(|p| Some((place(p.a)?, place(p.b)?, p.mean, p.std_error.powi(-2)))).collect();
    let entries = inside.iter().map(|&(i, j, _, weight)| (i, j, weight));
    let covariance = covariance(information(group.len(), entries))?;
    let mut pull = nalgebra::DVector::zeros(group.len());
    for &(i, j, mean, weight) in &inside {
        pull[i] += weight * mean;
        pull[j] -= weight * mean;
    }
    let values = &covariance * pull;
    table.fill(group, values.as_slice(), &covariance);
    let residual = |&(i, j, mean, weight): &(usize, usize, f64, f64)| weight * (mean - (values[i] - values[j])).powi(2);
    Ok(inside.iter().map(residual).sum())
}
