//! Networks as plain numbers: weights, their file format and the inference kernel. Knows nothing of nardy.

mod aligned;
pub mod format;
pub mod kernel;
pub mod simd;
pub mod weights;

pub use aligned::AlignedBuf;
#[cfg(feature = "cli")]
pub(crate) use format::LockFile;
pub use format::{DEFAULT_PHASE, FormatError, ModelFile, ModelMeta, Needs, write_atomically};
pub use kernel::{KernelError, PackedNet, Scratch};
pub use simd::{BLOCK_ROWS, PlainCode, SimdLevel, spin_multiply_adds};
pub use weights::{ALL_OUTCOMES, Layer, NUM_OUTCOMES, NetWeights, WeightsError};
