//! A conversation as one line of JSON, to go on with it another day.

use super::session::{Lines, Series, Session};
use super::{DiceLog, Level, ProtocolError, Settings, Table};
use crate::game::{Color, GameResult, GameState, Goal, WinKind};
use crate::notation::Numbers;
use crate::notation::{format_steps, parse_play};
use crate::position::text::parse_literal;
use crate::rules::Rules;
use crate::types::Roll;
use serde::{Deserialize, Serialize};

/// Version of the form.
const VERSION: u32 = 1;
/// More throws than any game needs, so that a damaged text can't keep the program busy.
const MOST_THROWS: usize = 10_000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    rules: Rules,
    level: String,
    level_seed: u64,
    goal: Goal,
    refereed: bool,
    results: Vec<(Color, GameResult)>,
    starter: Color,
    start: String,
    opening: Option<String>,
    turns: Vec<(String, String)>,
    dice: Option<String>,
    steps: Vec<(u8, u8)>,
    resigned: Option<(Color, WinKind)>,
    seed: u64,
    throws: usize,
    thrown: Vec<(usize, String)>,
}

fn roll_of(text: &str) -> Result<Roll, ProtocolError> {
    text.parse().map_err(ProtocolError::argument)
}

impl Session {
    pub(super) fn save(&self) -> Result<String, ProtocolError> {
        let table = &self.table;
        let rules = *table.rules();
        let saved = Saved {
            version: VERSION,
            rules,
            level: self.settings.level.to_string(),
            level_seed: self.settings.seed,
            goal: self.series.goal,
            refereed: self.series.refereed,
            results: self.series.results.clone(),
            starter: table.base().turn(),
            start: table.base().position().to_string(),
            opening: table.base().dice().map(|roll| roll.to_string()),
            turns: table
                .turns()
                .iter()
                .map(|turn| (turn.roll.to_string(), format_steps(turn.steps, rules.game, Numbers::Own)))
                .collect(),
            dice: table.game().dice().map(|roll| roll.to_string()),
            steps: table.steps().iter().map(|step| (step.from, step.die)).collect(),
            resigned: table.resigned(),
            seed: table.dice.seed(),
            throws: table.dice.throws().len(),
            thrown: table.dice.turns().map(|(turn, roll)| (turn, roll.to_string())).collect(),
        };
        serde_json::to_string(&saved).map_err(ProtocolError::state)
    }

    /// Everything is read and replayed before anything changes.
    pub(super) fn resume(&mut self, json: &str) -> Lines {
        let wrong = |error: serde_json::Error| ProtocolError::argument(format!("not a saved game: {error}"));
        let saved: Saved = serde_json::from_str(json).map_err(wrong)?;
        if saved.version != VERSION {
            let message = format!("this is version {} of saved games, expected {VERSION}", saved.version);
            return Err(ProtocolError::argument(message));
        }
        let level: Level = saved.level.parse().map_err(ProtocolError::argument)?;
        let series = Series { goal: saved.goal, results: saved.results.clone(), refereed: saved.refereed };
        let over = saved.results.last().is_some();
        series.count(&saved.rules)?;
        let table = rebuild(&saved)?;
        if let Some(result) = table.game().result()
            && !(over && series.results.last().is_some_and(|&(_, last)| last == result))
        {
            return Err(ProtocolError::argument("the finished game is not the last one of the saved score"));
        }
        self.table = table;
        self.series = series;
        self.settings = Settings { rules: saved.rules, level, seed: saved.level_seed, ..self.settings.clone() };
        Ok(vec![self.state_line()?])
    }
}

fn rebuild(saved: &Saved) -> Result<Table, ProtocolError> {
    if saved.throws > MOST_THROWS {
        let message = format!("{} throws in one game; at most {MOST_THROWS} are possible", saved.throws);
        return Err(ProtocolError::argument(message));
    }
    let base = match &saved.opening {
        Some(opening) => GameState::start(&saved.rules, saved.starter, Some(roll_of(opening)?)),
        None => {
            let start = parse_literal(&saved.start, saved.rules.game).map_err(ProtocolError::argument)?;
            GameState::from_position(&saved.rules, start, saved.starter)
        }
    }
    .map_err(ProtocolError::argument)?;
    let read = |(turn, dice): &(usize, String)| roll_of(dice).map(|roll| (*turn, roll));
    let thrown: Result<Vec<_>, ProtocolError> = saved.thrown.iter().map(read).collect();
    let mut table = Table::new(base, DiceLog::restore(saved.seed, saved.throws, thrown?));
    for (dice, play) in &saved.turns {
        table.put_dice(roll_of(dice)?)?;
        let (position, rules) = (table.game().position(), *table.rules());
        let play = parse_play(play, position, roll_of(dice)?, &rules).map_err(ProtocolError::illegal)?;
        table.play(play.position, play.steps)?;
    }
    if let Some(dice) = &saved.dice {
        table.put_dice(roll_of(dice)?)?;
        for &(from, die) in &saved.steps {
            table.walk()?.step(from, die).map_err(ProtocolError::illegal)?;
        }
    }
    if let Some((loser, kind)) = saved.resigned {
        table.resign(loser, kind)?;
    }
    Ok(table)
}
