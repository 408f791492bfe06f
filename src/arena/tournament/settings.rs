//! What is played: format, players, length.

use super::TournamentError;
use crate::arena::players::{PlayerSpec, Roster};
use crate::arena::referee::OnFault;
use crate::arena::stats::{Hypotheses, SprtSpec};
use crate::game::seed_for_game;
use crate::rules::Rules;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody against everybody.
    #[default]
    RoundRobin,
    /// The first player against each of the others.
    Gauntlet,
    /// Players in the order of their age, such as the checkpoints of a training run: each against those 1, 2, 4, 8 …
    /// places on, so that neighbours are told apart and far ones are few steps away.
    Ladder,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::RoundRobin, Format::Gauntlet, Format::Ladder];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet => "gauntlet",
            Format::Ladder => "ladder",
        }
    }

    /// The pairings of so many players, each as two different numbers. In a ladder the first `anchors` players are no
    /// rungs: they play each rung and not each other.
    pub fn pairings(self, players: usize, anchors: usize) -> Vec<(usize, usize)> {
        let all = || (0..players).flat_map(move |a| (a + 1..players).map(move |b| (a, b)));
        match self {
            Format::RoundRobin => all().collect(),
            Format::Gauntlet => (1..players).map(|b| (0, b)).collect(),
            Format::Ladder => {
                let plays = |&(a, b): &(usize, usize)| match (a < anchors, b < anchors) {
                    (true, true) => false,
                    (true, false) => true,
                    _ => (b - a).is_power_of_two(),
                };
                all().filter(plays).collect()
            }
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Everything that decides which games are played and how they count. Two runs with equal settings give equal results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The rules.
    pub rules: Rules,
    /// Who plays whom.
    pub format: Format,
    /// How many of the players are anchors of a ladder.
    pub anchors: usize,
    /// Pairs of games (or of matches) in each pairing.
    pub pairs: u64,
    /// Points to win a match; `None` plays single games.
    pub length: Option<u32>,
    /// Seed of everything.
    pub seed: u64,
    /// The test that may end a pairing.
    pub sprt: Option<SprtSpec>,
    /// What a failure costs.
    pub on_fault: OnFault,
    /// Failures of a player in a pairing after which it is withdrawn from the pairing.
    pub max_faults: u32,
    /// Seconds allowed for a play of a foreign engine.
    pub move_seconds: f64,
    /// Records of all games are kept.
    pub keep_games: bool,
    /// Names, as in reports.
    pub names: Vec<String>,
    /// The players as they were given, with the options of engines.
    pub players: Vec<String>,
    /// SHA-256 of their model files, empty for other players.
    pub sha256: Vec<String>,
    /// SHA-256 of the reference model's file, and the plies that it looks ahead if it does; empty without one.
    pub reference: String,
}

impl Settings {
    /// Settings of a round robin of single games with seed 1 and the usual limits.
    pub fn new(rules: Rules, specs: &[PlayerSpec], roster: &Roster) -> Settings {
        Settings {
            rules,
            format: Format::RoundRobin,
            anchors: 0,
            pairs: 500,
            length: None,
            seed: 1,
            sprt: None,
            on_fault: OnFault::Lose,
            max_faults: 3,
            move_seconds: 30.0,
            keep_games: false,
            names: roster.names().to_vec(),
            players: specs.iter().map(PlayerSpec::without_name).collect(),
            sha256: roster.fingerprints(),
            reference: String::new(),
        }
    }

    /// The pairings: numbers of players A and B.
    pub fn pairings(&self) -> Vec<(usize, usize)> {
        self.format.pairings(self.names.len(), self.anchors)
    }

    /// The seed of pair `pair` of a pairing. Pairings have dice of their own, so their results are independent; the
    /// first one has those that `nardy match` has with the same seed.
    pub fn pair_seed(&self, pairing: usize, pair: u64) -> u64 {
        let base = match pairing {
            0 => self.seed,
            n => seed_for_game(self.seed, u64::MAX - n as u64),
        };
        seed_for_game(base, pair)
    }

    /// Settings that exclude each other.
    ///
    /// # Errors
    /// The first of them, with what would be right.
    pub fn check(&self) -> Result<(), TournamentError> {
        let luck_test = matches!(self.sprt, Some(SprtSpec { hypotheses: Hypotheses::LuckAdjustedPoints { .. }, .. }));
        let wrong = match () {
            () if self.names.len() < 2 => return Err(TournamentError::Players { found: self.names.len() }),
            () if self.anchors > 0 && self.format != Format::Ladder => {
                format!("anchors belong to a ladder, but the format is {}: make them players", self.format)
            }
            () if self.anchors == self.names.len() => "a ladder needs players that are no anchors, found none".into(),
            () if luck_test && self.length.is_some() => {
                "a test of luck-adjusted points needs single games, found matches: the luck of matches isn't measured"
                    .into()
            }
            () if luck_test && self.reference.is_empty() => {
                "a test of luck-adjusted points needs a reference model that measures luck, found none".into()
            }
            () => return Ok(()),
        };
        Err(TournamentError::Contradiction(wrong))
    }

    /// The first setting in which two tournaments differ, in words that tell of `other`; not the number of pairs, which may be
    /// raised to play on.
    pub fn difference(&self, other: &Settings) -> Option<String> {
        let fields = |settings: &Settings| match serde_json::to_value(settings) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let (here, there) = (fields(self), fields(other));
        // Names and players before the files of their models.
        let order = ["rules", "format", "anchors", "names", "players", "sha256"];
        let mut keys: Vec<&String> = here.keys().filter(|key| *key != "pairs").collect();
        keys.sort_by_key(|key| order.iter().position(|first| first == key).unwrap_or(order.len()));
        let key = keys.into_iter().find(|key| here.get(*key) != there.get(*key))?;
        Some(match key.as_str() {
            "sha256" => {
                let changed = (0..self.names.len()).filter(|&i| self.sha256.get(i) != other.sha256.get(i));
                let names: Vec<&str> = changed.map(|i| self.names[i].as_str()).collect();
                format!("the model file of {} was another one", names.join(", "))
            }
            "reference" if other.reference.is_empty() => "it has no reference model".into(),
            "reference" if self.reference.is_empty() => "it has a reference model".into(),
            "reference" => "its reference model is another one, or looks ahead differently".into(),
            "keep_games" if other.keep_games => "its games are kept".into(),
            "keep_games" => "its games were not kept".into(),
            key => format!("its {} is {}, not {}", key.replace('_', " "), words(there.get(key)), words(here.get(key))),
        })
    }
}

/// A value of a setting in words.
fn words(value: Option<&serde_json::Value>) -> String {
    match value {
        None | Some(serde_json::Value::Null) => "none".into(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Array(values)) => {
            values.iter().map(|value| words(Some(value))).collect::<Vec<_>>().join(", ")
        }
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_pair_players_as_they_say() {
        assert_eq!(Format::RoundRobin.pairings(3, 0), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(Format::Gauntlet.pairings(4, 0), [(0, 1), (0, 2), (0, 3)]);
        let ladder = Format::Ladder.pairings(6, 0);
        assert_eq!(ladder.len(), 5 + 4 + 2);
        assert!(ladder.iter().all(|(a, b)| [1, 2, 4].contains(&(b - a))));
        // Two anchors and three rungs: each anchor against each rung, and the rungs.
        assert_eq!(Format::Ladder.pairings(5, 2).len(), 2 * 3 + 3);
    }
}
