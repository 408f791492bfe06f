//! Networks as plain numbers: weights, their file format and the inference kernel. Knows nothing of nardy.

pub mod weights;

pub use weights::{Layer, NetWeights};
