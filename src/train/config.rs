//! The configuration of a training run: a TOML file, every knob with its default.

use super::device::DeviceKind;
use super::expand::{Growth, plan};
use super::learner::AdamSettings;
use super::schedule::Schedule;
use crate::bearoff::Bearoff;
use crate::features::Layout;
use crate::game::NUM_OUTCOMES;
use crate::net::weights::check_sizes;
use crate::rules::Rules;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::PathBuf;

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The run's name: the directory under `training/runs` and part of the model's metadata.
    pub name: String,
    /// The rule set that is played.
    pub rules: Rules,
    /// The feature layout: `points`, `short` or `long`.
    pub features: String,
    /// Everything random follows from it.
    #[serde(default = "defaults::seed")]
    pub seed: u64,
    /// Threads that play; 0 = one per core. Does not change the result.
    #[serde(default)]
    pub threads: usize,
    /// burn's backend for learning: `flex` or `ndarray`.
    #[serde(default = "defaults::device", with = "device_name")]
    pub device: DeviceKind,
    /// Matches against fixed opponents during the run.
    #[serde(default)]
    pub evaluation: Evaluation,
    /// When the state is saved.
    #[serde(default)]
    pub checkpoints: Checkpoints,
    /// The phases, one after another.
    #[serde(rename = "phase")]
    pub phases: Vec<Phase>,
}

/// Matches against fixed opponents during the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Evaluation {
    /// Self-play games between evaluations; 0 = only at the end.
    pub every: u64,
    /// Games against each opponent, rounded up to pairs.
    pub games: u64,
    /// `random`, `pips`, `pubeval`, `previous` (the net at the evaluation before) or a model file.
    pub opponents: Vec<String>,
    /// Luck-adjust the results with the net itself: a narrower interval, about 20 times the work.
    pub luck: bool,
}

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation { every: 100_000, games: 2_000, opponents: vec!["pips".into()], luck: false }
    }
}

/// When the state is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Checkpoints {
    /// Self-play games between checkpoints.
    pub every: u64,
    /// How many are kept.
    pub keep: usize,
}

impl Default for Checkpoints {
    fn default() -> Checkpoints {
        Checkpoints { every: 100_000, keep: 3 }
    }
}

/// What a phase learns towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Targets {
    /// The λ-returns of every position of every game.
    Lambda,
    /// The exact one-ply backups of a share of the positions, corrected by λ times what the backup of the next position, if
    /// there is one, says of that position's value ([`super::samples`]).
    OnePly,
}

/// What becomes of positions where both sides bear off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Endings {
    /// The net plays and values them like all others.
    #[default]
    Net,
    /// They are played and valued by the tables of exact endings, and these values are learned.
    Exact,
    /// They are played and valued by the tables, and not learned: for nets that will always be used with the tables.
    Skip,
}

impl Endings {
    fn is_net(&self) -> bool {
        *self == Endings::Net
    }
}

/// One phase of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Its name; its last net is kept as `phase-NAME.safetensors`.
    pub name: String,
    /// Widths of the hidden layers. The net of the phase before is expanded to them without changing what it computes.
    pub hidden: Vec<usize>,
    /// Self-play games.
    pub games: u64,
    /// Games per round; the weights that play are frozen for a round.
    #[serde(default = "defaults::round")]
    pub round: u64,
    /// Positions per step of the optimiser.
    #[serde(default = "defaults::batch")]
    pub batch: usize,
    /// Learning rate over the phase.
    pub rate: Schedule,
    /// λ of the returns over the phase.
    #[serde(default = "defaults::lambda")]
    pub lambda: Schedule,
    /// What is learned towards.
    #[serde(default = "defaults::targets")]
    pub targets: Targets,
    /// What becomes of positions where both sides bear off. Left out of the recipe's hash where it is the default, which is how
    /// recipes older than this knob were run.
    #[serde(default, skip_serializing_if = "Endings::is_net")]
    pub endings: Endings,
    /// Share of the positions that get a target, above 0 and at most 1.
    #[serde(default = "defaults::one")]
    pub share: f64,
    /// How many positions in a row get a target or none; left out of the recipe's hash where it is 1.
    #[serde(default = "defaults::stretch", skip_serializing_if = "defaults::is_single")]
    pub stretch: usize,
    /// Rounds that are learned from, the newest included.
    #[serde(default = "defaults::replay")]
    pub replay: usize,
    /// How often a position is learned from, on average.
    #[serde(default = "defaults::one")]
    pub passes: f64,
    /// Decay per round of the averaged weights that play and are exported; 0 = no averaging.
    #[serde(default)]
    pub average: f64,
    /// Model file to begin with (first phase only); without one, a new net.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_start: Option<PathBuf>,
    /// How new units begin when the net grows.
    #[serde(default = "defaults::growth")]
    pub growth: Growth,
    /// Hidden units that were idle in all the last positions of the phase before begin anew, as halves of busy ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revive: bool,
    /// Random plies at the start of a game, at most.
    #[serde(default)]
    pub random_plies: u32,
    /// File of start positions, one text per line; without one, the game's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<PathBuf>,
    /// Pre-filter of candidate plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Filter>,
    /// Adam's own knobs.
    #[serde(default)]
    pub adam: Adam,
}

impl Phase {
    /// Rounds of self-play.
    pub fn rounds(&self) -> u64 {
        self.games.div_ceil(self.round)
    }
}

/// A cheap net that looks at all candidates first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Name of an earlier phase, or a model file.
    pub model: String,
    /// Candidates that the net itself gets to see, at most.
    pub keep: usize,
    /// How far below the best they may be, in points of equity by the cheap net; any distance if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f32>,
}

/// Adam's own knobs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Adam {
    /// Memory of the mean gradient.
    pub beta1: f32,
    /// Memory of the mean squared gradient.
    pub beta2: f32,
    /// Added to the root of the mean squared gradient.
    pub epsilon: f32,
}

impl Default for Adam {
    fn default() -> Adam {
        let AdamSettings { beta1, beta2, epsilon, .. } = AdamSettings::default();
        Adam { beta1, beta2, epsilon }
    }
}

impl From<Adam> for AdamSettings {
    fn from(Adam { beta1, beta2, epsilon }: Adam) -> AdamSettings {
        AdamSettings { beta1, beta2, epsilon, ..AdamSettings::default() }
    }
}

mod defaults {
    use super::*;

    pub fn seed() -> u64 {
        1
    }
    pub fn device() -> DeviceKind {
        DeviceKind::default()
    }
    pub fn round() -> u64 {
        400
    }
    pub fn batch() -> usize {
        256
    }
    pub fn lambda() -> Schedule {
        Schedule::constant(0.0).expect("0 is finite")
    }
    pub fn targets() -> Targets {
        Targets::Lambda
    }
    pub fn one() -> f64 {
        1.0
    }
    pub fn replay() -> usize {
        1
    }
    pub fn stretch() -> usize {
        1
    }
    pub fn is_single(stretch: &usize) -> bool {
        *stretch == 1
    }
    pub fn growth() -> Growth {
        Growth::Fresh { noise: 0.1 }
    }
}

mod device_name {
    use super::DeviceKind;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(kind: &DeviceKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DeviceKind, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Why a configuration was refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not TOML, or not with these keys.
    #[error("the configuration can't be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// `--set` with something else than `key=value`.
    #[error("expected --set key=value with a key such as seed or phase.0.games, found {0:?}")]
    Set(String),
    /// A value that makes no sense.
    #[error("{knob} must be {expected}, found {found}")]
    Value {
        /// Where.
        knob: String,
        /// What it could be.
        expected: String,
        /// What it is.
        found: String,
    },
}

fn wrong(knob: impl Into<String>, expected: impl Into<String>, found: impl ToString) -> ConfigError {
    ConfigError::Value { knob: knob.into(), expected: expected.into(), found: found.to_string() }
}

impl Config {
    /// Reads a configuration and applies `key=value` settings to it.
    ///
    /// # Errors
    /// Says which key or value is wrong.
    pub fn read(text: &str, settings: &[String]) -> Result<Config, ConfigError> {
        let mut table: toml::Value = toml::Value::Table(toml::from_str(text)?);
        for setting in settings {
            set(&mut table, setting)?;
        }
        // By way of text, so that messages point at a line and a key.
        let config: Config = toml::from_str(&toml::to_string(&table).unwrap_or_default())?;
        config.check()?;
        Ok(config)
    }

    /// The configuration with every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// First 16 hex digits of the SHA-256 of [`Config::to_toml`] without the number of threads, which does not matter.
    pub fn hash(&self) -> String {
        let text = Config { threads: 0, ..self.clone() }.to_toml();
        Sha256::digest(text).iter().take(8).fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// What a run that has come to the phase numbered `phase` depends on so far: later phases may still be changed, and
    /// evaluations and checkpoints at any time.
    pub fn begun(&self, phase: usize) -> Config {
        let mut phases = self.phases.clone();
        phases.truncate(phase + 1);
        Config {
            phases,
            threads: 0,
            evaluation: Evaluation::default(),
            checkpoints: Checkpoints::default(),
            ..self.clone()
        }
    }

    /// Games of all phases.
    pub fn total_games(&self) -> u64 {
        self.phases.iter().map(|phase| phase.games).sum()
    }

    /// Changes the games of all phases in proportion, so that they sum to about `games`.
    pub fn scale_games(&mut self, games: u64) {
        let total = self.total_games().max(1);
        for phase in &mut self.phases {
            phase.games = (u128::from(phase.games) * u128::from(games) / u128::from(total)).max(1) as u64;
        }
    }

    /// The layout; [`Config::read`] has made sure that it is known.
    pub fn layout(&self) -> Layout {
        Layout::by_name(&self.features).unwrap_or(Layout::Points)
    }

    /// Layer sizes of a phase, inputs first.
    pub fn sizes(&self, phase: &Phase) -> Vec<usize> {
        let mut sizes = vec![self.layout().num_inputs()];
        sizes.extend(&phase.hidden);
        sizes.push(NUM_OUTCOMES);
        sizes
    }

    /// Threads that play.
    pub fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        }
    }

    fn check(&self) -> Result<(), ConfigError> {
        let plain =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if !plain(&self.name) || self.name.starts_with('.') {
            return Err(wrong("name", "letters, digits, - and _", format!("{:?}", self.name)));
        }
        if !Layout::by_name(&self.features).is_some_and(|layout| layout.suits(self.rules.game)) {
            let names = Layout::ALL.iter().filter(|l| l.suits(self.rules.game)).map(|l| l.name());
            let expected = format!("one of {} for {} nardy", names.collect::<Vec<_>>().join(", "), self.rules.game);
            return Err(wrong("features", expected, format!("{:?}", self.features)));
        }
        if self.rules.last_turn {
            return Err(wrong("rules", "without last_turn, since a net has no outcome for a draw", self.rules));
        }
        if self.checkpoints.every == 0 || self.checkpoints.keep == 0 {
            return Err(wrong("checkpoints", "every and keep of at least 1", 0));
        }
        if self.phases.is_empty() {
            return Err(wrong("phase", "given at least once", "none"));
        }
        for (i, phase) in self.phases.iter().enumerate() {
            self.check_phase(i, phase)?;
        }
        for (i, phases) in self.phases.windows(2).enumerate() {
            let [from, to] = [&phases[0], &phases[1]].map(|phase| self.sizes(phase));
            plan(&from, &to).map_err(|error| {
                let widths = format!("{:?} after {:?}", phases[1].hidden, phases[0].hidden);
                wrong(format!("phase.{}.hidden", i + 1), format!("a growth of the phase before ({error})"), widths)
            })?;
        }
        Ok(())
    }

    fn check_phase(&self, i: usize, phase: &Phase) -> Result<(), ConfigError> {
        let knob = |name: &str| format!("phase.{i}.{name}");
        let at_least_one = [
            ("games", phase.games),
            ("round", phase.round),
            ("batch", phase.batch as u64),
            ("replay", phase.replay as u64),
            ("stretch", phase.stretch as u64),
        ];
        for (name, value) in at_least_one {
            if value == 0 {
                return Err(wrong(knob(name), "at least 1", value));
            }
        }
        if self.phases[..i].iter().any(|earlier| earlier.name == phase.name) {
            return Err(wrong(knob("name"), "different from the other phases' names", &phase.name));
        }
        check_sizes(&self.sizes(phase))
            .map_err(|error| wrong(knob("hidden"), error.to_string(), format!("{:?}", phase.hidden)))?;
        phase.rate.check(&knob("rate"), 0.0, 1.0).map_err(|e| wrong(knob("rate"), "from 0 to 1", e))?;
        phase.lambda.check(&knob("lambda"), 0.0, 1.0).map_err(|e| wrong(knob("lambda"), "from 0 to 1", e))?;
        if !(phase.share > 0.0 && phase.share <= 1.0) {
            return Err(wrong(knob("share"), "above 0 and at most 1", phase.share));
        }
        if !(phase.passes > 0.0 && phase.passes <= 100.0) {
            return Err(wrong(knob("passes"), "above 0 and at most 100", phase.passes));
        }
        if !(0.0..1.0).contains(&phase.average) {
            return Err(wrong(knob("average"), "at least 0 and below 1", phase.average));
        }
        if phase.endings != Endings::Net && Bearoff::of(&self.rules).is_none() {
            return Err(wrong(knob("endings"), "net, since there are no exact endings for these rules", self.rules));
        }
        if i > 0 && phase.warm_start.is_some() {
            return Err(wrong(knob("warm_start"), "in the first phase only", "one in a later phase"));
        }
        if i == 0 && phase.revive {
            return Err(wrong(knob("revive"), "false in the first phase, which has no positions yet", true));
        }
        if phase.filter.as_ref().is_some_and(|filter| filter.keep == 0) {
            return Err(wrong(knob("filter.keep"), "at least 1", 0));
        }
        if let Some(within) = phase.filter.as_ref().and_then(|filter| filter.within)
            && !(within > 0.0 && within.is_finite())
        {
            return Err(wrong(knob("filter.within"), "positive", within));
        }
        AdamSettings::from(phase.adam)
            .check()
            .map_err(|error| wrong(knob("adam"), error.to_string(), format!("{:?}", phase.adam)))
    }

    /// The whole plan, every default included, for people.
    pub fn plan(&self) -> String {
        let mut text = String::new();
        let Evaluation { every, games, opponents, luck } = &self.evaluation;
        let _ = writeln!(text, "run          {} (configuration {})", self.name, self.hash());
        let _ = writeln!(text, "rules        {}", self.rules);
        let _ = writeln!(
            text,
            "features     {} v{}, {} inputs",
            self.features,
            self.layout().version(),
            self.layout().num_inputs()
        );
        let _ = writeln!(text, "seed         {}", self.seed);
        let _ = writeln!(text, "threads      {}, learning on {}", self.threads(), self.device);
        let adjusted = if *luck { ", luck-adjusted" } else { "" };
        let _ = writeln!(
            text,
            "evaluation   every {every} games, {games} games against each of {}{adjusted}",
            opponents.join(", ")
        );
        let _ = writeln!(
            text,
            "checkpoints  every {} games, the last {} kept",
            self.checkpoints.every, self.checkpoints.keep
        );
        for (i, phase) in self.phases.iter().enumerate() {
            let sizes = self.sizes(phase).iter().map(usize::to_string).collect::<Vec<_>>().join("-");
            let _ = writeln!(
                text,
                "phase {}      {}: {} games in rounds of {}, net {sizes}",
                i + 1,
                phase.name,
                phase.games,
                phase.round
            );
            let _ = writeln!(text, "  rate       {}", phase.rate);
            let _ = match phase.targets {
                Targets::Lambda => {
                    writeln!(text, "  targets    λ-returns, λ {}, of {} of the positions", phase.lambda, phase.share)
                }
                Targets::OnePly => writeln!(
                    text,
                    "  targets    exact one-ply backups of {} of the positions, {} in a row, λ {}",
                    phase.share, phase.stretch, phase.lambda
                ),
            };
            let _ = match phase.endings {
                Endings::Net => writeln!(text, "  endings    as all other positions"),
                Endings::Exact => writeln!(text, "  endings    played by exact tables, whose values are learned"),
                Endings::Skip => writeln!(text, "  endings    played by exact tables, not learned"),
            };
            let _ = writeln!(
                text,
                "  learning   batches of {}, {} passes over the last {} rounds",
                phase.batch, phase.passes, phase.replay
            );
            let _ = writeln!(
                text,
                "  adam       beta1 {}, beta2 {}, epsilon {:e}",
                phase.adam.beta1, phase.adam.beta2, phase.adam.epsilon
            );
            let _ = match phase.average {
                0.0 => writeln!(text, "  average    none"),
                decay => writeln!(text, "  average    decay {decay} per round"),
            };
            let start = match (&phase.warm_start, i) {
                (Some(path), _) => path.display().to_string(),
                (None, 0) => "a new net".into(),
                (None, _) => {
                    let revive = if phase.revive { ", idle units revived" } else { "" };
                    format!("phase {i}, growth {:?}{revive}", phase.growth)
                }
            };
            let _ = writeln!(text, "  begins     with {start}");
            let starts = phase.starts.as_ref().map_or("the game's start".into(), |path| path.display().to_string());
            let _ = writeln!(text, "  games      from {starts}, at most {} random plies first", phase.random_plies);
            if let Some(Filter { model, keep, within }) = &phase.filter {
                let within = within.map_or_else(String::new, |points| format!(" within {points} points of the first"));
                let _ = writeln!(text, "  filter     {model}, best {keep} candidates{within}");
            }
        }
        text
    }
}

/// Applies `key=value`; the value is TOML, or a bare text.
fn set(table: &mut toml::Value, setting: &str) -> Result<(), ConfigError> {
    let refuse = || ConfigError::Set(setting.to_owned());
    let (key, value) = setting.split_once('=').ok_or_else(refuse)?;
    let parsed = toml::from_str::<toml::Table>(&format!("value = {value}"))
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| toml::Value::String(value.to_owned()));
    let mut place = table;
    for part in key.trim().split('.') {
        place = match place {
            toml::Value::Table(table) => table.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new())),
            toml::Value::Array(list) => part.parse::<usize>().ok().and_then(|i| list.get_mut(i)).ok_or_else(refuse)?,
            _ => return Err(refuse()),
        };
    }
    *place = parsed;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        name = "t"
        rules = "short"
        features = "points"
        [[phase]]
        name = "td"
        hidden = [8]
        games = 100
        rate = 1e-3
    "#;

    fn refused(settings: &[&str]) -> String {
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        Config::read(SMALL, &settings).unwrap_err().to_string()
    }

    #[test]
    fn a_configuration_with_its_defaults_reads_back_the_same() {
        let config = Config::read(SMALL, &["phase.0.rate={kind=\"linear\",from=1e-3,to=1e-4}".into()]).unwrap();
        assert_eq!(Config::read(&config.to_toml(), &[]).unwrap(), config);
        assert!(config.plan().contains("net 196-8-6"), "{}", config.plan());
    }

    #[test]
    fn settings_change_single_values() {
        let settings = ["seed=7", "phase.0.games=5", "phase.0.hidden=[4,4]", "evaluation.every=9", "name=other"];
        let config = Config::read(SMALL, &settings.map(String::from)).unwrap();
        assert_eq!((config.seed, config.phases[0].games, config.evaluation.every), (7, 5, 9));
        assert_eq!((config.phases[0].hidden.as_slice(), config.name.as_str()), ([4, 4].as_slice(), "other"));
    }

    #[test]
    fn wrong_values_are_refused_with_what_was_expected() {
        assert!(refused(&["seed"]).contains("key=value"));
        assert!(refused(&["phase.3.games=1"]).contains("phase.0.games"));
        assert!(refused(&["phase.0.gmaes=1"]).contains("gmaes"));
        assert!(refused(&["features=long"]).contains("one of points, short for short nardy"));
        assert!(refused(&["phase.0.games=0"]).contains("phase.0.games must be at least 1"));
        assert!(refused(&["phase.0.share=1.5"]).contains("share"));
        assert!(refused(&["phase.0.lambda=2.0"]).contains("lambda"));
        assert!(refused(&["rules=chess"]).contains("unknown rule set"));
        assert!(refused(&["device=gpu"]).contains("gpu"));
    }

    #[test]
    fn a_phase_that_can_not_grow_out_of_the_one_before_is_refused_before_anything_is_played() {
        let second = "[[phase]]\nname = \"next\"\ngames = 1\nrate = 1e-3\nhidden = ";
        let read = |hidden: &str| Config::read(&format!("{SMALL}{second}{hidden}"), &[]);
        assert!(read("[16, 8]").is_ok());
        let error = read("[16, 4]").unwrap_err().to_string();
        assert!(error.contains("phase.1.hidden") && error.contains("[16, 4] after [8]"), "{error}");
    }

    #[test]
    fn what_a_run_depends_on_ends_with_the_phase_it_has_come_to() {
        let two =
            format!("{SMALL}{}", SMALL[SMALL.find("[[phase]]").unwrap()..].replace("name = \"", "name = \"other-"));
        let config = |s: &str| Config::read(&two, &[s.into()]).unwrap();
        assert_eq!(config("phase.1.games=77").begun(0), config("phase.1.games=78").begun(0));
        assert_ne!(config("phase.1.games=77").begun(1), config("phase.1.games=78").begun(1));
        assert_eq!(config("evaluation.every=9").begun(1), config("threads=2").begun(1));
        assert_ne!(config("seed=9").begun(0), config("seed=10").begun(0));
    }

    #[test]
    fn the_hash_ignores_threads_and_nothing_else() {
        let config = |s: &str| Config::read(SMALL, &[s.into()]).unwrap().hash();
        assert_eq!(config("threads=1"), config("threads=2"));
        assert_ne!(config("seed=1"), config("seed=2"));
    }
}
