//! An exponential moving average of weights.
//!
//! The average of n nets gives the last one weight 1, the one before it `decay`, then `decay²` …, divided by their sum.
//! So it has no bias towards a start value: after one update it is that net, after two nearly their mean.

use thiserror::Error;

use crate::net::weights::{NetWeights, WeightsError};

/// Why an average couldn't be made or extended.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EmaError {
    /// A decay out of range.
    #[error("expected a decay of at least 0 and below 1, got {0}")]
    Decay(f64),
    /// A net of another size.
    #[error("expected a net {expected:?} as in the average so far, got {got:?}")]
    Sizes {
        /// Sizes of the average.
        expected: Vec<usize>,
        /// Sizes of the newcomer.
        got: Vec<usize>,
    },
    /// Arrays that make no net, or numbers that aren't finite.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// A moving average of nets of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Ema {
    decay: f64,
    warm_up: u64,
    updates: u64,
    average: NetWeights,
}

impl Ema {
    /// An average that starts as `net`.
    ///
    /// The first `warm_up` updates replace the average instead of extending it, so that the fast changes at the start
    /// of a phase leave no trace in it.
    ///
    /// # Errors
    /// Refuses a decay outside `0..1` and weights that aren't valid.
    pub fn new(net: NetWeights, decay: f64, warm_up: u64) -> Result<Self, EmaError> {
        Ema::resume(net, decay, warm_up, 0)
    }

    /// The average that [`weights`](Self::weights) and [`updates`](Self::updates) of an earlier one describe
    /// completely.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn resume(average: NetWeights, decay: f64, warm_up: u64, updates: u64) -> Result<Self, EmaError> {
        if !(0.0..1.0).contains(&decay) {
            return Err(EmaError::Decay(decay));
        }
        average.validate()?;
        Ok(Ema { decay, warm_up, updates, average })
    }

    /// The average.
    pub fn weights(&self) -> &NetWeights {
        &self.average
    }

    /// Number of updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Takes `net` into the average.
    ///
    /// # Errors
    /// Refuses a net of another size or that isn't valid; the average is then unchanged.
    pub fn update(&mut self, net: &NetWeights) -> Result<(), EmaError> {
        net.validate()?;
        let (expected, got) = (self.average.sizes(), net.sizes());
        if expected != got {
            return Err(EmaError::Sizes { expected, got });
        }
        self.updates += 1;
        let share = self.share();
        for (average, new) in self.average.layers.iter_mut().zip(&net.layers) {
            let old = average.weights.iter_mut().chain(&mut average.bias);
            for (old, new) in old.zip(new.weights.iter().chain(&new.bias)) {
                // In this form a share of 1 gives exactly `new`.
                *old = ((1.0 - share) * f64::from(*old) + share * f64::from(*new)) as f32;
            }
        }
        Ok(())
    }

    /// The newest net's part of the average: `1 / (1 + decay + decay² + …)` with as many terms as nets.
    fn share(&self) -> f64 {
        let nets = self.updates.saturating_sub(self.warm_up).max(1);
        let exponent = i32::try_from(nets).unwrap_or(i32::MAX);
        (1.0 - self.decay) / (1.0 - self.decay.powi(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(value: f32) -> NetWeights {
        let mut net = NetWeights::random(&[2, 3, 6], 0).expect("good sizes");
        for layer in &mut net.layers {
            layer.weights.fill(value);
            layer.bias.fill(value);
        }
        net
    }

    fn value(ema: &Ema) -> f64 {
        f64::from(ema.weights().layers[1].bias[5])
    }

    #[test]
    fn the_average_has_the_weights_of_its_definition_and_no_bias() {
        let values = [3.0, -1.0, 4.0, 1.0, 5.0];
        let mut ema = Ema::new(constant(100.0), 0.8, 0).expect("good decay");
        for n in 1..=values.len() {
            ema.update(&constant(values[n - 1])).expect("same sizes");
            let parts = values[..n].iter().rev().enumerate().map(|(age, v)| (0.8f64.powi(age as i32), f64::from(*v)));
            let (sum, total) = parts.fold((0.0, 0.0), |(sum, total), (w, v)| (sum + w * v, total + w));
            assert!((value(&ema) - sum / total).abs() < 1e-6, "after {n}: {}", value(&ema));
        }
    }

    #[test]
    fn equal_nets_are_their_own_average_after_any_number() {
        let net = NetWeights::random(&[4, 5, 6], 3).expect("good sizes");
        let mut ema = Ema::new(net.clone(), 0.97, 2).expect("good decay");
        for _ in 0..1000 {
            ema.update(&net).expect("same sizes");
        }
        assert_eq!(ema.weights(), &net);
    }

    #[test]
    fn warm_up_leaves_no_trace() {
        let mut warmed = Ema::new(constant(0.0), 0.9, 3).expect("good decay");
        for v in [50.0, 60.0, 70.0] {
            warmed.update(&constant(v)).expect("same sizes");
            assert_eq!(value(&warmed), f64::from(v));
        }
        let mut plain = Ema::new(constant(0.0), 0.9, 0).expect("good decay");
        for v in [1.0, 2.0, 4.0] {
            warmed.update(&constant(v)).expect("same sizes");
            plain.update(&constant(v)).expect("same sizes");
        }
        assert_eq!(warmed.weights(), plain.weights());
    }

    #[test]
    fn a_resumed_average_goes_on_bit_for_bit() {
        let nets: Vec<NetWeights> =
            (0..9).map(|seed| NetWeights::random(&[4, 5, 6], seed).expect("good sizes")).collect();
        let mut unbroken = Ema::new(nets[0].clone(), 0.95, 1).expect("good decay");
        let mut resumed = unbroken.clone();
        for net in &nets {
            unbroken.update(net).expect("same sizes");
            resumed.update(net).expect("same sizes");
            resumed = Ema::resume(resumed.weights().clone(), 0.95, 1, resumed.updates()).expect("good decay");
        }
        assert_eq!(unbroken, resumed);
    }

    #[test]
    fn other_sizes_and_decays_are_refused() {
        let net = constant(1.0);
        assert_eq!(Ema::new(net.clone(), 1.0, 0), Err(EmaError::Decay(1.0)));
        let mut ema = Ema::new(net, 0.5, 0).expect("good decay");
        let wider = NetWeights::random(&[2, 4, 6], 0).expect("good sizes");
        let error = EmaError::Sizes { expected: vec![2, 3, 6], got: vec![2, 4, 6] };
        assert_eq!(ema.update(&wider), Err(error));
        assert_eq!(ema.updates(), 0);
    }
}
