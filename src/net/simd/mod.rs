//! The arithmetic of the kernel for each kind of processor, chosen at run time.
//!
//! `scalar` is always compiled and is the reference; `avx2` and `avx512` share the loops of `x86` and differ in
//! the vector type. This is the only module of the crate that may hold `unsafe` code: intrinsics need it.
//! Everything that leaves this module is safe: each function checks the lengths that the loops rely on, and a
//! `Backend` exists only for a level that the processor has.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod peak;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_softmax;

pub use peak::spin_multiply_adds;

use super::aligned::AlignedBuf;
use super::weights::NUM_OUTCOMES;
use std::fmt;
use std::str::FromStr;

/// Widths of layers are padded with zeros to a multiple of this: the widest vector, and one cache line.
pub(super) const PAD: usize = 16;

/// Rows of an output block: the number of candidates that share each load of a weight.
pub const BLOCK_ROWS: usize = 6;

/// Floats per row of logits: [`NUM_OUTCOMES`], padded to one AVX2 vector.
pub(super) const LOGIT_STRIDE: usize = 8;

/// A set of vector instructions that the kernel knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SimdLevel {
    /// Plain Rust, on every processor.
    Portable,
    /// AVX2 and FMA, and the instructions on single words that came before them (BMI, LZCNT, POPCNT): 8 floats at once.
    Avx2,
    /// AVX-512F and VL besides AVX2 and FMA: 16 floats at once.
    Avx512,
}

impl SimdLevel {
    /// Every level, slowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// True if this processor has the level.
    #[must_use]
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            match self {
                Self::Portable => true,
                Self::Avx2 => avx2,
                Self::Avx512 => avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }

    /// The fastest level that this processor has.
    #[must_use]
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(Self::Portable)
    }
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        })
    }
}

/// A text that is no [`SimdLevel`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no SIMD level; it needs to be one of portable, avx2, avx512")]
pub struct ParseSimdLevelError(String);

impl FromStr for SimdLevel {
    type Err = ParseSimdLevelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = |level: &Self| level.to_string() == text;
        Self::ALL.into_iter().find(named).ok_or_else(|| ParseSimdLevelError(text.into()))
    }
}

/// A level that this processor is known to have. That it can't be made otherwise makes the calls below sound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backend(SimdLevel);

impl Backend {
    pub(super) fn new(level: SimdLevel) -> Option<Self> {
        level.is_available().then_some(Self(level))
    }

    pub(super) fn level(self) -> SimdLevel {
        self.0
    }

    /// Columns of a weight panel of a middle layer: as many as the accumulators of one block cover.
    pub(super) fn panel(self) -> usize {
        match self.0 {
            SimdLevel::Portable | SimdLevel::Avx2 => 16,
            SimdLevel::Avx512 => 64,
        }
    }

    /// Inputs that the last layer takes at once.
    pub(super) fn lanes(self) -> usize {
        match self.0 {
            SimdLevel::Portable | SimdLevel::Avx2 => 8,
            SimdLevel::Avx512 => 16,
        }
    }
}

/// The first layer: for each input a row of `stride` floats; the rows lie `row_stride` apart.
#[derive(Clone, Debug)]
pub(super) struct FirstLayer {
    pub(super) rows: AlignedBuf,
    pub(super) bias: AlignedBuf,
    pub(super) inputs: usize,
    pub(super) stride: usize,
    pub(super) row_stride: usize,
    /// Columns summed in one pass over the changes: a multiple of [`Backend::lanes`], at most [`MAX_SUMS`] times that.
    pub(super) pass: usize,
}

/// Most vectors of sums in one pass of [`accumulate`]: enough to hide the latency, few enough for 16 registers.
pub(super) const MAX_SUMS: usize = 12;

/// A layer between hidden layers. Its panels of [`Backend::panel`] columns (the last one may be narrower) follow
/// each other; inside a panel, the columns of input 0, of input 1, and so on.
#[derive(Clone, Debug)]
pub(super) struct MiddleLayer {
    pub(super) panels: AlignedBuf,
    pub(super) bias: AlignedBuf,
    /// Padded to a multiple of [`PAD`].
    pub(super) inputs: usize,
    /// Padded to a multiple of [`PAD`].
    pub(super) outputs: usize,
}

/// The last layer, transposed: for each group of [`Backend::lanes`] inputs, the weights of outcome 0, of outcome 1 …
#[derive(Clone, Debug)]
pub(super) struct LastLayer {
    pub(super) groups: AlignedBuf,
    pub(super) bias: [f32; LOGIT_STRIDE],
    /// Padded to a multiple of [`PAD`].
    pub(super) inputs: usize,
}

/// The numbers of the active inputs (above 0 in any row) of each block of rows.
#[derive(Clone, Debug, Default)]
pub(super) struct ActiveInputs {
    /// `inputs + SLACK` places per block; every number in use is below `inputs`.
    indices: Vec<u32>,
    lens: Vec<usize>,
    inputs: usize,
    rows: usize,
}

impl ActiveInputs {
    /// The lists are written eight places at a time.
    const SLACK: usize = 8;

    fn reset(&mut self, rows: usize, inputs: usize) {
        let blocks = rows.div_ceil(BLOCK_ROWS);
        let places = blocks * (inputs + Self::SLACK);
        if self.indices.len() < places {
            self.indices.resize(places, 0);
        }
        if self.lens.len() < blocks {
            self.lens.resize(blocks, 0);
        }
        (self.rows, self.inputs) = (rows, inputs);
    }

    fn list(&self, block: usize) -> &[u32] {
        &self.indices[block * (self.inputs + Self::SLACK)..][..self.lens[block]]
    }

    fn list_mut(&mut self, block: usize) -> (&mut [u32], &mut usize) {
        let places = self.inputs + Self::SLACK;
        (&mut self.indices[block * places..][..places], &mut self.lens[block])
    }
}

/// `n` rows cut into blocks of nearly equal size, none above [`BLOCK_ROWS`]: (first row, number of rows).
fn blocks(n: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    let count = n.div_ceil(BLOCK_ROWS);
    (0..count).map(move |i| {
        let start = i * n / count;
        (start, (i + 1) * n / count - start)
    })
}

/// Plain code that is compiled once for each level, as far as it is inlined: counting and shifting bits, say, takes many
/// instructions on the oldest processors and one on others. (A closure would do if it could be inlined for certain.)
pub trait PlainCode {
    /// Does what there is to do; should be `#[inline(always)]`, and so should what it calls.
    fn run(self);
}

/// Calls the function of the chosen level.
macro_rules! dispatch {
    ($backend:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $backend.0 {
            SimdLevel::Portable => scalar::$function($($argument),*),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Backend` of this level exists only if the processor has AVX2, FMA and what came before them.
            SimdLevel::Avx2 => unsafe { avx2::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Backend` of this level exists only if the processor has AVX-512F and VL, and all of AVX2's level.
            SimdLevel::Avx512 => unsafe { avx512::$function($($argument),*) },
            #[cfg(not(target_arch = "x86_64"))]
            SimdLevel::Avx2 | SimdLevel::Avx512 => unreachable!("no backend of an absent level exists"),
        }
    };
}

/// Runs plain code compiled for the level.
pub(super) fn run(backend: Backend, code: impl PlainCode) {
    dispatch!(backend, run(code));
}

/// `out = base + Σ scale · row` for each stretch of `changes`; `ends` says where the stretches end.
pub(super) fn accumulate(
    backend: Backend,
    layer: &FirstLayer,
    base: &[f32],
    changes: &[(u16, f32)],
    ends: &[usize],
    out: &mut [f32],
) {
    let FirstLayer { inputs, stride, row_stride, .. } = *layer;
    assert_eq!(base.len(), stride, "base needs one number per padded unit of the first layer");
    assert_eq!(out.len(), ends.len() * stride, "out needs one number per position and padded unit");
    assert!(stride.is_multiple_of(PAD) && row_stride >= stride && layer.rows.len() >= inputs * row_stride);
    let highest = changes.iter().fold(0, |highest, change| change.0.max(highest));
    assert!(usize::from(highest) < inputs, "input {highest} of a network with {inputs} inputs");
    dispatch!(backend, accumulate(layer, base, changes, ends, out));
}

/// Lists the units that are above 0 per block of rows, and writes `out = max(sums, 0)` if there is an `out`.
pub(super) fn activate(
    backend: Backend,
    sums: &[f32],
    n: usize,
    stride: usize,
    out: Option<&mut [f32]>,
    active: &mut ActiveInputs,
) {
    assert!(stride.is_multiple_of(PAD) && sums.len() >= n * stride);
    assert!(out.as_ref().is_none_or(|out| out.len() >= n * stride));
    active.reset(n, stride);
    dispatch!(backend, activate(sums, n, stride, out, active));
}

/// A middle layer for `n` rows, ReLU included. `active` must come from [`activate`] on the same `input`.
pub(super) fn middle(
    backend: Backend,
    layer: &MiddleLayer,
    input: &[f32],
    n: usize,
    active: &ActiveInputs,
    out: &mut [f32],
) {
    assert!(layer.inputs.is_multiple_of(PAD) && layer.outputs.is_multiple_of(PAD));
    assert!(input.len() >= n * layer.inputs && out.len() >= n * layer.outputs);
    assert!(layer.panels.len() >= layer.inputs * layer.outputs && layer.bias.len() >= layer.outputs);
    assert_eq!((active.rows, active.inputs), (n, layer.inputs), "active inputs of another call");
    dispatch!(backend, middle(layer, input, n, active, out));
}

/// The last layer for `n` rows of ReLU(`input`): [`LOGIT_STRIDE`] floats per row, of which the first six count.
pub(super) fn last(backend: Backend, layer: &LastLayer, input: &[f32], n: usize, logits: &mut [f32]) {
    assert!(layer.inputs.is_multiple_of(PAD) && layer.groups.len() >= layer.inputs * NUM_OUTCOMES);
    assert!(input.len() >= n * layer.inputs && logits.len() >= n * LOGIT_STRIDE);
    dispatch!(backend, last(layer, input, n, logits));
}

/// Softmax of each row of `logits`, which lie `stride` apart, over the outcomes that the row's mask allows.
pub(super) fn softmax(
    backend: Backend,
    logits: &[f32],
    stride: usize,
    masks: Option<&[u8]>,
    out: &mut [[f32; NUM_OUTCOMES]],
) {
    assert!(stride >= LOGIT_STRIDE && logits.len() >= out.len() * stride);
    assert!(masks.is_none_or(|masks| masks.len() == out.len()), "one mask per row");
    dispatch!(backend, softmax(logits, stride, masks, out));
}
