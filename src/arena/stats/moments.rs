//! Count, mean and spread of a stream of numbers.

use serde::{Deserialize, Serialize};

use super::{Estimate, Fold, Level, StatsError};

/// Largest number taken. Squares of a `u64` count of these still fit an `f64` with room to spare.
pub(super) const LIMIT: f64 = 1e12;

/// Count, mean and sum of squared deviations (Welford's recurrence, which keeps its precision where
/// sums of squares would not).
///
/// Pushing the same numbers in the same order gives the same bits, whether or not the state was
/// saved in between. Merging is only reproducible with the same blocks in the same order, which is
/// what [`InOrder`](super::InOrder) sees to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    count: u64,
    mean: f64,
    m2: f64,
}

impl Moments {
    /// Adds one number.
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`] if it is not finite or above 10¹² in size; nothing is added then.
    pub fn push(&mut self, x: f64) -> Result<(), StatsError> {
        check("an observation", x)?;
        self.push_checked(x);
        Ok(())
    }

    /// Adds a number known to be finite.
    pub(super) fn push_checked(&mut self, x: f64) {
        self.count += 1;
        let delta = x - self.mean;
        self.mean += delta / self.count as f64;
        self.m2 += delta * (x - self.mean);
    }

    /// Adds all that `other` has seen, as if it had come after what is here (up to rounding).
    pub fn merge(&mut self, other: &Moments) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (here, there) = (self.count as f64, other.count as f64);
        let delta = other.mean - self.mean;
        self.count += other.count;
        let share = there / self.count as f64;
        self.mean += delta * share;
        self.m2 += other.m2 + delta * delta * here * share;
    }

    /// The state after seeing `x` this often.
    pub(super) fn constant(x: f64, count: u64) -> Self {
        let mean = if count > 0 { x } else { 0.0 };
        Moments { count, mean, m2: 0.0 }
    }

    /// How many numbers were seen.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; 0 before the first.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Sum of squared deviations from the mean.
    pub fn sum_squares(&self) -> f64 {
        self.m2
    }

    /// Sample variance (divisor n − 1); `None` below two numbers.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.m2 / (self.count - 1) as f64)
    }

    /// Sample standard deviation; `None` below two numbers.
    pub fn std_dev(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Standard error of the mean; `None` below two numbers.
    pub fn std_error(&self) -> Option<f64> {
        self.variance().map(|v| (v / self.count as f64).sqrt())
    }

    /// The mean with its interval: Student's t, or normal from 1,001 numbers on.
    pub fn estimate(&self, level: Level) -> Estimate {
        let dof = self.count as f64 - 1.0;
        Estimate::new(self.count, self.mean, self.std_error(), dof, level)
    }
}

impl Fold<f64> for Moments {
    /// Adds `x`; a number that [`Moments::push`] would refuse is left out.
    fn fold(&mut self, x: f64) {
        if check("an observation", x).is_ok() {
            self.push_checked(x);
        }
    }
}

impl Fold<Moments> for Moments {
    fn fold(&mut self, block: Moments) {
        self.merge(&block);
    }
}

/// Refuses what would poison a sum.
pub(super) fn check(what: &'static str, x: f64) -> Result<(), StatsError> {
    if x.is_finite() && x.abs() <= LIMIT {
        Ok(())
    } else {
        let limit = LIMIT;
        Err(StatsError::OutOfRange { what, limit, got: x })
    }
}
