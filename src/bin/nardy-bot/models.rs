//! The models that are built in, and those given on the command line. Each game has besides a small one, its filter, which
//! chooses the replies that the large one is shown when it looks ahead.

use nardy::eval::{Model, ModelError};
use nardy::net::ModelFile;
use nardy::protocol::ModelEngine;
use nardy::rules::Game;
use std::path::{Path, PathBuf};

/// The built-in model of short nardy.
pub const SHORT: &[u8] = include_bytes!("../../../models/short.safetensors");
/// The built-in model of long nardy.
pub const LONG: &[u8] = include_bytes!("../../../models/long.safetensors");
/// The filter of the model of short nardy.
pub const SHORT_FILTER: &[u8] = include_bytes!("../../../models/short-quick.safetensors");
/// The filter of the model of long nardy.
pub const LONG_FILTER: &[u8] = include_bytes!("../../../models/long-quick.safetensors");

/// An engine with the built-in models, each replaced by a given file that plays the same game. A given model has a filter only
/// if one of its game is given, too.
///
/// # Errors
/// If a file can't be read or used.
pub fn engine(files: &[PathBuf], filters: &[PathBuf]) -> Result<ModelEngine, ModelError> {
    let mut engine = ModelEngine::new();
    let mut filters = filters.iter().map(Model::load).collect::<Result<Vec<_>, _>>()?;
    for (model, filter) in [(SHORT, SHORT_FILTER), (LONG, LONG_FILTER)] {
        engine = engine.with(built_in(model)?, Some(built_in(filter)?))?;
    }
    for path in files {
        let model = Model::load(path)?;
        let place = filters.iter().position(|filter| filter.check_game(model.rules()).is_ok());
        engine = engine.with(model, place.map(|place| filters.swap_remove(place)))?;
    }
    Ok(engine)
}

/// A model with its filter: the built-in ones of a game, or the given files.
///
/// # Errors
/// If a file can't be read or used, or plays another game.
#[allow(dead_code, reason = "only the tool nardy asks for a single game")]
pub fn pair(game: Game, model: Option<&Path>, filter: Option<&Path>) -> Result<(Model, Option<Model>), ModelError> {
    let Some(model) = model else {
        let (model, filter) = match game {
            Game::Short => (SHORT, SHORT_FILTER),
            Game::Long => (LONG, LONG_FILTER),
        };
        return Ok((built_in(model)?, Some(built_in(filter)?)));
    };
    Ok((Model::load(model)?, filter.map(Model::load).transpose()?))
}

fn built_in(bytes: &[u8]) -> Result<Model, ModelError> {
    Model::new(&ModelFile::from_bytes(bytes)?)
}

#[cfg(test)]
mod tests {
    use nardy::protocol::Engine;
    use nardy::{position::Position, rules::Rules};

    #[test]
    fn both_games_are_built_in() {
        let mut engine = super::engine(&[], &[]).unwrap();
        for rules in [Rules::SHORT, Rules::LONG] {
            let chances = engine.evaluate(Position::start(rules.game), &rules, 0).unwrap();
            assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
}
