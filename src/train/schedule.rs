//! A number that changes over a run: learning rate, λ, exploration.
//!
//! Progress runs from 0 (start) to 1 (end) of whatever the run counts, so that a recipe keeps its form when it is made
//! longer. In TOML a schedule is a number or a table:
//!
//! ```toml
//! rate = { kind = "cosine", from = 1e-3, to = 5e-5, warm_up = 0.02 }
//! lambda = { kind = "linear", from = 0.7, to = 0.0, until = 0.5 }
//! explore = 0.01
//! ```

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How a [`Schedule`] gets from its first to its last value.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// One value throughout.
    Constant(f64),
    /// A straight line from the first value to the second at progress `until`.
    Linear {
        /// Value at progress 0.
        from: f64,
        /// Value from progress `until` on.
        to: f64,
        /// Where the change ends, above 0 and at most 1.
        until: f64,
    },
    /// Half a cosine wave: slow at both ends.
    Cosine {
        /// Value at progress 0.
        from: f64,
        /// Value from progress `until` on.
        to: f64,
        /// Where the change ends, above 0 and at most 1.
        until: f64,
    },
    /// A straight line in the logarithm; both values are positive.
    Exponential {
        /// Value at progress 0.
        from: f64,
        /// Value from progress `until` on.
        to: f64,
        /// Where the change ends, above 0 and at most 1.
        until: f64,
    },
    /// Each value holds from its progress on; the first starts at 0.
    Steps(Vec<Step>),
}

/// One entry of [`Shape::Steps`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Progress at which it starts, from 0 up to but not 1.
    pub at: f64,
    /// Value from there on.
    pub value: f64,
}

/// A value as a function of a run's progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "Text")]
pub struct Schedule {
    shape: Shape,
    warm_up: f64,
}

/// A schedule that makes no sense.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ScheduleError {
    /// A field that this kind needs.
    #[error("a {kind} schedule needs {field}")]
    Missing {
        /// The kind.
        kind: Kind,
        /// The field.
        field: &'static str,
    },
    /// A field that this kind has no use for.
    #[error("a {kind} schedule has no {field}")]
    Unused {
        /// The kind.
        kind: Kind,
        /// The field.
        field: &'static str,
    },
    /// A number out of range.
    #[error("expected {field} to be {expected}, got {got}")]
    Range {
        /// The field.
        field: &'static str,
        /// Its range.
        expected: &'static str,
        /// Its value.
        got: f64,
    },
    /// Steps that don't start at 0 or go backwards.
    #[error("expected steps that start at 0 and rise, got one at {got} after {before:?}")]
    Order {
        /// Progress of the step before it, if any.
        before: Option<f64>,
        /// Progress of the first wrong step.
        got: f64,
    },
    /// A value that the use of the schedule doesn't allow.
    #[error("expected {name} between {low} and {high}, got a schedule that reaches {got}")]
    Use {
        /// What the schedule is for.
        name: String,
        /// Lowest value allowed.
        low: f64,
        /// Highest value allowed.
        high: f64,
        /// The value out of range.
        got: f64,
    },
}

/// The kinds of schedule by their names in configuration files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// [`Shape::Constant`].
    Constant,
    /// [`Shape::Linear`].
    Linear,
    /// [`Shape::Cosine`].
    Cosine,
    /// [`Shape::Exponential`].
    Exponential,
    /// [`Shape::Steps`].
    Steps,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Constant => "constant",
            Kind::Linear => "linear",
            Kind::Cosine => "cosine",
            Kind::Exponential => "exponential",
            Kind::Steps => "steps",
        })
    }
}

impl Schedule {
    /// The same value throughout.
    ///
    /// # Errors
    /// Refuses a value that isn't finite.
    pub fn constant(value: f64) -> Result<Self, ScheduleError> {
        Schedule::new(Shape::Constant(value), 0.0)
    }

    /// A schedule whose value is scaled by a ramp from 0 to 1 over the first `warm_up` of the progress (0: none).
    ///
    /// # Errors
    /// Names the first number out of range.
    pub fn new(shape: Shape, warm_up: f64) -> Result<Self, ScheduleError> {
        let range = |field, expected, ok: bool, got| match ok {
            true => Ok(()),
            false => Err(ScheduleError::Range { field, expected, got }),
        };
        range("warm_up", "at least 0 and below 1", (0.0..1.0).contains(&warm_up), warm_up)?;
        match &shape {
            Shape::Constant(value) => range("value", "finite", value.is_finite(), *value)?,
            Shape::Linear { from, to, until }
            | Shape::Cosine { from, to, until }
            | Shape::Exponential { from, to, until } => {
                let positive = matches!(shape, Shape::Exponential { .. });
                let expected = if positive { "positive and finite" } else { "finite" };
                for (field, value) in [("from", *from), ("to", *to)] {
                    range(field, expected, value.is_finite() && (!positive || value > 0.0), value)?;
                }
                range("until", "above 0 and at most 1", *until > 0.0 && *until <= 1.0, *until)?;
            }
            Shape::Steps(steps) => {
                let mut before = None;
                for step in steps {
                    range("value", "finite", step.value.is_finite(), step.value)?;
                    range("at", "at least 0 and below 1", (0.0..1.0).contains(&step.at), step.at)?;
                    if before.map_or(step.at != 0.0, |before| step.at <= before) {
                        return Err(ScheduleError::Order { before, got: step.at });
                    }
                    before = Some(step.at);
                }
                if steps.is_empty() {
                    return Err(ScheduleError::Missing { kind: Kind::Steps, field: "at least one of steps" });
                }
            }
        }
        Ok(Schedule { shape, warm_up })
    }

    /// The value at a progress, which counts as 0 below 0 and as 1 above 1.
    pub fn at(&self, progress: f64) -> f64 {
        let progress = progress.clamp(0.0, 1.0);
        let ramp = if progress < self.warm_up { progress / self.warm_up } else { 1.0 };
        ramp * self.shape_at(progress)
    }

    fn shape_at(&self, progress: f64) -> f64 {
        let way = |until: f64| (progress / until).min(1.0);
        // Exactly `to` at the end, whatever the rounding on the way.
        let between = |from: f64, to: f64, way: f64| if way < 1.0 { from + (to - from) * way } else { to };
        match &self.shape {
            Shape::Constant(value) => *value,
            Shape::Linear { from, to, until } => between(*from, *to, way(*until)),
            Shape::Cosine { from, to, until } => {
                let wave = (1.0 - (std::f64::consts::PI * way(*until)).cos()) / 2.0;
                between(*from, *to, wave)
            }
            Shape::Exponential { from, to, until } => match way(*until) {
                way if way < 1.0 => from * (to / from).powf(way),
                _ => *to,
            },
            Shape::Steps(steps) => {
                let reached = steps.iter().take_while(|step| step.at <= progress).last();
                reached.map_or(0.0, |step| step.value)
            }
        }
    }

    /// Checks that every value of the schedule is from `low` to `high`; the ramp of a warm-up may go below `low`.
    ///
    /// # Errors
    /// Names the schedule by `name` and the value out of range.
    pub fn check(&self, name: &str, low: f64, high: f64) -> Result<(), ScheduleError> {
        let values = match &self.shape {
            Shape::Constant(value) => vec![*value],
            Shape::Linear { from, to, .. } | Shape::Cosine { from, to, .. } | Shape::Exponential { from, to, .. } => {
                vec![*from, *to]
            }
            Shape::Steps(steps) => steps.iter().map(|step| step.value).collect(),
        };
        match values.into_iter().find(|value| !(low..=high).contains(value)) {
            Some(got) => Err(ScheduleError::Use { name: name.to_owned(), low, high, got }),
            None => Ok(()),
        }
    }
}

/// One line for the printed plan, such as `0.7 → 0 linear until 50 %, warm-up 2 %`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{} %", (share * 1000.0).round() / 10.0);
        match &self.shape {
            Shape::Constant(value) => write!(f, "{value}")?,
            Shape::Linear { from, to, until }
            | Shape::Cosine { from, to, until }
            | Shape::Exponential { from, to, until } => {
                write!(f, "{from} → {to} {}", self.kind())?;
                if *until < 1.0 {
                    write!(f, " until {}", percent(*until))?;
                }
            }
            Shape::Steps(steps) => {
                for (index, step) in steps.iter().enumerate() {
                    match index {
                        0 => write!(f, "{}", step.value)?,
                        _ => write!(f, ", from {} {}", percent(step.at), step.value)?,
                    }
                }
            }
        }
        if self.warm_up > 0.0 {
            write!(f, ", warm-up {}", percent(self.warm_up))?;
        }
        Ok(())
    }
}

impl Schedule {
    fn kind(&self) -> Kind {
        match self.shape {
            Shape::Constant(_) => Kind::Constant,
            Shape::Linear { .. } => Kind::Linear,
            Shape::Cosine { .. } => Kind::Cosine,
            Shape::Exponential { .. } => Kind::Exponential,
            Shape::Steps(_) => Kind::Steps,
        }
    }
}

/// The form in configuration files: a bare number or a table.
#[derive(Serialize)]
#[serde(untagged)]
enum Text {
    Number(f64),
    Table(Table),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    warm_up: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<Step>>,
}

impl From<Schedule> for Text {
    fn from(schedule: Schedule) -> Text {
        let kind = schedule.kind();
        let warm_up = (schedule.warm_up > 0.0).then_some(schedule.warm_up);
        let mut table = Table { kind, value: None, from: None, to: None, until: None, warm_up, steps: None };
        match schedule.shape {
            Shape::Constant(value) if warm_up.is_none() => return Text::Number(value),
            Shape::Constant(value) => table.value = Some(value),
            Shape::Linear { from, to, until }
            | Shape::Cosine { from, to, until }
            | Shape::Exponential { from, to, until } => {
                (table.from, table.to) = (Some(from), Some(to));
                table.until = (until < 1.0).then_some(until);
            }
            Shape::Steps(steps) => table.steps = Some(steps),
        }
        Text::Table(table)
    }
}

impl TryFrom<Table> for Schedule {
    type Error = ScheduleError;

    fn try_from(table: Table) -> Result<Schedule, ScheduleError> {
        let kind = table.kind;
        let changing = matches!(kind, Kind::Linear | Kind::Cosine | Kind::Exponential);
        let fields = [
            ("value", table.value.is_some(), kind == Kind::Constant),
            ("from", table.from.is_some(), changing),
            ("to", table.to.is_some(), changing),
            ("until", table.until.is_some(), changing),
            ("steps", table.steps.is_some(), kind == Kind::Steps),
        ];
        for (field, given, used) in fields {
            if given && !used {
                return Err(ScheduleError::Unused { kind, field });
            }
            if !given && used && field != "until" {
                return Err(ScheduleError::Missing { kind, field });
            }
        }
        // The defaults below stand only for fields that this kind has no use for.
        let (from, to) = (table.from.unwrap_or_default(), table.to.unwrap_or_default());
        let until = table.until.unwrap_or(1.0);
        let shape = match kind {
            Kind::Constant => Shape::Constant(table.value.unwrap_or_default()),
            Kind::Linear => Shape::Linear { from, to, until },
            Kind::Cosine => Shape::Cosine { from, to, until },
            Kind::Exponential => Shape::Exponential { from, to, until },
            Kind::Steps => Shape::Steps(table.steps.unwrap_or_default()),
        };
        Schedule::new(shape, table.warm_up.unwrap_or(0.0))
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
        struct NumberOrTable;

        impl<'de> Visitor<'de> for NumberOrTable {
            type Value = Schedule;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a table with a kind")
            }

            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Schedule, E> {
                Schedule::constant(value).map_err(E::custom)
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Schedule, E> {
                self.visit_f64(value as f64)
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Schedule, E> {
                self.visit_f64(value as f64)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Schedule, A::Error> {
                let table = Table::deserialize(MapAccessDeserializer::new(map))?;
                Schedule::try_from(table).map_err(serde::de::Error::custom)
            }
        }

        deserializer.deserialize_any(NumberOrTable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Config {
        rate: Schedule,
    }

    fn parse(text: &str) -> Result<Schedule, String> {
        toml::from_str::<Config>(&format!("rate = {text}")).map(|c| c.rate).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn assert_values(text: &str, expected: &[(f64, f64)]) {
        let schedule = parse(text).expect("a good schedule");
        for (progress, value) in expected {
            let got = schedule.at(*progress);
            assert!((got - value).abs() < 1e-12, "{text} at {progress}: {got} instead of {value}");
        }
    }

    #[test]
    fn every_kind_has_the_values_of_its_definition() {
        assert_values("0.25", &[(0.0, 0.25), (1.0, 0.25)]);
        assert_values("1", &[(0.5, 1.0)]);
        let linear = r#"{ kind = "linear", from = 0.7, to = 0.0, until = 0.5 }"#;
        assert_values(linear, &[(-1.0, 0.7), (0.0, 0.7), (0.25, 0.35), (0.5, 0.0), (1.0, 0.0), (2.0, 0.0)]);
        let cosine = r#"{ kind = "cosine", from = 1.0, to = 3.0 }"#;
        assert_values(cosine, &[(0.0, 1.0), (1.0 / 3.0, 1.5), (0.5, 2.0), (1.0, 3.0)]);
        let exponential = r#"{ kind = "exponential", from = 1e-2, to = 1e-4 }"#;
        assert_values(exponential, &[(0.0, 1e-2), (0.5, 1e-3), (1.0, 1e-4)]);
        let steps = r#"{ kind = "steps", steps = [{ at = 0, value = 2 }, { at = 0.5, value = 1.0 }] }"#;
        assert_values(steps, &[(0.0, 2.0), (0.49, 2.0), (0.5, 1.0), (1.0, 1.0)]);
        let warm = r#"{ kind = "linear", from = 1.0, to = 0.0, warm_up = 0.1 }"#;
        assert_values(warm, &[(0.0, 0.0), (0.05, 0.475), (0.1, 0.9), (0.5, 0.5)]);
    }

    #[test]
    fn toml_and_schedules_are_exact_inverses() {
        for text in [
            "0.25",
            r#"{ kind = "constant", value = 0.1, warm_up = 0.2 }"#,
            r#"{ kind = "linear", from = 0.7, to = 0.0, until = 0.5 }"#,
            r#"{ kind = "cosine", from = 0.001, to = 0.0001, warm_up = 0.02 }"#,
            r#"{ kind = "exponential", from = 0.001, to = 0.0001 }"#,
            r#"{ kind = "steps", steps = [{ at = 0.0, value = 2.0 }, { at = 0.5, value = 1.0 }] }"#,
        ] {
            let config = Config { rate: parse(text).expect("a good schedule") };
            let written = toml::to_string(&config).expect("a table");
            assert_eq!(toml::from_str::<Config>(&written), Ok(config), "{written}");
        }
    }

    #[test]
    fn the_plan_shows_a_schedule_in_one_line() {
        let line = |text| parse(text).expect("a good schedule").to_string();
        assert_eq!(line("0.01"), "0.01");
        let linear = r#"{ kind = "linear", from = 0.7, to = 0.0, until = 0.5, warm_up = 0.025 }"#;
        assert_eq!(line(linear), "0.7 → 0 linear until 50 %, warm-up 2.5 %");
        assert_eq!(line(r#"{ kind = "cosine", from = 1e-3, to = 5e-5 }"#), "0.001 → 0.00005 cosine");
        let steps = r#"{ kind = "steps", steps = [{ at = 0, value = 2 }, { at = 0.5, value = 1.5 }] }"#;
        assert_eq!(line(steps), "2, from 50 % 1.5");
    }

    #[test]
    fn senseless_schedules_are_refused_with_the_field() {
        for (text, part) in [
            (r#"{ kind = "linear", from = 1.0 }"#, "a linear schedule needs to"),
            (r#"{ kind = "linear", from = 1.0, to = 0.0, value = 2.0 }"#, "a linear schedule has no value"),
            (r#"{ kind = "linear", from = 1.0, to = 0.0, until = 0.0 }"#, "until to be above 0"),
            (r#"{ kind = "exponential", from = 1.0, to = 0.0 }"#, "to to be positive"),
            (r#"{ kind = "constant", value = 1.0, warm_up = 1.0 }"#, "warm_up"),
            (r#"{ kind = "steps", steps = [] }"#, "at least one"),
            (r#"{ kind = "steps", steps = [{ at = 0.1, value = 1.0 }] }"#, "start at 0"),
            (r#"{ kind = "steps", steps = [{ at = 0, value = 1 }, { at = 0, value = 2 }] }"#, "rise"),
            (r#"{ kind = "steps", steps = [{ at = 0, value = 1 }, { at = 1.5, value = 2 }] }"#, "below 1"),
            (r#"{ kind = "sine", from = 1.0, to = 0.0 }"#, "sine"),
            (r#"{ kind = "linear", form = 1.0, to = 0.0 }"#, "form"),
            (r#""fast""#, "a number or a table"),
            ("nan", "finite"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_use_checks_the_values_that_are_reached() {
        let lambda = parse(r#"{ kind = "linear", from = 0.7, to = 1.5 }"#).expect("a good schedule");
        let error = lambda.check("lambda", 0.0, 1.0).expect_err("1.5 is reached");
        assert_eq!(error.to_string(), "expected lambda between 0 and 1, got a schedule that reaches 1.5");
        assert_eq!(lambda.check("lambda", 0.0, 1.5), Ok(()));
    }
}
