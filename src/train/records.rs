//! Weights and Adam's state as burnpack records, checked before burn loads them.
//!
//! burn's loader of optimiser states skips what it can't use and believes the shapes it finds: a damaged file would
//! show as a reset optimiser or as a panic at the next step. So names, shapes and completeness are checked here.

use std::path::{Path, PathBuf};
use std::{fs, io};

use burn::module::Module;
use burn::optim::{ModuleOptimizer, OptimizerRecord};
use burn::store::ModuleRecord;
use burn::tensor::Bytes;
use burn_pack::{DType, Reader, Writer};
use thiserror::Error;

use super::model::{Mlp, bias_id, weight_id};

/// File name of the weights' record.
pub const MODEL_FILE: &str = "model.bpk";
/// File name of Adam's record.
pub const ADAM_FILE: &str = "adam.bpk";

/// A learner's state as two burnpack containers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// The weights.
    pub model: Vec<u8>,
    /// Adam's moments and step counts.
    pub adam: Vec<u8>,
}

/// A record that can't be written, read or used.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file system refused.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// Not a burnpack container, or a damaged one.
    #[error("expected the {record} record of a learner, got bytes that burnpack refuses: {reason}")]
    Format {
        /// `"model"` or `"adam"`.
        record: &'static str,
        /// burnpack's own words.
        reason: String,
    },
    /// A container of something else.
    #[error("expected the {record} record of a net {sizes:?}, got one that differs: {reason}")]
    Mismatch {
        /// `"model"` or `"adam"`.
        record: &'static str,
        /// The learner's sizes.
        sizes: Vec<usize>,
        /// The first difference.
        reason: String,
    },
}

impl Records {
    pub(crate) fn new(model: &Mlp, optimizer: &ModuleOptimizer) -> Result<Self, RecordError> {
        let format =
            |record| move |error: burn::store::RecordError| RecordError::Format { record, reason: error.to_string() };
        let model = model.clone().into_record().into_bytes().map_err(format("model"))?;
        let adam = optimizer.to_record().into_bytes().map_err(format("adam"))?;
        Ok(Records { model: model.to_vec(), adam: sorted(adam)? })
    }

    /// Writes both files into `dir`, which it creates.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), RecordError> {
        let io = |path: &Path, error| RecordError::Io { path: path.to_owned(), error };
        fs::create_dir_all(dir).map_err(|error| io(dir, error))?;
        for (name, bytes) in [(MODEL_FILE, &self.model), (ADAM_FILE, &self.adam)] {
            let path = dir.join(name);
            fs::write(&path, bytes).map_err(|error| io(&path, error))?;
        }
        Ok(())
    }

    /// Reads both files from `dir`; their contents are checked when a learner takes them over.
    ///
    /// # Errors
    /// Reports what the file system refuses.
    pub fn read(dir: &Path) -> Result<Self, RecordError> {
        let read = |name| {
            let path = dir.join(name);
            fs::read(&path).map_err(|error| RecordError::Io { path, error })
        };
        Ok(Records { model: read(MODEL_FILE)?, adam: read(ADAM_FILE)? })
    }

    /// Checks that both records belong to a net of these sizes and are complete.
    pub(crate) fn check(&self, sizes: &[usize]) -> Result<(), RecordError> {
        let mismatch = |record| move |reason| RecordError::Mismatch { record, sizes: sizes.to_vec(), reason };
        compare("model", &self.model, &model_tensors(sizes), &[])?.map_err(mismatch("model"))?;
        // Before the first step there is no state.
        if compare("adam", &self.adam, &[], &[])?.is_err() {
            let (tensors, numbers) = adam_contents(sizes);
            compare("adam", &self.adam, &tensors, &numbers)?.map_err(mismatch("adam"))?;
        }
        Ok(())
    }

    pub(crate) fn load_model(&self, blank: Mlp) -> Result<Mlp, RecordError> {
        ModuleRecord::from_bytes(Bytes::from_bytes_vec(self.model.clone()))
            .and_then(|record| blank.try_load_record(record))
            .map_err(|error| RecordError::Format { record: "model", reason: error.to_string() })
    }

    pub(crate) fn load_adam(&self, optimizer: ModuleOptimizer) -> Result<ModuleOptimizer, RecordError> {
        OptimizerRecord::from_bytes(Bytes::from_bytes_vec(self.adam.clone()))
            .map(|record| optimizer.load_record(record))
            .map_err(|error| RecordError::Format { record: "adam", reason: error.to_string() })
    }
}

/// A tensor that a record must hold: its name, its shape and the id of its parameter.
type Expected = (String, Vec<usize>, u64);

fn model_tensors(sizes: &[usize]) -> Vec<Expected> {
    parameters(sizes)
        .into_iter()
        .map(|(index, array, shape, id)| (format!("layers.{index}.{array}"), shape, id))
        .collect()
}

/// The tensors of Adam's record after at least one step, and its whole numbers with their values where they are known.
fn adam_contents(sizes: &[usize]) -> (Vec<Expected>, Vec<(String, Option<usize>)>) {
    let parameters = parameters(sizes);
    let moments = parameters.iter().flat_map(|(_, _, shape, id)| {
        [1, 2].map(|order| (format!("{id}.momentum.moment_{order}"), shape.clone(), *id))
    });
    let numbers = parameters.iter().flat_map(|(_, _, shape, id)| {
        [(format!("{id}.momentum.time"), None), (format!("{id}.__rank"), Some(shape.len()))]
    });
    (moments.collect(), numbers.collect())
}

/// Every parameter: layer, name, shape, id.
fn parameters(sizes: &[usize]) -> Vec<(usize, &'static str, Vec<usize>, u64)> {
    let layers = sizes.windows(2).enumerate();
    layers
        .flat_map(|(index, pair)| {
            let weights = (index, "weight", pair.to_vec(), weight_id(index).val());
            [weights, (index, "bias", vec![pair[1]], bias_id(index).val())]
        })
        .collect()
}

/// Compares a record's contents with what it must hold; the inner error is the first difference.
fn compare(
    record: &'static str,
    bytes: &[u8],
    expected: &[Expected],
    numbers: &[(String, Option<usize>)],
) -> Result<Result<(), String>, RecordError> {
    let format = |error: burn_pack::Error| RecordError::Format { record, reason: error.to_string() };
    let reader = Reader::from_bytes(Bytes::from_bytes_vec(bytes.to_vec())).map_err(format)?;
    let found = reader.scalars();
    if found.len() != numbers.len() {
        return Ok(Err(format!("{} numbers instead of {}", found.len(), numbers.len())));
    }
    for (name, value) in numbers {
        let got = found.get(name).and_then(|number| usize::try_from(*number).ok());
        if !got.is_some_and(|got| value.map_or(got > 0, |value| got == value)) {
            return Ok(Err(format!("{name} is {got:?}")));
        }
    }
    let tensors = reader.into_tensors().map_err(format)?;
    if tensors.len() != expected.len() {
        return Ok(Err(format!("{} tensors instead of {}", tensors.len(), expected.len())));
    }
    for (name, shape, id) in expected {
        let Some(tensor) = tensors.iter().find(|tensor| tensor.name == *name) else {
            return Ok(Err(format!("no tensor {name}")));
        };
        if tensor.shape.to_vec() != *shape || tensor.dtype != DType::F32 || tensor.param_id != Some(*id) {
            let (got, dtype, param) = (&tensor.shape, tensor.dtype, tensor.param_id);
            return Ok(Err(format!("{name} is {dtype:?} {got:?} of parameter {param:?}, not F32 {shape:?} of {id}")));
        }
    }
    Ok(Ok(()))
}

/// The same container with its tensors in the order of their names: burn writes them in a hash map's.
fn sorted(bytes: Bytes) -> Result<Vec<u8>, RecordError> {
    let format = |error: burn_pack::Error| RecordError::Format { record: "adam", reason: error.to_string() };
    let reader = Reader::from_bytes(bytes).map_err(format)?;
    let (scalars, metadata) = (reader.scalars().clone(), reader.metadata().clone());
    let mut writer = Writer::new(reader.into_tensors().map_err(format)?);
    for (name, value) in scalars {
        writer = writer.with_scalar(&name, value);
    }
    for (name, value) in metadata {
        writer = writer.with_metadata(&name, &value);
    }
    Ok(writer.into_bytes().map_err(format)?.to_vec())
}
