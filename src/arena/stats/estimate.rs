//! Intervals, and the quantiles behind them.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::StatsError;

/// Degrees of freedom from which Student's t is replaced by the normal distribution. At 1,000 the
/// 97.5 % quantiles are 1.9623 and 1.9600: the interval changes by 0.12 % of its width.
const LARGE: f64 = 1000.0;

/// How often an interval holds the true value: a probability strictly between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Level(f64);

impl Level {
    /// 95 %, the level of every interval unless another is asked for.
    pub const P95: Level = Level(0.95);

    /// The level with probability `p`.
    ///
    /// # Errors
    /// [`StatsError::Level`] unless `0 < p < 1`.
    pub fn new(p: f64) -> Result<Self, StatsError> {
        if p > 0.0 && p < 1.0 { Ok(Level(p)) } else { Err(StatsError::Level { got: p }) }
    }

    /// The probability, strictly between 0 and 1.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Half-width, in standard errors, of a two-sided interval from the normal distribution.
    pub fn z(self) -> f64 {
        standard_normal().inverse_cdf(0.5 + self.0 / 2.0)
    }

    /// Half-width, in standard errors, of a two-sided interval when the standard error itself was
    /// estimated with `dof` degrees of freedom: Student's t, or the normal distribution from 1,000
    /// degrees on. `None` below one degree of freedom.
    pub fn t(self, dof: f64) -> Option<f64> {
        if dof >= LARGE {
            return Some(self.z());
        }
        if dof.is_nan() || dof < 1.0 {
            return None;
        }
        let student = StudentsT::new(0.0, 1.0, dof).ok()?;
        Some(student.inverse_cdf(0.5 + self.0 / 2.0))
    }
}

impl Default for Level {
    fn default() -> Self {
        Level::P95
    }
}

impl TryFrom<f64> for Level {
    type Error = StatsError;

    fn try_from(p: f64) -> Result<Self, StatsError> {
        Level::new(p)
    }
}

impl From<Level> for f64 {
    fn from(level: Level) -> f64 {
        level.0
    }
}

/// The normal distribution with mean 0 and standard deviation 1.
pub(super) fn standard_normal() -> Normal {
    Normal::standard()
}

/// A range, in the unit of the estimate it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end, not below `low`.
    pub high: f64,
}

impl Interval {
    /// The range `centre ± half`.
    pub fn around(centre: f64, half: f64) -> Self {
        Interval { low: centre - half, high: centre + half }
    }

    /// Whether `x` lies in the range, ends included.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Half the width of the range.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// A mean with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Independent observations behind it (pairs, not games).
    pub units: u64,
    /// The estimate, in points per game from A's point of view unless said otherwise; 0 without
    /// observations.
    pub mean: f64,
    /// Standard error of `mean`; `None` below two observations.
    pub std_error: Option<f64>,
    /// The interval; `None` below two observations.
    pub interval: Option<Interval>,
}

impl Estimate {
    /// The estimate with a standard error known with `dof` degrees of freedom.
    pub(super) fn new(units: u64, mean: f64, std_error: Option<f64>, dof: f64, level: Level) -> Self {
        let interval = std_error.zip(level.t(dof)).map(|(se, t)| Interval::around(mean, t * se));
        Estimate { units, mean, std_error: interval.and(std_error), interval }
    }

    /// Roughly the chance that the true value is above `x`, 0 to 1 (the "likelihood of superiority"
    /// when `x` is 0): `Φ((mean − x)/std_error)`. `None` without a standard error; with a standard
    /// error of 0 it is 0, 0.5 or 1.
    pub fn chance_above(&self, x: f64) -> Option<f64> {
        let se = self.std_error?;
        Some(chance_positive(self.mean - x, se))
    }
}

/// `Φ(value/std_error)`, with the limit for a standard error of 0.
pub(super) fn chance_positive(value: f64, std_error: f64) -> f64 {
    if std_error > 0.0 {
        standard_normal().cdf(value / std_error)
    } else if value == 0.0 {
        0.5
    } else {
        f64::from(value > 0.0)
    }
}

/// Wilson's interval for a probability of which `p` (0 to 1) was seen in `n` independent trials.
/// `n` need not be whole: for correlated trials it is the effective number. Without trials: 0 to 1.
pub fn wilson(p: f64, n: f64, level: Level) -> Interval {
    if n.is_nan() || n <= 0.0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let z2 = level.z().powi(2);
    let scale = 1.0 + z2 / n;
    let centre = (p + z2 / (2.0 * n)) / scale;
    let half = (z2 * (p * (1.0 - p) / n + z2 / (4.0 * n * n))).sqrt() / scale;
    Interval { low: (centre - half).clamp(0.0, p), high: (centre + half).clamp(p, 1.0) }
}

/// How many pairs give an interval of `± half_width` points per game, when pair means spread with
/// standard deviation `std_dev`: `(z·std_dev/half_width)²`, rounded up and at least 2.
///
/// # Errors
/// [`StatsError::OutOfRange`] unless `half_width` is above 0 and `std_dev` finite and not negative.
pub fn pairs_needed(std_dev: f64, half_width: f64, level: Level) -> Result<u64, StatsError> {
    let limit = f64::MAX;
    if !std_dev.is_finite() || std_dev < 0.0 {
        let what = "the standard deviation (not negative)";
        let got = std_dev;
        return Err(StatsError::OutOfRange { what, limit, got });
    }
    if !half_width.is_finite() || half_width <= 0.0 {
        let what = "the half-width (above 0)";
        let got = half_width;
        return Err(StatsError::OutOfRange { what, limit, got });
    }
    // A float-to-integer cast saturates, so absurdly small half-widths give u64::MAX.
    Ok(((level.z() * std_dev / half_width).powi(2).ceil() as u64).max(2))
}
