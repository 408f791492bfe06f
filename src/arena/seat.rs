//! A place at the table: players that may fail, timed, behind the interface of those that can't.

use super::fault::{Fault, SeatError};
use crate::game::{ByColor, Player};
use crate::movegen::PlayList;
use crate::position::Position;
use crate::rules::Rules;
use crate::types::Roll;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a player is told when a game begins.
#[derive(Clone, Copy, Debug)]
pub struct GameContext<'a> {
    /// For random choices.
    pub seed: u64,
    /// The rules.
    pub rules: &'a Rules,
    /// Points to win the match; 0 in a money session.
    pub length: u32,
    /// Points that White and Black have in the match.
    pub score: ByColor<u32>,
    /// The player has White.
    pub is_white: bool,
}

/// A player in a tournament, in this process or another one. One that has failed must be ready to be asked for a new game.
pub trait Seat: Send {
    /// Called before each game.
    ///
    /// # Errors
    /// If the player fails, or the tournament is being stopped.
    fn new_game(&mut self, context: &GameContext) -> Result<(), SeatError>;

    /// The number of the chosen play in `plays`, which has at least two; `position` is seen by the mover.
    ///
    /// # Errors
    /// If the player fails, or the tournament is being stopped.
    fn choose(&mut self, position: Position, roll: Roll, rules: &Rules, plays: &PlayList) -> Result<usize, SeatError>;
}

/// A player of this process.
pub struct InProcess(pub Box<dyn Player + Send>);

impl Seat for InProcess {
    fn new_game(&mut self, context: &GameContext) -> Result<(), SeatError> {
        self.0.new_game(context.seed);
        Ok(())
    }

    fn choose(&mut self, position: Position, roll: Roll, rules: &Rules, plays: &PlayList) -> Result<usize, SeatError> {
        Ok(self.0.choose(position, roll, rules, plays))
    }
}

/// Time taken for decisions. Wall-clock, so it differs from run to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Decisions made (turns with a choice).
    pub decisions: u64,
    /// All their time, in nanoseconds.
    pub nanos: u64,
    /// The longest one, in nanoseconds.
    pub longest: u64,
}

impl Clock {
    fn add(&mut self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.decisions += 1;
        self.nanos = self.nanos.saturating_add(nanos);
        self.longest = self.longest.max(nanos);
    }

    /// Adds another player's or game's time.
    pub fn merge(&mut self, other: &Clock) {
        self.decisions += other.decisions;
        self.nanos = self.nanos.saturating_add(other.nanos);
        self.longest = self.longest.max(other.longest);
    }

    /// Mean time of a decision in seconds; `None` without decisions.
    pub fn mean_seconds(&self) -> Option<f64> {
        (self.decisions > 0).then(|| self.nanos as f64 / 1e9 / self.decisions as f64)
    }
}

/// A seat during one game, as the turn loop wants it: a failure is kept and answered with a number that is no play.
pub(super) struct Guard<'a> {
    seat: &'a mut dyn Seat,
    stop: &'a AtomicBool,
    pub(super) clock: Clock,
    pub(super) error: Option<SeatError>,
}

impl<'a> Guard<'a> {
    pub(super) fn new(seat: &'a mut dyn Seat, stop: &'a AtomicBool) -> Guard<'a> {
        Guard { seat, stop, clock: Clock::default(), error: None }
    }

    /// Begins a game; false if that failed.
    pub(super) fn begin(&mut self, context: &GameContext) -> bool {
        self.error = self.seat.new_game(context).err();
        self.error.is_none()
    }

    /// The failure of this game, if any.
    pub(super) fn fault(&mut self) -> Option<Fault> {
        match self.error.take() {
            Some(SeatError::Fault(fault)) => Some(*fault),
            other => {
                self.error = other;
                None
            }
        }
    }
}

impl Player for Guard<'_> {
    fn name(&self) -> String {
        String::new()
    }

    fn choose(&mut self, position: Position, roll: Roll, rules: &Rules, plays: &PlayList) -> usize {
        if self.stop.load(Ordering::Relaxed) {
            self.error = Some(SeatError::Interrupted);
            return usize::MAX;
        }
        let start = Instant::now();
        let choice = self.seat.choose(position, roll, rules, plays);
        self.clock.add(start.elapsed());
        choice.unwrap_or_else(|error| {
            self.error = Some(error);
            usize::MAX
        })
    }
}
