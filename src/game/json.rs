//! Records as JSON: a game per line, or a match as one document.
//!
//! A game: `{"version":1,"rules":"long","white":"A","black":"B","seed":"7","starter":"white","turns":[{"dice":"63",
//! "play":"24/18 18/15"},…],"result":{"end":"win","winner":"white","kind":"mars","points":2}}`. Plays are in the
//! mover's own numbers, step by step, without hit marks; `pass` where nothing can be played. The seed is a text, since
//! many readers of JSON can't hold 64 bits. A match has `goal` and `games` in place of one game's fields. Unknown
//! fields are ignored.

use super::record::{GameRecord, MatchRecord, RecordError, Turn};
use super::{ByColor, Color, GameResult, Goal};
use crate::notation::parse_play;
use crate::rules::Rules;
use crate::types::Roll;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{BufRead, Write};

/// Version of the format; it goes up when older readers would misunderstand a newer record.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct TurnForm {
    dice: String,
    play: String,
}

/// What belongs to one game of a match.
#[derive(Serialize, Deserialize)]
struct GameForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    swapped: bool,
    starter: Color,
    #[serde(default = "once", skip_serializing_if = "is_once")]
    multiplier: u32,
    turns: Vec<TurnForm>,
    #[serde(default)]
    result: Option<GameResult>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    rules: Rules,
    white: String,
    black: String,
}

#[derive(Serialize, Deserialize)]
struct LineForm {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    game: GameForm,
}

#[derive(Serialize, Deserialize)]
struct MatchForm {
    #[serde(flatten)]
    head: Head,
    goal: Goal,
    games: Vec<GameForm>,
}

fn once() -> u32 {
    1
}

fn is_once(multiplier: &u32) -> bool {
    *multiplier == 1
}

impl Head {
    fn new(rules: Rules, players: &ByColor<String>) -> Head {
        Head { version: VERSION, rules, white: players.white.clone(), black: players.black.clone() }
    }

    fn players(&self) -> ByColor<String> {
        ByColor::new(self.white.clone(), self.black.clone())
    }
}

impl GameForm {
    fn of(record: &GameRecord) -> GameForm {
        let turn = |t: &Turn| TurnForm { dice: t.roll.digits(), play: t.steps.to_string() };
        GameForm {
            seed: record.seed.map(|seed| seed.to_string()),
            swapped: record.swapped,
            starter: record.starter,
            multiplier: record.multiplier,
            turns: record.turns.iter().map(turn).collect(),
            result: record.result,
        }
    }

    /// The record, every turn and the result checked.
    fn check(self, rules: Rules, players: ByColor<String>) -> Result<GameRecord, RecordError> {
        let mut record = GameRecord::new(rules, players, self.starter);
        if let Some(text) = self.seed {
            let why = || format!("the seed must be a text of decimal digits below 2^64, found {text:?}");
            record.seed = Some(text.parse().map_err(|_| RecordError::Form { game: 1, why: why() })?);
        }
        if self.multiplier == 0 {
            return Err(RecordError::Form { game: 1, why: "the multiplier must be at least 1, found 0".into() });
        }
        (record.swapped, record.multiplier, record.result) = (self.swapped, self.multiplier, self.result);
        let turns = self.turns.iter().map(|turn| (turn.dice.as_str(), turn.play.as_str()));
        record.turns = read_turns(&record, turns)?;
        record.replay()?;
        Ok(record)
    }
}

/// Reads dice and plays one after another, each in the position that the ones before lead to.
fn read_turns<'a>(
    record: &GameRecord,
    texts: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<Turn>, RecordError> {
    let mut game = record.before_first_turn();
    let mut turns = Vec::new();
    for (dice, play) in texts {
        let (turn, color) = (turns.len() + 1, game.turn());
        let refuse = |why: String| RecordError::Turn { game: 1, turn, color, why };
        let roll: Roll = dice.parse().map_err(|e: crate::types::ParseRollError| refuse(e.to_string()))?;
        game.roll(roll).map_err(|e| refuse(e.to_string()))?;
        let play = parse_play(play, game.position(), roll, &record.rules).map_err(|e| refuse(e.to_string()))?;
        game.play_to(play.position).map_err(|e| refuse(e.to_string()))?;
        turns.push(Turn { roll, steps: play.steps });
    }
    Ok(turns)
}

/// Reads JSON of some form after looking at its version.
fn read_form<F: DeserializeOwned>(text: &str) -> Result<F, RecordError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let form = |e: serde_json::Error| RecordError::Form { game: 1, why: format!("not a record: {e}") };
    let Version { version } = serde_json::from_str(text).map_err(form)?;
    if version != VERSION {
        return Err(RecordError::Version { game: 1, found: version });
    }
    serde_json::from_str(text).map_err(form)
}

fn to_text(form: &impl Serialize) -> String {
    serde_json::to_string(form).expect("records hold only texts, numbers and lists")
}

impl GameRecord {
    /// The game as one line of JSON, without the end of line.
    pub fn to_json(&self) -> String {
        to_text(&LineForm { head: Head::new(self.rules, &self.players), game: GameForm::of(self) })
    }

    /// Reads a game from JSON and plays it again.
    ///
    /// # Errors
    /// What is wrong, and in which turn.
    pub fn from_json(text: &str) -> Result<GameRecord, RecordError> {
        let LineForm { head, game } = read_form(text)?;
        let players = head.players();
        game.check(head.rules, players)
    }

    /// Writes the game as a line of a file of games.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_line(&self, writer: &mut impl Write) -> std::io::Result<()> {
        writeln!(writer, "{}", self.to_json())
    }
}

/// Reads a file of games, one a line; blank lines are skipped. Each game is played again.
pub fn read_games(reader: impl BufRead) -> impl Iterator<Item = Result<GameRecord, RecordError>> {
    let lines = reader.lines().filter(|line| line.as_ref().map_or(true, |text| !text.trim().is_empty()));
    lines.enumerate().map(|(i, line)| GameRecord::from_json(&line?).map_err(|e| e.in_game(i + 1)))
}

impl MatchRecord {
    /// The match as one JSON document.
    pub fn to_json(&self) -> String {
        let games = self.games.iter().map(GameForm::of).collect();
        to_text(&MatchForm { head: Head::new(self.rules, &self.players), goal: self.goal, games })
    }

    /// Reads a match from JSON and plays all its games again.
    ///
    /// # Errors
    /// What is wrong, in which game and turn.
    pub fn from_json(text: &str) -> Result<MatchRecord, RecordError> {
        let form: MatchForm = read_form(text)?;
        let (rules, players) = (form.head.rules, form.head.players());
        let read = |(i, game): (usize, GameForm)| game.check(rules, players.clone()).map_err(|e| e.in_game(i + 1));
        let games = form.games.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
        let record = MatchRecord { rules, players, goal: form.goal, games };
        record.replay()?;
        Ok(record)
    }
}
