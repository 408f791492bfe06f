//! Small random networks, so that transcripts don't change when models do.

use nardy::eval::Model;
use nardy::features::Layout;
use nardy::net::{ModelFile, ModelMeta, NetWeights};
use nardy::protocol::{ModelEngine, Session, UntimedHost};
use std::path::{Path, PathBuf};

/// Seed of all sessions under test.
pub const SEED: u64 = 1;

/// The model files of both games.
pub fn model_files() -> Vec<ModelFile> {
    let file = |(game, layout): (&str, Layout)| {
        let meta = ModelMeta {
            game: game.into(),
            rules: game.into(),
            features: layout.name().into(),
            features_version: layout.version(),
            notes: "random weights, for tests".into(),
            ..ModelMeta::default()
        };
        ModelFile::single(meta, NetWeights::random(&[layout.num_inputs(), 16, 6], 7).unwrap())
    };
    [("short", Layout::Short), ("long", Layout::Long)].map(file).into()
}

/// An engine that plays both games.
pub fn engine() -> ModelEngine {
    model_files().iter().fold(ModelEngine::new(), |engine, file| engine.with(Model::new(file).unwrap(), None).unwrap())
}

/// A session before its first line, as the program has it with `--seed 1`.
pub fn session() -> Session {
    let mut session = Session::new(Box::new(engine()), Box::new(UntimedHost), SEED);
    session.handle(format!("set engine.seed {SEED}").as_bytes());
    session
}

/// A directory that is removed in the end.
pub struct TempDir(pub PathBuf);

impl TempDir {
    pub fn new(name: &str) -> TempDir {
        let path = std::env::temp_dir().join(format!("nardy-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        TempDir(path)
    }

    /// Writes the model files and returns the arguments that load them.
    pub fn model_args(&self) -> Vec<String> {
        let save = |(i, file): (usize, ModelFile)| {
            let path = self.0.join(format!("{i}.safetensors"));
            file.save(&path).unwrap();
            ["--model".into(), path.display().to_string()]
        };
        model_files().into_iter().enumerate().flat_map(save).collect()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
