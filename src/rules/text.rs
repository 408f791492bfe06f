//! Rule sets as text: `long`, `long-site`, `long,head=needed_any,block=home`.

use super::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A named rule set.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Where it comes from, in a few words.
    pub origin: &'static str,
    /// The rules.
    pub rules: Rules,
}

const SCORE_TWO: Score = Score { koks: 2, ..Rules::SHORT.score };

/// Every named rule set; for rules equal to several, the first name is the one printed.
pub const PRESETS: &[Preset] = &[
    Preset { name: "long", origin: "the usual rules of long nardy", rules: Rules::LONG },
    Preset {
        name: "long-fsg",
        origin: "a game collection's help page",
        rules: Rules { head: Head::NeededDoubles, ..Rules::LONG },
    },
    Preset {
        name: "long-site",
        origin: "a tournament site",
        rules: Rules {
            head: Head::NeededAny,
            block: Block::Home,
            overshoot: Overshoot::Any,
            next_game: NextGame::Winner,
            ..Rules::LONG
        },
    },
    Preset {
        name: "long-official",
        origin: "the Russian sports rules of 2024",
        rules: Rules { opening: Opening::UseOpeningDice, ..Rules::LONG },
    },
    Preset { name: "short", origin: "the usual rules of short nardy", rules: Rules::SHORT },
    Preset { name: "backgammon", origin: "another name of `short`", rules: Rules::SHORT },
    Preset {
        name: "short-fsg",
        origin: "a game collection's help page",
        rules: Rules { max_point: 5, opening: Opening::Reroll, score: SCORE_TWO, ..Rules::SHORT },
    },
    Preset {
        name: "short-site",
        origin: "a tournament site and an article on the rules",
        rules: Rules { overshoot: Overshoot::Any, next_game: NextGame::Winner, score: SCORE_TWO, ..Rules::SHORT },
    },
];

/// Why a text is no rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseRulesError {
    /// No preset of that name.
    #[error("unknown rule set {found:?}; expected one of {}", preset_names())]
    UnknownPreset {
        /// The name that was read.
        found: String,
    },
    /// No option of that name.
    #[error("unknown rule option {found:?}; expected one of {}", OPTION_NAMES.join(", "))]
    UnknownOption {
        /// The name that was read.
        found: String,
    },
    /// Not `option=value`.
    #[error("expected `option=value` after the rule set's name, found {found:?}")]
    NotAnOption {
        /// The text that was read.
        found: String,
    },
    /// The option has no such value.
    #[error("rule option {option} can't be {found:?}; expected {expected}")]
    BadValue {
        /// The option.
        option: &'static str,
        /// The value that was read.
        found: String,
        /// What it could be.
        expected: String,
    },
    /// Options that exclude each other.
    #[error("impossible rules: {why}")]
    Impossible {
        /// What excludes what.
        why: String,
    },
}

/// Option names in the order in which rule texts print them.
pub(super) const OPTION_NAMES: [&str; 12] = [
    "opening",
    "next_game",
    "head",
    "block",
    "block_path",
    "block_when",
    "block_cap",
    "overshoot",
    "must_off",
    "max_point",
    "last_turn",
    "score",
];

fn preset_names() -> String {
    PRESETS.iter().map(|p| p.name).collect::<Vec<_>>().join(", ")
}

fn clip(text: &str) -> String {
    text.chars().take(60).collect()
}

impl Rules {
    /// The preset of that name.
    ///
    /// # Errors
    /// [`ParseRulesError::UnknownPreset`] with the list of names.
    pub fn preset(name: &str) -> Result<Rules, ParseRulesError> {
        let preset = PRESETS.iter().find(|p| p.name == name);
        preset.map(|p| p.rules).ok_or_else(|| ParseRulesError::UnknownPreset { found: clip(name) })
    }

    /// The value of an option as text, in the spelling that [`Rules::set`] reads.
    ///
    /// # Errors
    /// [`ParseRulesError::UnknownOption`].
    pub fn get(&self, option: &str) -> Result<String, ParseRulesError> {
        Ok(match option {
            "opening" => self.opening.to_string(),
            "next_game" => self.next_game.to_string(),
            "head" => self.head.to_string(),
            "block" => self.block.to_string(),
            "block_path" => self.block_path.to_string(),
            "block_when" => self.block_when.to_string(),
            "block_cap" => self.block_cap.to_string(),
            "overshoot" => self.overshoot.to_string(),
            "must_off" => self.must_off.to_string(),
            "max_point" => self.max_point.to_string(),
            "last_turn" => self.last_turn.to_string(),
            "score" => match (self.game, self.score) {
                (Game::Long, s) => format!("({},{},{},{})", s.oin, s.home_mars, s.mars, s.koks),
                (Game::Short, s) => format!("({},{},{})", s.oin, s.mars, s.koks),
            },
            _ => return Err(ParseRulesError::UnknownOption { found: clip(option) }),
        })
    }

    /// Sets one option from text. Combinations are tested by [`Rules::check`], not here.
    ///
    /// # Errors
    /// An unknown option or value, with the list of valid ones.
    pub fn set(&mut self, option: &str, value: &str) -> Result<(), ParseRulesError> {
        match option {
            "opening" => self.opening = named(Opening::NAME, Opening::ALL, Opening::as_str, value)?,
            "next_game" => self.next_game = named(NextGame::NAME, NextGame::ALL, NextGame::as_str, value)?,
            "head" => self.head = named(Head::NAME, Head::ALL, Head::as_str, value)?,
            "block" => self.block = named(Block::NAME, Block::ALL, Block::as_str, value)?,
            "block_path" => self.block_path = named(BlockPath::NAME, BlockPath::ALL, BlockPath::as_str, value)?,
            "block_when" => self.block_when = named(BlockWhen::NAME, BlockWhen::ALL, BlockWhen::as_str, value)?,
            "block_cap" => self.block_cap = number("block_cap", value, 6..=23)?,
            "overshoot" => self.overshoot = named(Overshoot::NAME, Overshoot::ALL, Overshoot::as_str, value)?,
            "must_off" => self.must_off = boolean("must_off", value)?,
            "max_point" => self.max_point = number("max_point", value, 5..=14)?,
            "last_turn" => self.last_turn = boolean("last_turn", value)?,
            "score" => self.score = score(self.game, value)?,
            _ => return Err(ParseRulesError::UnknownOption { found: clip(option) }),
        }
        Ok(())
    }

    /// Checks that the options can stand together.
    ///
    /// # Errors
    /// [`ParseRulesError::Impossible`] with the reason.
    pub fn check(&self) -> Result<(), ParseRulesError> {
        let impossible = |why: String| Err(ParseRulesError::Impossible { why });
        let base = Rules::default_of(self.game);
        for option in foreign_options(self.game) {
            if self.get(option)? != base.get(option)? {
                return impossible(format!("{} nardy has no option {option}", self.game));
            }
        }
        if self.game == Game::Long && self.block == Block::None && self.block_cap != 0 {
            return impossible("block_cap limits rows, so it needs block=ahead or block=home".into());
        }
        Ok(())
    }

    /// The options that a game has, in the order in which rule texts print them.
    pub fn options_of(game: Game) -> impl Iterator<Item = &'static str> {
        OPTION_NAMES.into_iter().filter(move |option| !foreign_options(game).contains(option))
    }

    /// Name of the preset these rules equal, if any.
    pub fn preset_name(&self) -> Option<&'static str> {
        PRESETS.iter().find(|p| p.rules == *self).map(|p| p.name)
    }

    /// Options that differ from the game's default rules, as `(option, value)`.
    pub fn differences(&self) -> Vec<(&'static str, String)> {
        let base = Rules::default_of(self.game);
        let mut differences = Vec::new();
        for option in OPTION_NAMES {
            if let (Ok(value), Ok(usual)) = (self.get(option), base.get(option))
                && value != usual
            {
                differences.push((option, value));
            }
        }
        differences
    }
}

/// Options that only the other game has.
fn foreign_options(game: Game) -> &'static [&'static str] {
    match game {
        Game::Long => &["max_point"],
        Game::Short => &["head", "block", "block_path", "block_when", "block_cap"],
    }
}

fn named<T: Copy>(
    option: &'static str,
    all: &[T],
    name: fn(T) -> &'static str,
    value: &str,
) -> Result<T, ParseRulesError> {
    all.iter().copied().find(|&v| name(v) == value).ok_or_else(|| ParseRulesError::BadValue {
        option,
        found: clip(value),
        expected: format!("one of {}", all.iter().map(|&v| name(v)).collect::<Vec<_>>().join(", ")),
    })
}

fn number(option: &'static str, value: &str, range: std::ops::RangeInclusive<u8>) -> Result<u8, ParseRulesError> {
    value.parse().ok().filter(|n| *n == 0 || range.contains(n)).ok_or_else(|| ParseRulesError::BadValue {
        option,
        found: clip(value),
        expected: format!("0 (off) or a number from {} to {}", range.start(), range.end()),
    })
}

fn boolean(option: &'static str, value: &str) -> Result<bool, ParseRulesError> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(ParseRulesError::BadValue { option, found: clip(value), expected: "true or false".into() }),
    }
}

fn score(game: Game, value: &str) -> Result<Score, ParseRulesError> {
    let inner = value.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    let numbers: Option<Vec<u8>> = inner.split(',').map(|n| n.trim().parse().ok()).collect();
    let score = match (game, numbers.as_deref()) {
        (Game::Long, Some(&[oin, home_mars, mars, koks])) => Some(Score { oin, home_mars, mars, koks }),
        (Game::Short, Some(&[oin, mars, koks])) => Some(Score { oin, home_mars: mars, mars, koks }),
        _ => None,
    };
    let rising = |s: &Score| 1 <= s.oin && s.oin <= s.home_mars && s.home_mars <= s.mars && s.mars <= s.koks;
    score.filter(|s| rising(s) && s.koks <= 100).ok_or_else(|| ParseRulesError::BadValue {
        option: "score",
        found: clip(value),
        expected: match game {
            Game::Long => "four rising numbers from 1 to 100: (oin,home mars,mars,koks)".into(),
            Game::Short => "three rising numbers from 1 to 100: (oin,mars,koks)".into(),
        },
    })
}

/// Splits at commas outside brackets.
fn split_options(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    })
}

impl FromStr for Rules {
    type Err = ParseRulesError;

    /// Reads `preset[,option=value]…`.
    fn from_str(text: &str) -> Result<Rules, ParseRulesError> {
        let mut parts = split_options(text.trim()).map(str::trim);
        let mut rules = Rules::preset(parts.next().unwrap_or_default())?;
        for part in parts {
            let (option, value) =
                part.split_once('=').ok_or_else(|| ParseRulesError::NotAnOption { found: clip(part) })?;
            rules.set(option.trim(), value.trim())?;
        }
        rules.check()?;
        Ok(rules)
    }
}

impl fmt::Display for Rules {
    /// The preset's name if there is one, otherwise the game and the options that differ from its defaults.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(name) = self.preset_name() {
            return f.write_str(name);
        }
        write!(f, "{}", self.game)?;
        self.differences().iter().try_for_each(|(option, value)| write!(f, ",{option}={value}"))
    }
}

impl Serialize for Rules {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rules {
    /// A text as in [`FromStr`], or a table: `preset = "long"` and options by name.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Rules, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Value {
            Bool(bool),
            Number(u8),
            Numbers(Vec<u8>),
            Text(String),
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Table(std::collections::BTreeMap<String, Value>),
        }
        let text = |value: Value| match value {
            Value::Bool(b) => b.to_string(),
            Value::Number(n) => n.to_string(),
            Value::Numbers(all) => all.iter().map(u8::to_string).collect::<Vec<_>>().join(","),
            Value::Text(text) => text,
        };
        let rules = match Form::deserialize(deserializer)? {
            Form::Text(text) => text.parse(),
            Form::Table(mut table) => (|| {
                let mut rules = Rules::preset(&table.remove("preset").map_or_else(String::new, text))?;
                for (option, value) in table {
                    rules.set(&option, &text(value))?;
                }
                rules.check().map(|()| rules)
            })(),
        };
        rules.map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_possible_and_survives_its_own_text() {
        for preset in PRESETS {
            preset.rules.check().unwrap();
            assert_eq!(preset.name.parse::<Rules>(), Ok(preset.rules));
            assert_eq!(preset.rules.to_string().parse::<Rules>(), Ok(preset.rules));
        }
    }

    #[test]
    fn options_after_the_name_change_single_rules() {
        let rules: Rules = "long,head=needed_any, block=home,score=(1,1,2,3),last_turn=true".parse().unwrap();
        assert_eq!((rules.head, rules.block, rules.last_turn), (Head::NeededAny, Block::Home, true));
        assert_eq!(rules.score, Score { oin: 1, home_mars: 1, mars: 2, koks: 3 });
        assert_eq!(rules.to_string().parse::<Rules>(), Ok(rules));
    }

    #[test]
    fn rules_are_read_from_json_text_and_table() {
        let text: Rules = serde_json::from_str(r#""long,head=none""#).unwrap();
        let table: Rules = serde_json::from_str(r#"{"preset":"long","head":"none"}"#).unwrap();
        assert_eq!(text, table);
        let scored: Rules = serde_json::from_str(r#"{"preset":"short","score":[1,1,1],"must_off":true}"#).unwrap();
        assert_eq!((scored.score.koks, scored.must_off), (1, true));
        assert!(serde_json::from_str::<Rules>(r#"{"preset":"short","head":"none","foo":1}"#).is_err());
    }
}
