//! The one place that makes a burn device. Everything else asks for a [`DeviceKind`].

use std::fmt;
use std::str::FromStr;

use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which of burn's processor backends computes the learning step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// `burn-ndarray`: matrix products by the crate `matrixmultiply`.
    NdArray,
    /// `burn-flex`: matrix products by the crate `gemm`.
    Flex,
}

impl DeviceKind {
    /// Both kinds, in the order of their declaration.
    pub const ALL: [DeviceKind; 2] = [DeviceKind::NdArray, DeviceKind::Flex];

    /// The name that configuration files use.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::NdArray => "ndarray",
            DeviceKind::Flex => "flex",
        }
    }
}

/// Flex: it was the faster one for every net and batch size measured by the bench `learn`.
impl Default for DeviceKind {
    fn default() -> Self {
        DeviceKind::Flex
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A device name that isn't one of [`DeviceKind::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected a device, \"ndarray\" or \"flex\", got {0:?}")]
pub struct UnknownDevice(pub String);

impl FromStr for DeviceKind {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        DeviceKind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| UnknownDevice(text.to_owned()))
    }
}

/// The processor device of the given kind, without autodiff.
///
/// Both backends are built without their `rayon` and `multi-threads` features and without a BLAS, so that every
/// operation runs on the calling thread, whatever `RAYON_NUM_THREADS` says and however many cores there are.
#[allow(deprecated)] // burn 0.22 is the last line with ndarray, and marks its constructor as deprecated.
pub fn device(kind: DeviceKind) -> Device {
    match kind {
        DeviceKind::NdArray => Device::ndarray(),
        DeviceKind::Flex => Device::flex(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_kinds_are_exact_inverses() {
        for kind in DeviceKind::ALL {
            assert_eq!(kind.to_string().parse::<DeviceKind>(), Ok(kind));
        }
        let error = "cuda".parse::<DeviceKind>().expect_err("there is no such backend here");
        assert!(error.to_string().contains("cuda"), "{error}");
    }
}
