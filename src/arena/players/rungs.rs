//! The models of a training run, in the order in which they were trained.

use std::cmp::Ordering;
use std::io;
use std::path::{Path, PathBuf};

/// The model files of a directory, oldest first: of a training run its checkpoints and then its model, unless that is the network
/// of the last checkpoint; of any other directory all `.safetensors` files by name, numbers in names by their value.
///
/// # Errors
/// If the directory can't be read or holds no model.
pub fn rungs(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let checkpoints = directory.join("checkpoints");
    let mut found = Vec::new();
    if checkpoints.is_dir() {
        found = entries(&checkpoints)?.into_iter().map(|path| path.join("played.safetensors")).collect();
        found.retain(|path| path.is_file());
        let model = directory.join("model.safetensors");
        if model.is_file() && !found.last().is_some_and(|last| same_network(last, &model)) {
            found.push(model);
        }
    }
    if found.is_empty() {
        found = entries(directory)?;
        found.retain(|path| path.extension().is_some_and(|extension| extension == "safetensors"));
    }
    match found.is_empty() {
        true => Err(io::Error::new(io::ErrorKind::NotFound, "no .safetensors file in this directory")),
        false => Ok(found),
    }
}

/// Two model files hold the same weights, whatever else is said about them. What can't be read is not the same.
fn same_network(a: &Path, b: &Path) -> bool {
    // The length of the header in eight bytes, the header, the weights.
    let weights = |path: &Path| -> Option<Vec<u8>> {
        let bytes = std::fs::read(path).ok()?;
        let header = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
        Some(bytes.get(usize::try_from(header).ok()?.checked_add(8)?..)?.to_vec())
    };
    weights(a).is_some_and(|weights_a| Some(weights_a) == weights(b))
}

fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort_by(|a, b| by_value(&a.to_string_lossy(), &b.to_string_lossy()));
    Ok(paths)
}

/// Compares texts with the digits in them read as numbers: `m9` before `m10`.
fn by_value(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| -> Vec<(String, String)> {
        let mut parts: Vec<(String, String)> = vec![Default::default()];
        for c in text.chars() {
            let last = parts.len() - 1;
            match (c.is_ascii_digit(), parts[last].1.is_empty()) {
                (true, _) => parts[last].1.push(c),
                (false, true) => parts[last].0.push(c),
                (false, false) => parts.push((c.into(), String::new())),
            }
        }
        parts
    };
    let value = |digits: &str| (digits.trim_start_matches('0').len(), digits.trim_start_matches('0').to_string());
    for ((text_a, digits_a), (text_b, digits_b)) in parts(a).into_iter().zip(parts(b)) {
        let order = text_a.cmp(&text_b).then_with(|| value(&digits_a).cmp(&value(&digits_b)));
        if order != Ordering::Equal {
            return order;
        }
    }
    a.cmp(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_compared_by_value() {
        let mut names = ["m10", "m9", "m9b", "a2", "m009", "m"];
        names.sort_by(|a, b| by_value(a, b));
        assert_eq!(names, ["a2", "m", "m009", "m9", "m9b", "m10"]);
    }

    #[test]
    fn a_training_run_gives_its_checkpoints_and_then_its_model() {
        let run = std::env::temp_dir().join(format!("nardy-rungs-{}", std::process::id()));
        for name in ["checkpoints/c-10", "checkpoints/c-9", "checkpoints/empty"] {
            std::fs::create_dir_all(run.join(name)).unwrap();
        }
        let write = |name: &str, header: &str, weights: &str| {
            let length = (header.len() as u64).to_le_bytes();
            std::fs::write(run.join(name), [&length[..], header.as_bytes(), weights.as_bytes()].concat()).unwrap();
        };
        write("checkpoints/c-10/played.safetensors", "early", "some");
        write("checkpoints/c-9/played.safetensors", "early", "few");
        write("model.safetensors", "final", "many");
        let found = rungs(&run).unwrap();
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.strip_prefix(&run).unwrap().display().to_string()).collect()
        };
        assert_eq!(
            names(&found),
            ["checkpoints/c-9/played.safetensors", "checkpoints/c-10/played.safetensors", "model.safetensors"]
        );
        // A model that is the last checkpoint's network would be the same rung twice.
        write("model.safetensors", "final", "some");
        assert_eq!(names(&rungs(&run).unwrap()), names(&found[..2]));
        assert_eq!(names(&rungs(&run.join("checkpoints/c-9")).unwrap()), ["checkpoints/c-9/played.safetensors"]);
        assert!(rungs(&run.join("checkpoints/empty")).is_err());
        std::fs::remove_dir_all(run).unwrap();
    }
}
