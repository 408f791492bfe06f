//! Answers that need the engine: `go`, `hint`, `eval`, and the bare boards of draft 0.01.

use super::cube::{CubeSituation, judge};
use super::session::{Lines, Session};
use super::{Candidate, Limits, ProtocolError, Role, RolledPlay, RolloutTask, Task, Thought};
use crate::eval::{Outcomes, equity};
use crate::game::outcome_points;
use crate::notation::{Numbers, format_steps};
use crate::position::text::{FibsDialect, ParsedPosition, PositionFormat, XgidAction, parse_position};
use crate::rules::{Game, Rules};

/// Chances in the way players count them: all wins, and of these mars or better, koks; the same of losses. 0 to 1.
fn chances(outcomes: &Outcomes) -> String {
    let [win, mars, koks, _, lose_mars, lose_koks] = *outcomes;
    format!(
        "win {:.4} winmars {:.4} winkoks {:.4} losemars {:.4} losekoks {:.4}",
        win + mars + koks,
        mars + koks,
        koks,
        lose_mars + lose_koks,
        lose_koks
    )
}

impl Session {
    fn think(&mut self, limits: Limits) -> Result<Thought, ProtocolError> {
        let roll = self.table.needs_dice()?;
        let rules = *self.table.rules();
        // Whoever gives time or nodes without a depth wants them to be used.
        let limited = limits.movetime.is_some() || limits.nodes.is_some();
        let usual = if limited { self.engine.max_depth() } else { self.settings.ply };
        let depth = limits.depth.unwrap_or(usual).min(self.engine.max_depth());
        let limits = Limits { depth: Some(depth), ..limits };
        let position = self.table.game().position();
        let task = Task { position, roll, rules, worth: outcome_points(&rules), limits };
        let host = &self.host;
        Ok(self.engine.think(&task, &|| host.stopped())?)
    }

    /// The number of the candidate that the level plays.
    fn pick(&self, candidates: &[Candidate]) -> Result<usize, ProtocolError> {
        let roll = self.table.needs_dice()?;
        Ok(self.settings.level.pick(candidates, self.settings.seed, self.table.game().position(), roll))
    }

    pub(super) fn go(&mut self, role: Role, limits: Limits) -> Lines {
        if role != Role::Chequer {
            return Err(ProtocolError::unsupported("games here have no doubling cube; `go chequer` asks for a play"));
        }
        let start = self.host.millis();
        let thought = self.think(limits)?;
        let chosen = self.pick(&thought.candidates)?;
        let time = self.host.millis().saturating_sub(start);
        let about = format!("nodes {} time {time} line", thought.nodes);
        let before = |candidate: &Candidate| format!("info depth {} {about}", candidate.depth);
        let mut lines: Vec<String> = self.ranked(&thought.candidates, self.settings.lines, before);
        let Some(best) = thought.candidates.get(chosen) else {
            return Err(ProtocolError::state("the engine has no answer"));
        };
        lines.push(format!("bestmove {}", self.steps_text(best.play.steps)));
        if self.settings.pace > time {
            self.host.wait(self.settings.pace - time);
        }
        Ok(lines)
    }

    /// The best plays in a line each: number, equity, loss against the best, chances, play.
    fn ranked(&self, candidates: &[Candidate], count: usize, before: impl Fn(&Candidate) -> String) -> Vec<String> {
        let line = |(i, candidate): (usize, &Candidate)| {
            let (before, loss) = (before(candidate), candidate.loss);
            let steps = self.steps_text(candidate.play.steps);
            let (equity, chances) = (candidate.equity, chances(&candidate.outcomes));
            format!("{before} {} equity {equity:.4} loss {loss:.4} {chances} move {steps}", i + 1)
        };
        candidates.iter().enumerate().take(count).map(line).collect()
    }

    pub(super) fn hint(&mut self, count: usize) -> Lines {
        let thought = self.think(Limits::default())?;
        let shown = count.min(thought.candidates.len());
        let mut lines = vec![format!("hints {shown} of {}", thought.candidates.len())];
        lines.extend(self.ranked(&thought.candidates, shown, |_| "hint".into()));
        Ok(lines)
    }

    /// Most plays that are rolled out, however many are asked for.
    const MOST_ROLLED: usize = 10;

    /// The same after rollouts; if these are stopped at once, what can be told without.
    pub(super) fn hint_rolled_out(&mut self, count: usize, trials: u64) -> Lines {
        let roll = self.table.needs_dice()?;
        let rules = *self.table.rules();
        let (position, limits) = (self.table.game().position(), Limits::default());
        let task = Task { position, roll, rules, worth: outcome_points(&rules), limits };
        let plays = count.clamp(1, Session::MOST_ROLLED);
        let (host, rollout) = (&self.host, RolloutTask { plays, trials, seed: self.settings.seed });
        let rolled = self.engine.roll_out(&task, rollout, &|| host.stopped())?;
        if rolled.is_empty() {
            return self.hint(count);
        }
        let shown = count.min(rolled.len());
        let mut lines = vec![format!("hints {shown} of {}", self.table.game().plays().len())];
        lines.extend((1..).zip(rolled.iter().take(shown)).map(|(number, rolled)| {
            let RolledPlay { candidate: Candidate { equity, loss, outcomes, play, .. }, trials, .. } = rolled;
            let [equity_width, loss_width] = rolled.half_widths;
            format!(
                "hint {number} equity {equity:.4} loss {loss:.4} {} trials {trials} equity95 {equity_width:.4} loss95 \
                 {loss_width:.4} move {}",
                chances(outcomes),
                self.steps_text(play.steps)
            )
        }));
        Ok(lines)
    }

    /// The play that the level chooses for the dice on the board; `None` without dice.
    ///
    /// # Errors
    /// If the engine doesn't know the game.
    pub fn choose(&mut self) -> Result<Option<Candidate>, ProtocolError> {
        if self.table.game().dice().is_none() {
            return Ok(None);
        }
        let thought = self.think(Limits::default())?;
        let chosen = self.pick(&thought.candidates)?;
        Ok(thought.candidates.get(chosen).copied())
    }

    pub(super) fn eval(&mut self) -> Lines {
        if let Some(result) = self.table.game().result() {
            return Err(ProtocolError::state(format!("the game is over: {result}")));
        }
        let (position, rules) = (self.table.game().position(), *self.table.rules());
        let depth = self.settings.ply.min(self.engine.max_depth());
        let outcomes = self.engine.evaluate(position, &rules, depth)?;
        let equity = equity(&outcomes, &outcome_points(&rules));
        Ok(vec![format!("eval depth {depth} equity {equity:.4} {}", chances(&outcomes))])
    }

    /// Draft 0.01: the bare action for a board line, `sorry` if there is none.
    pub(super) fn answer_board(&mut self, text: &str) -> String {
        self.bare_action(text).unwrap_or_else(|_| "sorry".into())
    }

    fn bare_action(&mut self, text: &str) -> Result<String, ProtocolError> {
        let rules = match self.settings.rules.game {
            Game::Short => self.settings.rules,
            Game::Long => Rules::SHORT,
        };
        let ParsedPosition { position, roll, format } =
            parse_position(text, Game::Short).map_err(ProtocolError::argument)?;
        if position.is_over() {
            return Err(ProtocolError::state("the game is over"));
        }
        let depth = self.settings.ply.min(self.engine.max_depth());
        if let Some(roll) = roll {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let task = Task { position, roll, rules, worth: outcome_points(&rules), limits };
            let host = &self.host;
            let thought = self.engine.think(&task, &|| host.stopped())?;
            let chosen = self.settings.level.pick(&thought.candidates, self.settings.seed, position, roll);
            let steps = thought.candidates.get(chosen).map(|candidate| candidate.play.steps).unwrap_or_default();
            // Nothing to play is an empty line in this dialect.
            let text = format_steps(steps, Game::Short, Numbers::Own);
            return Ok(if steps.is_empty() { String::new() } else { text });
        }
        let (situation, answers_double) = match &format {
            PositionFormat::Xgid(xgid) => (CubeSituation::of_xgid(xgid)?, xgid.action != XgidAction::RollOrDouble),
            PositionFormat::Fibs(board) => (CubeSituation::of_fibs(board, FibsDialect::Fibs, true)?, board.was_doubled),
            _ => return Err(ProtocolError::context("no dice")),
        };
        let verdict = judge(&self.engine.evaluate(position, &rules, depth)?, &situation);
        Ok(match (answers_double, verdict.take(), verdict.double()) {
            (true, true, _) => "take",
            (true, false, _) => "drop",
            (false, _, true) => "double",
            (false, _, false) => "roll",
        }
        .into())
    }
}
