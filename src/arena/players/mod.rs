//! Players of a tournament: named in text, loaded once, and made for each thread.

mod rungs;
mod spec;

pub use rungs::rungs;
pub use spec::{PlayerKind, PlayerSpec, PlayerSpecError};

use super::analysis::Analyst;
use super::engine::{EngineLimits, Gnubg, UbgiEngine, find_gnubg};
use super::seat::{InProcess, Seat};
use crate::bearoff::Bearoff;
use crate::eval::{BuiltinError, Evaluator, Model, ModelError, ModelPlayer, builtin_player};
use crate::game::Player;
use crate::net::ModelFile;
use crate::rollout::{Roller, RolloutSettings};
use crate::rules::{Game, Rules};
use crate::search::{SearchPlayer, SearchSettings, Searcher};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a player can't take part.
#[derive(Debug, thiserror::Error)]
pub enum RosterError {
    /// A built-in player does not play this game.
    #[error(transparent)]
    Builtin(#[from] BuiltinError),
    /// A model can't be used.
    #[error("player {name}: {error}")]
    Model {
        /// The player.
        name: String,
        /// What is wrong.
        error: ModelError,
    },
    /// A model file can't be read.
    #[error("player {name}: can't read {}: {error}", path.display())]
    File {
        /// The player.
        name: String,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: std::io::Error,
    },
    /// No model of that game comes with this program.
    #[error("player {name}: this program has no model of {game} nardy built in; give a file")]
    NotShipped {
        /// The player.
        name: String,
        /// The game.
        game: Game,
    },
    /// The program of an engine is not there.
    #[error("player {name}: there is no program {program:?}; expected a file, or the name of one on the path")]
    NoProgram {
        /// The player.
        name: String,
        /// The first word of its command.
        program: String,
    },
    /// GNU Backgammon is not there.
    #[error(
        "player {name}: GNU Backgammon (the program `gnubg`) was not found on the path or in /usr/games; install it, \
         for example with `apt install gnubg`"
    )]
    NoGnubg {
        /// The player.
        name: String,
    },
    /// GNU Backgammon knows one game.
    #[error("player {name}: GNU Backgammon plays short nardy only, not long nardy")]
    GnubgGame {
        /// The player.
        name: String,
    },
}

/// A model that has been loaded, and how it chooses.
#[derive(Clone, Debug)]
pub struct LoadedModel {
    /// The model.
    pub model: Arc<Model>,
    /// A small model that sorts replies for it when it looks ahead, and in rollouts.
    pub filter: Option<Arc<Model>>,
    /// Plies to look ahead.
    pub plies: u32,
    /// SHA-256 of its file, in hexadecimal digits; if it looks ahead with a filter, that of the filter's file behind it.
    pub sha256: String,
    /// The same with the filter's in any case: rollouts need it without looking ahead, too.
    pub rollout_sha256: String,
}

/// The models of a game that come with the program, as file contents.
#[derive(Clone, Copy, Debug)]
pub struct ShippedModel {
    /// The model.
    pub model: &'static [u8],
    /// Its filter.
    pub filter: Option<&'static [u8]>,
}

/// The models that come with the program; the library itself holds none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shipped {
    /// The model of short nardy.
    pub short: Option<ShippedModel>,
    /// The model of long nardy.
    pub long: Option<ShippedModel>,
}

impl LoadedModel {
    /// Loads the model that a player plays with; `None` for players that have none.
    ///
    /// # Errors
    /// If a file can't be read or used.
    pub fn of(spec: &PlayerSpec, name: &str, shipped: Shipped) -> Result<Option<LoadedModel>, RosterError> {
        let name = || name.to_string();
        let read = |path: &PathBuf| {
            std::fs::read(path).map_err(|error| RosterError::File { name: name(), path: path.clone(), error })
        };
        let (bytes, filter, plies) = match &spec.kind {
            PlayerKind::Model { path, plies, filter } => (read(path)?, filter.as_ref().map(read).transpose()?, *plies),
            PlayerKind::Shipped { game, plies } => {
                let shipped = if *game == Game::Short { shipped.short } else { shipped.long };
                let shipped = shipped.ok_or_else(|| RosterError::NotShipped { name: name(), game: *game })?;
                (shipped.model.to_vec(), shipped.filter.map(<[u8]>::to_vec), *plies)
            }
            _ => return Ok(None),
        };
        let load = |bytes: &Vec<u8>| -> Result<Arc<Model>, RosterError> {
            let load = || Model::new(&ModelFile::from_bytes(bytes)?);
            load().map(Arc::new).map_err(|error| RosterError::Model { name: name(), error })
        };
        let digits =
            |bytes: &Vec<u8>| Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let rollout_sha256 = digits(&bytes) + &filter.as_ref().map(digits).unwrap_or_default();
        // At 0 plies nobody asks a filter.
        let sha256 = if plies > 0 { rollout_sha256.clone() } else { digits(&bytes) };
        let filter = filter.as_ref().map(load).transpose()?;
        Ok(Some(LoadedModel { model: load(&bytes)?, filter, plies, sha256, rollout_sha256 }))
    }

    /// An evaluator of the model with exact endings, as the bot has it.
    fn evaluator(&self, name: &str, rules: Rules) -> Result<Evaluator, RosterError> {
        let evaluator = Evaluator::new(self.model.clone(), rules);
        let evaluator = evaluator.map_err(|error| RosterError::Model { name: name.into(), error })?;
        Ok(evaluator.with_exact_endings())
    }

    /// A searcher on one thread, if the model is to look ahead.
    fn searcher(&self, name: &str, rules: Rules) -> Result<Option<Searcher>, RosterError> {
        (self.plies > 0).then(|| self.any_searcher(name, rules)).transpose()
    }

    fn any_searcher(&self, name: &str, rules: Rules) -> Result<Searcher, RosterError> {
        let settings = SearchSettings::default().single_thread();
        let searcher = Searcher::new(self.model.clone(), self.filter.clone(), rules, settings);
        searcher.map_err(|error| RosterError::Model { name: name.into(), error })
    }

    /// Rolls out with the model on one thread; [`RolloutSettings::depth`] counts, not the plies of the player.
    ///
    /// # Errors
    /// If the model plays another game.
    pub fn roller(&self, name: &str, rules: Rules, settings: RolloutSettings) -> Result<Roller, RosterError> {
        let roller = Roller::new(&self.any_searcher(name, rules)?, settings);
        roller.map_err(|error| RosterError::Model { name: name.into(), error })
    }

    /// A player that plays with the model.
    ///
    /// # Errors
    /// If the model plays another game.
    pub fn player(&self, name: &str, rules: Rules) -> Result<Box<dyn Player + Send>, RosterError> {
        Ok(match self.searcher(name, rules)? {
            Some(searcher) => Box::new(SearchPlayer::new(name, searcher, self.plies)),
            None => Box::new(ModelPlayer::new(name, self.evaluator(name, rules)?)),
        })
    }

    /// An analyst that judges by the model.
    ///
    /// # Errors
    /// If the model plays another game.
    pub fn analyst(&self, name: &str, rules: Rules) -> Result<Analyst, RosterError> {
        let analyst = Analyst::new(self.evaluator(name, rules)?);
        Ok(match self.searcher(name, rules)? {
            Some(searcher) => analyst.looking_ahead(searcher, self.plies),
            None => analyst,
        })
    }
}

#[derive(Debug)]
enum Loaded {
    Builtin(&'static str),
    Model(LoadedModel),
    Ubgi { command: Vec<String>, options: Vec<(String, String)> },
    Gnubg { program: PathBuf, plies: u32 },
}

/// The players of a tournament, ready to be made for each thread.
#[derive(Debug)]
pub struct Roster {
    rules: Rules,
    names: Vec<String>,
    loaded: Vec<Loaded>,
    limits: EngineLimits,
}

impl Roster {
    /// Loads every player and makes each of this process once, so that whatever is wrong is told before the first game.
    /// Foreign engines are first started when they are to play.
    ///
    /// # Errors
    /// The first player that can't take part.
    pub fn load(
        specs: &[PlayerSpec],
        rules: Rules,
        shipped: Shipped,
        limits: EngineLimits,
    ) -> Result<Roster, RosterError> {
        let names = PlayerSpec::names(specs);
        let mut loaded = Vec::with_capacity(specs.len());
        for (spec, name) in specs.iter().zip(&names) {
            let name = name.clone();
            loaded.push(match &spec.kind {
                PlayerKind::Builtin(builtin) => Loaded::Builtin(builtin),
                PlayerKind::Ubgi { command } => {
                    let command = shlex::split(command).unwrap_or_default();
                    if let Some(program) = command.first().filter(|program| !is_program(program)) {
                        return Err(RosterError::NoProgram { name, program: program.clone() });
                    }
                    Loaded::Ubgi { command, options: spec.options.clone().into_iter().collect() }
                }
                PlayerKind::Gnubg { .. } if rules.game == Game::Long => return Err(RosterError::GnubgGame { name }),
                PlayerKind::Gnubg { plies } => {
                    let program = find_gnubg().ok_or(RosterError::NoGnubg { name })?;
                    Loaded::Gnubg { program, plies: *plies }
                }
                PlayerKind::Model { .. } | PlayerKind::Shipped { .. } => {
                    let model = LoadedModel::of(spec, &name, shipped)?;
                    Loaded::Model(model.ok_or(RosterError::NotShipped { name, game: rules.game })?)
                }
            });
        }
        let roster = Roster { rules, names, loaded, limits };
        (0..roster.names.len()).try_for_each(|player| roster.seat(player).map(drop))?;
        Ok(roster)
    }

    /// Computes what models need for exact endings, so that no decision that is timed waits for it.
    pub fn prepare(&self) {
        let models = self.loaded.iter().any(|loaded| matches!(loaded, Loaded::Model(_)));
        if let Some(tables) = Bearoff::of(&self.rules).filter(|_| models) {
            tables.fill();
        }
    }

    /// The players' names, each different.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The rules that they play by.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// SHA-256 of each player's model file; empty for players without.
    pub fn fingerprints(&self) -> Vec<String> {
        let of = |loaded: &Loaded| match loaded {
            Loaded::Model(model) => model.sha256.clone(),
            _ => String::new(),
        };
        self.loaded.iter().map(of).collect()
    }

    /// A player for one thread.
    ///
    /// # Errors
    /// If it does not suit the rules.
    ///
    /// # Panics
    /// If there is no player of that number.
    pub fn seat(&self, player: usize) -> Result<Box<dyn Seat>, RosterError> {
        let name = &self.names[player];
        Ok(match &self.loaded[player] {
            Loaded::Builtin(builtin) => Box::new(InProcess(builtin_player(builtin, self.rules.game)?)),
            Loaded::Model(model) => Box::new(InProcess(model.player(name, self.rules)?)),
            Loaded::Ubgi { command, options } => {
                Box::new(UbgiEngine::new(command.clone(), options.clone(), self.limits.clone()))
            }
            Loaded::Gnubg { program, plies } => Box::new(Gnubg::new(program.clone(), *plies, self.limits.clone())),
        })
    }
}

/// There is such a file or, for a name without directories, one of that name on the path.
fn is_program(program: &str) -> bool {
    let is_file = |path: PathBuf| path.is_file() || path.with_extension(std::env::consts::EXE_EXTENSION).is_file();
    if Path::new(program).components().count() > 1 {
        return is_file(program.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_file(folder.join(program)))
}
