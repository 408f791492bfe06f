//! Players: who chooses plays, and by what.

mod keep;
mod model;
mod pips;
mod pubeval;
mod random;

pub use keep::Keep;
pub use model::{Encoding, Evaluator, Model, ModelError, ModelPlayer, Outcomes, best_of, equity, flip};
pub use pips::PipsPlayer;
pub use pubeval::Pubeval;
pub use random::RandomPlayer;

use crate::game::Player;
use crate::rules::Game;

/// Names of the built-in players.
pub const BUILTIN_PLAYERS: [&str; 3] = ["random", "pips", "pubeval"];

/// A player asked to play a game that it does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{player} plays {plays} nardy only, not {asked} nardy")]
pub struct UnsuitableGame {
    /// Its name.
    pub player: &'static str,
    /// The game it knows.
    pub plays: Game,
    /// The game it was asked to play.
    pub asked: Game,
}

/// Why there is no such built-in player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuiltinError {
    /// No player of that name.
    #[error("unknown player {found:?}; expected one of {}", BUILTIN_PLAYERS.join(", "))]
    Unknown {
        /// The name that was read.
        found: String,
    },
    /// It does not play that game.
    #[error(transparent)]
    Unsuitable(#[from] UnsuitableGame),
}

/// The built-in player of that name, for a game.
///
/// # Errors
/// [`BuiltinError`] if there is none or it does not play that game.
pub fn builtin_player(name: &str, game: Game) -> Result<Box<dyn Player + Send>, BuiltinError> {
    Ok(match name {
        "random" => Box::new(RandomPlayer::new(0)),
        "pips" => Box::new(PipsPlayer),
        "pubeval" => Box::new(Pubeval::new(game)?),
        _ => return Err(BuiltinError::Unknown { found: name.chars().take(40).collect() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_player_exists_and_bears_its_name() {
        for name in BUILTIN_PLAYERS {
            assert_eq!(builtin_player(name, Game::Short).unwrap().name(), name);
        }
        let text = |name, game| builtin_player(name, game).err().unwrap().to_string();
        assert_eq!(text("pubeval", Game::Long), "pubeval plays short nardy only, not long nardy");
        assert_eq!(text("gnu", Game::Long), "unknown player \"gnu\"; expected one of random, pips, pubeval");
    }
}
