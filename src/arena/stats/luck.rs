//! Luck-adjusted results: the same mean, a smaller spread.
//!
//! The luck of a roll is the value after it less the mean over the 21 rolls, both by one reference
//! evaluator. Whatever that evaluator is worth, the mean luck is exactly 0, so subtracting the luck
//! from the points leaves the expectation alone and only takes spread away.

use serde::{Deserialize, Serialize};

use super::moments::check;
use super::{Estimate, Fold, Level, Moments, PairResult, StatsError};

/// Accumulates points and luck of independent units (pairs).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LuckStats {
    raw: Moments,
    luck: Moments,
    /// Points less luck. The covariance follows from the three spreads.
    adjusted: Moments,
}

impl LuckStats {
    /// Adds one unit: `points` and `luck` per game, both from A's point of view.
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`] if a number is not finite or above 10¹² in size; nothing is added
    /// then.
    pub fn push(&mut self, points: f64, luck: f64) -> Result<(), StatsError> {
        check("the points of a unit", points)?;
        check("the luck of a unit", luck)?;
        self.push_checked(points, luck);
        Ok(())
    }

    fn push_checked(&mut self, points: f64, luck: f64) {
        self.raw.push_checked(points);
        self.luck.push_checked(luck);
        self.adjusted.push_checked(points - luck);
    }

    /// Adds a pair as one unit. A pair without luck in both games is left out; says whether it was
    /// added.
    pub fn push_pair(&mut self, pair: &PairResult) -> bool {
        let luck = pair.luck();
        if let Some(luck) = luck {
            self.push_checked(pair.points(), luck);
        }
        luck.is_some()
    }

    /// Adds all units of `other`, as if they had come after what is here.
    pub fn merge(&mut self, other: &LuckStats) {
        self.raw.merge(&other.raw);
        self.luck.merge(&other.luck);
        self.adjusted.merge(&other.adjusted);
    }

    /// Points less luck of each unit.
    pub fn adjusted(&self) -> &Moments {
        &self.adjusted
    }

    /// All figures at once, ready to print.
    pub fn report(&self, level: Level) -> LuckReport {
        LuckReport {
            level,
            raw: self.raw.estimate(level),
            luck: self.luck.estimate(level),
            adjusted: self.adjusted.estimate(level),
            variance_ratio: self.ratio(self.adjusted.variance()),
            regression: self.regression(level),
        }
    }

    fn ratio(&self, variance: Option<f64>) -> Option<f64> {
        let raw = self.raw.variance().filter(|v| *v > 0.0)?;
        Some(variance? / raw)
    }

    /// Least squares of points on luck, read off at luck 0.
    fn regression(&self, level: Level) -> Option<Regression> {
        let n = self.raw.count() as f64;
        let spread = self.luck.sum_squares();
        if n < 3.0 || spread <= 0.0 {
            return None;
        }
        let shared = (self.raw.sum_squares() + spread - self.adjusted.sum_squares()) / 2.0;
        let coefficient = shared / spread;
        // Rounding may push a perfect fit a little below zero.
        let residual = (self.raw.sum_squares() - shared * coefficient).max(0.0) / (n - 2.0);
        let away = self.luck.mean();
        let std_error = (residual * (1.0 / n + away * away / spread)).sqrt();
        let mean = self.raw.mean() - coefficient * away;
        Some(Regression {
            coefficient,
            coefficient_std_error: (residual / spread).sqrt(),
            adjusted: Estimate::new(self.raw.count(), mean, Some(std_error), n - 2.0, level),
            variance_ratio: self.ratio(Some(residual)),
        })
    }
}

impl Fold<PairResult> for LuckStats {
    /// Adds `pair` if its luck was measured.
    fn fold(&mut self, pair: PairResult) {
        self.push_pair(&pair);
    }
}

impl Fold<LuckStats> for LuckStats {
    fn fold(&mut self, block: LuckStats) {
        self.merge(&block);
    }
}

/// Points per game with the luck taken out, from A's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LuckReport {
    /// Level of every interval here.
    pub level: Level,
    /// Points per game as played, over the units whose luck is known.
    pub raw: Estimate,
    /// Mean luck per game. Its true value is 0, so its interval should hold 0: if it does not, the
    /// luck was measured wrongly and `adjusted` must not be used.
    pub luck: Estimate,
    /// Points less luck: unbiased whatever the reference evaluator.
    pub adjusted: Estimate,
    /// Variance of `adjusted` relative to `raw`: 0.1 means the same interval from a tenth of the
    /// games; above 1 the reference does harm. `None` without spread.
    pub variance_ratio: Option<f64>,
    /// The same with a fitted coefficient; `None` below three units or without spread in the luck.
    pub regression: Option<Regression>,
}

/// Points less `coefficient` × luck, the coefficient fitted to the same games.
///
/// It helps where the reference exaggerates or plays down the luck, but unlike the coefficient 1 it
/// is **not** unbiased: the coefficient depends on the games it corrects, a bias that falls with the
/// number of units (1/n) and cannot be seen in the interval. Use it only from a few hundred units
/// on, and never choose between the two after looking at their results.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    /// Fitted slope of points on luck; 1 if the reference measures luck in true points.
    pub coefficient: f64,
    /// Standard error of the slope.
    pub coefficient_std_error: f64,
    /// Points per game at luck 0 by the fitted line.
    pub adjusted: Estimate,
    /// Residual variance relative to the variance of the raw points.
    pub variance_ratio: Option<f64>,
}
