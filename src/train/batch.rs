//! One mini-batch, its checks, and its loss with the derivative.
//!
//! The loss is computed here in plain loops rather than on burn's tape: over rows of six numbers the tape's dozen small
//! tensors cost more than the arithmetic. The derivative then enters the tape at the logits.

use thiserror::Error;

use crate::net::weights::NUM_OUTCOMES;

/// Training positions with their targets. Every row is seen by the side on roll in it.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The features of the positions.
    pub inputs: Inputs<'a>,
    /// For each row the distribution to learn: not negative, sum 1, zero where impossible.
    pub targets: &'a [[f32; NUM_OUTCOMES]],
    /// For each row the possible outcomes: bit i stands for outcome i.
    pub masks: &'a [u8],
    /// For each row its share in the mean, at least 0; `None` weighs all the same.
    pub weights: Option<&'a [f32]>,
}

/// The inputs of the rows of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Inputs<'a> {
    /// Row-major `[rows][inputs]`, zeros included.
    Dense(&'a [f32]),
    /// Only what differs from zero: the quicker form, since most inputs of a position are zero.
    Sparse {
        /// Index of an input and its value, row after row.
        entries: &'a [(u16, f32)],
        /// For each row the number of entries up to its end.
        ends: &'a [usize],
    },
}

/// A batch that can't be learned from.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BatchError {
    /// No rows.
    #[error("expected at least one row, got an empty batch")]
    Empty,
    /// Arrays of different lengths.
    #[error("a batch of {rows} targets needs {expected} numbers in its {array}, got {got}")]
    Length {
        /// Number of targets.
        rows: usize,
        /// Which array.
        array: &'static str,
        /// Its right length.
        expected: usize,
        /// Its length.
        got: usize,
    },
    /// Sparse rows that end before they start.
    #[error("row {row}: expected its entries to end between {start} and {len}, got {end}")]
    End {
        /// The first such row.
        row: usize,
        /// End of the row before.
        start: usize,
        /// Number of entries.
        len: usize,
        /// What it holds.
        end: usize,
    },
    /// An entry for an input that the net doesn't have.
    #[error("expected inputs below {inputs}, got input {got}")]
    Input {
        /// Inputs of the net.
        inputs: usize,
        /// The first such index.
        got: u16,
    },
    /// A mask that allows nothing or has bits beyond the six outcomes.
    #[error("row {row}: expected a mask of some of the {NUM_OUTCOMES} outcomes, got {mask:#010b}")]
    Mask {
        /// The first such row.
        row: usize,
        /// What it holds.
        mask: u8,
    },
    /// A target that isn't a distribution over the possible outcomes.
    #[error("row {row}: expected a distribution over the outcomes of mask {mask:#08b}, got {target:?}")]
    Target {
        /// The first such row.
        row: usize,
        /// Its mask.
        mask: u8,
        /// What it holds.
        target: [f32; NUM_OUTCOMES],
    },
    /// Weights that are negative, not finite or all zero.
    #[error("expected weights of at least 0 that are not all 0, got a sum of {0}")]
    Weights(f64),
}

/// How well the net predicted a batch before the step, as means over the rows by their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepStats {
    /// Cross-entropy against the targets, in nats.
    pub loss: f64,
    /// Absolute difference between the equities of prediction and target, in points.
    pub td_error: f64,
}

/// How far from 1 the sum of a target may be: rounding of six `f32`, not more.
const SUM_TOLERANCE: f32 = 1e-4;

impl Batch<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Checks the lengths against a net of `inputs` inputs, the masks, the targets and the weights.
    ///
    /// # Errors
    /// Describes the first fault. Inputs aren't looked at: a NaN among them shows in the loss.
    pub fn check(&self, inputs: usize) -> Result<(), BatchError> {
        let rows = self.len();
        if rows == 0 {
            return Err(BatchError::Empty);
        }
        let input_array = match self.inputs {
            Inputs::Dense(numbers) => ("inputs", rows * inputs, numbers.len()),
            Inputs::Sparse { ends, .. } => ("ends of rows", rows, ends.len()),
        };
        let weights = self.weights.map_or(rows, <[f32]>::len);
        let arrays = [input_array, ("masks", rows, self.masks.len()), ("weights", rows, weights)];
        for (array, expected, got) in arrays {
            if expected != got {
                return Err(BatchError::Length { rows, array, expected, got });
            }
        }
        if let Inputs::Sparse { entries, ends } = self.inputs {
            check_entries(entries, ends, inputs)?;
        }
        for (row, (target, mask)) in self.targets.iter().zip(self.masks).enumerate() {
            let (target, mask) = (*target, *mask);
            if mask == 0 || mask >> NUM_OUTCOMES != 0 {
                return Err(BatchError::Mask { row, mask });
            }
            let fits = |outcome: usize| target[outcome] == 0.0 || target[outcome] > 0.0 && mask >> outcome & 1 == 1;
            // The comparison is false for a NaN too.
            let sum_is_one = (target.iter().sum::<f32>() - 1.0).abs() <= SUM_TOLERANCE;
            if !sum_is_one || !(0..NUM_OUTCOMES).all(fits) {
                return Err(BatchError::Target { row, mask, target });
            }
        }
        let total = self.total_weight();
        let negative = self.weights.is_some_and(|weights| weights.iter().any(|weight| *weight < 0.0));
        if negative || !total.is_finite() || total <= 0.0 {
            return Err(BatchError::Weights(total));
        }
        Ok(())
    }

    fn total_weight(&self) -> f64 {
        self.weights.map_or(self.len() as f64, |weights| weights.iter().map(|weight| f64::from(*weight)).sum())
    }

    /// The loss of a checked batch for `logits` (`[rows][6]`), whose derivative replaces `derivative`.
    ///
    /// `points` is what each outcome is worth to the side on roll. A softmax over the possible outcomes turns logits
    /// into chances; the loss is the mean cross-entropy by the rows' weights.
    pub(crate) fn loss(&self, logits: &[f32], points: &[f32; NUM_OUTCOMES], derivative: &mut Vec<f32>) -> StepStats {
        derivative.clear();
        derivative.reserve(logits.len());
        let total = self.total_weight();
        let mut sums = StepStats { loss: 0.0, td_error: 0.0 };
        for (row, logits) in logits.chunks_exact(NUM_OUTCOMES).enumerate() {
            let (target, mask) = (&self.targets[row], self.masks[row]);
            let weight = self.weights.map_or(1.0, |weights| f64::from(weights[row])) / total;
            let (chances, loss) = cross_entropy(logits, target, mask);
            let error: f32 = (0..NUM_OUTCOMES).map(|i| points[i] * (chances[i] - target[i])).sum();
            sums.loss += weight * f64::from(loss);
            sums.td_error += weight * f64::from(error.abs());
            derivative.extend((0..NUM_OUTCOMES).map(|i| weight as f32 * (chances[i] - target[i])));
        }
        sums
    }
}

fn check_entries(entries: &[(u16, f32)], ends: &[usize], inputs: usize) -> Result<(), BatchError> {
    let mut start = 0;
    for (row, end) in ends.iter().copied().enumerate() {
        if end < start || end > entries.len() || row + 1 == ends.len() && end != entries.len() {
            return Err(BatchError::End { row, start, len: entries.len(), end });
        }
        start = end;
    }
    match entries.iter().find(|(input, _)| usize::from(*input) >= inputs) {
        Some((got, _)) => Err(BatchError::Input { inputs, got: *got }),
        None => Ok(()),
    }
}

/// The softmax of six logits over the outcomes in `mask` and its cross-entropy against `target`, in nats.
fn cross_entropy(logits: &[f32], target: &[f32; NUM_OUTCOMES], mask: u8) -> ([f32; NUM_OUTCOMES], f32) {
    let possible = |outcome: usize| mask >> outcome & 1 == 1;
    let top = (0..NUM_OUTCOMES).filter(|i| possible(*i)).map(|i| logits[i]).fold(f32::NEG_INFINITY, f32::max);
    let mut chances = [0.0; NUM_OUTCOMES];
    let mut total = 0.0;
    for (outcome, chance) in chances.iter_mut().enumerate() {
        if possible(outcome) {
            *chance = (logits[outcome] - top).exp();
            total += *chance;
        }
    }
    let log_total = total.ln();
    let mut loss = 0.0;
    for (outcome, chance) in chances.iter_mut().enumerate() {
        *chance /= total;
        if possible(outcome) {
            loss += target[outcome] * (log_total - (logits[outcome] - top));
        }
    }
    (chances, loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: [f32; 6] = [0.25, 0.25, 0.0, 0.5, 0.0, 0.0];

    fn batch<'a>(inputs: &'a [f32], targets: &'a [[f32; 6]], masks: &'a [u8]) -> Batch<'a> {
        Batch { inputs: Inputs::Dense(inputs), targets, masks, weights: None }
    }

    #[test]
    fn faulty_batches_are_refused_with_the_row() {
        let good = batch(&[0.0; 4], &[TARGET; 2], &[0b001011, 0b111111]);
        assert_eq!(good.check(2), Ok(()));
        let length = BatchError::Length { rows: 2, array: "inputs", expected: 6, got: 4 };
        assert_eq!(good.check(3), Err(length));
        assert_eq!(batch(&[], &[], &[]).check(2), Err(BatchError::Empty));
        for mask in [0, 0b1000000] {
            let masks = [0b111111, mask];
            let error = batch(&[0.0; 4], &[TARGET; 2], &masks).check(2);
            assert_eq!(error, Err(BatchError::Mask { row: 1, mask }));
        }
        for weights in [[-1.0, 2.0], [0.0, 0.0], [f32::NAN, 1.0]] {
            let error = Batch { weights: Some(&weights), ..good }.check(2);
            assert!(matches!(error, Err(BatchError::Weights(_))), "{error:?}");
        }
    }

    #[test]
    fn faulty_entries_are_refused() {
        let entries = [(0, 1.0), (3, 1.0), (1, 2.0)];
        let check = |ends: &[usize], inputs: usize| {
            let inputs_of_two_rows = Inputs::Sparse { entries: &entries, ends };
            Batch { inputs: inputs_of_two_rows, targets: &[TARGET; 2], masks: &[63; 2], weights: None }.check(inputs)
        };
        assert_eq!(check(&[2, 3], 4), Ok(()));
        assert_eq!(check(&[2, 3], 3), Err(BatchError::Input { inputs: 3, got: 3 }));
        assert_eq!(check(&[3, 2], 4), Err(BatchError::End { row: 1, start: 3, len: 3, end: 2 }));
        assert_eq!(check(&[1, 2], 4), Err(BatchError::End { row: 1, start: 1, len: 3, end: 2 }));
        assert_eq!(check(&[4, 4], 4), Err(BatchError::End { row: 0, start: 0, len: 3, end: 4 }));
        let length = BatchError::Length { rows: 2, array: "ends of rows", expected: 2, got: 1 };
        assert_eq!(check(&[3], 4), Err(length));
    }

    #[test]
    fn targets_must_be_distributions_over_what_is_possible() {
        let short = [0.25, 0.25, 0.0, 0.4, 0.0, 0.0];
        let negative = [-0.25, 0.75, 0.0, 0.5, 0.0, 0.0];
        let not_a_number = [f32::NAN, 0.25, 0.0, 0.5, 0.0, 0.0];
        for (target, mask) in [(TARGET, 0b000011), (short, 63), (negative, 63), (not_a_number, 63)] {
            let error = batch(&[0.0], &[target], &[mask]).check(1);
            assert!(matches!(error, Err(BatchError::Target { row: 0, .. })), "{target:?}: {error:?}");
        }
    }

    #[test]
    fn the_loss_by_hand_for_two_weighted_rows() {
        // Row 0: three possible outcomes with equal logits: chances 1/3 each. Row 1: chances 3/4 and 1/4.
        let logits = [2.0, 2.0, 99.0, 2.0, 99.0, 99.0, 3f32.ln(), 50.0, 50.0, 0.0, 50.0, 50.0];
        let targets = [TARGET, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
        let weights = [1.0, 3.0];
        let batch = Batch {
            inputs: Inputs::Dense(&[0.0, 0.0]),
            targets: &targets,
            masks: &[0b001011, 0b001001],
            weights: Some(&weights),
        };
        let points = [1.0, 2.0, 3.0, -1.0, -2.0, -3.0];
        let mut derivative = Vec::new();
        let stats = batch.loss(&logits, &points, &mut derivative);
        let expected = (3f64.ln() + 3.0 * (4.0f64 / 3.0).ln()) / 4.0;
        assert!((stats.loss - expected).abs() < 1e-6, "{stats:?}");
        // Equities: 2/3 against 0.25, and 0.5 against 1.
        let error = ((2.0 / 3.0 - 0.25) + 3.0 * 0.5) / 4.0;
        assert!((stats.td_error - error).abs() < 1e-6, "{stats:?}");
        let third = 1.0f32 / 3.0;
        let wanted = [third - 0.25, third - 0.25, 0.0, third - 0.5, 0.0, 0.0, -0.75, 0.0, 0.0, 0.75, 0.0, 0.0];
        for (got, wanted) in derivative.iter().zip(wanted) {
            let share = 0.25;
            assert!((got - wanted * share).abs() < 1e-6, "{derivative:?}");
        }
    }
}
