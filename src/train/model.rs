//! The network as a burn module, and its loss.
//!
//! Parameters carry fixed ids (layer k: weights 2k+1, bias 2k+2), because burn files the optimiser's state under the
//! parameter's id and would otherwise draw ids at random: two runs of one recipe would write different files.

use burn::module::{Module, Param, ParamId};
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData, activation};

use crate::net::weights::{Layer, NetWeights, WeightsError};

/// A multi-layer perceptron with ReLU between its layers; its outputs are six logits.
#[derive(Module, Debug)]
pub struct Mlp {
    layers: Vec<Linear>,
}

impl Mlp {
    /// A module with exactly these weights on `device`.
    ///
    /// # Errors
    /// Refuses weights that aren't valid.
    pub fn from_weights(net: &NetWeights, device: &Device) -> Result<Self, WeightsError> {
        net.validate()?;
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
    let tensor = Tensor::<D>::from_data(data, device);
    Param::initialized(id, if device.is_autodiff() { tensor.require_grad() } else { tensor })
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
    use crate::train::normal::Normal;

    #[test]
    fn weights_survive_the_way_through_burn_bit_for_bit() {
        for kind in DeviceKind::ALL {
            let mut net = NetWeights::random(&[7, 5, 4, 6], 3).expect("good sizes");
            net.layers[1].bias[2] = f32::MIN_POSITIVE / 4.0;
            let module = Mlp::from_weights(&net, &device(kind).autodiff()).expect("a good net");
            assert_eq!(module.to_weights(), net, "{kind}");
        }
    }

    #[test]
    fn the_module_agrees_with_a_plain_evaluation() {
        let net = NetWeights::random(&[9, 8, 5, 6], 11).expect("good sizes");
        let mut normal = Normal::new(1);
        let rows: Vec<f32> = (0..9 * 4).map(|_| normal.sample() as f32).collect();
        for kind in DeviceKind::ALL {
            let device = device(kind);
            let module = Mlp::from_weights(&net, &device).expect("a good net");
            let logits = floats(module.forward(Tensor::from_data(TensorData::new(rows.clone(), [4, 9]), &device)));
            for (row, got) in rows.chunks(9).zip(logits.chunks(6)) {
                let expected = net.logits(row);
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
}
