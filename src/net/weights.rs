//! A multi-layer perceptron as plain `f32` arrays: the form that trainer, file format and kernel exchange.

/// Number of outputs of every nardy network: win oin, win mars, win koks, lose oin, lose mars, lose koks.
pub const NUM_OUTCOMES: usize = 6;

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
