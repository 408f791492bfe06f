//! The game on the table: turns that can be taken back, steps made so far, dice.

use super::{DiceLog, ProtocolError};
use crate::game::{Color, GameResult, GameState, Turn, WinKind};
use crate::movegen::TurnWalk;
use crate::position::Position;
use crate::rules::Rules;
use crate::types::{Roll, Steps};

/// A game with its past. A play is what counts; steps are kept apart until the turn is complete.
#[derive(Clone, Debug)]
pub struct Table {
    /// Before the first turn; with dice if the starter plays those of the throw for the start.
    base: GameState,
    game: GameState,
    turns: Vec<Turn>,
    walk: Option<TurnWalk>,
    /// Somebody has resigned in `game`.
    resigned: Option<(Color, WinKind)>,
    /// The seeded dice.
    pub(super) dice: DiceLog,
}

impl Table {
    /// A game before its first turn.
    pub fn new(base: GameState, dice: DiceLog) -> Table {
        Table { game: base.clone(), base, turns: Vec::new(), walk: None, resigned: None, dice }
    }

    /// The game.
    pub fn game(&self) -> &GameState {
        &self.game
    }

    /// Where the game began.
    pub fn base(&self) -> &GameState {
        &self.base
    }

    /// The turns played.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Who has given up, and how much.
    pub fn resigned(&self) -> Option<(Color, WinKind)> {
        self.resigned
    }

    /// The steps made so far in this turn.
    pub fn steps(&self) -> Steps {
        self.walk.as_ref().map_or(Steps::NONE, |walk| walk.steps().iter().copied().take(4).collect())
    }

    /// The position after these steps, seen by the side on roll.
    pub fn position(&self) -> Position {
        self.walk.as_ref().map_or(self.game.position(), TurnWalk::position)
    }

    pub(super) fn rules(&self) -> &Rules {
        self.game.rules()
    }

    /// The dice of this turn.
    ///
    /// # Errors
    /// `missing_context` before the throw, `bad_state` after the game.
    pub(super) fn needs_dice(&self) -> Result<Roll, ProtocolError> {
        if let Some(result) = self.game.result() {
            return Err(ProtocolError::state(format!("the game is over: {result}")));
        }
        self.game.dice().ok_or_else(|| {
            ProtocolError::context(format!("{} has no dice: send `dice A B` or `roll` first", self.game.turn()))
        })
    }

    /// Sets the dice of this turn, also instead of others that were set.
    pub(super) fn set_dice(&mut self, roll: Roll) -> Result<(), ProtocolError> {
        if let Some(result) = self.game.result() {
            return Err(ProtocolError::state(format!("the game is over: {result}")));
        }
        if let Some(thrown) = self.game.dice() {
            if self.dice.has_thrown(self.turns.len()) {
                return Err(ProtocolError::state(format!("{} has already thrown {thrown}", self.game.turn())));
            }
            self.rebuild();
        }
        self.walk = None;
        self.game.roll(roll).map(|_| ()).map_err(ProtocolError::state)
    }

    /// Puts dice on the board that were thrown before; those of the opening may lie there already.
    pub(super) fn put_dice(&mut self, roll: Roll) -> Result<(), ProtocolError> {
        match self.game.dice() {
            Some(there) if there == roll => Ok(()),
            _ => self.game.roll(roll).map(|_| ()).map_err(ProtocolError::state),
        }
    }

    /// Throws the seeded dice of this turn.
    pub(super) fn throw(&mut self) -> Result<Roll, ProtocolError> {
        if let Some(result) = self.game.result() {
            return Err(ProtocolError::state(format!("the game is over: {result}")));
        }
        if let Some(roll) = self.game.dice() {
            return Err(ProtocolError::state(format!("{} has already thrown {roll}", self.game.turn())));
        }
        let roll = self.dice.roll_of_turn(self.turns.len());
        self.game.roll(roll).map_err(ProtocolError::state)?;
        Ok(roll)
    }

    /// The turn step by step.
    pub(super) fn walk(&mut self) -> Result<&mut TurnWalk, ProtocolError> {
        let roll = self.needs_dice()?;
        let game = &self.game;
        Ok(self.walk.get_or_insert_with(|| TurnWalk::new(game.position(), roll, *game.rules())))
    }

    /// Ends the turn with a play that leads to `position`, which must be legal.
    pub(super) fn play(&mut self, position: Position, steps: Steps) -> Result<Option<GameResult>, ProtocolError> {
        let roll = self.needs_dice()?;
        let result = self.game.play_to(position).map_err(ProtocolError::illegal)?;
        self.turns.push(Turn { roll, steps });
        self.walk = None;
        Ok(result)
    }

    /// The side on roll gives up.
    pub(super) fn resign(&mut self, loser: Color, kind: WinKind) -> Result<GameResult, ProtocolError> {
        let result = self.game.resign(loser, kind).map_err(ProtocolError::state)?;
        self.resigned = Some((loser, kind));
        self.walk = None;
        Ok(result)
    }

    /// Takes back the last step, or else what ended the turn before; the dice stay on the board.
    pub(super) fn undo(&mut self) -> Result<Undone, ProtocolError> {
        if self.walk.as_mut().is_some_and(|walk| walk.undo().is_some()) {
            return Ok(Undone::Step);
        }
        if self.resigned.take().is_some() {
            self.rebuild();
            if self.dice.has_thrown(self.turns.len()) && self.game.dice().is_none() {
                let roll = self.dice.roll_of_turn(self.turns.len());
                self.game.roll(roll).map_err(ProtocolError::state)?;
            }
            return Ok(Undone::Resignation);
        }
        let Some(last) = self.turns.pop() else {
            return Err(ProtocolError::state("there is nothing to take back"));
        };
        self.rebuild();
        if self.game.dice().is_none() {
            self.game.roll(last.roll).map_err(ProtocolError::state)?;
        }
        Ok(Undone::Play)
    }

    /// Plays the turns again from the start; the dice of the current turn are gone, but for those of the opening.
    fn rebuild(&mut self) {
        let mut game = self.base.clone();
        for turn in &self.turns {
            // The turns were legal when they were played, so neither can fail.
            if game.dice().is_none() {
                let _ = game.roll(turn.roll);
            }
            let _ = game.play(turn.steps);
        }
        self.walk = None;
        self.game = game;
    }
}

/// What [`Table::undo`] took back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Undone {
    /// A step of this turn.
    Step,
    /// The last play.
    Play,
    /// The end of the game.
    Resignation,
}
