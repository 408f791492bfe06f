//! The models that are built in, and those given on the command line.

use nardy::eval::{Model, ModelError};
use nardy::net::ModelFile;
use nardy::protocol::ModelEngine;
use std::path::PathBuf;

/// The built-in model of short nardy.
pub const SHORT: &[u8] = include_bytes!("../../../models/short.safetensors");
/// The built-in model of long nardy.
pub const LONG: &[u8] = include_bytes!("../../../models/long.safetensors");

/// An engine with the built-in models, each replaced by a given file that plays the same game.
///
/// # Errors
/// If a file can't be read or used.
pub fn engine(files: &[PathBuf]) -> Result<ModelEngine, ModelError> {
    let mut engine = ModelEngine::new();
    for bytes in [SHORT, LONG] {
        engine = engine.with(Model::new(&ModelFile::from_bytes(bytes)?)?);
    }
    for path in files {
        engine = engine.with(Model::load(path)?);
    }
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use nardy::protocol::Engine;
    use nardy::{position::Position, rules::Rules};

    #[test]
    fn both_games_are_built_in() {
        let mut engine = super::engine(&[]).unwrap();
        for rules in [Rules::SHORT, Rules::LONG] {
            let chances = engine.evaluate(Position::start(rules.game), &rules).unwrap();
            assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
}
