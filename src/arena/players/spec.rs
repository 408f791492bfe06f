//! Players as text: what the command line and the TOML file name.

use crate::eval::BUILTIN_PLAYERS;
use crate::rules::Game;
use crate::search::MAX_DEPTH;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// One of [`BUILTIN_PLAYERS`].
    Builtin(&'static str),
    /// The model that comes with the program.
    Shipped {
        /// Its game.
        game: Game,
        /// Plies to look ahead.
        plies: u32,
    },
    /// A model file.
    Model {
        /// The file.
        path: PathBuf,
        /// Plies to look ahead.
        plies: u32,
        /// A small model that sorts replies for it.
        filter: Option<PathBuf>,
    },
    /// A program that speaks UBGI, with its arguments as a shell would split them.
    Ubgi {
        /// The command line.
        command: String,
    },
    /// GNU Backgammon, found on the path or in /usr/games.
    Gnubg {
        /// Plies to look ahead; 0 chooses by the network alone.
        plies: u32,
    },
}

/// A player to be, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSpec {
    /// The name that was given; without one it is made from what plays.
    pub name: Option<String>,
    /// What plays.
    pub kind: PlayerKind,
    /// Options set after the greeting (`ubgi:` only), by key.
    pub options: BTreeMap<String, String>,
}

/// Why a text names no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerSpecError {
    /// Nothing known and no file name.
    #[error(
        "unknown player {found:?}; expected one of {}, short, long, MODEL.safetensors[,plies=N,filter=FILE], ubgi:COMMAND, \
         gnubg:plies=N",
        BUILTIN_PLAYERS.join(", ")
    )]
    Unknown {
        /// The text that was read.
        found: String,
    },
    /// Something after the player that can't be read.
    #[error("player {player}: expected {expected}, found {found:?}")]
    Option {
        /// The player before it.
        player: String,
        /// What could stand there.
        expected: String,
        /// The text that was read.
        found: String,
    },
    /// A command line without a command, or with an open quote.
    #[error("player {found:?}: expected a command after `ubgi:`, with all quotes closed")]
    Command {
        /// The text that was read.
        found: String,
    },
    /// Options for a player that takes none.
    #[error("player {player}: only `ubgi:` players take options")]
    NoOptions {
        /// The player.
        player: String,
    },
}

/// Most plies that GNU Backgammon can be asked for.
const GNUBG_PLIES: u32 = 7;

/// Plies and filter behind a player.
fn options_of<'a>(
    player: &str,
    most: u32,
    with_filter: bool,
    options: impl Iterator<Item = &'a str>,
) -> Result<(u32, Option<PathBuf>), PlayerSpecError> {
    let (mut plies, mut filter) = (0, None);
    for option in options {
        let (name, value) = option.trim().split_once('=').unwrap_or_default();
        match (name, value.parse()) {
            ("plies", Ok(number)) if number <= most => plies = number,
            ("filter", _) if with_filter && !value.is_empty() => filter = Some(value.into()),
            _ => {
                let filter = if with_filter { " or `filter=FILE`" } else { "" };
                let expected = format!("`plies=N` with N from 0 to {most}{filter}");
                return Err(PlayerSpecError::Option { player: player.into(), expected, found: option.into() });
            }
        }
    }
    Ok((plies, filter))
}

impl FromStr for PlayerKind {
    type Err = PlayerSpecError;

    fn from_str(text: &str) -> Result<PlayerKind, PlayerSpecError> {
        if let Some(command) = text.strip_prefix("ubgi:") {
            return match shlex::split(command) {
                Some(words) if !words.is_empty() => Ok(PlayerKind::Ubgi { command: command.trim().into() }),
                _ => Err(PlayerSpecError::Command { found: text.into() }),
            };
        }
        if let Some(rest) = text.strip_prefix("gnubg").filter(|rest| rest.is_empty() || rest.starts_with(':')) {
            let options = rest.trim_start_matches(':').split(',').filter(|option| !option.is_empty());
            return Ok(PlayerKind::Gnubg { plies: options_of("gnubg", GNUBG_PLIES, false, options)?.0 });
        }
        if let Some(name) = BUILTIN_PLAYERS.into_iter().find(|&name| name == text) {
            return Ok(PlayerKind::Builtin(name));
        }
        let mut parts = text.split(',');
        let head = parts.next().unwrap_or_default();
        for game in [Game::Short, Game::Long] {
            if head == game.as_str() {
                return Ok(PlayerKind::Shipped { game, plies: options_of(head, MAX_DEPTH, false, parts)?.0 });
            }
        }
        if head.ends_with(".safetensors") || head.contains('/') {
            let (plies, filter) = options_of(head, MAX_DEPTH, true, parts)?;
            return Ok(PlayerKind::Model { path: head.into(), plies, filter });
        }
        Err(PlayerSpecError::Unknown { found: text.chars().take(60).collect() })
    }
}

impl fmt::Display for PlayerKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let plies = |f: &mut fmt::Formatter, plies: u32| if plies > 0 { write!(f, ",plies={plies}") } else { Ok(()) };
        match self {
            PlayerKind::Builtin(name) => f.write_str(name),
            PlayerKind::Shipped { game, plies: n } => {
                f.write_str(game.as_str())?;
                plies(f, *n)
            }
            PlayerKind::Model { path, plies: n, filter } => {
                write!(f, "{}", path.display())?;
                plies(f, *n)?;
                filter.iter().try_for_each(|filter| write!(f, ",filter={}", filter.display()))
            }
            PlayerKind::Ubgi { command } => write!(f, "ubgi:{command}"),
            PlayerKind::Gnubg { plies } => write!(f, "gnubg:plies={plies}"),
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = PlayerSpecError;

    /// Reads `[NAME=]PLAYER`. A name holds none of `/`, `:` and `,`.
    fn from_str(text: &str) -> Result<PlayerSpec, PlayerSpecError> {
        let named = text.split_once('=').filter(|(name, _)| !name.trim().is_empty() && !name.contains(['/', ':', ',']));
        let (name, rest) = match named {
            Some((name, rest)) => (Some(name.trim().to_string()), rest),
            None => (None, text),
        };
        Ok(PlayerSpec { name, kind: rest.trim().parse()?, options: BTreeMap::new() })
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name}=")?;
        }
        self.kind.fmt(f)?;
        self.options.iter().try_for_each(|(key, value)| write!(f, " {key}={value}"))
    }
}

impl<'de> Deserialize<'de> for PlayerSpec {
    /// A text as in [`FromStr`], or a table with `player` and, if wanted, `name` and `options`.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<PlayerSpec, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            player: String,
            name: Option<String>,
            #[serde(default)]
            options: BTreeMap<String, String>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Table(Table),
        }
        let read = |form| -> Result<PlayerSpec, PlayerSpecError> {
            match form {
                Form::Text(text) => text.parse(),
                Form::Table(table) => {
                    let mut spec: PlayerSpec = table.player.parse()?;
                    spec.name = table.name.or(spec.name).map(|name| name.trim().to_string());
                    if spec.name.as_ref().is_some_and(String::is_empty) {
                        let (player, expected) = (spec.kind.to_string(), "a name that is not blank".into());
                        return Err(PlayerSpecError::Option { player, expected, found: String::new() });
                    }
                    spec.options = table.options;
                    if !spec.options.is_empty() && !matches!(spec.kind, PlayerKind::Ubgi { .. }) {
                        return Err(PlayerSpecError::NoOptions { player: spec.kind.to_string() });
                    }
                    Ok(spec)
                }
            }
        };
        read(Form::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl Serialize for PlayerSpec {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl PlayerSpec {
    /// The names of all players, each different: the given ones, or what plays; equal ones get their directory before
    /// them or, if that does not help, a number behind.
    pub fn names(specs: &[PlayerSpec]) -> Vec<String> {
        let mut names: Vec<String> = specs.iter().map(|spec| spec.own_name(false)).collect();
        let longer: Vec<String> = specs.iter().map(|spec| spec.own_name(true)).collect();
        let repeated = |names: &[String], i: usize| names.iter().filter(|name| **name == names[i]).count() > 1;
        let first = names.clone();
        for (i, long) in longer.into_iter().enumerate() {
            if repeated(&first, i) {
                names[i] = long;
            }
        }
        let second = names.clone();
        for i in 0..names.len() {
            if repeated(&second, i) {
                let number = second[..=i].iter().filter(|name| **name == second[i]).count();
                let numbered = (number..).map(|number| format!("{}-{number}", second[i]));
                // Somebody may have been given such a name.
                names[i] = numbered.into_iter().find(|name| !names.contains(name)).unwrap_or_default();
            }
        }
        names
    }

    /// The player and the options of an engine, without the name.
    pub fn without_name(&self) -> String {
        PlayerSpec { name: None, ..self.clone() }.to_string()
    }

    /// A name that depends on nothing but the player; `long` puts the directory before a model's.
    fn own_name(&self, long: bool) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let deeper = |plies: u32| if plies > 0 { format!("-{plies}ply") } else { String::new() };
        match &self.kind {
            PlayerKind::Builtin(name) => (*name).into(),
            PlayerKind::Shipped { game, plies } => format!("{}{}", game.as_str(), deeper(*plies)),
            PlayerKind::Model { path, plies, .. } => format!("{}{}", model_name(path, long), deeper(*plies)),
            PlayerKind::Ubgi { command } => {
                let words = shlex::split(command).unwrap_or_default();
                let program = words.first().map(PathBuf::from).unwrap_or_default();
                program.file_stem().map_or_else(|| command.clone(), |stem| stem.to_string_lossy().into_owned())
            }
            PlayerKind::Gnubg { plies } => format!("gnubg-{plies}ply"),
        }
    }
}

/// A checkpoint is called after its directory, any other model after its file.
fn model_name(path: &Path, long: bool) -> String {
    let text = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    let (stem, parent) = (text(path.file_stem()), text(path.parent().and_then(Path::file_name)));
    match stem.as_str() {
        "played" if !parent.is_empty() => parent,
        _ if long && !parent.is_empty() => format!("{parent}/{stem}"),
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_player_is_read_and_written_alike() {
        for text in [
            "random",
            "pubeval",
            "short",
            "long,plies=1",
            "models/a.safetensors",
            "best=models/a.safetensors,plies=2",
            "models/a.safetensors,plies=1,filter=models/b.safetensors",
            "ubgi:./engine --level 3 'a b'",
            "gnubg:plies=2",
        ] {
            let spec: PlayerSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
        }
        assert_eq!("gnubg".parse::<PlayerKind>(), Ok(PlayerKind::Gnubg { plies: 0 }));
        let spec: PlayerSpec = "x.safetensors,plies=1".parse().unwrap();
        assert_eq!(spec.kind, PlayerKind::Model { path: "x.safetensors".into(), plies: 1, filter: None });
    }

    #[test]
    fn what_names_no_player_is_refused_with_the_reason() {
        let error = |text: &str| text.parse::<PlayerSpec>().unwrap_err().to_string();
        assert!(error("gnu").starts_with("unknown player \"gnu\"; expected one of random, pips, pubeval, short, long"));
        assert_eq!(error("short,plies=9"), "player short: expected `plies=N` with N from 0 to 3, found \"plies=9\"");
        assert!(error("a.safetensors,depth=1").contains("N from 0 to 3 or `filter=FILE`, found \"depth=1\""));
        assert!(error("gnubg:plies=8").contains("N from 0 to 7, found"));
        assert!(error("ubgi:'open").contains("all quotes closed") && error("ubgi: ").contains("a command"));
        let options = serde_json::from_str::<PlayerSpec>(r#"{"player":"pips","options":{"a":"b"}}"#);
        assert!(options.unwrap_err().to_string().contains("only `ubgi:` players take options"));
        let blank = serde_json::from_str::<PlayerSpec>(r#"{"player":"pips","name":" "}"#);
        assert!(blank.unwrap_err().to_string().contains("player pips: expected a name that is not blank"));
        assert!(error(" =pips").starts_with("unknown player \"=pips\""));
    }

    #[test]
    fn names_are_told_apart_by_directory_or_number() {
        let names = |specs: &[&str]| PlayerSpec::names(&specs.iter().map(|s| s.parse().unwrap()).collect::<Vec<_>>());
        assert_eq!(
            names(&["pips", "a/m.safetensors", "b/m.safetensors", "b/n.safetensors"]),
            ["pips", "a/m", "b/m", "n"]
        );
        assert_eq!(names(&["pips", "pips", "best=pips"]), ["pips-1", "pips-2", "best"]);
        assert_eq!(names(&["x-1=pips", "x=pips", "x=random"]), ["x-1", "x-2", "x-3"]);
        assert_eq!(names(&["run/checkpoint-3/played.safetensors", "ubgi:/opt/bot.py -x"]), ["checkpoint-3", "bot"]);
    }
}
