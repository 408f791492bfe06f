//! Random numbers that are the same bits on every machine.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Standard normal numbers from a seed.
///
/// Sums of twelve uniform numbers instead of logarithms and cosines: these differ in the last bit between maths
/// libraries, and the start of a training run should not.
pub(crate) struct Normal(ChaCha8Rng);

impl Normal {
    pub(crate) fn new(seed: u64) -> Self {
        Normal(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number with mean 0 and variance 1, between −6 and 6.
    pub(crate) fn sample(&mut self) -> f64 {
        // Twelve uniform numbers have a variance of exactly one.
        (0..12).map(|_| f64::from(self.0.next_u32()) / 4_294_967_296.0).sum::<f64>() - 6.0
    }

    /// A whole number below `bound`, which must be positive.
    #[cfg(test)]
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_mean_0_and_variance_1() {
        let mut normal = Normal::new(5);
        let samples: Vec<f64> = (0..100_000).map(|_| normal.sample()).collect();
        let mean = samples.iter().sum::<f64>() / 1e5;
        let variance = samples.iter().map(|v| v * v).sum::<f64>() / 1e5;
        // Four standard errors.
        assert!(mean.abs() < 0.013, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.018, "variance {variance}");
    }
}
