//! Slow, obvious evaluation of a net in `f64`: the oracle of this module's tests.

use crate::net::weights::NetWeights;

/// The six logits of one row of inputs.
pub(crate) fn logits(net: &NetWeights, inputs: &[f32]) -> Vec<f32> {
    let mut x: Vec<f64> = inputs.iter().map(|v| f64::from(*v)).collect();
    for (index, layer) in net.layers.iter().enumerate() {
        let mut y: Vec<f64> = layer.bias.iter().map(|v| f64::from(*v)).collect();
        for (i, value) in x.iter().enumerate() {
            for (j, sum) in y.iter_mut().enumerate() {
                *sum += value * f64::from(layer.weights[i * layer.outputs + j]);
            }
        }
        if index + 1 < net.layers.len() {
            y.iter_mut().for_each(|v| *v = v.max(0.0));
        }
        x = y;
    }
    x.into_iter().map(|v| v as f32).collect()
}

/// The softmax over the outcomes whose bit is set in `mask`; the others get 0.
pub(crate) fn distribution(net: &NetWeights, inputs: &[f32], mask: u8) -> [f64; 6] {
    let logits = logits(net, inputs);
    let mut chances = [0.0; 6];
    for (outcome, chance) in chances.iter_mut().enumerate() {
        if mask >> outcome & 1 == 1 {
            *chance = f64::from(logits[outcome]).exp();
        }
    }
    let total: f64 = chances.iter().sum();
    chances.map(|chance| chance / total)
}
