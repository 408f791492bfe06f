//! A directory of its own for each test that writes files.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// An empty directory that is removed when the test ends.
pub(crate) struct TestDir(PathBuf);

impl TestDir {
    /// `name` must be unique among the tests.
    pub(crate) fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("nardy-{name}-{}", process::id()));
        // Left behind by a killed run that had the same process id.
        fs::remove_dir_all(&path).ok();
        fs::create_dir_all(&path).expect("the temporary directory is writable");
        TestDir(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}
