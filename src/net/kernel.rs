//! The inference kernel: a network packed once for the processor at hand, evaluated for the ~20 candidates of a
//! roll together.
//!
//! The first layer is sparse and incremental. Its sums (before ReLU) are the caller's to keep: start from
//! [`PackedNet::bias`] and add the rows of the inputs that aren't zero, or start from the sums of the parent position
//! and add the few rows that a play changes ([`PackedNet::accumulate`]). The later layers are dense and take many rows of
//! sums at once ([`PackedNet::forward_rows`]); units that are idle in a whole block of rows are skipped.
//!
//! # Examples
//! ```
//! use nardy::net::{AlignedBuf, NetWeights, PackedNet, Scratch};
//! let weights = NetWeights::random(&[198, 80, 6], 1)?;
//! let net = PackedNet::new(&weights)?;
//! let mut sums = AlignedBuf::zeroed(2 * net.stride());
//! let (parent, child) = sums.split_at_mut(net.stride());
//! net.accumulate(net.bias(), &[(3, 1.0), (40, 0.5)], parent); // from scratch
//! net.accumulate(parent, &[(3, -1.0), (7, 1.0)], child); // input 3 goes from 1 to 0, input 7 from 0 to 1
//!
//! let mut outcomes = [[0.0; 6]; 2];
//! net.forward_rows(&sums, 2, None, &mut Scratch::default(), &mut outcomes);
//! let mut input = vec![0.0; 198];
//! (input[7], input[40]) = (1.0, 0.5);
//! let expected = weights.forward(&input, None);
//! assert!(outcomes[1].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::aligned::AlignedBuf;
use super::simd::{
    self, ActiveInputs, Backend, FirstLayer, LOGIT_STRIDE, LastLayer, MAX_SUMS, MiddleLayer, PAD, PlainCode, SimdLevel,
};
use super::weights::{Layer, NUM_OUTCOMES, NetWeights, WeightsError};

/// Environment variable that chooses the level of [`PackedNet::new`]: `portable`, `avx2` or `avx512`.
pub const SIMD_VARIABLE: &str = "NARDY_SIMD";

/// Why a network can't be packed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KernelError {
    /// The network itself is not valid.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// This processor doesn't have the instructions asked for.
    #[error("this processor lacks the instructions of SIMD level {wanted}; the best it has is {best}")]
    Unavailable {
        /// The level asked for.
        wanted: SimdLevel,
        /// The best level there is.
        best: SimdLevel,
    },
    /// The environment variable [`SIMD_VARIABLE`] names no level.
    #[error("the environment variable {SIMD_VARIABLE} is wrong: {0}")]
    Variable(#[from] simd::ParseSimdLevelError),
}

/// A network packed for one [`SimdLevel`]. A copy: it doesn't follow later changes of the weights.
#[derive(Clone, Debug)]
pub struct PackedNet {
    backend: Backend,
    first: FirstLayer,
    middle: Vec<MiddleLayer>,
    /// Absent if the network has a single layer.
    last: Option<LastLayer>,
}

/// Buffers of [`PackedNet::forward_rows`], which grow to what the calls need and then stay. One per thread; any
/// networks may share it.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    hidden: [AlignedBuf; 2],
    logits: AlignedBuf,
    active: ActiveInputs,
}

impl PackedNet {
    /// Packs a network for the best level of this processor, or the one that [`SIMD_VARIABLE`] names.
    ///
    /// # Errors
    /// If the network is not valid ([`NetWeights::validate`]) or the variable names a level that isn't there.
    pub fn new(weights: &NetWeights) -> Result<Self, KernelError> {
        let variable = std::env::var_os(SIMD_VARIABLE);
        let level = choose_level(variable.as_ref().map(|name| name.to_string_lossy()).as_deref())?;
        Self::with_level(weights, level)
    }

    /// Packs a network for a given level.
    ///
    /// # Errors
    /// If the network is not valid ([`NetWeights::validate`]) or this processor doesn't have the level.
    pub fn with_level(weights: &NetWeights, level: SimdLevel) -> Result<Self, KernelError> {
        weights.validate()?;
        let unavailable = || KernelError::Unavailable { wanted: level, best: SimdLevel::best() };
        let backend = Backend::new(level).ok_or_else(unavailable)?;
        let (first, later) = weights.layers.split_first().expect("a valid network has a layer");
        let (middle, last) = match later.split_last() {
            Some((last, middle)) => (middle, Some(pack_last(last, backend.lanes()))),
            None => (&[][..], None),
        };
        let middle = middle.iter().map(|layer| pack_middle(layer, backend.panel())).collect();
        Ok(Self { backend, first: pack_first(first, backend.lanes()), middle, last })
    }

    /// The level that the network is packed for.
    #[must_use]
    pub fn level(&self) -> SimdLevel {
        self.backend.level()
    }

    /// Runs plain code with the instructions of the net's level.
    #[inline]
    pub fn run(&self, code: impl PlainCode) {
        simd::run(self.backend, code);
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.first.inputs
    }

    /// Floats per row of first-layer sums: the width of the first layer, padded to a multiple of 16. Rows of sums
    /// should start on a cache line, as in an [`AlignedBuf`].
    #[must_use]
    pub fn stride(&self) -> usize {
        self.first.stride
    }

    /// The first layer's sums of a position whose inputs are all 0; [`PackedNet::stride`] floats.
    #[must_use]
    pub fn bias(&self) -> &[f32] {
        &self.first.bias
    }

    /// The first layer's sums when input `i` grows by `scale`, for each `(i, scale)` in `changes`:
    /// `out = base + Σ scale · row(i)`. `base` is [`PackedNet::bias`] or the sums of another position.
    ///
    /// # Panics
    /// If `base` or `out` doesn't have [`PackedNet::stride`] floats, or there is no such input.
    #[inline]
    pub fn accumulate(&self, base: &[f32], changes: &[(u16, f32)], out: &mut [f32]) {
        simd::accumulate(self.backend, &self.first, base, changes, &[changes.len()], out);
    }

    /// As [`PackedNet::accumulate`], for several positions with the same base, which is faster than one by one: the
    /// changes of the first position are `changes[..ends[0]]`, those of the next one `changes[ends[0]..ends[1]]` …
    /// The sums follow each other in `out`, [`PackedNet::stride`] apart.
    ///
    /// # Panics
    /// If `base` doesn't have [`PackedNet::stride`] floats or `out` that many per position, if `ends` goes down or
    /// beyond the changes, or if there is no such input.
    pub fn accumulate_rows(&self, base: &[f32], changes: &[(u16, f32)], ends: &[usize], out: &mut [f32]) {
        simd::accumulate(self.backend, &self.first, base, changes, ends, out);
    }

    /// The chances of the six outcomes, for the side on roll, of `n` positions whose first-layer sums follow each
    /// other in `sums`, [`PackedNet::stride`] apart. Bit `i` of a position's mask set means that outcome `i` is
    /// possible; the others get exactly 0.
    ///
    /// # Panics
    /// If `sums`, `masks` or `out` hold fewer than `n` positions.
    pub fn forward_rows(
        &self,
        sums: &[f32],
        n: usize,
        masks: Option<&[u8]>,
        scratch: &mut Scratch,
        out: &mut [[f32; NUM_OUTCOMES]],
    ) {
        let backend = self.backend;
        let sums = &sums[..n * self.first.stride];
        let out = &mut out[..n];
        let masks = masks.map(|masks| &masks[..n]);
        let Some(last) = &self.last else {
            return simd::softmax(backend, sums, self.first.stride, masks, out);
        };
        let Scratch { hidden: [from, to], logits, active } = scratch;
        for (index, layer) in self.middle.iter().enumerate() {
            to.grow(n * layer.outputs);
            if index == 0 {
                from.grow(n * layer.inputs);
                simd::activate(backend, sums, n, layer.inputs, Some(from), active);
            } else {
                simd::activate(backend, from, n, layer.inputs, None, active);
            }
            simd::middle(backend, layer, from, n, active, to);
            std::mem::swap(from, to);
        }
        logits.grow(n * LOGIT_STRIDE);
        let input = if self.middle.is_empty() { sums } else { from };
        simd::last(backend, last, input, n, logits);
        simd::softmax(backend, logits, LOGIT_STRIDE, masks, out);
    }
}

/// The level that the environment variable names, or the best one if it isn't set.
fn choose_level(variable: Option<&str>) -> Result<SimdLevel, simd::ParseSimdLevelError> {
    variable.map_or(Ok(SimdLevel::best()), str::parse)
}

pub(super) fn pack_first(layer: &Layer, lanes: usize) -> FirstLayer {
    let stride = layer.outputs.next_multiple_of(PAD);
    let vectors = stride / lanes;
    // An odd number of cache lines: with a power of two, the same columns of all rows would share a few cache sets.
    let row_stride = stride + PAD * usize::from((stride / PAD).is_multiple_of(2));
    let mut rows = AlignedBuf::zeroed(layer.inputs * row_stride);
    for (packed, row) in rows.chunks_exact_mut(row_stride).zip(layer.weights.chunks_exact(layer.outputs)) {
        packed[..row.len()].copy_from_slice(row);
    }
    FirstLayer {
        rows,
        bias: pad(&layer.bias, stride),
        inputs: layer.inputs,
        stride,
        row_stride,
        // As many passes as it takes, all of about the same width.
        pass: vectors.div_ceil(vectors.div_ceil(MAX_SUMS)) * lanes,
    }
}

pub(super) fn pack_middle(layer: &Layer, panel: usize) -> MiddleLayer {
    let inputs = layer.inputs.next_multiple_of(PAD);
    let outputs = layer.outputs.next_multiple_of(PAD);
    let mut panels = AlignedBuf::zeroed(inputs * outputs);
    for (i, row) in layer.weights.chunks_exact(layer.outputs).enumerate() {
        for (p, part) in row.chunks(panel).enumerate() {
            let column = p * panel;
            let width = panel.min(outputs - column);
            let start = column * inputs + i * width;
            panels[start..start + part.len()].copy_from_slice(part);
        }
    }
    MiddleLayer { panels, bias: pad(&layer.bias, outputs), inputs, outputs }
}

pub(super) fn pack_last(layer: &Layer, lanes: usize) -> LastLayer {
    let inputs = layer.inputs.next_multiple_of(PAD);
    let mut groups = AlignedBuf::zeroed(inputs * NUM_OUTCOMES);
    for (i, row) in layer.weights.chunks_exact(NUM_OUTCOMES).enumerate() {
        let group = i / lanes * lanes * NUM_OUTCOMES;
        for (outcome, &weight) in row.iter().enumerate() {
            groups[group + outcome * lanes + i % lanes] = weight;
        }
    }
    let mut bias = [0.0; LOGIT_STRIDE];
    bias[..NUM_OUTCOMES].copy_from_slice(&layer.bias);
    LastLayer { groups, bias, inputs }
}

fn pad(values: &[f32], len: usize) -> AlignedBuf {
    let mut padded = AlignedBuf::zeroed(len);
    padded[..values.len()].copy_from_slice(values);
    padded
}

#[cfg(test)]
mod tests;
