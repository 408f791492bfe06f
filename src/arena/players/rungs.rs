//! The models of a training run, in the order in which they were trained.

use std::cmp::Ordering;
use std::io;
use std::path::{Path, PathBuf};

/// The model files of a directory, oldest first: of a training run its checkpoints and then its final model, of any other
/// directory all `.safetensors` files by name, numbers in names by their value.
///
/// # Errors
/// If the directory can't be read or holds no model.
pub fn rungs(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let checkpoints = directory.join("checkpoints");
    let mut found = Vec::new();
    if checkpoints.is_dir() {
        found = entries(&checkpoints)?.into_iter().map(|path| path.join("played.safetensors")).collect();
        found.push(directory.join("model.safetensors"));
        found.retain(|path| path.is_file());
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
        for name in ["checkpoints/c-10/played.safetensors", "checkpoints/c-9/played.safetensors", "model.safetensors"] {
            std::fs::write(run.join(name), "").unwrap();
        }
        let found = rungs(&run).unwrap();
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.strip_prefix(&run).unwrap().display().to_string()).collect()
        };
        assert_eq!(
            names(&found),
            ["checkpoints/c-9/played.safetensors", "checkpoints/c-10/played.safetensors", "model.safetensors"]
        );
        assert_eq!(names(&rungs(&run.join("checkpoints/c-9")).unwrap()), ["checkpoints/c-9/played.safetensors"]);
        assert!(rungs(&run.join("checkpoints/empty")).is_err());
        std::fs::remove_dir_all(run).unwrap();
    }
}
