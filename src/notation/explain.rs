//! The rules step by step, each with the reason why a step is not allowed.
//!
//! Written for clear answers, not for speed, and apart from the generator: the tests hold the two against each other.

use crate::movegen::legal_plays;
use crate::position::{Checkers, Position, other_side};
use crate::rules::{Block, BlockPath, BlockWhen, Game, Head, Overshoot, Rules};
use crate::types::{BAR, NUM_CHECKERS, OFF, PointSet, Roll, Step};

const HEAD: u8 = 24;

/// What forbids a step. Points are in the mover's own numbering. The order is that of preference: of several reasons
/// the first is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Obstacle {
    /// The opponent holds the landing.
    Blocked { point: u8 },
    /// The head has given all it may this turn.
    Head { limit: u8 },
    /// A forbidden row would stand; its points as the opponent meets them.
    Row { points: Vec<u8> },
    /// The landing holds as many checkers as `max_point` allows.
    Full { point: u8 },
    /// `must_off`: the die bears off.
    MustBearOff { die: u8 },
    /// A checker above the one to be borne off with a larger die.
    Higher { die: u8, point: u8 },
    /// A checker outside the home.
    NotHome { point: u8 },
    /// A checker on the bar.
    BarFirst,
    /// Nothing there to move.
    NoChecker { point: u8 },
}

/// The rules of one turn.
pub(super) struct TurnRules<'a> {
    rules: &'a Rules,
    /// Checkers on the head when the turn begins.
    head: u8,
    head_limit: u8,
}

impl<'a> TurnRules<'a> {
    pub(super) fn new(position: Position, roll: Roll, rules: &'a Rules) -> TurnRules<'a> {
        TurnRules { rules, head: position.us.count(HEAD), head_limit: head_limit(position, roll, rules) }
    }

    /// The position after one step of a turn that has come to `position`, or why the step is not allowed.
    pub(super) fn step(&self, position: Position, step: Step) -> Result<Position, Obstacle> {
        let Position { us, them } = position;
        let Step { from, die } = step;
        if us.count(from) == 0 {
            return Err(Obstacle::NoChecker { point: from });
        }
        if us.bar() > 0 && from != BAR {
            return Err(Obstacle::BarFirst);
        }
        let to = step.to();
        let mut next = Position { us: us.moved(from, to), them };
        if to == OFF {
            self.bears_off(us, from, die)?;
        } else {
            self.lands(position, from, to)?;
            self.need_not_bear_off(position, die)?;
            let theirs = other_side(self.rules.game, to);
            if self.rules.game == Game::Short && them.count(theirs) == 1 {
                next.them = them.moved(theirs, BAR);
            }
        }
        if self.rules.block_when == BlockWhen::Step {
            self.rows(next)?;
        }
        Ok(next)
    }

    /// Whether a turn may end in that position.
    pub(super) fn end(&self, position: Position) -> Result<(), Obstacle> {
        self.rows(position)
    }

    fn lands(&self, Position { us, them }: Position, from: u8, to: u8) -> Result<(), Obstacle> {
        let game = self.rules.game;
        let enemies = them.count(other_side(game, to));
        if enemies >= if game == Game::Long { 1 } else { 2 } {
            return Err(Obstacle::Blocked { point: to });
        }
        let left_head = self.head - us.count(HEAD).min(self.head);
        if game == Game::Long && from == HEAD && left_head >= self.head_limit {
            return Err(Obstacle::Head { limit: self.head_limit });
        }
        if self.rules.max_point > 0 && us.count(to) >= self.rules.max_point {
            return Err(Obstacle::Full { point: to });
        }
        Ok(())
    }

    /// A die at least as large as the point bears off.
    fn bears_off(&self, us: Checkers, from: u8, die: u8) -> Result<(), Obstacle> {
        let highest = us.occupied().highest().unwrap_or(from);
        if highest > 6 {
            return Err(Obstacle::NotHome { point: highest });
        }
        let limit = match self.rules.overshoot {
            Overshoot::Highest => from,
            Overshoot::Any => die - 1,
        };
        if from != die && highest > limit {
            return Err(Obstacle::Higher { die, point: highest });
        }
        Ok(())
    }

    /// `must_off`, for a step inside the board.
    fn need_not_bear_off(&self, Position { us, them }: Position, die: u8) -> Result<(), Obstacle> {
        let mut enemies = PointSet(them.occupied().0);
        let home = |point: u8| PointSet::HOME.contains(other_side(self.rules.game, point));
        if !self.rules.must_off || enemies.any(|point| point == BAR || home(point)) {
            return Ok(());
        }
        let can = us.occupied().any(|from| from <= die && self.bears_off(us, from, die).is_ok());
        if can { Err(Obstacle::MustBearOff { die }) } else { Ok(()) }
    }

    /// No forbidden row stands (1.6).
    fn rows(&self, Position { us, them }: Position) -> Result<(), Obstacle> {
        let rules = self.rules;
        let Some(front) = them.occupied().lowest() else { return Ok(()) };
        if rules.game == Game::Short || rules.block == Block::None {
            return Ok(());
        }
        for first in 1..=24u8 {
            // The row's points as the opponent meets them, from his highest to his lowest.
            let row = |length: u8| (0..length).rev().map(move |i| other_side(Game::Long, (first + i - 1) % 24 + 1));
            let stands = |length: u8| row(length).all(|point| us.count(point) > 0) && on_path(rules, first, length);
            let passed = match rules.block {
                // A row over the opponent's own corner holds his 24, so he is past it or off the board.
                Block::Ahead => front < first,
                _ => front <= 6,
            };
            if stands(6) && !passed {
                return Err(Obstacle::Row { points: row(6).collect() });
            }
            if rules.block_cap > 0 && stands(rules.block_cap + 1) {
                return Err(Obstacle::Row { points: row(rules.block_cap + 1).collect() });
            }
        }
        Ok(())
    }
}

/// Points in a line are a row; `first` is the lowest in the opponent's numbering.
fn on_path(rules: &Rules, first: u8, length: u8) -> bool {
    match rules.block_path {
        BlockPath::Opp => first + length - 1 <= 24,
        BlockPath::Own => other_side(Game::Long, first) + length - 1 <= 24,
        BlockPath::Ring => true,
    }
}

/// How many checkers may leave the head (1.4).
fn head_limit(position: Position, roll: Roll, rules: &Rules) -> u8 {
    let first_turn = position.us.count(HEAD) == NUM_CHECKERS;
    let can_be_completed = || {
        let plays = legal_plays(position, roll, &Rules { head: Head::None, ..*rules });
        plays.steps(0).len() == roll.dice().count()
    };
    let two = match rules.head {
        Head::Official => first_turn && roll.is_double() && matches!(roll.high(), 3 | 4 | 6),
        Head::Az46 => first_turn && roll.is_double() && matches!(roll.high(), 4 | 6),
        Head::DoublesFirst => first_turn && roll.is_double(),
        Head::DoublesAlways => roll.is_double(),
        Head::NeededDoubles => first_turn && roll.is_double() && !can_be_completed(),
        Head::NeededAny => first_turn && !can_be_completed(),
        Head::None => false,
    };
    if two { 2 } else { 1 }
}
