//! A multi-layer perceptron as plain `f32` arrays: the form that trainer, file format and kernel exchange.
//!
//! [`NetWeights::forward`] is the slow, obvious evaluation that the kernel and the trainer are tested against.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of outputs of every nardy network: win oin, win mars, win koks, lose oin, lose mars, lose koks.
pub const NUM_OUTCOMES: usize = 6;

/// Mask of outcomes with every outcome possible.
pub const ALL_OUTCOMES: u8 = (1 << NUM_OUTCOMES) - 1;

/// Most layers that a network may have. A guard against nonsense, far above what is useful.
pub const MAX_LAYERS: usize = 8;

/// Most inputs, and most units of a layer. Inputs are addressed with `u16`.
pub const MAX_WIDTH: usize = 1 << 16;

/// One fully connected layer, `y = x · weights + bias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// Row-major `[inputs][outputs]`: the row of input `i` is `weights[i * outputs..(i + 1) * outputs]`.
    pub weights: Vec<f32>,
    /// One number per output.
    pub bias: Vec<f32>,
}

/// A multi-layer perceptron: ReLU between layers, softmax over the last layer's [`NUM_OUTCOMES`] logits.
#[derive(Clone, Debug, PartialEq)]
pub struct NetWeights {
    /// From input to output; each layer's `inputs` equals the previous layer's `outputs`.
    pub layers: Vec<Layer>,
}

/// What is wrong with the sizes or the numbers of a network. Layers are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// No layer at all, or more than [`MAX_LAYERS`].
    #[error("the network has {found} layers; it needs between 1 and {MAX_LAYERS}")]
    LayerCount {
        /// Number of layers found.
        found: usize,
    },
    /// A layer without inputs or units, or with more than [`MAX_WIDTH`].
    #[error("layer {layer} has {found} {what}; it needs between 1 and {MAX_WIDTH}")]
    Width {
        /// Layer, from 1.
        layer: usize,
        /// `inputs` or `outputs`.
        what: &'static str,
        /// Width found.
        found: usize,
    },
    /// A layer doesn't take what the layer before it gives.
    #[error("layer {layer} takes {found} inputs, but the layer before it gives {expected} outputs")]
    Chain {
        /// Layer, from 1.
        layer: usize,
        /// Outputs of the layer before.
        expected: usize,
        /// Inputs of this layer.
        found: usize,
    },
    /// The number of numbers doesn't fit the layer's sizes.
    #[error("layer {layer} holds {found} {what} numbers; its sizes need {expected}")]
    Count {
        /// Layer, from 1.
        layer: usize,
        /// `weight` or `bias`.
        what: &'static str,
        /// Numbers that the sizes ask for.
        expected: usize,
        /// Numbers found.
        found: usize,
    },
    /// The last layer doesn't give the six outcomes.
    #[error("the last layer has {found} outputs; a network needs {NUM_OUTCOMES}, one per outcome")]
    Outcomes {
        /// Outputs of the last layer.
        found: usize,
    },
    /// A weight or bias is not a finite number.
    #[error("layer {layer} has the {what} {value} at index {index}; every number must be finite")]
    NotFinite {
        /// Layer, from 1.
        layer: usize,
        /// `weight` or `bias`.
        what: &'static str,
        /// Index in the layer's array.
        index: usize,
        /// The number found.
        value: f32,
    },
}

impl Layer {
    /// What the layer makes of its inputs, before any ReLU.
    pub(crate) fn sums(&self, inputs: &[f32]) -> Vec<f32> {
        let mut sums = self.bias.clone();
        for (x, row) in inputs.iter().zip(self.weights.chunks_exact(self.outputs)) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += x * weight;
            }
        }
        sums
    }

    /// What a hidden layer makes of its inputs, after the ReLU.
    pub(crate) fn activations(&self, inputs: &[f32]) -> Vec<f32> {
        let mut sums = self.sums(inputs);
        sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        sums
    }
}

impl NetWeights {
    /// A network with the given sizes (inputs, hidden layers, 6) and He-uniform random weights, zero biases.
    /// The same sizes and seed give the same numbers everywhere.
    ///
    /// # Errors
    /// If the sizes are not those of a valid network.
    ///
    /// # Examples
    /// ```
    /// use nardy::net::NetWeights;
    /// let net = NetWeights::random(&[198, 80, 6], 1)?;
    /// assert_eq!(net.sizes(), [198, 80, 6]);
    /// let outcomes = net.forward(&vec![0.5; 198], None);
    /// assert!((outcomes.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    /// # Ok::<(), nardy::net::WeightsError>(())
    /// ```
    pub fn random(sizes: &[usize], seed: u64) -> Result<Self, WeightsError> {
        check_sizes(sizes)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let layers = sizes
            .windows(2)
            .map(|pair| {
                let limit = (6.0 / pair[0] as f32).sqrt();
                Layer {
                    inputs: pair[0],
                    outputs: pair[1],
                    weights: (0..pair[0] * pair[1]).map(|_| rng.random_range(-limit..limit)).collect(),
                    bias: vec![0.0; pair[1]],
                }
            })
            .collect();
        Ok(Self { layers })
    }

    /// The widths from input to output, e.g. `[198, 80, 6]`. Empty if there is no layer.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        let first = self.layers.first().map(|layer| layer.inputs);
        first.into_iter().chain(self.layers.iter().map(|layer| layer.outputs)).collect()
    }

    /// Number of inputs; 0 if there is no layer.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.inputs)
    }

    /// Number of weights and biases.
    #[must_use]
    pub fn num_parameters(&self) -> usize {
        self.layers.iter().map(|layer| layer.weights.len() + layer.bias.len()).sum()
    }

    /// Checks that the sizes fit together and that every number is finite.
    ///
    /// # Errors
    /// The first thing found wrong.
    pub fn validate(&self) -> Result<(), WeightsError> {
        check_sizes(&self.sizes())?;
        let mut expected_inputs = self.inputs();
        for (layer, number) in self.layers.iter().zip(1..) {
            if layer.inputs != expected_inputs {
                return Err(WeightsError::Chain { layer: number, expected: expected_inputs, found: layer.inputs });
            }
            check_numbers(number, "weight", &layer.weights, layer.inputs * layer.outputs)?;
            check_numbers(number, "bias", &layer.bias, layer.outputs)?;
            expected_inputs = layer.outputs;
        }
        Ok(())
    }

    /// The last layer's outputs before the softmax, straight from the definition. Slow: for tests and checks.
    ///
    /// # Panics
    /// If the network is not valid or `input` doesn't have [`NetWeights::inputs`] numbers.
    #[must_use]
    pub fn logits(&self, input: &[f32]) -> [f32; NUM_OUTCOMES] {
        assert_eq!(input.len(), self.inputs(), "one number per input");
        let mut values = input.to_vec();
        for (index, layer) in self.layers.iter().enumerate() {
            let hidden = index + 1 < self.layers.len();
            values = if hidden { layer.activations(&values) } else { layer.sums(&values) };
        }
        values.try_into().expect("the last layer has one output per outcome")
    }

    /// The chances of the six outcomes for the side on roll, straight from the definition. Slow: for tests and checks.
    /// Bit `i` of `mask` set means that outcome `i` is possible; the others get exactly 0.
    ///
    /// # Panics
    /// If the network is not valid or `input` doesn't have [`NetWeights::inputs`] numbers.
    #[must_use]
    pub fn forward(&self, input: &[f32], mask: Option<u8>) -> [f32; NUM_OUTCOMES] {
        softmax(self.logits(input), mask.unwrap_or(ALL_OUTCOMES))
    }
}

/// Softmax over the outcomes that `mask` allows; the others get exactly 0. All zero if the mask allows none.
#[must_use]
pub fn softmax(logits: [f32; NUM_OUTCOMES], mask: u8) -> [f32; NUM_OUTCOMES] {
    let possible = |i: usize| mask >> i & 1 == 1;
    let max = (0..NUM_OUTCOMES).filter(|&i| possible(i)).map(|i| logits[i]).fold(f32::NEG_INFINITY, f32::max);
    let mut result = [0.0; NUM_OUTCOMES];
    for i in (0..NUM_OUTCOMES).filter(|&i| possible(i)) {
        result[i] = (logits[i] - max).exp();
    }
    let sum: f32 = result.iter().sum();
    if sum > 0.0 {
        result.iter_mut().for_each(|p| *p /= sum);
    }
    result
}

/// Checks that the widths are those of a valid network.
pub(crate) fn check_sizes(sizes: &[usize]) -> Result<(), WeightsError> {
    let layers = sizes.len().saturating_sub(1);
    if !(1..=MAX_LAYERS).contains(&layers) {
        return Err(WeightsError::LayerCount { found: layers });
    }
    if !(1..=MAX_WIDTH).contains(&sizes[0]) {
        return Err(WeightsError::Width { layer: 1, what: "inputs", found: sizes[0] });
    }
    for (&found, layer) in sizes[1..].iter().zip(1..) {
        if !(1..=MAX_WIDTH).contains(&found) {
            return Err(WeightsError::Width { layer, what: "outputs", found });
        }
    }
    match sizes[layers] {
        NUM_OUTCOMES => Ok(()),
        found => Err(WeightsError::Outcomes { found }),
    }
}

fn check_numbers(layer: usize, what: &'static str, numbers: &[f32], expected: usize) -> Result<(), WeightsError> {
    if numbers.len() != expected {
        return Err(WeightsError::Count { layer, what, expected, found: numbers.len() });
    }
    match numbers.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(WeightsError::NotFinite { layer, what, index, value: numbers[index] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2-2-6 net whose outputs can be computed in the head.
    fn tiny() -> NetWeights {
        NetWeights {
            layers: vec![
                Layer { inputs: 2, outputs: 2, weights: vec![1.0, -1.0, 2.0, 3.0], bias: vec![0.5, -4.0] },
                Layer {
                    inputs: 2,
                    outputs: 6,
                    weights: vec![1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0],
                    bias: vec![0.0, 1.0, 0.0, 0.0, 0.0, -1.0],
                },
            ],
        }
    }

    #[test]
    fn logits_follow_the_definition() {
        // Hidden: 1·1 + 1·2 + 0.5 = 3.5; −1 + 3 − 4 = −2, cut to 0.
        assert_eq!(tiny().logits(&[1.0, 1.0]), [3.5, 1.0, 0.0, 0.0, 0.0, 6.0]);
    }

    #[test]
    fn softmax_gives_impossible_outcomes_exactly_zero() {
        let p = softmax([0.0, 50.0, 0.0, 2f32.ln(), 0.0, 0.0], 0b001001);
        assert!((p[0] - 1.0 / 3.0).abs() < 1e-6 && (p[3] - 2.0 / 3.0).abs() < 1e-6);
        assert_eq!([p[1], p[2], p[4], p[5]], [0.0; 4]);
        assert_eq!(softmax([1.0; 6], 0), [0.0; 6]);
    }

    #[test]
    fn random_depends_on_the_seed_only() {
        let net = NetWeights::random(&[10, 7, 6], 3).unwrap();
        assert_eq!(net, NetWeights::random(&[10, 7, 6], 3).unwrap());
        assert_ne!(net, NetWeights::random(&[10, 7, 6], 4).unwrap());
        assert_eq!(net.num_parameters(), 10 * 7 + 7 + 7 * 6 + 6);
        net.validate().unwrap();
    }

    #[test]
    fn bad_sizes_are_refused() {
        assert_eq!(NetWeights::random(&[], 0), Err(WeightsError::LayerCount { found: 0 }));
        assert_eq!(NetWeights::random(&[6], 0), Err(WeightsError::LayerCount { found: 0 }));
        assert_eq!(NetWeights::random(&[6; 12], 0), Err(WeightsError::LayerCount { found: 11 }));
        assert_eq!(NetWeights::random(&[9, 5], 0), Err(WeightsError::Outcomes { found: 5 }));
        let zero = NetWeights::random(&[9, 0, 6], 0).unwrap_err();
        assert_eq!(zero, WeightsError::Width { layer: 1, what: "outputs", found: 0 });
        let wide = NetWeights::random(&[70_000, 6], 0).unwrap_err();
        assert_eq!(wide, WeightsError::Width { layer: 1, what: "inputs", found: 70_000 });
    }

    #[test]
    fn validate_names_the_layer_at_fault() {
        let mut net = tiny();
        net.layers[1].inputs = 3;
        assert_eq!(net.validate(), Err(WeightsError::Chain { layer: 2, expected: 2, found: 3 }));
        let mut net = tiny();
        net.layers[0].weights.pop();
        assert_eq!(net.validate(), Err(WeightsError::Count { layer: 1, what: "weight", expected: 4, found: 3 }));
        let mut net = tiny();
        net.layers[1].bias[2] = f32::INFINITY;
        let error = net.validate().unwrap_err();
        assert_eq!(error.to_string(), "layer 2 has the bias inf at index 2; every number must be finite");
    }
}
