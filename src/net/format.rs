//! The model file: a safetensors file that holds one network or several, and says what they are for.
//!
//! - Tensors: `<phase>.<layer>.weight` of shape `[inputs, outputs]` and `<phase>.<layer>.bias` of shape `[outputs]`, layers
//!   counted from 0, 32-bit floats: `y = x · weight + bias`.
//! - Metadata: the one entry `nardy`, a JSON object with sorted keys: everything in [`ModelMeta`], the `format` version,
//!   the `phases` with their layer sizes, and `sha256`. One entry, because the order of several would be random.
//! - `sha256` is taken over that JSON text without its `sha256` key, followed by name and bytes of each tensor in the
//!   order of their names.
//!
//! The same contents give the same bytes. From Python:
//! ```python
//! with safetensors.safe_open("model.safetensors", "numpy") as f:
//!     about, first = json.loads(f.metadata()["nardy"]), f.get_tensor("all.0.weight")
//! ```

use super::weights::{Layer, MAX_LAYERS, NetWeights, WeightsError};
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};
use safetensors::{SafeTensors, serialize};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Version of the file format that this crate reads and writes.
pub const FORMAT_VERSION: u64 = 1;

/// Name of the only network of a file that doesn't tell phases apart.
pub const DEFAULT_PHASE: &str = "all";

/// Key of the metadata entry that makes a safetensors file one of ours.
const METADATA_KEY: &str = "nardy";

/// Longest header that the safetensors format allows, in bytes.
const MAX_HEADER: u64 = 100_000_000;

/// Most phases of a file, and most letters of a phase's name.
const MAX_PHASES: usize = 16;
const MAX_PHASE_NAME: usize = 32;

/// What a model is for and where it comes from. To this module, all of it is text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelMeta {
    /// The game that the networks play, e.g. `short`.
    pub game: String,
    /// The rule preset that they were trained with.
    pub rules: String,
    /// Name of the feature layout of their inputs.
    pub features: String,
    /// Version of that layout.
    pub features_version: u32,
    /// Hash of the training configuration; empty if unknown.
    pub config_hash: String,
    /// Number of self-play games that they have learned from.
    pub games: u64,
    /// Commit of the code that trained them; empty if unknown.
    pub commit: String,
    /// Anything else.
    pub notes: String,
}

/// The contents of a model file.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFile {
    /// What the networks are for.
    pub meta: ModelMeta,
    /// The networks, each with the name of the phase of the game that it plays; [`DEFAULT_PHASE`] if it plays all.
    /// Names are 1 to 32 letters out of `a-z`, `0-9`, `_`, `-`.
    pub nets: Vec<(String, NetWeights)>,
}

/// What a program needs a model to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs<'a> {
    /// The game, as in [`ModelMeta::game`].
    pub game: &'a str,
    /// The feature layout, as in [`ModelMeta::features`].
    pub features: &'a str,
    /// The version of the layout, as in [`ModelMeta::features_version`].
    pub features_version: u32,
    /// The number of features, which each network must have as inputs.
    pub inputs: usize,
}

/// Why a model file was refused or couldn't be written.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// One of the other reasons, with the file's name.
    #[error("model file {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: Box<FormatError>,
    },
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Not a safetensors file at all.
    #[error("this is not a safetensors file ({found}); a model file saved by nardy is needed")]
    NotSafetensors {
        /// What was found instead.
        found: String,
    },
    /// The file ends too early, or goes on after its end.
    #[error("the file is cut off or has been added to: it has {found} bytes, but its header asks for {expected}")]
    Length {
        /// Bytes that the header asks for.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// The header of the safetensors file makes no sense.
    #[error("the file's header is damaged ({0}); an intact copy is needed")]
    Header(#[source] SafeTensorError),
    /// A safetensors file of another program.
    #[error("this safetensors file is not one of nardy's: its metadata has {found} instead of the entry `nardy`")]
    Foreign {
        /// The entries of its metadata.
        found: String,
    },
    /// The metadata lacks something or has something of the wrong kind.
    #[error("the file's metadata is incomplete or damaged: {0}")]
    Metadata(#[source] serde_json::Error),
    /// Written by another version of the format.
    #[error("the file has format version {found}; this program reads version {FORMAT_VERSION}")]
    Version {
        /// Version found.
        found: String,
    },
    /// The names of the phases can't be used.
    #[error("the file's phases are {found:?}; 1 to 16 different names out of a-z, 0-9, _ and - are needed")]
    Phases {
        /// The names found.
        found: Vec<String>,
    },
    /// The file has other tensors than its metadata says.
    #[error("the file's tensors are {found}; its metadata asks for {expected}")]
    Tensors {
        /// Names of tensors that are missing in the metadata.
        found: String,
        /// Names of tensors that are missing in the file.
        expected: String,
    },
    /// A tensor of the wrong shape or type.
    #[error("tensor {name} is {found}; its metadata asks for {expected}")]
    Shape {
        /// Name of the tensor.
        name: String,
        /// Type and shape found.
        found: String,
        /// Type and shape needed.
        expected: String,
    },
    /// The contents don't have the checksum that the file was written with.
    #[error("the file is damaged: its contents have the checksum {found}, but {expected} was recorded")]
    Checksum {
        /// SHA-256 of the contents.
        found: String,
        /// SHA-256 that was recorded.
        expected: String,
    },
    /// A network that can't be used.
    #[error("network `{phase}` can't be used: {source}")]
    Weights {
        /// The network's phase.
        phase: String,
        /// What is wrong with it.
        source: WeightsError,
    },
    /// A sound model, but not the one that is needed.
    #[error("the model's {what} is {found}, but {needed} is needed")]
    Unsuitable {
        /// The property that doesn't fit.
        what: &'static str,
        /// What the model has.
        found: String,
        /// What is needed.
        needed: String,
    },
}

/// The JSON object in the metadata.
#[derive(Serialize, Deserialize)]
struct About {
    format: u64,
    #[serde(flatten)]
    meta: ModelMeta,
    phases: Vec<Phase>,
}

#[derive(Serialize, Deserialize)]
struct Phase {
    name: String,
    sizes: Vec<usize>,
}

/// Name, shape and bytes of each tensor, in the order of the names.
type Tensors<'a> = BTreeMap<String, (Vec<usize>, std::borrow::Cow<'a, [u8]>)>;

impl ModelFile {
    /// A file with one network for all phases of the game.
    #[must_use]
    pub fn single(meta: ModelMeta, net: NetWeights) -> Self {
        Self { meta, nets: vec![(DEFAULT_PHASE.into(), net)] }
    }

    /// The network of a phase.
    #[must_use]
    pub fn net(&self, phase: &str) -> Option<&NetWeights> {
        self.nets.iter().find(|(name, _)| name == phase).map(|(_, net)| net)
    }

    /// Checks that the model is one for this game and these features.
    ///
    /// # Errors
    /// [`FormatError::Unsuitable`], naming the first property that doesn't fit.
    pub fn require(&self, needs: &Needs<'_>) -> Result<(), FormatError> {
        let meta = &self.meta;
        let same = |what, found: String, needed: String| match found == needed {
            true => Ok(()),
            false => Err(FormatError::Unsuitable { what, found, needed }),
        };
        let layout = |name: &str, version: u32| format!("{name} version {version}");
        same("game", meta.game.clone(), needs.game.into())?;
        let found = layout(&meta.features, meta.features_version);
        same("feature layout", found, layout(needs.features, needs.features_version))?;
        self.nets
            .iter()
            .try_for_each(|(_, net)| same("number of inputs", net.inputs().to_string(), needs.inputs.to_string()))
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If the file can't be read, or is not an intact model file of this version; says what was found and needed.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FormatError> {
        let path = path.as_ref();
        let parsed = fs::read(path).map_err(FormatError::Io).and_then(|bytes| Self::from_bytes(&bytes));
        parsed.map_err(|reason| reason.at(path))
    }

    /// Writes a model file: under a temporary name first, so that there is never half a file under `path`.
    ///
    /// # Errors
    /// If the contents are not valid or the file can't be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FormatError> {
        let path = path.as_ref();
        let written = self.to_bytes().and_then(|bytes| Ok(write_atomically(path, &bytes)?));
        written.map_err(|reason| reason.at(path))
    }

    /// The bytes of a model file; the same contents give the same bytes.
    ///
    /// # Errors
    /// If a network is not valid or the names of the phases can't be used.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        check_phases(self.nets.iter().map(|(name, _)| name))?;
        let mut tensors = Tensors::new();
        for (phase, net) in &self.nets {
            check_net(phase, net)?;
            for (index, layer) in net.layers.iter().enumerate() {
                let [weight, bias] = tensor_names(phase, index);
                tensors.insert(weight, (vec![layer.inputs, layer.outputs], to_le_bytes(&layer.weights).into()));
                tensors.insert(bias, (vec![layer.outputs], to_le_bytes(&layer.bias).into()));
            }
        }
        let phases = self.nets.iter().map(|(name, net)| Phase { name: name.clone(), sizes: net.sizes() });
        let about = About { format: FORMAT_VERSION, meta: self.meta.clone(), phases: phases.collect() };
        let mut about = serde_json::to_value(about).map_err(FormatError::Metadata)?;
        about["sha256"] = checksum(&mut about, &tensors).into();
        about.sort_all_objects();
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), about.to_string())]);
        let views = tensors
            .iter()
            .map(|(name, (shape, bytes))| Ok((name, TensorView::new(Dtype::F32, shape.clone(), bytes)?)))
            .collect::<Result<Vec<_>, _>>();
        views.and_then(|views| serialize(views, Some(metadata))).map_err(FormatError::Header)
    }

    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// If they are not those of an intact model file of this version; says what was found and needed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        check_header(bytes)?;
        let file = SafeTensors::deserialize(bytes).map_err(|error| header_error(error, bytes))?;
        let (mut raw, about) = read_metadata(bytes)?;
        check_phases(about.phases.iter().map(|phase| &phase.name))?;
        let tensors = read_tensors(&file, &about.phases)?;

        let recorded = raw.as_object_mut().and_then(|object| object.remove("sha256"));
        let expected = recorded.as_ref().and_then(Value::as_str).unwrap_or("none").to_owned();
        let found = checksum(&mut raw, &tensors);
        if found != expected {
            return Err(FormatError::Checksum { found, expected });
        }
        let nets = about.phases.into_iter().map(|phase| {
            let net = to_net(&phase, &tensors);
            check_net(&phase.name, &net)?;
            Ok((phase.name, net))
        });
        Ok(Self { nets: nets.collect::<Result<_, FormatError>>()?, meta: about.meta })
    }
}

impl FormatError {
    fn at(self, path: &Path) -> Self {
        Self::File { path: path.into(), reason: Box::new(self) }
    }
}

fn check_phases<'a>(names: impl Iterator<Item = &'a String> + Clone) -> Result<(), FormatError> {
    let letter = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_' || c == b'-';
    let good = |name: &String| (1..=MAX_PHASE_NAME).contains(&name.len()) && name.bytes().all(letter);
    let count = names.clone().count();
    let different: std::collections::BTreeSet<_> = names.clone().collect();
    if (1..=MAX_PHASES).contains(&count) && different.len() == count && names.clone().all(good) {
        return Ok(());
    }
    Err(FormatError::Phases { found: names.take(MAX_PHASES + 1).cloned().collect() })
}

fn check_net(phase: &str, net: &NetWeights) -> Result<(), FormatError> {
    net.validate().map_err(|source| FormatError::Weights { phase: phase.into(), source })
}

fn tensor_names(phase: &str, layer: usize) -> [String; 2] {
    ["weight", "bias"].map(|kind| format!("{phase}.{layer}.{kind}"))
}

fn to_le_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn from_le_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect()
}

/// SHA-256 of the metadata (without checksum) and the tensors, in hexadecimal.
fn checksum(about: &mut Value, tensors: &Tensors<'_>) -> String {
    // The keys are sorted already, unless another crate switches serde_json to keep their order.
    about.sort_all_objects();
    let mut hasher = Sha256::new();
    hasher.update(about.to_string());
    for (name, (_, bytes)) in tensors {
        hasher.update(name);
        hasher.update(bytes);
    }
    hasher.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Tells other files and cut-off files apart, which the library's errors don't.
fn check_header(bytes: &[u8]) -> Result<(), FormatError> {
    let Some((length, rest)) = bytes.split_first_chunk() else {
        return Err(FormatError::NotSafetensors { found: format!("it has only {} bytes", bytes.len()) });
    };
    let length = u64::from_le_bytes(*length);
    if length > MAX_HEADER || rest.first().is_some_and(|&first| first != b'{') {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(16)]).into_owned();
        return Err(FormatError::NotSafetensors { found: format!("it starts with {start:?}") });
    }
    let (expected, found) = (8 + length, bytes.len() as u64);
    if found < expected { Err(FormatError::Length { expected, found }) } else { Ok(()) }
}

fn header_error(error: SafeTensorError, bytes: &[u8]) -> FormatError {
    let found = bytes.len() as u64;
    match error {
        SafeTensorError::MetadataIncompleteBuffer => match expected_length(bytes) {
            Some(expected) if expected != found => FormatError::Length { expected, found },
            _ => FormatError::Header(error),
        },
        error => FormatError::Header(error),
    }
}

/// Length of the whole file according to its header.
fn expected_length(bytes: &[u8]) -> Option<u64> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = u64::from_le_bytes(*length);
    let header: HashMap<String, Value> = serde_json::from_slice(rest.get(..usize::try_from(length).ok()?)?).ok()?;
    let end = header.values().filter_map(|tensor| tensor.get("data_offsets")?.get(1)?.as_u64()).max()?;
    (8 + length).checked_add(end)
}

fn read_metadata(bytes: &[u8]) -> Result<(Value, About), FormatError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| header_error(error, bytes))?;
    let empty = HashMap::new();
    let entries = header.metadata().as_ref().unwrap_or(&empty);
    let Some(text) = entries.get(METADATA_KEY) else {
        let mut names: Vec<_> = entries.keys().map(String::as_str).collect();
        names.sort_unstable();
        let found = if names.is_empty() { "no entry".into() } else { names.join(", ") };
        return Err(FormatError::Foreign { found });
    };
    let raw: Value = serde_json::from_str(text).map_err(FormatError::Metadata)?;
    // The version comes first: another version may have other fields.
    if let Some(found) = raw.get("format").filter(|version| version.as_u64() != Some(FORMAT_VERSION)) {
        return Err(FormatError::Version { found: found.to_string() });
    }
    let about = About::deserialize(&raw).map_err(FormatError::Metadata)?;
    Ok((raw, about))
}

/// The tensors that the phases ask for; an error if there are others or their shapes differ.
fn read_tensors<'a>(file: &SafeTensors<'a>, phases: &[Phase]) -> Result<Tensors<'a>, FormatError> {
    let mut shapes = BTreeMap::new();
    for phase in phases {
        // More layers are refused anyway; no need to make names for them.
        for (index, pair) in phase.sizes.windows(2).take(MAX_LAYERS + 1).enumerate() {
            let [weight, bias] = tensor_names(&phase.name, index);
            shapes.insert(weight, pair.to_vec());
            shapes.insert(bias, vec![pair[1]]);
        }
    }
    let mut views: BTreeMap<String, TensorView<'a>> = file.tensors().into_iter().collect();
    if !views.keys().eq(shapes.keys()) {
        let list = |names: Vec<&String>| match &names[..] {
            [] => "fewer".to_owned(),
            [first] => format!("{first} besides"),
            [first, rest @ ..] => format!("{first} and {} more besides", rest.len()),
        };
        let found = list(views.keys().filter(|name| !shapes.contains_key(*name)).collect());
        let expected = list(shapes.keys().filter(|name| !views.contains_key(*name)).collect());
        return Err(FormatError::Tensors { found, expected });
    }
    let mut tensors = Tensors::new();
    for (name, shape) in shapes {
        let view = views.remove(&name).expect("the names are the same");
        if view.dtype() != Dtype::F32 || view.shape() != shape {
            let found = format!("{:?} {:?}", view.dtype(), view.shape());
            return Err(FormatError::Shape { name, found, expected: format!("F32 {shape:?}") });
        }
        tensors.insert(name, (shape, view.data().into()));
    }
    Ok(tensors)
}

/// The network of a phase, out of tensors that [`read_tensors`] has checked.
fn to_net(phase: &Phase, tensors: &Tensors<'_>) -> NetWeights {
    let numbers = |name: &String| tensors.get(name).map_or(Vec::new(), |(_, bytes)| from_le_bytes(bytes));
    let layer = |(index, pair): (usize, &[usize])| {
        let [weight, bias] = tensor_names(&phase.name, index);
        Layer { inputs: pair[0], outputs: pair[1], weights: numbers(&weight), bias: numbers(&bias) }
    };
    NetWeights { layers: phase.sizes.windows(2).enumerate().map(layer).collect() }
}

/// Writes beside `path` and renames: whoever reads `path` sees the old file or the new one, never a part.
///
/// # Errors
/// What the file system says; the old file is then untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| io::Error::other("the path doesn't name a file"))?;
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = format!(".{}.{}-{number}.tmp", name.to_string_lossy(), std::process::id());
    let temporary = path.with_file_name(temporary);
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        // The first error is the one to report; a leftover file does no harm.
        let _ = fs::remove_file(&temporary);
    })
}

/// A file that one owner at a time holds, in this process or another: until it is dropped or the process ends.
#[cfg(feature = "cli")]
#[derive(Debug)]
pub(crate) struct LockFile(File);

#[cfg(feature = "cli")]
impl LockFile {
    /// Makes the file if it is missing and takes it.
    ///
    /// # Errors
    /// `WouldBlock` if another holds it, or what the file system says.
    pub(crate) fn take(path: &Path) -> Result<Self, fs::TryLockError> {
        let file = File::create(path).map_err(fs::TryLockError::Error)?;
        file.try_lock()?;
        Ok(LockFile(file))
    }
}

#[cfg(feature = "cli")]
impl Drop for LockFile {
    /// Closing alone would not do: a program that is just being started still has the file open until it runs.
    fn drop(&mut self) {
        // Nothing can be done about an error, and the file is closed in a moment anyway.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests;
