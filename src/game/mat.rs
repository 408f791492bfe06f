//! Matches as JellyFish `.mat` text, the form that most programs exchange.
//!
//! Lines ` N point match` (0 for a money session), ` Game 1`, ` A : 0   B : 0`, `  1) 31: 8/5 6/5   42: 8/4 6/4`,
//! `   Wins 2 points`. Points are in the mover's own numbers, bar 25, off 0, `*` after a hit, nothing after the dice of
//! a pass. White is on the left. Header lines tell what the form has no place for: `; [Variation "LongNardy"]` in long
//! nardy, `; [Rules "…"]` and `; [Ante "…"]` where they are not the usual ones. Seeds are not kept; the multiplier of
//! a game is kept in its points. A cube is not supported: its lines are refused.

use super::record::{GameRecord, MatchRecord, RecordError, Turn};
use super::{ByColor, Color, GameResult, GameState, Goal, WinKind};
use crate::notation::{PlayTextOptions, parse_play_with};
use crate::position::{Position, other_side};
use crate::rules::{Game, Rules};
use crate::types::{Roll, Steps};
use std::fmt::Write;

const LONG: &str = "LongNardy";
/// Where the right-hand player's column begins.
const RIGHT: usize = 34;
/// A left-hand player's own column begins long before this one.
const MIDDLE: usize = 20;

impl MatchRecord {
    /// The match as `.mat` text.
    ///
    /// # Errors
    /// If a game breaks the rules: only what can be read back is written.
    pub fn to_mat(&self) -> Result<String, RecordError> {
        let mut text = String::new();
        if self.rules.game == Game::Long {
            let _ = writeln!(text, "; [Variation \"{LONG}\"]");
        }
        if self.rules != Rules::default_of(self.rules.game) {
            let _ = writeln!(text, "; [Rules \"{}\"]", self.rules);
        }
        let length = match self.goal {
            Goal::Points(length) => length,
            Goal::Money { ante } => {
                if ante != 1 {
                    let _ = writeln!(text, "; [Ante \"{ante}\"]");
                }
                0
            }
        };
        let _ = writeln!(text, "\n {length} point match");
        self.replay()?;
        let mut points = ByColor::new(0u64, 0u64);
        let names = self.players.clone().map(|name| clean_name(&name));
        for (i, game) in self.games.iter().enumerate() {
            let left = format!(" {} : {}", names.white, points.white);
            let _ = writeln!(text, "\n Game {}\n{left:RIGHT$} {} : {}", i + 1, names.black, points.black);
            write_game(game, self.goal, points, &mut text).map_err(|e| e.in_game(i + 1))?;
            if let Some(GameResult::Win { winner, points: won, .. }) = game.result {
                points[winner] += u64::from(won);
            }
        }
        Ok(text)
    }

    /// Reads `.mat` text and plays all games again. Without header lines the rules are those of short nardy.
    ///
    /// # Errors
    /// The line, or the game and turn, in which something is wrong.
    pub fn from_mat(text: &str) -> Result<MatchRecord, RecordError> {
        let mut reader = Reader::default();
        for (i, line) in text.lines().enumerate() {
            reader.line(line).map_err(|e| e.at(i + 1))?;
        }
        let line_count = text.lines().count();
        reader.finish().map_err(|e| e.at(line_count))
    }
}

/// A name that the header of a game can hold: no colon, no line ends, not empty.
fn clean_name(name: &str) -> String {
    let mut clean: String = name.chars().map(|c| if c == ':' || c.is_control() { '_' } else { c }).collect();
    clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if clean.is_empty() { "?".into() } else { clean }
}

fn write_game(game: &GameRecord, goal: Goal, points: ByColor<u64>, text: &mut String) -> Result<(), RecordError> {
    let mut number = 0;
    let mut line = String::new();
    game.replay_with(|state, turn| {
        let play = legs(state.position(), turn.steps, state.rules().game);
        let cell = format!("{}: {play}", turn.roll.digits());
        if state.turn() == Color::White || line.is_empty() {
            number += 1;
            line = format!("{number:3}) ");
        }
        match state.turn() {
            Color::White => line += cell.trim_end(),
            Color::Black => {
                let _ = writeln!(text, "{line:width$}  {}", cell.trim_end(), width = RIGHT - 2);
                line.clear();
            }
        }
    })?;
    if !line.is_empty() {
        let _ = writeln!(text, "{line}");
    }
    match game.result {
        None => {}
        Some(GameResult::Draw) => text.push_str("      Draw\n"),
        Some(GameResult::Win { winner, points: won, .. }) => {
            let indent = if winner == Color::White { 6 } else { RIGHT };
            let s = if won == 1 { "" } else { "s" };
            let decided = matches!(goal, Goal::Points(n) if points[winner] + u64::from(won) >= u64::from(n));
            let end = if decided { " and the match" } else { "" };
            let _ = writeln!(text, "{:indent$}Wins {won} point{s}{end}", "");
        }
    }
    Ok(())
}

/// Each step with bar 25, off 0 and hits marked.
fn legs(position: Position, steps: Steps, game: Game) -> String {
    let mut blots = position.them;
    let mut text = String::new();
    for step in steps.iter() {
        let (to, there) = (step.to(), other_side(game, step.to().max(1)));
        let hit = game == Game::Short && to > 0 && blots.count(there) == 1;
        if hit {
            blots = blots.moved(there, crate::types::BAR);
        }
        let _ = write!(text, "{}/{to}{} ", step.from, if hit { "*" } else { "" });
    }
    text.truncate(text.trim_end().len());
    text
}

/// A fault before its line is known.
#[derive(Debug)]
enum Fault {
    Line(String),
    Record(RecordError),
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Fault {
        Fault::Record(error)
    }
}

impl Fault {
    fn at(self, line: usize) -> RecordError {
        match self {
            Fault::Line(why) => RecordError::Line { line, why },
            Fault::Record(error) => error,
        }
    }
}

fn fault<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Line(why.into()))
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    variation: Option<Game>,
    rules: Option<Rules>,
    ante: Option<u32>,
    goal: Option<Goal>,
    players: Option<ByColor<String>>,
    games: Vec<GameRecord>,
    game: Option<OpenGame>,
    /// ` Game N` has been read, the names have not.
    names_due: bool,
}

/// The game that is being read.
struct OpenGame {
    record: GameRecord,
    /// `None` until the first turn shows who starts.
    state: Option<GameState>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), Fault> {
        let trimmed = line.trim();
        if let Some(header) = trimmed.strip_prefix(';') {
            return self.header(header);
        }
        if trimmed.is_empty() {
            return Ok(());
        }
        if let Some(count) = trimmed.strip_suffix("point match") {
            return self.length(count.trim());
        }
        if self.names_due {
            self.names_due = false;
            return self.names(trimmed);
        }
        match trimmed.strip_prefix("Game") {
            Some(number) if number.trim().parse::<u32>().is_ok() => self.start_game(),
            _ => self.turns(line),
        }
    }

    fn header(&mut self, header: &str) -> Result<(), Fault> {
        let tag = header.trim().strip_prefix('[').and_then(|h| h.strip_suffix(']')).and_then(|h| h.split_once(' '));
        let Some((name, value)) = tag.map(|(name, value)| (name, value.trim().trim_matches('"'))) else {
            return Ok(()); // a comment
        };
        match (name, value) {
            ("Variation", LONG) => self.variation = Some(Game::Long),
            ("Variation", "Backgammon") => self.variation = Some(Game::Short),
            ("Variation", _) => return fault(format!("expected variation {LONG} or Backgammon, found {value:?}")),
            ("Rules", _) => self.rules = Some(value.parse().map_err(|e| Fault::Line(format!("{e}")))?),
            ("Ante", _) => match value.parse() {
                Ok(ante) => self.ante = Some(ante),
                Err(_) => return fault(format!("expected a number as ante, found {value:?}")),
            },
            _ => {}
        }
        Ok(())
    }

    fn length(&mut self, count: &str) -> Result<(), Fault> {
        let length: u32 = match count.parse() {
            Ok(length) if self.goal.is_none() => length,
            Ok(_) => return fault("a second match in the file; expected one match a file"),
            Err(_) => return fault(format!("expected the number of points before `point match`, found {count:?}")),
        };
        let rules = self.rules.unwrap_or(Rules::default_of(self.variation.unwrap_or(Game::Short)));
        if self.variation.is_some_and(|game| game != rules.game) {
            return fault(format!("the variation is not the game of the rules `{rules}`"));
        }
        self.rules = Some(rules);
        self.goal = Some(match length {
            0 => Goal::Money { ante: self.ante.unwrap_or(1) },
            n => Goal::Points(n),
        });
        Ok(())
    }

    fn start_game(&mut self) -> Result<(), Fault> {
        if self.goal.is_none() {
            return fault("expected ` N point match` before the first game");
        }
        self.close_game();
        self.names_due = true;
        Ok(())
    }

    /// ` A : 0      B : 0`.
    fn names(&mut self, line: &str) -> Result<(), Fault> {
        let scored = |text: &str| {
            let (name, score) = text.rsplit_once(" :")?;
            score.trim().parse::<u64>().ok()?;
            Some(name.trim().to_string())
        };
        // The left score is the first number after a colon.
        let split = line.find(" :").and_then(|colon| {
            let rest = &line[colon + 2..];
            let start = rest.find(|c: char| c.is_ascii_digit())?;
            let digits = rest[start..].find(|c: char| !c.is_ascii_digit())?;
            Some(colon + 2 + start + digits)
        });
        let names = split.and_then(|at| Some(ByColor::new(scored(&line[..at])?, scored(&line[at..])?)));
        let Some(names) = names else {
            return fault(format!("expected names and scores such as `A : 0   B : 0`, found {line:?}"));
        };
        if self.players.as_ref().is_some_and(|players| *players != names) {
            return fault("the players' names differ from those of the first game");
        }
        self.players = Some(names.clone());
        let rules = self.rules.unwrap_or(Rules::SHORT);
        self.game = Some(OpenGame { record: GameRecord::new(rules, names, Color::White), state: None });
        Ok(())
    }

    /// A numbered line of turns, or the line with the result.
    fn turns(&mut self, line: &str) -> Result<(), Fault> {
        let number = self.games.len() + 1;
        let Some(game) = &mut self.game else {
            return fault(format!("expected ` N point match` or ` Game N`, found {:?}", line.trim()));
        };
        let start = line.find(')').filter(|&i| line[..i].trim().parse::<u32>().is_ok()).map_or(0, |i| i + 1);
        for word in ["Doubles", "Takes", "Drops", "Beavers", "Redoubles"] {
            if line.contains(word) {
                return fault(format!("`{word}`: games with a doubling cube are not supported"));
            }
        }
        let end = line.find("Wins").or_else(|| line.find("Draw")).unwrap_or(line.len());
        let dice: Vec<usize> = dice_columns(line, start, end);
        if line[start..dice.first().copied().unwrap_or(end)].trim() != "" {
            return fault(format!("expected dice such as `31:`, found {:?}", line[start..end].trim()));
        }
        for (i, &at) in dice.iter().enumerate() {
            let color = if at - start < MIDDLE && i == 0 { Color::White } else { Color::Black };
            let to = dice.get(i + 1).copied().unwrap_or(end);
            game.turn(color, &line[at..at + 2], &line[at + 3..to]).map_err(|e| e.in_game(number))?;
        }
        if line[end..].starts_with("Draw") {
            game.record.result = Some(GameResult::Draw);
        } else if let Some(result) = line[end..].strip_prefix("Wins") {
            let points = result.trim().split(' ').next().and_then(|n| n.parse().ok()).filter(|&n| n > 0);
            let Some(points) = points else {
                return fault(format!("expected `Wins N points`, found {:?}", line[end..].trim()));
            };
            let winner = if end < MIDDLE { Color::White } else { Color::Black };
            game.wins(winner, points).map_err(|e| e.in_game(number))?;
        } else if dice.is_empty() && start == 0 {
            return fault(format!("expected turns or a result, found {:?}", line.trim()));
        }
        Ok(())
    }

    fn close_game(&mut self) {
        self.games.extend(self.game.take().map(|game| game.record));
    }

    fn finish(mut self) -> Result<MatchRecord, Fault> {
        self.close_game();
        let (Some(goal), Some(rules)) = (self.goal, self.rules) else {
            return fault("no ` N point match` line");
        };
        let Some(players) = self.players else {
            return fault("no game in the file");
        };
        let record = MatchRecord { rules, players, goal, games: self.games };
        record.replay()?;
        Ok(record)
    }
}

/// Columns where dice `31:` stand.
fn dice_columns(line: &str, start: usize, end: usize) -> Vec<usize> {
    let bytes = line.as_bytes();
    let die = |i: usize| (b'1'..=b'6').contains(&bytes[i]);
    let last = end.min(bytes.len()).saturating_sub(2);
    let alone = |i: usize| i == start || bytes[i - 1] == b' ' || bytes[i - 1] == b'\t';
    (start..last).filter(|&i| die(i) && die(i + 1) && bytes[i + 2] == b':' && alone(i)).collect()
}

impl OpenGame {
    fn turn(&mut self, color: Color, dice: &str, play: &str) -> Result<(), RecordError> {
        if self.state.is_none() {
            self.record.starter = color;
        }
        let (turn, rules) = (self.record.turns.len() + 1, self.record.rules);
        let state = self.state.get_or_insert_with(|| self.record.before_first_turn());
        let refuse = |why: String| RecordError::Turn { game: 1, turn, color, why };
        if state.turn() != color {
            return Err(refuse(format!("it is {}'s turn", state.turn())));
        }
        let roll: Roll = dice.parse().map_err(|e: crate::types::ParseRollError| refuse(e.to_string()))?;
        state.roll(roll).map_err(|e| refuse(e.to_string()))?;
        let play = if play.trim().eq_ignore_ascii_case("cannot move") { "" } else { play };
        let options = PlayTextOptions { empty_is_pass: true, ..PlayTextOptions::default() };
        let play = parse_play_with(play, state.position(), roll, &rules, options).map_err(|e| refuse(e.to_string()))?;
        state.play_to(play.position).map_err(|e| refuse(e.to_string()))?;
        self.record.turns.push(Turn { roll, steps: play.steps });
        Ok(())
    }

    /// A win of so many points: on the board, or because the loser gave up.
    fn wins(&mut self, winner: Color, points: u32) -> Result<(), RecordError> {
        let score = self.record.rules.score;
        let played = self.state.as_ref().and_then(GameState::result);
        self.record.result = Some(match played {
            Some(GameResult::Win { winner: by, kind, .. }) => {
                let price = u32::from(kind.points(score));
                if by != winner || !points.is_multiple_of(price) {
                    let why = format!("{by} wins a game of {price} ({kind}), the file says {winner} wins {points}");
                    return Err(RecordError::Result { game: 1, why });
                }
                self.record.multiplier = points / price;
                GameResult::Win { winner, kind, points, resigned: false }
            }
            Some(GameResult::Draw) => {
                return Err(RecordError::Result { game: 1, why: format!("the game is drawn, not won by {winner}") });
            }
            None => {
                let kinds = [WinKind::Oin, WinKind::Mars, WinKind::Koks, WinKind::HomeMars];
                let kind = kinds.into_iter().find(|kind| u32::from(kind.points(score)) == points);
                if kind.is_none() {
                    let oin = u32::from(score.oin);
                    if !points.is_multiple_of(oin) {
                        let why = format!("{points} points are no multiple of the {oin} that a game counts");
                        return Err(RecordError::Result { game: 1, why });
                    }
                    self.record.multiplier = points / oin;
                }
                let kind = kind.unwrap_or(WinKind::Oin);
                GameResult::Win { winner, kind, points, resigned: true }
            }
        });
        Ok(())
    }
}
