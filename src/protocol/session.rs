//! The conversation: which command does what, and what is remembered in between.

use super::command::{HELP, too_long};
use super::{Command, DiceLog, Engine, EngineError, ErrorCode, ProtocolError, Settings, Table, parse_command};
use crate::game::{Color, GameResult, GameState, Goal, Match, WinKind};
use crate::position::Position;
use crate::position::text::{ParsedPosition, PositionFormat, parse_position};
use crate::rules::Rules;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// What a session needs to know of the world outside.
pub trait Host: Send {
    /// The question now being answered has been told to stop.
    fn stopped(&self) -> bool;
    /// Milliseconds since some moment in the past.
    fn millis(&self) -> u64;
    /// Waits that long, or until it is told to stop.
    fn wait(&self, millis: u64);
}

/// A host without a clock: nothing takes time, nothing is stopped. For tests and for programs that call a session
/// directly.
#[derive(Clone, Copy, Debug, Default)]
pub struct UntimedHost;

impl Host for UntimedHost {
    fn stopped(&self) -> bool {
        false
    }

    fn millis(&self) -> u64 {
        0
    }

    fn wait(&self, _millis: u64) {}
}

/// The answer to a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The lines to be sent, without their ends; often none.
    pub lines: Vec<String>,
    /// The conversation is over.
    pub quit: bool,
}

/// A match or money session with the games finished so far.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) goal: Goal,
    pub(super) results: Vec<(Color, GameResult)>,
    /// Plays here are refereed: starting a game throws for the start, and answers.
    pub(super) refereed: bool,
}

impl Series {
    fn plain() -> Series {
        Series { goal: Goal::Money { ante: 1 }, results: Vec::new(), refereed: false }
    }

    /// The score.
    pub(super) fn count(&self, rules: &Rules) -> Result<Match, ProtocolError> {
        let mut series = Match::new(rules, self.goal).map_err(ProtocolError::argument)?;
        for &(starter, result) in &self.results {
            series.count(starter, result).map_err(ProtocolError::state)?;
        }
        Ok(series)
    }

    /// Points to win; 0 in a money session.
    pub(super) fn length(&self) -> u32 {
        match self.goal {
            Goal::Points(length) => length,
            Goal::Money { .. } => 0,
        }
    }
}

/// A conversation with one program or person.
///
/// # Examples
/// ```
/// use nardy::protocol::{ModelEngine, Session, UntimedHost};
///
/// let mut session = Session::new(Box::new(ModelEngine::new()), Box::new(UntimedHost), 1);
/// session.handle(b"set game.variant long");
/// session.handle(b"dice 6 6");
/// let reply = session.handle(b"legal");
/// assert_eq!(reply.lines[0], "legal 1");
/// assert!(reply.lines[1].starts_with("play 24/18 24/18 id "));
/// ```
pub struct Session {
    pub(super) engine: Box<dyn Engine>,
    pub(super) host: Box<dyn Host>,
    pub(super) settings: Settings,
    pub(super) table: Table,
    pub(super) series: Series,
    /// Seeds of the dice of games to come; not to be guessed from those told before.
    seeds: ChaCha20Rng,
    /// Who is on roll in positions that don't say so.
    turn: Color,
}

pub(super) type Lines = Result<Vec<String>, ProtocolError>;

impl From<EngineError> for ProtocolError {
    fn from(error: EngineError) -> ProtocolError {
        ProtocolError::new(ErrorCode::Unsupported, error)
    }
}

impl Session {
    /// A session before its first line: short nardy, the start position, full strength. All dice, also those of later
    /// games, follow from `seed`.
    pub fn new(engine: Box<dyn Engine>, host: Box<dyn Host>, seed: u64) -> Session {
        let mut seeds = ChaCha20Rng::seed_from_u64(seed);
        let settings = Settings::default();
        let table = start_table(&settings.rules, Color::White, seeds.next_u64());
        Session { engine, host, settings, table, series: Series::plain(), seeds, turn: Color::White }
    }

    /// The game on the table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The options.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The score of the match or money session.
    ///
    /// # Errors
    /// None that a session can get into by itself.
    pub fn score(&self) -> Result<Match, ProtocolError> {
        self.series.count(&self.settings.rules)
    }

    /// Answers a line, whatever its bytes are.
    pub fn handle(&mut self, line: &[u8]) -> Reply {
        match parse_command(line) {
            Ok(None) => Reply::default(),
            Ok(Some(Command::Quit)) => Reply { lines: Vec::new(), quit: true },
            Ok(Some(command)) => {
                let lines = self.obey(command).unwrap_or_else(|error| vec![error.to_string()]);
                Reply { lines, quit: false }
            }
            Err(error) => Reply { lines: vec![error.to_string()], quit: false },
        }
    }

    /// Answers a line that was too long to be kept.
    pub fn handle_too_long(&self) -> Reply {
        Reply { lines: vec![too_long().to_string()], quit: false }
    }

    fn obey(&mut self, command: Command) -> Lines {
        match command {
            Command::Ubgi => Ok(self.greeting()),
            Command::IsReady => Ok(vec!["readyok".into()]),
            Command::Stop | Command::Quit => Ok(Vec::new()),
            Command::Help => Ok(HELP.iter().map(|line| format!("help {line}")).collect()),
            Command::Keys => Ok(Settings::key_lines(self.engine.max_depth())),
            Command::Get(key) => Ok(vec![format!("value {key} {}", self.settings.get(&key)?)]),
            Command::Set { key, value } => self.set(&key, &value),
            Command::NewGame => self.new_game(),
            Command::NewSession { length } => self.new_series(length, false),
            Command::Match { length, seed } => self.new_match(length, seed),
            Command::SetScore(white, black) => self.set_score(white, black),
            Command::SetTurn(color) => self.set_turn(color),
            Command::SetCube => Ok(Vec::new()),
            Command::Position(text) => self.position(&text),
            Command::Dice(roll) => self.table.set_dice(roll).map(|()| Vec::new()),
            Command::Go { role, limits } => self.go(role, limits),
            Command::Board01(text) => Ok(vec![self.answer_board(&text)]),
            Command::Roll => self.roll(),
            Command::Legal => self.legal(),
            Command::Moves => self.moves(),
            Command::Step(text) => self.step(&text),
            Command::Play(text) => self.play(&text),
            Command::Undo => self.undo(),
            Command::Board => Ok(self.board()),
            Command::State => Ok(vec![self.state_line()?]),
            Command::Hint { count, trials: None } => self.hint(count),
            Command::Hint { count, trials: Some(trials) } => self.hint_rolled_out(count, trials),
            Command::Eval => self.eval(),
            Command::Resign(kind) => self.resign(kind),
            Command::DiceLog => Ok(self.dice_lines()),
            Command::Reveal => self.reveal(),
            Command::Save => self.save().map(|json| vec![format!("saved {json}")]),
            Command::Resume(json) => self.resume(&json),
        }
    }

    fn greeting(&self) -> Vec<String> {
        let mut lines = vec![
            "id name nardy-bot".into(),
            "id author the nardy developers".into(),
            format!("id version {}", env!("CARGO_PKG_VERSION")),
            "proto 0.2".into(),
        ];
        lines.extend(Settings::key_lines(self.engine.max_depth()));
        // The last line of the greeting in v0.1 and v0.2, and in draft 0.01.
        lines.extend(["ubgiok".into(), "readyok".into()]);
        lines
    }

    fn set(&mut self, key: &str, value: &str) -> Lines {
        let mut settings = self.settings.clone();
        let before = settings.rules;
        settings.set(key, value, self.engine.max_depth())?;
        let changed = settings.rules != before;
        self.settings = settings;
        if changed {
            // A game goes on under the rules it was started with, so the table is cleared.
            self.series = Series::plain();
            self.start_position();
        }
        Ok(Vec::new())
    }

    pub(super) fn next_seed(&mut self) -> u64 {
        self.seeds.next_u64()
    }

    fn start_position(&mut self) {
        let seed = self.next_seed();
        self.turn = Color::White;
        self.table = start_table(&self.settings.rules, Color::White, seed);
    }

    fn new_game(&mut self) -> Lines {
        if !self.series.refereed {
            self.start_position();
            return Ok(Vec::new());
        }
        let series = self.score()?;
        let mut dice = DiceLog::new(self.next_seed());
        let commit = super::commitment(dice.seed());
        let game = series.start_game(&mut dice).map_err(ProtocolError::state)?;
        if let Some(roll) = game.dice() {
            dice.opening_is_first_turn(roll);
        }
        let mut lines = vec![format!("dicecommit {commit}")];
        if series.next_starter().is_none()
            && let Some(throw) = dice.throws().last()
        {
            lines.push(format!("opening white {} black {}", throw.first(), throw.second()));
        }
        self.table = Table::new(game, dice);
        lines.push(self.state_line()?);
        Ok(lines)
    }

    fn new_series(&mut self, length: u32, refereed: bool) -> Lines {
        let goal = if length == 0 { Goal::Money { ante: 1 } } else { Goal::Points(length) };
        self.series = Series { goal, results: Vec::new(), refereed };
        self.start_position();
        Ok(Vec::new())
    }

    fn new_match(&mut self, length: u32, seed: Option<u64>) -> Lines {
        if let Some(seed) = seed {
            self.seeds = ChaCha20Rng::seed_from_u64(seed);
        }
        self.new_series(length, true)?;
        Ok(vec![self.score_line()?])
    }

    fn set_score(&mut self, white: u32, black: u32) -> Lines {
        let length = self.series.length();
        if length > 0 && (white >= length || black >= length) {
            return Err(ProtocolError::argument(format!("both scores must be below {length}, the match's length")));
        }
        let win =
            |winner, points| (Color::White, GameResult::Win { winner, kind: WinKind::Oin, points, resigned: false });
        self.series.results = vec![win(Color::White, white), win(Color::Black, black)];
        Ok(Vec::new())
    }

    fn set_turn(&mut self, color: Color) -> Lines {
        if !self.table.turns().is_empty() {
            return Err(ProtocolError::state("the turn can't be changed during a game; send `position` first"));
        }
        self.turn = color;
        let dice = self.table.game().dice();
        self.set_position(self.table.game().position(), color)?;
        if let Some(roll) = dice {
            self.table.set_dice(roll)?;
        }
        Ok(Vec::new())
    }

    fn position(&mut self, text: &str) -> Lines {
        let (kind, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let body = match kind.to_ascii_lowercase().as_str() {
            "" => return Err(ProtocolError::context("position needs a position: gnubgid ID, xgid X, fibs BOARD …")),
            "gnubgid" | "xgid" | "fibs" | "literal" => rest.trim(),
            _ => text,
        };
        let ParsedPosition { position, roll, format } =
            parse_position(body, self.settings.rules.game).map_err(ProtocolError::argument)?;
        let turn = match format {
            PositionFormat::Xgid(xgid) => {
                if xgid.upper_to_move {
                    Color::White
                } else {
                    Color::Black
                }
            }
            PositionFormat::Fibs(board) => {
                if board.turn == board.colour {
                    Color::White
                } else {
                    Color::Black
                }
            }
            _ => self.turn,
        };
        self.set_position(position, turn)?;
        if let Some(roll) = roll {
            self.table.set_dice(roll)?;
        }
        Ok(Vec::new())
    }

    fn set_position(&mut self, position: Position, turn: Color) -> Result<(), ProtocolError> {
        let game = GameState::from_position(&self.settings.rules, position, turn).map_err(ProtocolError::argument)?;
        self.table = Table::new(game, DiceLog::new(self.next_seed()));
        Ok(())
    }
}

/// The start position, `turn` to throw.
fn start_table(rules: &Rules, turn: Color, seed: u64) -> Table {
    // Only a double as opening dice can be refused, and there are none.
    let game = GameState::start(rules, turn, None).or_else(|_| GameState::start(&Rules::SHORT, turn, None));
    match game {
        Ok(game) => Table::new(game, DiceLog::new(seed)),
        Err(_) => unreachable!("a game without opening dice can always start"),
    }
}
