//! The options: names, values, defaults.

use super::{Level, ProtocolError};
use crate::game::Color;
use crate::notation::Numbers;
use crate::rules::{Game, PRESETS, Rules};

/// In whose numbering points are written and read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PointNumbering {
    /// The mover's own: 24 to 1 for both.
    #[default]
    Own,
    /// White's for both, as printed on boards.
    Board,
}

/// Everything that `set` changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `game.rules` and, by its game, `game.variant`.
    pub rules: Rules,
    /// `engine.level`.
    pub level: Level,
    /// `engine.seed`: which mistakes a weaker level makes.
    pub seed: u64,
    /// `engine.ply`: most plies to look ahead.
    pub ply: u32,
    /// `engine.pace`: an answer to `go` takes at least that many milliseconds.
    pub pace: u64,
    /// `analysis.lines`: ranked plays told before `bestmove`.
    pub lines: usize,
    /// `board.numbers`.
    pub numbers: PointNumbering,
    /// `board.ascii`: drawings without Unicode.
    pub ascii: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            rules: Rules::SHORT,
            level: Level::Full,
            seed: 0,
            ply: 0,
            pace: 0,
            lines: 1,
            numbers: PointNumbering::Own,
            ascii: false,
        }
    }
}

/// The options' names.
pub const KEYS: [&str; 9] = [
    "game.variant",
    "game.rules",
    "engine.level",
    "engine.seed",
    "engine.ply",
    "engine.pace",
    "analysis.lines",
    "board.numbers",
    "board.ascii",
];

/// Longest pace: a minute.
const MOST_PACE: u64 = 60_000;
/// Most ranked plays.
const MOST_LINES: u64 = 10_000;

fn whole(key: &str, value: &str, most: u64) -> Result<u64, ProtocolError> {
    value
        .parse()
        .ok()
        .filter(|&n| n <= most)
        .ok_or_else(|| bad(key, &format!("a whole number from 0 to {most}"), value))
}

fn bad(key: &str, expected: &str, value: &str) -> ProtocolError {
    let found: String = value.chars().take(60).collect();
    ProtocolError::argument(format!("{key} must be {expected}, found {found:?}"))
}

impl Settings {
    /// Sets an option; true if the game itself has changed.
    ///
    /// # Errors
    /// An unknown option (`unsupported`) or value (`bad_argument`), with what it could be.
    pub fn set(&mut self, key: &str, value: &str, max_ply: u32) -> Result<bool, ProtocolError> {
        let before = self.rules.game;
        match key.to_ascii_lowercase().as_str() {
            "game.variant" => {
                let game = match value.to_ascii_lowercase().as_str() {
                    "short" | "backgammon" => Game::Short,
                    "long" => Game::Long,
                    _ => return Err(bad(key, "short, backgammon or long", value)),
                };
                if game != before {
                    self.rules = Rules::default_of(game);
                }
            }
            "game.rules" => self.rules = value.parse().map_err(ProtocolError::argument)?,
            "engine.level" => self.level = value.parse().map_err(ProtocolError::argument)?,
            "engine.seed" => self.seed = whole(key, value, u64::MAX)?,
            "engine.ply" => self.ply = whole(key, value, u64::from(max_ply))? as u32,
            "engine.pace" => self.pace = whole(key, value, MOST_PACE)?,
            "analysis.lines" => self.lines = whole(key, value, MOST_LINES)? as usize,
            "board.numbers" => {
                self.numbers = match value {
                    "own" => PointNumbering::Own,
                    "board" => PointNumbering::Board,
                    _ => return Err(bad(key, "own or board", value)),
                }
            }
            "board.ascii" => {
                self.ascii = match value {
                    "true" | "on" => true,
                    "false" | "off" => false,
                    _ => return Err(bad(key, "true or false", value)),
                }
            }
            _ => return Err(Settings::unknown(key)),
        }
        Ok(self.rules.game != before)
    }

    /// The value of an option as text.
    ///
    /// # Errors
    /// An unknown option.
    pub fn get(&self, key: &str) -> Result<String, ProtocolError> {
        Ok(match key.to_ascii_lowercase().as_str() {
            "game.variant" => self.rules.game.to_string(),
            "game.rules" => self.rules.to_string(),
            "engine.level" => self.level.to_string(),
            "engine.seed" => self.seed.to_string(),
            "engine.ply" => self.ply.to_string(),
            "engine.pace" => self.pace.to_string(),
            "analysis.lines" => self.lines.to_string(),
            "board.numbers" => match self.numbers {
                PointNumbering::Own => "own".into(),
                PointNumbering::Board => "board".into(),
            },
            "board.ascii" => self.ascii.to_string(),
            _ => return Err(Settings::unknown(key)),
        })
    }

    fn unknown(key: &str) -> ProtocolError {
        let found: String = key.chars().take(60).collect();
        ProtocolError::unsupported(format!("no option {found:?}; there are {}", KEYS.join(", ")))
    }

    /// The `key` lines: name, type and range, default.
    pub(super) fn key_lines(max_ply: u32) -> Vec<String> {
        let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        vec![
            "key game.variant enum short|long short".into(),
            format!("key game.rules string {} short", presets.join("|")),
            format!("key engine.level enum {} full", Level::ALL.map(Level::as_str).join("|")),
            format!("key engine.seed int 0..{} 0", u64::MAX),
            format!("key engine.ply int 0..{max_ply} 0"),
            format!("key engine.pace int 0..{MOST_PACE} 0"),
            format!("key analysis.lines int 0..{MOST_LINES} 1"),
            "key board.numbers enum own|board own".into(),
            "key board.ascii bool false".into(),
        ]
    }

    /// The numbering of texts about a play of that side.
    pub(super) fn numbers_of(&self, mover: Color) -> Numbers {
        match self.numbers {
            PointNumbering::Own => Numbers::Own,
            PointNumbering::Board => Numbers::board(mover == Color::White),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_can_be_read_and_set_to_what_was_read() {
        let mut settings = Settings::default();
        for key in KEYS {
            let value = settings.get(key).unwrap();
            assert_eq!(settings.set(key, &value, 0), Ok(false), "{key}");
            assert!(Settings::key_lines(0).iter().any(|line| line.starts_with(&format!("key {key} "))));
            assert_eq!(settings.set(key, "no such value", 0).unwrap_err().code(), super::super::ErrorCode::BadArgument);
        }
        assert_eq!(settings, Settings::default());
        assert!(settings.get("engine.colour").is_err() && settings.set("engine.colour", "red", 0).is_err());
    }

    #[test]
    fn the_variant_brings_its_usual_rules_and_keeps_special_ones_of_the_same_game() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("game.rules", "long-site", 0), Ok(true));
        assert_eq!(settings.set("game.variant", "long", 0), Ok(false));
        assert_eq!(settings.get("game.rules").unwrap(), "long-site");
        assert_eq!(settings.set("game.variant", "backgammon", 0), Ok(true));
        assert_eq!(settings.get("game.rules").unwrap(), "short");
    }
}
