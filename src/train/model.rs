//! The network as a burn module, its seeded initialisation and its loss.
//!
//! Parameters carry fixed ids (layer k: weights 2k+1, bias 2k+2), because burn files the optimiser's state under the
//! parameter's id and would otherwise draw ids at random: two runs of one recipe would write different files.

use burn::module::{Module, Param, ParamId};
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData, activation};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::net::weights::{Layer, NUM_OUTCOMES, NetWeights};

/// Weights whose arrays don't fit together, or layer sizes that make no network.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ShapeError {
    /// Fewer than one layer.
    #[error("expected at least one layer (two sizes), got {0} sizes")]
    NoLayers(usize),
    /// A size of zero.
    #[error("expected layer sizes of at least 1, got {0:?}")]
    ZeroSize(Vec<usize>),
    /// The last layer isn't a distribution over the six outcomes.
    #[error("expected {NUM_OUTCOMES} outputs, got {0}")]
    Outputs(usize),
    /// Two neighbouring layers that don't fit.
    #[error("layer {layer} expects {expected} inputs, but the layer before it has {got} outputs")]
    Chain {
        /// Index of the second of the two layers.
        layer: usize,
        /// Inputs that it says it has.
        expected: usize,
        /// Outputs of the layer before.
        got: usize,
    },
    /// An array with the wrong number of elements.
    #[error("layer {layer}: expected {expected} numbers in its {array}, got {got}")]
    Array {
        /// Index of the layer.
        layer: usize,
        /// `"weights"` or `"bias"`.
        array: &'static str,
        /// The number its sizes ask for.
        expected: usize,
        /// The number found.
        got: usize,
    },
}

/// The sizes of a net from inputs to outputs, such as `[198, 80, 6]`.
pub fn sizes(net: &NetWeights) -> Vec<usize> {
    let first = net.layers.first().map(|layer| layer.inputs);
    first.into_iter().chain(net.layers.iter().map(|layer| layer.outputs)).collect()
}

/// Checks that `sizes` (inputs first) describe a net with six outputs.
///
/// # Errors
/// Says which size is missing or wrong.
pub fn check_sizes(sizes: &[usize]) -> Result<(), ShapeError> {
    match sizes {
        [] | [_] => Err(ShapeError::NoLayers(sizes.len())),
        _ if sizes.contains(&0) => Err(ShapeError::ZeroSize(sizes.to_vec())),
        [.., outputs] if *outputs != NUM_OUTCOMES => Err(ShapeError::Outputs(*outputs)),
        _ => Ok(()),
    }
}

/// Checks that every array of `net` has the length that its sizes ask for and that the layers form a chain.
///
/// # Errors
/// Names the first layer that doesn't fit.
pub fn check_shape(net: &NetWeights) -> Result<(), ShapeError> {
    check_sizes(&sizes(net))?;
    for (index, layer) in net.layers.iter().enumerate() {
        if index > 0 && net.layers[index - 1].outputs != layer.inputs {
            let got = net.layers[index - 1].outputs;
            return Err(ShapeError::Chain { layer: index, expected: layer.inputs, got });
        }
        let arrays =
            [("weights", layer.inputs * layer.outputs, layer.weights.len()), ("bias", layer.outputs, layer.bias.len())];
        for (array, expected, got) in arrays {
            if expected != got {
                return Err(ShapeError::Array { layer: index, array, expected, got });
            }
        }
    }
    Ok(())
}

/// A fresh net: He-normal weights for the hidden layers, weights a tenth as large for the output layer, zero biases.
///
/// The small last layer starts every position near the uniform distribution. The same sizes and seed give the same
/// bits on every machine.
///
/// # Errors
/// Refuses sizes (inputs first) that make no net with six outputs.
pub fn he_init(sizes: &[usize], seed: u64) -> Result<NetWeights, ShapeError> {
    check_sizes(sizes)?;
    let mut normal = Normal::new(seed);
    let last = sizes.len() - 2;
    let layers = sizes.windows(2).enumerate().map(|(index, pair)| {
        let (inputs, outputs) = (pair[0], pair[1]);
        let scale = (2.0 / inputs as f64).sqrt() * if index == last { 0.1 } else { 1.0 };
        let weights = (0..inputs * outputs).map(|_| (normal.sample() * scale) as f32).collect();
        Layer { inputs, outputs, weights, bias: vec![0.0; outputs] }
    });
    Ok(NetWeights { layers: layers.collect() })
}

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
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }
}

/// A multi-layer perceptron with ReLU between its layers; its outputs are six logits.
#[derive(Module, Debug)]
pub struct Mlp {
    layers: Vec<Linear>,
}

impl Mlp {
    /// A module with exactly these weights on `device`.
    ///
    /// # Errors
    /// Refuses weights whose arrays don't fit together.
    pub fn from_weights(net: &NetWeights, device: &Device) -> Result<Self, ShapeError> {
        check_shape(net)?;
        let layers = net.layers.iter().enumerate().map(|(index, layer)| {
            let weights = TensorData::new(layer.weights.clone(), [layer.inputs, layer.outputs]);
            let bias = TensorData::new(layer.bias.clone(), [layer.outputs]);
            Linear { weight: param(weight_id(index), weights, device), bias: Some(param(bias_id(index), bias, device)) }
        });
        Ok(Mlp { layers: layers.collect() })
    }

    /// The same numbers as plain arrays, bit for bit.
    pub fn to_weights(&self) -> NetWeights {
        let layers = self.layers.iter().enumerate().map(|(index, layer)| {
            let [inputs, outputs] = layer.weight.dims();
            let (weights, bias) = self.layer(index);
            Layer { inputs, outputs, weights, bias }
        });
        NetWeights { layers: layers.collect() }
    }

    /// A module without layers, to stand in while burn's optimiser owns the real one.
    pub(crate) fn empty() -> Self {
        Mlp { layers: Vec::new() }
    }

    /// Weights `[inputs][outputs]` and bias of layer `index`.
    pub(crate) fn layer(&self, index: usize) -> (Vec<f32>, Vec<f32>) {
        let layer = &self.layers[index];
        let bias = layer.bias.as_ref().map_or_else(|| vec![0.0; layer.weight.dims()[1]], |bias| floats(bias.val()));
        (floats(layer.weight.val()), bias)
    }

    /// Logits of rows of inputs.
    pub fn forward(&self, inputs: Tensor<2>) -> Tensor<2> {
        self.forward_from(0, inputs) // [rows, 6]
    }

    /// Logits from the inputs of layer `first`, which for `first > 0` are activations after the ReLU.
    pub fn forward_from(&self, first: usize, inputs: Tensor<2>) -> Tensor<2> {
        let mut x = inputs; // [rows, inputs of layer `first`]
        for (index, layer) in self.layers.iter().enumerate().skip(first) {
            if index > first {
                x = activation::relu(x);
            }
            x = layer.forward(x);
        }
        x
    }
}

/// Parameter id of the weights of layer `index`.
pub(crate) fn weight_id(index: usize) -> ParamId {
    ParamId::from(2 * index as u64 + 1)
}

/// Parameter id of the bias of layer `index`.
pub(crate) fn bias_id(index: usize) -> ParamId {
    ParamId::from(2 * index as u64 + 2)
}

fn param<const D: usize>(id: ParamId, data: TensorData, device: &Device) -> Param<Tensor<D>> {
    Param::initialized(id, Tensor::<D>::from_data(data, device).require_grad())
}

/// The numbers of a tensor that is known to hold `f32`.
pub(crate) fn floats<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.inner().into_data().try_into_vec::<f32>().expect("every tensor of the trainer is made from f32 data")
}

/// Logit that stands for "impossible": its probability underflows to exactly zero, and it is finite, so that zero
/// times it is zero and not a NaN.
pub const IMPOSSIBLE: f32 = -1.0e9;

/// Mean over the rows of the cross-entropy (in nats) of the softmax of `logits` against `targets`, on burn's tape.
///
/// `mask` holds 0 where an outcome is possible and [`IMPOSSIBLE`] where it isn't; all three are `[rows, 6]`.
/// [`Learner`](super::learner::Learner) computes the same loss and its derivative without a tape; this is the
/// definition it is tested against.
pub fn masked_cross_entropy(logits: Tensor<2>, targets: Tensor<2>, mask: Tensor<2>) -> Tensor<1> {
    let log_chance = activation::log_softmax(logits + mask, 1); // [rows, 6]
    -(targets * log_chance).sum_dim(1).mean() // [1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::device::{DeviceKind, device};
    use crate::train::reference;

    #[test]
    fn weights_survive_the_way_through_burn_bit_for_bit() {
        for kind in DeviceKind::ALL {
            let mut net = he_init(&[7, 5, 4, 6], 3).expect("good sizes");
            net.layers[1].bias[2] = f32::MIN_POSITIVE / 4.0;
            let module = Mlp::from_weights(&net, &device(kind).autodiff()).expect("good shape");
            assert_eq!(module.to_weights(), net, "{kind}");
        }
    }

    #[test]
    fn the_module_agrees_with_a_plain_evaluation() {
        let net = he_init(&[9, 8, 5, 6], 11).expect("good sizes");
        let mut normal = Normal::new(1);
        let rows: Vec<f32> = (0..9 * 4).map(|_| normal.sample() as f32).collect();
        for kind in DeviceKind::ALL {
            let device = device(kind);
            let module = Mlp::from_weights(&net, &device).expect("good shape");
            let logits = floats(module.forward(Tensor::from_data(TensorData::new(rows.clone(), [4, 9]), &device)));
            for (row, got) in rows.chunks(9).zip(logits.chunks(6)) {
                let expected = reference::logits(&net, row);
                for (a, b) in got.iter().zip(expected) {
                    assert!((a - b).abs() < 1e-5, "{kind}: {a} against {b}");
                }
            }
        }
    }

    #[test]
    fn an_impossible_outcome_gets_no_chance_and_no_gradient() {
        let device = device(DeviceKind::Flex).autodiff();
        let logits = Tensor::<2>::from_floats([[0.5, 3.0, -1.0, 0.0, 0.2, 9.0]], &device).require_grad();
        let mask = Tensor::<2>::from_floats([[0.0, IMPOSSIBLE, IMPOSSIBLE, 0.0, 0.0, IMPOSSIBLE]], &device);
        let targets = Tensor::<2>::from_floats([[0.25, 0.0, 0.0, 0.5, 0.25, 0.0]], &device);
        let loss = masked_cross_entropy(logits.clone(), targets, mask);
        let exps = [0.5f64.exp(), 1.0, 0.2f64.exp()];
        let total: f64 = exps.iter().sum();
        let chances = exps.map(|e| e / total);
        let expected = -(0.25 * chances[0].ln() + 0.5 * chances[1].ln() + 0.25 * chances[2].ln());
        let got = floats(loss.clone())[0];
        assert!((f64::from(got) - expected).abs() < 1e-6, "{got} against {expected}");
        let gradient = floats(logits.grad(&loss.backward()).expect("logits are a leaf"));
        let wanted = [chances[0] - 0.25, 0.0, 0.0, chances[1] - 0.5, chances[2] - 0.25, 0.0];
        for (a, b) in gradient.iter().zip(wanted) {
            assert!((f64::from(*a) - b).abs() < 1e-6, "{gradient:?} against {wanted:?}");
        }
    }

    #[test]
    fn initial_weights_depend_on_the_seed_alone_and_have_he_variance() {
        let net = he_init(&[200, 300, 6], 5).expect("good sizes");
        assert_eq!(net, he_init(&[200, 300, 6], 5).expect("good sizes"));
        assert_ne!(net, he_init(&[200, 300, 6], 6).expect("good sizes"));
        let weights = &net.layers[0].weights;
        let square = weights.iter().map(|w| f64::from(*w).powi(2)).sum::<f64>() / weights.len() as f64;
        assert!((square / (2.0 / 200.0) - 1.0).abs() < 0.03, "variance {square}");
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused_with_the_numbers() {
        assert_eq!(check_sizes(&[10]), Err(ShapeError::NoLayers(1)));
        assert_eq!(check_sizes(&[10, 0, 6]), Err(ShapeError::ZeroSize(vec![10, 0, 6])));
        assert_eq!(check_sizes(&[10, 5]), Err(ShapeError::Outputs(5)));
        let mut net = he_init(&[4, 3, 6], 0).expect("good sizes");
        net.layers[0].weights.pop();
        let expected = ShapeError::Array { layer: 0, array: "weights", expected: 12, got: 11 };
        assert_eq!(check_shape(&net), Err(expected));
        net.layers[0].weights.push(0.0);
        net.layers[1].inputs = 2;
        assert_eq!(check_shape(&net), Err(ShapeError::Chain { layer: 1, expected: 2, got: 3 }));
    }
}
