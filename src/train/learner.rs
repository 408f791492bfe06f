//! The learning step: one mini-batch, one update by Adam.
//!
//! The module, its gradients and the optimiser are burn's. Two pieces are taken off burn's tape because they are where
//! its time goes: the first layer (see `sparse`) and the loss (see [`batch`](mod@super::batch)). The tape
//! starts at the first hidden layer's activations, whose gradient it hands back.
//!
//! A step runs on the calling thread alone and its result depends on nothing but the learner and the batch.

use std::path::Path;

use burn::grad_clipping::GradientClippingConfig;
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::batch::{Batch, BatchError, Inputs, StepStats};
use super::device::{DeviceKind, device};
use super::model::{self, Mlp, floats};
use super::records::{RecordError, Records};
use super::sparse::{self, RowsRef, SparseRows};
use crate::net::weights::{NUM_OUTCOMES, NetWeights, WeightsError};

/// The knobs of Adam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamSettings {
    /// Memory of the mean gradient, from 0 up to but not 1.
    pub beta1: f32,
    /// Memory of the mean squared gradient, from 0 up to but not 1.
    pub beta2: f32,
    /// Added to the root of the mean squared gradient; positive.
    pub epsilon: f32,
    /// This times the parameter is added to its gradient (an L2 penalty), if given.
    pub weight_decay: Option<f32>,
    /// Longest gradient of one parameter array (one layer's weights or bias), if given; longer ones are scaled down.
    pub clip_norm: Option<f32>,
}

impl Default for AdamSettings {
    fn default() -> Self {
        AdamSettings { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: None, clip_norm: None }
    }
}

impl AdamSettings {
    /// Checks every knob against its range.
    ///
    /// # Errors
    /// Names the first knob out of range.
    pub fn check(&self) -> Result<(), LearnError> {
        let wrong = |knob, expected, got| Err(LearnError::Setting { knob, expected, got });
        for (knob, value) in [("beta1", self.beta1), ("beta2", self.beta2)] {
            if !(0.0..1.0).contains(&value) {
                return wrong(knob, "at least 0 and below 1", f64::from(value));
            }
        }
        for (knob, value) in
            [("epsilon", Some(self.epsilon)), ("weight_decay", self.weight_decay), ("clip_norm", self.clip_norm)]
        {
            if let Some(value) = value
                && !(value > 0.0 && value.is_finite())
            {
                return wrong(knob, "positive", f64::from(value));
            }
        }
        Ok(())
    }

    fn optimizer(&self) -> ModuleOptimizer {
        AdamConfig::new()
            .with_beta_1(self.beta1)
            .with_beta_2(self.beta2)
            .with_epsilon(self.epsilon)
            .with_weight_decay(self.weight_decay.map(WeightDecayConfig::new))
            .with_grad_clipping(self.clip_norm.map(GradientClippingConfig::Norm))
            .init()
    }
}

/// Why a learner couldn't be made, step, be saved or be loaded.
#[derive(Debug, Error)]
pub enum LearnError {
    /// Weights that don't fit together or aren't finite.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A batch that can't be learned from.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Records that can't be written or read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A knob out of its range.
    #[error("expected {knob} to be {expected}, got {got}")]
    Setting {
        /// Its name in configuration files.
        knob: &'static str,
        /// Its range.
        expected: &'static str,
        /// Its value.
        got: f64,
    },
    /// Weights of another size than the learner's.
    #[error("expected weights of a net {expected:?}, got {got:?}")]
    Sizes {
        /// The learner's sizes.
        expected: Vec<usize>,
        /// The sizes offered.
        got: Vec<usize>,
    },
    /// The loss is not a number or infinite: the weights, the inputs or the learning rate are beyond repair.
    #[error("the loss is {0}: learning has failed; start again from the last good weights with a lower learning rate")]
    NotFinite(f64),
    /// The loss is finite but far above that of a net that knows nothing.
    #[error(
        "the loss is {loss}, above the limit of {limit} nats: learning has failed; start again from the last good \
         weights with a lower learning rate"
    )]
    Exploded {
        /// The batch's loss.
        loss: f64,
        /// The learner's limit.
        limit: f64,
    },
}

/// A net under training with the state of its optimiser.
#[derive(Debug)]
pub struct Learner {
    model: Mlp,
    optimizer: Optimizer,
    sizes: Vec<usize>,
    settings: AdamSettings,
    kind: DeviceKind,
    /// With autodiff.
    device: Device,
    points: [f32; NUM_OUTCOMES],
    loss_limit: f64,
    buffers: Buffers,
}

/// burn's optimiser has no `Debug`.
struct Optimizer(ModuleOptimizer);

impl std::fmt::Debug for Optimizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Optimizer")
    }
}

/// Memory kept from one step to the next.
#[derive(Debug, Default)]
struct Buffers {
    rows: SparseRows,
    columns: SparseRows,
    activations: Vec<f32>,
    derivative: Vec<f32>,
}

impl Learner {
    /// A learner that starts from `net` with a fresh Adam.
    ///
    /// # Errors
    /// Refuses weights that don't fit together or aren't finite, and settings out of range.
    pub fn new(net: &NetWeights, settings: AdamSettings, kind: DeviceKind) -> Result<Self, LearnError> {
        settings.check()?;
        let device = device(kind).autodiff();
        let model = Mlp::from_weights(net, &device)?;
        Ok(Learner {
            model,
            optimizer: Optimizer(settings.optimizer()),
            sizes: net.sizes(),
            settings,
            kind,
            device,
            points: [1.0, 2.0, 3.0, -1.0, -2.0, -3.0],
            loss_limit: 20.0,
            buffers: Buffers::default(),
        })
    }

    /// The same learner with other points for the six outcomes, which only [`StepStats::td_error`] uses.
    #[must_use]
    pub fn with_points(mut self, points: [f32; NUM_OUTCOMES]) -> Self {
        self.points = points;
        self
    }

    /// The same learner with another loss, in nats, above which a step fails. A net that knows nothing has ln 6 ≈ 1.8.
    #[must_use]
    pub fn with_loss_limit(mut self, limit: f64) -> Self {
        self.loss_limit = limit;
        self
    }

    /// The sizes of the net from inputs to outputs.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The backend in use.
    pub fn device_kind(&self) -> DeviceKind {
        self.kind
    }

    /// Moves the weights once towards the targets of `batch`, with learning rate `rate`.
    ///
    /// The statistics are those of the weights before the step.
    ///
    /// # Errors
    /// Refuses a faulty batch or rate, and a loss that is not finite or above the limit. The learner is then
    /// unchanged.
    pub fn step(&mut self, batch: &Batch<'_>, rate: f64) -> Result<StepStats, LearnError> {
        batch.check(self.sizes[0])?;
        if !(rate >= 0.0 && rate.is_finite()) {
            return Err(LearnError::Setting { knob: "the learning rate", expected: "at least 0", got: rate });
        }
        let first = self.first_layer(batch); // [rows, hidden]
        let logits = self.model.forward_from(1, first.clone()); // [rows, 6]
        let values = floats(logits.clone());
        let stats = batch.loss(&values, &self.points, &mut self.buffers.derivative);
        self.check_loss(stats.loss)?;
        // The gradient of this sum is that of the loss: its factors are the loss's derivative by the logits.
        let derivative = TensorData::new(std::mem::take(&mut self.buffers.derivative), [batch.len(), NUM_OUTCOMES]);
        let mut tape = (logits * Tensor::from_data(derivative, &self.device)).sum().backward();
        let gradient = first.grad_remove(&mut tape).map(floats).unwrap_or_default();
        let mut gradients = GradientsParams::from_grads(tape, &self.model);
        self.buffers.activations = floats(first);
        self.first_layer_gradients(batch, gradient, &mut gradients);
        let model = std::mem::replace(&mut self.model, Mlp::empty());
        self.model = self.optimizer.0.step(rate, model, gradients);
        Ok(stats)
    }

    /// The outputs of the first layer (after the ReLU, if another layer follows) as a leaf of a new tape.
    fn first_layer(&mut self, batch: &Batch<'_>) -> Tensor<2> {
        let (rows, width) = (batch.len(), self.sizes[1]);
        let buffers = &mut self.buffers;
        if let Inputs::Dense(numbers) = batch.inputs {
            buffers.rows.fill(numbers, self.sizes[0]);
        }
        let inputs = sparse_inputs(batch, &buffers.rows);
        let mut activations = std::mem::take(&mut buffers.activations);
        activations.resize(rows * width, 0.0);
        let (weights, bias) = self.model.layer(0);
        sparse::forward(inputs, &weights, &bias, self.sizes.len() > 2, &mut activations);
        Tensor::from_data(TensorData::new(activations, [rows, width]), &self.device).require_grad()
    }

    /// Registers the gradients of the first layer, given that by its outputs.
    fn first_layer_gradients(&mut self, batch: &Batch<'_>, mut by_outputs: Vec<f32>, gradients: &mut GradientsParams) {
        let (inputs, width) = (self.sizes[0], self.sizes[1]);
        let buffers = &mut self.buffers;
        if self.sizes.len() > 2 {
            for (gradient, activation) in by_outputs.iter_mut().zip(&buffers.activations) {
                *gradient = if *activation > 0.0 { *gradient } else { 0.0 };
            }
        }
        let mut bias = vec![0.0; width];
        for row in by_outputs.chunks_exact(width) {
            bias.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        let mut weights = vec![0.0; inputs * width];
        let rows = sparse_inputs(batch, &buffers.rows);
        sparse::backward(rows, &by_outputs, width, &mut buffers.columns, &mut weights);
        let device = self.device.clone().inner();
        let weights = Tensor::<2>::from_data(TensorData::new(weights, [inputs, width]), &device);
        gradients.register(model::weight_id(0), weights);
        gradients.register(model::bias_id(0), Tensor::<1>::from_data(TensorData::new(bias, [width]), &device));
    }

    fn check_loss(&self, loss: f64) -> Result<(), LearnError> {
        if !loss.is_finite() {
            return Err(LearnError::NotFinite(loss));
        }
        if loss > self.loss_limit {
            return Err(LearnError::Exploded { loss, limit: self.loss_limit });
        }
        Ok(())
    }

    /// The present weights.
    ///
    /// # Errors
    /// Refuses weights that aren't finite.
    pub fn weights(&self) -> Result<NetWeights, LearnError> {
        let net = self.model.to_weights();
        net.validate()?;
        Ok(net)
    }

    /// Goes on from other weights of the same sizes, with a fresh Adam.
    ///
    /// # Errors
    /// Refuses weights of other sizes or that aren't finite.
    pub fn set_weights(&mut self, net: &NetWeights) -> Result<(), LearnError> {
        let model = self.model_of(net)?;
        self.model = model;
        self.optimizer = Optimizer(self.settings.optimizer());
        Ok(())
    }

    fn model_of(&self, net: &NetWeights) -> Result<Mlp, LearnError> {
        let got = net.sizes();
        if got != self.sizes {
            return Err(LearnError::Sizes { expected: self.sizes.clone(), got });
        }
        Ok(Mlp::from_weights(net, &self.device)?)
    }

    /// Weights and Adam's state as bytes; equal learners give equal bytes.
    ///
    /// # Errors
    /// Refuses weights that aren't finite.
    pub fn records(&self) -> Result<Records, LearnError> {
        self.weights()?;
        Ok(Records::new(&self.model, &self.optimizer.0)?)
    }

    /// Takes over weights and Adam's state, so that the next step is bit for bit that of the learner recorded.
    ///
    /// # Errors
    /// Refuses records that are damaged or of a net of other sizes. The learner is then unchanged.
    pub fn restore(&mut self, records: &Records) -> Result<(), LearnError> {
        records.check(&self.sizes)?;
        let blank = Mlp::from_weights(&self.model.to_weights(), &self.device)?;
        let net = records.load_model(blank)?.to_weights();
        let optimizer = records.load_adam(self.settings.optimizer())?;
        self.model = self.model_of(&net)?;
        self.optimizer = Optimizer(optimizer);
        Ok(())
    }

    /// Writes [`records`](Self::records) to the files [`MODEL_FILE`](super::records::MODEL_FILE) and [`ADAM_FILE`](super::records::ADAM_FILE) in `dir`.
    ///
    /// # Errors
    /// Refuses weights that aren't finite; reports what the file system refuses.
    pub fn save(&self, dir: &Path) -> Result<(), LearnError> {
        Ok(self.records()?.write(dir)?)
    }

    /// Takes over what [`save`](Self::save) wrote to `dir`.
    ///
    /// # Errors
    /// Refuses files that are missing, damaged or of a net of other sizes. The learner is then unchanged.
    pub fn load(&mut self, dir: &Path) -> Result<(), LearnError> {
        self.restore(&Records::read(dir)?)
    }
}

/// The batch's own sparse inputs, or those that its dense ones were turned into.
fn sparse_inputs<'a>(batch: &Batch<'a>, from_dense: &'a SparseRows) -> RowsRef<'a> {
    match batch.inputs {
        Inputs::Dense(_) => from_dense.as_ref(),
        Inputs::Sparse { entries, ends } => RowsRef { ends, entries },
    }
}

#[cfg(test)]
mod tests;
