//! A turn made checker by checker, as in a GUI, and the check of an explicit list of steps.
//!
//! A step may be legal by itself and still spoil the turn: if both dice can be played, a step after which the second
//! can't is not allowed. [`TurnWalk`] therefore offers only steps after which the turn can be completed legally.
//! Nothing here is fast; it is meant for people and referees.

use super::fast::head_limit;
use super::rows::Rows;
use super::{PlayList, legal_plays_into};
use crate::position::{Position, other_side};
use crate::rules::{BlockWhen, Game, Head, Overshoot, Rules};
use crate::types::{BAR, NUM_CHECKERS, OFF, Roll, Step};

const HEAD: u8 = 24;

/// A step that can be made now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NextStep {
    /// The point the checker leaves, 1 to 25 (bar), in the mover's numbering.
    pub from: u8,
    /// The die it uses.
    pub die: u8,
    /// The point it reaches; 0 = off.
    pub to: u8,
    /// It sends an enemy checker to the bar.
    pub hit: bool,
}

/// Why a step can't be made where it stands in the turn, whatever follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalStep {
    /// The last checker is off.
    #[error("the game is over")]
    GameOver,
    /// The dice do not show it, or it has been used.
    #[error("there is no {die} left on the dice")]
    DieNotLeft {
        /// The die.
        die: u8,
    },
    /// The point is empty or is no point.
    #[error("there is no own checker on {}", name(*point))]
    NoChecker {
        /// In the mover's numbering.
        point: u8,
    },
    /// Short nardy: the bar comes first.
    #[error("a checker on the bar must enter first")]
    BarFirst,
    /// The opponent holds the point.
    #[error("point {to} is held by the opponent ({count} checker(s))")]
    Blocked {
        /// In the mover's numbering.
        to: u8,
        /// The opponent's checkers there.
        count: u8,
    },
    /// Long nardy: no more checkers may leave the head (1.4).
    #[error("only {allowed} checker(s) may leave the head in this turn")]
    Head {
        /// How many may.
        allowed: u8,
    },
    /// The option `max_point`.
    #[error("point {to} already holds {count} own checkers")]
    Full {
        /// In the mover's numbering.
        to: u8,
        /// Own checkers there.
        count: u8,
    },
    /// Bearing off with a checker outside the home (1.7).
    #[error("no checker may be borne off while one is on {}", name(*outside))]
    NotAllHome {
        /// The highest checker's point.
        outside: u8,
    },
    /// Bearing off with a die that is too large for this point (1.7).
    #[error("with a {die} the checker on {higher} has to be played before one on a lower point is borne off")]
    HigherChecker {
        /// The die.
        die: u8,
        /// A point with a checker that stops it.
        higher: u8,
    },
    /// The option `must_off`.
    #[error("the {die} must bear a checker off")]
    MustBearOff {
        /// The die.
        die: u8,
    },
    /// Long nardy: the step leaves a row of six or more that is not permitted (1.6).
    #[error("it would leave a row of six or more points that is not permitted")]
    Row,
}

fn name(point: u8) -> String {
    if point == BAR { "the bar".into() } else { format!("point {point}") }
}

/// Why a list of steps is no legal turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalPlay {
    /// A step that can't be made.
    #[error("step {number} ({step}) is illegal: {why}")]
    Step {
        /// Its number, from 1.
        number: usize,
        /// The step.
        step: Step,
        /// Why.
        why: IllegalStep,
    },
    /// No die can lead from the one point to the other.
    #[error("no single die moves a checker from {from} to {to}")]
    NotAStep {
        /// In the mover's numbering.
        from: u8,
        /// In the mover's numbering; 0 = off.
        to: u8,
    },
    /// More dice could be played (1.5).
    #[error("{must} dice can be played, so {must} must be, not {made}")]
    Incomplete {
        /// Steps made.
        made: usize,
        /// Steps that must be made.
        must: usize,
    },
    /// The step is possible, but not enough of the other dice could be played after it (1.5).
    #[error("after step {number} ({step}) the turn can't be completed: {must} dice must be played in all")]
    DeadEnd {
        /// Its number, from 1.
        number: usize,
        /// The step.
        step: Step,
        /// Steps that must be made.
        must: usize,
    },
    /// Either die could be played but not both, so the larger is compulsory (1.5).
    #[error("only one die can be played, and it must be the larger, the {die}")]
    LargerDie {
        /// The larger die.
        die: u8,
    },
    /// The option `block_when=turn`: the turn ends in a row that is not permitted.
    #[error("the turn would end with a row of six or more points that is not permitted")]
    RowAtEnd,
}

/// One turn, checker by checker.
///
/// # Examples
/// ```
/// use nardy::{movegen::TurnWalk, position::Position, rules::Rules, types::Roll};
///
/// let mut walk = TurnWalk::new(Position::LONG_START, Roll::new(2, 1).unwrap(), Rules::LONG);
/// assert_eq!(walk.next_steps().len(), 2); // the head checker with either die
/// walk.step(24, 1).unwrap();
/// assert_eq!(walk.next_steps()[0].from, 23); // no second checker may leave the head
/// walk.step_to(23, 21).unwrap();
/// assert!(walk.is_complete());
/// ```
#[derive(Clone, Debug)]
pub struct TurnWalk {
    rules: Rules,
    roll: Roll,
    rows: Rows,
    /// Checkers that may leave the head this turn.
    head_limit: u8,
    /// Steps that every legal turn has.
    must: usize,
    /// The die that must be used if only one can be, though either could.
    forced_die: Option<u8>,
    /// The position before the first step and after each.
    positions: Vec<Position>,
    steps: Vec<Step>,
}

impl TurnWalk {
    /// The turn before its first step. The position must be valid ([`Position::validate`]); if the side on roll has
    /// borne off everything, or nothing can be played, the turn is complete at once.
    pub fn new(position: Position, roll: Roll, rules: Rules) -> TurnWalk {
        let mut plays = PlayList::new();
        let mut most_steps = |rules: &Rules| {
            legal_plays_into(position, roll, rules, &mut plays);
            (plays.steps(0).len(), plays.steps(0).iter().next().map(|step| step.die))
        };
        let (must, die) = most_steps(&rules);
        let head_limit = match rules.game {
            Game::Short => NUM_CHECKERS,
            Game::Long => {
                let first_turn = position.us.count(HEAD) == NUM_CHECKERS;
                let (limit, if_needed) = head_limit(rules.head, first_turn, roll);
                let with_one = Rules { head: Head::None, ..rules };
                if if_needed && most_steps(&with_one).0 < roll.dice().count() { 2 } else { limit }
            }
        };
        let rows = match rules.game {
            Game::Short => Rows::FREE,
            Game::Long => Rows::new(&rules, position.them),
        };
        let forced_die = die.filter(|_| must == 1 && !roll.is_double());
        TurnWalk { rules, roll, rows, head_limit, must, forced_die, positions: vec![position], steps: Vec::new() }
    }

    /// The position after the steps made so far, seen by the mover.
    pub fn position(&self) -> Position {
        self.positions[self.steps.len()]
    }

    /// The position before the first step.
    pub fn start(&self) -> Position {
        self.positions[0]
    }

    /// The roll.
    pub fn roll(&self) -> Roll {
        self.roll
    }

    /// The steps made so far, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Dice not used yet, larger first, whether they can still be played or not.
    pub fn dice_left(&self) -> Vec<u8> {
        let mut left: Vec<u8> = self.roll.dice().collect();
        for step in &self.steps {
            if let Some(at) = left.iter().position(|&die| die == step.die) {
                left.remove(at);
            }
        }
        left
    }

    /// Every die that must be played has been: the turn may, and must, end here.
    pub fn is_complete(&self) -> bool {
        self.steps.len() == self.must
    }

    /// The steps after which the whole turn can still be completed legally, highest source and larger die first; none
    /// if the turn is complete.
    pub fn next_steps(&self) -> Vec<NextStep> {
        let dice = self.dice_left();
        let mut found = Vec::new();
        for from in (1..=BAR).rev() {
            for (i, &die) in dice.iter().enumerate() {
                if !dice[..i].contains(&die) && self.can_lead_on(self.position(), self.steps.len(), &dice, from, die) {
                    found.push(self.next_step(from, die));
                }
            }
        }
        found
    }

    /// Makes a step.
    ///
    /// # Errors
    /// Why the step is not one of [`TurnWalk::next_steps`]; nothing changes then.
    pub fn step(&mut self, from: u8, die: u8) -> Result<NextStep, IllegalPlay> {
        let dice = self.dice_left();
        let (step, number) = (Step { from, die }, self.steps.len() + 1);
        if let Some(why) = self.obstacle(self.position(), &dice, from, die) {
            return Err(IllegalPlay::Step { number, step, why });
        }
        if !self.can_lead_on(self.position(), self.steps.len(), &dice, from, die) {
            return Err(match self.forced_die {
                Some(forced) if forced != die && number == 1 => IllegalPlay::LargerDie { die: forced },
                _ if number >= self.must => IllegalPlay::RowAtEnd,
                _ => IllegalPlay::DeadEnd { number, step, must: self.must },
            });
        }
        let next = self.next_step(from, die);
        self.make(step);
        Ok(next)
    }

    /// Makes the step from one point to another; a checker is borne off (`to` = 0) with the smallest die that will do.
    ///
    /// # Errors
    /// Why no step leads there; nothing changes then.
    pub fn step_to(&mut self, from: u8, to: u8) -> Result<NextStep, IllegalPlay> {
        let fitting = self.next_steps().into_iter().filter(|next| next.from == from && next.to == to);
        let die = match fitting.map(|next| next.die).min() {
            Some(die) => die,
            // Nothing leads there: let the step itself say why.
            None if to == OFF => self.dice_left().into_iter().filter(|&die| die >= from).min().unwrap_or(from),
            None => from.saturating_sub(to),
        };
        if !(1..=6).contains(&die) {
            return Err(IllegalPlay::NotAStep { from, to });
        }
        self.step(from, die)
    }

    /// Takes the last step back and returns it; `None` if there is none.
    pub fn undo(&mut self) -> Option<Step> {
        let step = self.steps.pop()?;
        self.positions.pop();
        Some(step)
    }

    fn make(&mut self, step: Step) {
        self.positions.push(self.after(self.position(), step.from, step.die));
        self.steps.push(step);
    }

    fn next_step(&self, from: u8, die: u8) -> NextStep {
        let to = from.saturating_sub(die);
        NextStep { from, die, to, hit: self.theirs(self.position(), to) > 0 }
    }

    /// The opponent's checkers on a board point of the mover's numbering.
    fn theirs(&self, position: Position, point: u8) -> u8 {
        if point == OFF { 0 } else { position.them.count(other_side(self.rules.game, point)) }
    }

    /// The position after a step that nothing forbids; an enemy checker met there goes to the bar.
    fn after(&self, position: Position, from: u8, die: u8) -> Position {
        let to = from.saturating_sub(die);
        let them = match self.theirs(position, to) {
            0 => position.them,
            _ => position.them.moved(other_side(self.rules.game, to), BAR),
        };
        Position { us: position.us.moved(from, to), them }
    }

    /// The step is legal and a legal turn begins with it, `made` steps having been made.
    fn can_lead_on(&self, position: Position, made: usize, dice: &[u8], from: u8, die: u8) -> bool {
        if made >= self.must
            || self.forced_die.is_some_and(|forced| forced != die)
            || self.obstacle(position, dice, from, die).is_some()
        {
            return false;
        }
        let after = self.after(position, from, die);
        if made + 1 == self.must {
            return !self.rows.forbid(after.us.occupied().0);
        }
        let mut rest = dice.to_vec();
        rest.remove(rest.iter().position(|&d| d == die).unwrap_or(0));
        (1..=BAR).rev().any(|next| {
            (0..rest.len())
                .filter(|&i| i == 0 || rest[i - 1] != rest[i])
                .any(|i| self.can_lead_on(after, made + 1, &rest, next, rest[i]))
        })
    }

    /// What forbids the step by itself, if anything.
    fn obstacle(&self, position: Position, dice: &[u8], from: u8, die: u8) -> Option<IllegalStep> {
        let us = position.us;
        if us.off() == NUM_CHECKERS {
            return Some(IllegalStep::GameOver);
        }
        if !dice.contains(&die) {
            return Some(IllegalStep::DieNotLeft { die });
        }
        if !(1..=BAR).contains(&from) || us.count(from) == 0 {
            return Some(IllegalStep::NoChecker { point: from });
        }
        if us.bar() > 0 && from != BAR {
            return Some(IllegalStep::BarFirst);
        }
        let left_the_head = self.start().us.count(HEAD).saturating_sub(us.count(HEAD));
        if self.rules.game == Game::Long && from == HEAD && left_the_head >= self.head_limit {
            return Some(IllegalStep::Head { allowed: self.head_limit });
        }
        let blocked = if from > die { self.landing_obstacle(position, from - die) } else { None };
        let stopped = if from <= die { self.bear_off_obstacle(position, from, die) } else { None };
        blocked.or(stopped).or_else(|| {
            if self.rules.must_off && from > die && self.must_bear_off(position, dice, die) {
                return Some(IllegalStep::MustBearOff { die });
            }
            let row = self.rules.block_when == BlockWhen::Step
                && self.rows.forbid(self.after(position, from, die).us.occupied().0);
            row.then_some(IllegalStep::Row)
        })
    }

    fn landing_obstacle(&self, position: Position, to: u8) -> Option<IllegalStep> {
        let (theirs, ours) = (self.theirs(position, to), position.us.count(to));
        let enough_to_hold = if self.rules.game == Game::Long { 1 } else { 2 };
        if theirs >= enough_to_hold {
            return Some(IllegalStep::Blocked { to, count: theirs });
        }
        let full = self.rules.max_point > 0 && ours >= self.rules.max_point;
        full.then_some(IllegalStep::Full { to, count: ours })
    }

    fn bear_off_obstacle(&self, position: Position, from: u8, die: u8) -> Option<IllegalStep> {
        let highest = position.us.occupied().highest()?;
        if highest > 6 {
            return Some(IllegalStep::NotAllHome { outside: highest });
        }
        // With `any`, only a checker that the die would have to move stops the others.
        let stops = match self.rules.overshoot {
            Overshoot::Highest => highest > from,
            Overshoot::Any => highest >= die,
        };
        (from < die && stops).then_some(IllegalStep::HigherChecker { die, higher: highest })
    }

    /// Under `must_off`: the opponent is out of the way and the die can bear off.
    fn must_bear_off(&self, position: Position, dice: &[u8], die: u8) -> bool {
        let in_the_way = position.them.bar() > 0 || (1..=6).any(|point| self.theirs(position, point) > 0);
        !in_the_way && (1..=die).any(|from| self.obstacle(position, dice, from, die).is_none())
    }
}

/// Plays a list of steps in the order given and returns the position after it, seen by the mover.
///
/// The list must be a legal turn as it stands: an order in which some step is illegal is refused even if another order
/// of the same steps is legal. The position must be valid; no steps are the legal list when nothing can be played.
///
/// # Errors
/// The first step that is illegal and why, or what the whole turn lacks.
///
/// # Examples
/// ```
/// use nardy::movegen::{IllegalPlay, is_legal};
/// use nardy::{position::Position, rules::Rules, types::{Roll, Step}};
///
/// let roll = Roll::new(3, 1).unwrap();
/// let steps = [Step { from: 8, die: 3 }, Step { from: 6, die: 1 }];
/// assert!(is_legal(Position::SHORT_START, roll, &Rules::SHORT, &steps).is_ok());
/// let half = is_legal(Position::SHORT_START, roll, &Rules::SHORT, &steps[..1]);
/// assert_eq!(half, Err(IllegalPlay::Incomplete { made: 1, must: 2 }));
/// ```
pub fn is_legal(position: Position, roll: Roll, rules: &Rules, steps: &[Step]) -> Result<Position, IllegalPlay> {
    let mut walk = TurnWalk::new(position, roll, *rules);
    for (i, &step) in steps.iter().enumerate() {
        let dice = walk.dice_left();
        if let Some(why) = walk.obstacle(walk.position(), &dice, step.from, step.die) {
            return Err(IllegalPlay::Step { number: i + 1, step, why });
        }
        walk.make(step);
    }
    if steps.len() < walk.must {
        return Err(IllegalPlay::Incomplete { made: steps.len(), must: walk.must });
    }
    if !steps.is_empty() && walk.rows.forbid(walk.position().us.occupied().0) {
        return Err(IllegalPlay::RowAtEnd);
    }
    match (walk.forced_die, steps.first()) {
        (Some(die), Some(first)) if first.die != die => Err(IllegalPlay::LargerDie { die }),
        _ => Ok(walk.position()),
    }
}
