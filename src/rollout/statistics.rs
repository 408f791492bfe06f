//! Means and standard errors over blocks of trials.

use crate::eval::{Outcomes, equity};
use crate::game::NUM_OUTCOMES;

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean, in points.
    pub mean: f64,
    /// Its standard error, in points; infinite with a single block.
    pub standard_error: f64,
}

impl Estimate {
    /// Half the width of the 95 % interval, from the normal distribution.
    pub fn half_width(&self) -> f64 {
        1.96 * self.standard_error
    }

    /// The mean of independent values with its standard error, from the means of blocks for example.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Estimate {
        let n = values.clone().count() as f64;
        let mean = values.clone().sum::<f64>() / n;
        let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
        let standard_error = if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { f64::INFINITY };
        Estimate { mean, standard_error }
    }
}

/// The trials of a candidate, block by block.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    sums: [f64; NUM_OUTCOMES],
    trials: f64,
    /// Mean points of each block.
    blocks: Vec<f64>,
}

impl Tally {
    pub(super) fn add(&mut self, block: &[Outcomes], points: &Outcomes) {
        let mut points_sum = 0.0;
        for outcomes in block {
            self.sums.iter_mut().zip(outcomes).for_each(|(sum, chance)| *sum += f64::from(*chance));
            points_sum += f64::from(equity(outcomes, points));
        }
        self.trials += block.len() as f64;
        self.blocks.push(points_sum / block.len() as f64);
    }

    pub(super) fn block_means(&self) -> &[f64] {
        &self.blocks
    }

    pub(super) fn outcomes(&self) -> Outcomes {
        self.sums.map(|sum| (sum / self.trials) as f32)
    }

    pub(super) fn equity(&self) -> Estimate {
        Estimate::of(self.blocks.iter().copied())
    }

    /// Points that this candidate is ahead of the other, over the blocks that both have.
    pub(super) fn ahead_of(&self, other: &Tally) -> Estimate {
        Estimate::of(self.blocks.iter().zip(&other.blocks).map(|(a, b)| a - b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_errors_are_those_of_a_worked_example() {
        let points = [1.0, 2.0, 3.0, -1.0, -2.0, -3.0];
        let one = |i: usize| std::array::from_fn::<f32, 6, _>(|k| f32::from(u8::from(k == i)));
        let mut tally = Tally::default();
        // Block means: (1 + 2) / 2, (-1 - 1) / 2, (3 + 1) / 2.
        for block in [[one(0), one(1)], [one(3), one(3)], [one(2), one(0)]] {
            tally.add(&block, &points);
        }
        let Estimate { mean, standard_error } = tally.equity();
        // 1.5, -1, 2: mean 5/6, squares 4/9 + 121/36 + 49/36 = 31/6, error √(31/6 / 2 / 3).
        assert!((mean - 5.0 / 6.0).abs() < 1e-12 && (standard_error - (31.0f64 / 36.0).sqrt()).abs() < 1e-12);
        assert_eq!(tally.outcomes(), [2.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 2.0 / 6.0, 0.0, 0.0]);
        assert_eq!(tally.ahead_of(&tally), Estimate { mean: 0.0, standard_error: 0.0 });
        let mut other = Tally::default();
        other.add(&[one(0), one(0)], &points);
        other.add(&[one(4), one(4)], &points);
        // 1.5 - 1 and -1 + 2.
        assert_eq!(tally.ahead_of(&other), Estimate { mean: 0.75, standard_error: 0.25 });
    }
}
