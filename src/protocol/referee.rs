//! What a thin GUI needs of a referee: legal plays, steps, plays checked, dice, the score.

use super::PointNumbering;
use super::session::{Lines, Session};
use super::table::Undone;
use super::{ProtocolError, commitment};
use crate::game::{Color, GameResult, WinKind};
use crate::movegen::IllegalPlay;
use crate::notation::{Numbers, PlayTextOptions, format_steps, parse_play_with};
use crate::position::text::{DrawOptions, PointNumbers, View, draw, gnu_id};
use crate::rules::Game;
use crate::types::{BAR, OFF, Roll, Steps};
use std::fmt::Write;

/// A kind of win as one word.
fn word(kind: WinKind) -> String {
    kind.to_string().replace(' ', "_")
}

fn outcome_words(result: GameResult) -> String {
    match result {
        GameResult::Draw => "draw".into(),
        GameResult::Win { winner, kind, points, resigned } => {
            format!("{winner} {} {points}{}", word(kind), if resigned { " resigned" } else { "" })
        }
    }
}

impl Session {
    pub(super) fn numbers(&self) -> Numbers {
        self.settings.numbers_of(self.table.game().turn())
    }

    fn game_kind(&self) -> Game {
        self.settings.rules.game
    }

    /// A play of the side on roll as programs read it.
    pub(super) fn steps_text(&self, steps: Steps) -> String {
        format_steps(steps, self.game_kind(), self.numbers())
    }

    pub(super) fn score_line(&self) -> Result<String, ProtocolError> {
        let series = self.score()?;
        let mut line = format!(
            "score white {} black {} length {}",
            series.points()[Color::White],
            series.points()[Color::Black],
            self.series.length()
        );
        if let Some(winner) = series.winner() {
            let _ = write!(line, " winner {winner}");
        }
        Ok(line)
    }

    pub(super) fn state_line(&self) -> Result<String, ProtocolError> {
        let game = self.table.game();
        let series = self.score()?;
        let mut line = format!("state variant {} turn {}", self.game_kind(), game.turn());
        match game.dice() {
            Some(roll) => {
                let _ = write!(line, " dice {} {}", roll.high(), roll.low());
            }
            None => line.push_str(" dice -"),
        }
        let (us, them) = (game.position().us, game.position().them);
        let _ = write!(line, " id {} pips {} {}", gnu_id(game.position()), us.pip_count(), them.pip_count());
        let points = series.points();
        let _ = write!(line, " score {} {} length {}", points.white, points.black, self.series.length());
        if let Some(result) = game.result() {
            let _ = write!(line, " over {}", outcome_words(result));
        }
        Ok(line)
    }

    pub(super) fn roll(&mut self) -> Lines {
        let Roll { .. } = self.table.throw()?;
        Ok(vec![self.state_line()?])
    }

    pub(super) fn legal(&mut self) -> Lines {
        self.table.needs_dice()?;
        let plays = self.table.game().plays();
        let mut lines = vec![format!("legal {}", plays.len())];
        lines.extend(
            plays
                .iter()
                .map(|play| format!("play {} id {}", self.steps_text(play.steps), gnu_id(play.position.swapped()))),
        );
        Ok(lines)
    }

    pub(super) fn moves(&mut self) -> Lines {
        let numbers = self.numbers();
        let game = self.game_kind();
        let walk = self.table.walk()?;
        let (next, made) = (walk.next_steps(), walk.steps().len());
        let left: Vec<String> = walk.dice_left().iter().map(u8::to_string).collect();
        let done = if walk.is_complete() { "yes" } else { "no" };
        let left = if left.is_empty() { "-".into() } else { left.join(",") };
        let id = gnu_id(walk.position());
        let mut lines = vec![format!("moves {} made {made} left {left} complete {done} id {id}", next.len())];
        lines.extend(next.iter().map(|step| {
            let name = |point| point_name(numbers.convert(game, point));
            let hit = if step.hit { " hit" } else { "" };
            format!("move {}/{} die {}{hit}", name(step.from), name(step.to), step.die)
        }));
        Ok(lines)
    }

    pub(super) fn step(&mut self, text: &str) -> Lines {
        let numbers = self.numbers();
        let game = self.game_kind();
        let (from, to) = parse_step(text)?;
        let (from, to) = (numbers.convert(game, from), numbers.convert(game, to));
        self.table.walk()?.step_to(from, to).map_err(|error: IllegalPlay| ProtocolError::illegal(error))?;
        self.moves()
    }

    pub(super) fn play(&mut self, text: &str) -> Lines {
        let roll = self.table.needs_dice()?;
        let (mover, numbers) = (self.table.game().turn(), self.numbers());
        let (position, steps) = if text.is_empty() && !self.table.steps().is_empty() {
            let walk = self.table.walk()?;
            if !walk.is_complete() {
                return Err(ProtocolError::illegal("the turn is not complete: `moves` lists what can still be played"));
            }
            (walk.position(), self.table.steps())
        } else {
            let options = PlayTextOptions { numbers, empty_is_pass: false };
            let rules = *self.table.rules();
            let play = parse_play_with(text, self.table.game().position(), roll, &rules, options)
                .map_err(ProtocolError::illegal)?;
            (play.position, play.steps)
        };
        let played = format!("played {mover} {} {} {}", roll.high(), roll.low(), self.steps_text(steps));
        let result = self.table.play(position, steps)?;
        let mut lines = vec![played];
        self.finish(result, &mut lines)?;
        Ok(lines)
    }

    /// Counts a finished game; the state, and the score of a match.
    fn finish(&mut self, result: Option<GameResult>, lines: &mut Vec<String>) -> Result<(), ProtocolError> {
        if let Some(result) = result {
            lines.push(format!("gameover {}", outcome_words(result)));
            self.series.results.push((self.table.game().starter(), result));
            lines.push(self.score_line()?);
        }
        lines.push(self.state_line()?);
        Ok(())
    }

    pub(super) fn resign(&mut self, kind: WinKind) -> Lines {
        let loser = self.table.game().turn();
        if self.table.game().result().is_some() {
            return Err(ProtocolError::state("the game is over already"));
        }
        let result = self.table.resign(loser, kind)?;
        let mut lines = vec![format!("resigned {loser} {}", word(kind))];
        self.finish(Some(result), &mut lines)?;
        Ok(lines)
    }

    pub(super) fn undo(&mut self) -> Lines {
        let was_over = self.table.game().result().is_some();
        let undone = self.table.undo()?;
        if was_over {
            self.series.results.pop();
        }
        let what = match undone {
            Undone::Step => "step",
            Undone::Play => "play",
            Undone::Resignation => "resignation",
        };
        Ok(vec![format!("undone {what}"), self.state_line()?])
    }

    /// The board with the steps made so far, seen by White under board numbers, else by the side on roll.
    pub fn draw_board(&self) -> String {
        let white_on_roll = self.table.game().turn() == Color::White;
        let by_board = self.settings.numbers == PointNumbering::Board;
        let options = DrawOptions {
            ascii: self.settings.ascii,
            view: if by_board && !white_on_roll { View::Opponent } else { View::OnRoll },
            numbers: if by_board { PointNumbers::Board } else { PointNumbers::Viewer },
            white_on_roll,
        };
        draw(self.table.position(), self.game_kind(), options)
    }

    pub(super) fn board(&self) -> Vec<String> {
        let drawn = self.draw_board();
        let mut lines = vec![format!("board {}", drawn.lines().count())];
        lines.extend(drawn.lines().map(String::from));
        lines
    }

    pub(super) fn dice_lines(&self) -> Vec<String> {
        let dice = &self.table.dice;
        let mut line = format!("dicelog commit {} throws {}", commitment(dice.seed()), dice.throws().len());
        for throw in dice.throws() {
            let _ = write!(line, " {}{}", throw.first(), throw.second());
        }
        vec![line]
    }

    pub(super) fn reveal(&mut self) -> Lines {
        let started = self.table.dice.throws().is_empty() && self.table.turns().is_empty();
        if self.table.game().result().is_none() && !started {
            return Err(ProtocolError::state("the seed is told when the game is over"));
        }
        let line = format!("seed {}", self.table.dice.seed());
        if started {
            // Dice that are known beforehand must not be thrown.
            let seed = self.next_seed();
            self.table.dice = super::DiceLog::new(seed);
        }
        Ok(vec![line])
    }
}

fn point_name(point: u8) -> String {
    match point {
        OFF => "off".into(),
        BAR => "bar".into(),
        _ => point.to_string(),
    }
}

/// `24/18`, `24-18`, `24 18`, `bar/22`, `6/off`.
fn parse_step(text: &str) -> Result<(u8, u8), ProtocolError> {
    let refuse = || {
        let found: String = text.chars().take(60).collect();
        ProtocolError::argument(format!("expected one step such as `24/18`, `bar/22` or `6/off`, found {found:?}"))
    };
    let point = |word: &str| match word {
        "bar" => Some(BAR),
        "off" => Some(OFF),
        _ => word.parse().ok().filter(|&point| point <= BAR),
    };
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(['/', '-', ' ', '\t']).filter(|word| !word.is_empty()).collect();
    match words[..] {
        [from, to] => point(from).zip(point(to.trim_end_matches('*'))).ok_or_else(refuse),
        _ => Err(refuse()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_read_in_the_usual_spellings() {
        for text in ["24/18", "24-18", "24 18", "24/18*"] {
            assert_eq!(parse_step(text), Ok((24, 18)), "{text}");
        }
        assert_eq!((parse_step("bar/22"), parse_step("6/off")), (Ok((25, 22)), Ok((6, 0))));
        for text in ["", "24", "24/18/12", "26/20", "a/b", "24/-1x"] {
            assert!(parse_step(text).is_err(), "{text}");
        }
    }
}
