//! UBGI, seen from the side that asks: three dialects, found out from the greeting.

use super::EngineLimits;
use super::process::{Incoming, Process};
use crate::arena::fault::{Fault, FaultKind, SeatError};
use crate::arena::seat::{GameContext, Seat};
use crate::movegen::PlayList;
use crate::notation::{PlayTextOptions, parse_legs, parse_play_with};
use crate::position::Position;
use crate::position::text::{CubeOwner, Xgid, XgidAction, gnu_id};
use crate::rules::{Game, Rules};
use crate::types::Roll;
use std::fmt;
use std::time::{Duration, Instant};

/// The dialects of UBGI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Draft 0.01: a board line by itself, answered by the bare play. Short nardy only.
    Draft001,
    /// v0.1: `setoption`, `go role chequer`.
    V01,
    /// v0.2: `proto 0.2`, `key` lines, `set`, `go`.
    V02,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Dialect::Draft001 => "UBGI draft 0.01",
            Dialect::V01 => "UBGI v0.1",
            Dialect::V02 => "UBGI v0.2",
        })
    }
}

/// Lines without an answer in them after which an engine is taken to talk nonsense.
const MOST_CHATTER: usize = 10_000;
/// How long a `readyok` after `ubgiok` is waited for.
const AFTER_GREETING: Duration = Duration::from_millis(30);
/// Lines of an answer that are kept for the report.
const KEPT_LINES: usize = 20;

/// A UBGI engine. It is started for the first game and again for the game after a failure.
#[derive(Debug)]
pub struct UbgiEngine {
    command: Vec<String>,
    options: Vec<(String, String)>,
    limits: EngineLimits,
    talk: Option<Talk>,
}

/// A conversation with a running engine.
#[derive(Debug)]
struct Talk {
    process: Process,
    dialect: Dialect,
    /// The `key` lines of the greeting: name and the rest.
    keys: Vec<(String, String)>,
    /// Length of the match and own and other score, for the draft's board lines.
    score: (u32, u32, u32),
    /// What was sent since the last answer, and what came.
    asked: String,
    heard: Vec<String>,
}

impl UbgiEngine {
    /// An engine that is started with this command when it is needed; the options are set after each greeting.
    pub fn new(command: Vec<String>, options: Vec<(String, String)>, limits: EngineLimits) -> UbgiEngine {
        UbgiEngine { command, options, limits, talk: None }
    }

    /// The dialect of the running engine.
    pub fn dialect(&self) -> Option<Dialect> {
        self.talk.as_ref().map(|talk| talk.dialect)
    }

    fn start(&self, rules: &Rules) -> Result<Talk, SeatError> {
        let process = Process::start(&self.command).map_err(|error| {
            let command = self.command.join(" ");
            Fault::new(FaultKind::Start, &command, "", error.to_string())
        })?;
        let mut talk = Talk {
            process,
            dialect: Dialect::V01,
            keys: Vec::new(),
            score: (0, 0, 0),
            asked: String::new(),
            heard: Vec::new(),
        };
        talk.greet(&self.limits)?;
        talk.set_up(&self.options, rules, &self.limits)?;
        Ok(talk)
    }
}

impl Seat for UbgiEngine {
    fn new_game(&mut self, context: &GameContext) -> Result<(), SeatError> {
        let mut talk = match self.talk.take() {
            Some(talk) => talk,
            None => self.start(context.rules)?,
        };
        let reseed = !self.options.iter().any(|(key, _)| key == "engine.seed");
        talk.new_game(context, reseed, &self.limits)?;
        self.talk = Some(talk);
        Ok(())
    }

    fn choose(&mut self, position: Position, roll: Roll, rules: &Rules, plays: &PlayList) -> Result<usize, SeatError> {
        let Some(mut talk) = self.talk.take() else {
            return Err(Fault::new(FaultKind::Crash, "", "", "the engine is not running").into());
        };
        // Whatever it does wrong, the conversation is dropped and with it the process.
        let choice = talk.choose(position, roll, rules, plays, &self.limits)?;
        self.talk = Some(talk);
        Ok(choice)
    }
}

impl Drop for UbgiEngine {
    fn drop(&mut self) {
        if let Some(talk) = &mut self.talk {
            talk.process.quit("quit\n");
        }
    }
}

impl Talk {
    fn fault(&self, kind: FaultKind, detail: impl Into<String>) -> SeatError {
        let detail = detail.into() + &self.process.last_words();
        Fault::new(kind, self.asked.trim_end(), &self.heard.join("\n"), detail).into()
    }

    /// Begins a new question.
    fn ask(&mut self, text: &str) -> Result<(), SeatError> {
        self.asked.clear();
        self.heard.clear();
        self.add(text)
    }

    /// Sends more of the same question.
    fn add(&mut self, text: &str) -> Result<(), SeatError> {
        self.asked += text;
        self.process.send(text).map_err(|_| self.broken())
    }

    fn broken(&mut self) -> SeatError {
        let (kind, detail) = self.process.post_mortem();
        self.fault(kind, detail)
    }

    /// The next line; `None` when the time is over.
    fn hear(&mut self, until: Instant, limits: &EngineLimits) -> Result<Option<String>, SeatError> {
        match self.process.lines.next(until, &limits.stop) {
            Incoming::Line(line) => {
                if self.heard.len() < KEPT_LINES {
                    self.heard.push(line.clone());
                }
                Ok(Some(line))
            }
            Incoming::TimedOut => Ok(None),
            Incoming::Closed => Err(self.broken()),
            Incoming::TooLong => Err(self.fault(FaultKind::Garbage, "a line longer than 64 KiB")),
            Incoming::Interrupted => Err(SeatError::Interrupted),
        }
    }

    /// Greets the engine and finds out its dialect.
    fn greet(&mut self, limits: &EngineLimits) -> Result<(), SeatError> {
        self.ask("ubgi\n")?;
        let until = Instant::now() + limits.start_time;
        let mut proto = String::new();
        for _ in 0..MOST_CHATTER {
            let Some(line) = self.hear(until, limits)? else { break };
            let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            match word {
                "ubgiok" => {
                    self.dialect = if proto.starts_with("0.2") { Dialect::V02 } else { Dialect::V01 };
                    // Engines of several dialects also end the greeting as the draft does.
                    let after = Instant::now() + AFTER_GREETING;
                    while self.hear(after, limits)?.is_some_and(|line| line.trim() != "readyok") {}
                    return Ok(());
                }
                "readyok" => {
                    self.dialect = Dialect::Draft001;
                    return Ok(());
                }
                "proto" => proto = rest.trim().into(),
                "key" => {
                    let (name, about) = rest.split_once(' ').unwrap_or((rest, ""));
                    self.keys.push((name.into(), about.into()));
                }
                _ => {}
            }
        }
        let seconds = limits.start_time.as_secs_f64();
        Err(match self.heard.is_empty() {
            true => self.fault(FaultKind::Stall, format!("no greeting in {seconds} s")),
            false => {
                let detail = format!("the greeting did not end with `ubgiok` or `readyok` in {seconds} s");
                self.fault(FaultKind::WrongDialect, detail)
            }
        })
    }

    fn key(&self, name: &str) -> Option<&str> {
        self.keys.iter().find(|(key, _)| key == name).map(|(_, about)| about.as_str())
    }

    fn setting(&self, key: &str, value: &str) -> String {
        match self.dialect {
            Dialect::V02 => format!("set {key} {value}\n"),
            _ => format!("setoption name {key} value {value}\n"),
        }
    }

    /// Chooses the game and sets the options.
    fn set_up(&mut self, options: &[(String, String)], rules: &Rules, limits: &EngineLimits) -> Result<(), SeatError> {
        let is_long = rules.game == Game::Long;
        if self.dialect == Dialect::Draft001 {
            return match () {
                () if is_long => Err(self.fault(FaultKind::Refusal, "UBGI draft 0.01 knows no long nardy")),
                () if !options.is_empty() => Err(self.fault(FaultKind::Refusal, "UBGI draft 0.01 has no options")),
                () => Ok(()),
            };
        }
        let mut text = String::new();
        let variant = rules.game.as_str();
        match (self.key("game.rules"), self.key("game.variant")) {
            (Some(_), _) => text += &self.setting("game.rules", &rules.to_string()),
            (None, Some(choices)) if choices.split(['|', ' ']).any(|choice| choice == variant) => {
                text += &self.setting("game.variant", variant);
            }
            (None, None) if is_long && self.dialect == Dialect::V01 => text += &self.setting("game.variant", variant),
            _ if is_long => return Err(self.fault(FaultKind::Refusal, "the engine offers no long nardy")),
            // Without a word to choose it by, short nardy is what these engines play.
            _ => {}
        }
        for (key, value) in options {
            text += &self.setting(key, value);
        }
        self.ask(&text)?;
        let errors = self.sync(limits)?;
        match errors.first() {
            Some(error) => Err(self.fault(FaultKind::Refusal, format!("an option was refused: {error}"))),
            None => Ok(()),
        }
    }

    /// Waits until everything sent has been read; returns the errors that came meanwhile.
    fn sync(&mut self, limits: &EngineLimits) -> Result<Vec<String>, SeatError> {
        self.add("isready\n")?;
        let until = Instant::now() + limits.start_time;
        let mut errors = Vec::new();
        for _ in 0..MOST_CHATTER {
            match self.hear(until, limits)? {
                Some(line) if line.trim() == "readyok" => return Ok(errors),
                Some(line) if line.trim_start().starts_with("error") => errors.push(line),
                Some(_) => {}
                None => break,
            }
        }
        let seconds = limits.start_time.as_secs_f64();
        Err(self.fault(FaultKind::Stall, format!("no `readyok` in {seconds} s")))
    }

    /// Announces a game; what the engine does not know of this it may refuse.
    fn new_game(&mut self, context: &GameContext, reseed: bool, limits: &EngineLimits) -> Result<(), SeatError> {
        let (own, other) = match context.is_white {
            true => (context.score.white, context.score.black),
            false => (context.score.black, context.score.white),
        };
        self.score = (context.length, own, other);
        if self.dialect == Dialect::Draft001 {
            return Ok(());
        }
        let mut text = String::new();
        if reseed && self.key("engine.seed").is_some() {
            text += &self.setting("engine.seed", &context.seed.to_string());
        }
        if context.length > 0 {
            // The engine is always the side on roll when it is asked, so its score comes first.
            text += &format!("newsession type match length {}\nsetscore {own} {other}\n", context.length);
        } else if self.dialect == Dialect::V01 {
            text += "newsession type money\n";
        }
        text += "newgame\n";
        self.ask(&text)?;
        self.sync(limits).map(drop)
    }

    /// The lines that ask for a play.
    fn question(&self, position: Position, roll: Roll) -> String {
        let go = match self.dialect {
            Dialect::Draft001 => {
                let (match_length, own, other) = self.score;
                let xgid = Xgid {
                    position,
                    upper_to_move: true,
                    cube_log2: 0,
                    cube_owner: CubeOwner::Nobody,
                    action: XgidAction::Play(roll),
                    score: [own, other],
                    crawford_jacoby: 0,
                    match_length,
                    max_cube_log2: 0,
                };
                return format!("{xgid}\n");
            }
            Dialect::V01 => "go role chequer",
            Dialect::V02 => "go",
        };
        format!("position gnubgid {}\ndice {} {}\n{go}\n", gnu_id(position), roll.high(), roll.low())
    }

    fn choose(
        &mut self,
        position: Position,
        roll: Roll,
        rules: &Rules,
        plays: &PlayList,
        limits: &EngineLimits,
    ) -> Result<usize, SeatError> {
        self.ask(&self.question(position, roll))?;
        let start = Instant::now();
        let answer = match self.answer(start + limits.move_time, limits)? {
            Some(answer) => answer,
            None => return Err(self.overdue(start, limits)),
        };
        let options = PlayTextOptions { empty_is_pass: true, ..PlayTextOptions::default() };
        match parse_play_with(&answer, position, roll, rules, options) {
            Ok(play) => plays
                .positions()
                .iter()
                .position(|&p| p == play.position)
                .ok_or_else(|| self.fault(FaultKind::IllegalPlay, "the play is not legal")),
            Err(error) => {
                let readable = answer == "pass" || parse_legs(&answer).is_ok();
                let kind = if readable { FaultKind::IllegalPlay } else { FaultKind::Garbage };
                Err(self.fault(kind, error.to_string()))
            }
        }
    }

    /// The text of the answer; `None` when the time is over.
    fn answer(&mut self, until: Instant, limits: &EngineLimits) -> Result<Option<String>, SeatError> {
        for _ in 0..MOST_CHATTER {
            let Some(line) = self.hear(until, limits)? else { return Ok(None) };
            let line = line.trim();
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (word, self.dialect) {
                ("bestmove", Dialect::V01 | Dialect::V02) => return Ok(Some(rest.trim().into())),
                ("bestmove" | "bestturn" | "bestcube", _) => {
                    let detail = format!("`{word}` is no answer to this question in {}", self.dialect);
                    return Err(self.fault(FaultKind::WrongDialect, detail));
                }
                ("error", _) | ("sorry", Dialect::Draft001) => {
                    return Err(self.fault(FaultKind::Refusal, "the engine can't answer"));
                }
                ("info" | "readyok", _) => {}
                (_, Dialect::Draft001) => return Ok(Some(line.into())),
                _ if parse_legs(line).is_ok_and(|legs| !legs.is_empty()) => {
                    let detail = format!("a bare play is no answer in {}: expected `bestmove …`", self.dialect);
                    return Err(self.fault(FaultKind::WrongDialect, detail));
                }
                // Remarks are no fault as long as the answer comes.
                _ => {}
            }
        }
        Err(self.fault(FaultKind::Garbage, format!("{MOST_CHATTER} lines without an answer in them")))
    }

    /// The failure when the time is over: is there an answer a little later, nonsense, or nothing?
    fn overdue(&mut self, start: Instant, limits: &EngineLimits) -> SeatError {
        let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
        let allowed = seconds(limits.move_time);
        match self.answer(start + limits.move_time + limits.grace, limits) {
            Err(error) => error,
            Ok(Some(_)) => {
                let took = seconds(start.elapsed());
                self.fault(FaultKind::Late, format!("the answer took {took}, {allowed} are allowed"))
            }
            Ok(None) => match self.heard.iter().filter(|line| !line.trim_start().starts_with("info")).count() {
                0 => self.fault(FaultKind::Stall, format!("no answer in {allowed}")),
                _ => self.fault(FaultKind::Garbage, format!("no line that answers in {allowed}")),
            },
        }
    }
}
