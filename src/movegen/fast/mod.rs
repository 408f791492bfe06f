//! The fast generator.
//!
//! Masks find the sources of each die and what may collide, so that the loops reach each result once and write it at
//! once: `doubles` and `pairs` for the usual case, `slow` where the order of the steps can matter for more than hits.

mod doubles;
mod pairs;
mod slow;

use super::PlayList;
use super::rows::Rows;
use crate::position::{Checkers, Position, other_side, other_side_set, other_side_sets};
use crate::rules::{Game, Head, Overshoot, Rules};
use crate::types::{BAR, NUM_CHECKERS, PointSet, Roll, Steps};

const HEAD: u8 = 24;
const BAR_BIT: u32 = 1 << BAR;
const BEYOND_HOME: u32 = !0x7F;

/// What stays the same during one turn.
struct Turn<'a> {
    rules: &'a Rules,
    /// Points a step may land on.
    open: u32,
    /// Points that hold at least two own checkers when the turn begins.
    held: u32,
    /// The head must keep that many checkers this turn.
    head_floor: u8,
    rows: Rows,
}

/// What changes from step to step.
#[derive(Clone, Copy)]
struct State {
    us: Checkers,
    them: Checkers,
    /// Own occupied points, bar included.
    occupied: u32,
    /// Points in the mover's numbering where a lone enemy checker can be hit.
    blots: u32,
}

impl State {
    fn position(&self) -> Position {
        Position { us: self.us, them: self.them }
    }
}

/// Writes all legal plays to `plays`.
pub(super) fn generate(position: Position, roll: Roll, rules: &Rules, plays: &mut PlayList) {
    let (occupied, held) = position.us.occupied_and_held();
    let start = State { us: position.us, them: position.them, occupied: occupied.0, blots: 0 };
    match rules.game {
        Game::Short => {
            let (open, blots) = other_checkers(position.them, PointSet(occupied.0).highest().unwrap_or(0));
            let turn = Turn { rules, open, held: held.0, head_floor: 0, rows: Rows::FREE };
            turn.generate(State { blots, ..start }, roll, plays);
        }
        Game::Long => {
            let open = !other_side_set(Game::Long, position.them.occupied()).0 & PointSet::BOARD.0;
            let head = position.us.count(HEAD);
            let (limit, if_needed) = head_limit(rules.head, head == NUM_CHECKERS, roll);
            let rows = Rows::new(rules, position.them);
            let mut turn = Turn { rules, open, held: held.0, head_floor: head.saturating_sub(limit), rows };
            turn.generate(start, roll, plays);
            if if_needed && plays.steps(0).len() < roll.dice().count() {
                turn.head_floor = head - 2;
                turn.generate(start, roll, plays);
            }
        }
    }
}

/// By the mover's rearmost point in short nardy: the places of the enemy's checkers that are ahead of it.
static AHEAD: [u128; 32] = {
    let mut ahead = [0u128; 32];
    let mut rear = 2;
    while rear <= BAR as usize {
        ahead[rear] = ahead[rear - 1] | 15 << (4 * (26 - rear));
        rear += 1;
    }
    ahead
};

/// In short nardy the points open to a mover whose rearmost checker is on `rear`, and those on which he can hit.
#[inline]
fn other_checkers(them: Checkers, rear: u8) -> (u32, u32) {
    if them.0 & AHEAD[usize::from(rear & 31)] == 0 {
        return (PointSet::BOARD.0, 0);
    }
    let (occupied, held) = them.occupied_and_held();
    let (occupied, held) = other_side_sets(occupied, held);
    let open = PointSet::BOARD.0 & !held.0;
    // Those that have passed can't be hit.
    (open, occupied.0 & open & ((1 << rear) - 1))
}

/// Checkers that may leave the head this turn, and whether it becomes two if the roll can't be completed (1.4).
pub(super) fn head_limit(head: Head, first_turn: bool, roll: Roll) -> (u8, bool) {
    let double = if roll.is_double() { roll.high() } else { 0 };
    let two = match head {
        Head::Official => first_turn && matches!(double, 3 | 4 | 6),
        Head::Az46 => first_turn && matches!(double, 4 | 6),
        Head::DoublesFirst => first_turn && double > 0,
        Head::DoublesAlways => double > 0,
        Head::NeededDoubles => return (1, first_turn && double > 0),
        Head::NeededAny => return (1, first_turn),
        Head::None => false,
    };
    (if two { 2 } else { 1 }, false)
}

#[inline]
fn bit(point: u8) -> u32 {
    1 << point
}

impl Turn<'_> {
    fn generate(&self, start: State, roll: Roll, plays: &mut PlayList) {
        plays.clear();
        let unusual = self.rules.must_off || self.rules.max_point > 0;
        let rows_matter = self.rows.any() && self.rows_threatened(&start, roll);
        if roll.is_double() {
            if unusual {
                self.layers(start, roll.high(), plays);
            } else if rows_matter {
                self.double_where_rows_matter(&start, roll.high(), plays);
            } else {
                self.double(&start, roll.high(), plays);
            }
        } else {
            if unusual || rows_matter && self.may_bear_off_with_two(&start) {
                self.pairs_in_both_orders(&start, roll, plays);
            } else if rows_matter {
                self.pairs_where_rows_matter(&start, roll.high(), roll.low(), plays);
            } else {
                self.two_dice(&start, roll.high(), roll.low(), plays);
            }
            if plays.is_empty() {
                self.single(&start, roll, plays);
            }
        }
        if plays.is_empty() {
            plays.push(start.position(), Steps::NONE);
        }
    }

    /// Of two dice one might bear off: with one checker outside at most, a die may bring it home.
    #[inline]
    fn may_bear_off_with_two(&self, start: &State) -> bool {
        let outside = start.occupied & BEYOND_HOME;
        outside & outside.wrapping_sub(1) == 0 && self.held & BEYOND_HOME == 0
    }

    /// A forbidden row could arise in this turn.
    fn rows_threatened(&self, start: &State, roll: Roll) -> bool {
        let land = |from: u32, die: u8| from >> die & self.open;
        let (high, low) = (roll.high(), roll.low());
        let mut reach = start.occupied;
        if roll.is_double() {
            for _ in 0..4 {
                reach |= land(reach, high);
            }
            self.rows.threaten(start.occupied, reach, 4)
        } else {
            reach |= land(reach, high);
            reach |= land(reach, low) | land(land(start.occupied, low), high);
            self.rows.threaten(start.occupied, reach, 2)
        }
    }

    /// Points from which the die can be moved on the board.
    #[inline]
    fn board_sources(&self, state: &State, die: u8) -> u32 {
        let mut sources = state.occupied & (self.open << die);
        if self.head_floor > 0 && state.us.count(HEAD) <= self.head_floor {
            sources &= !bit(HEAD);
        }
        sources
    }

    /// Points from which the die can be played, rows left aside.
    #[inline]
    fn sources(&self, state: &State, die: u8) -> u32 {
        if state.occupied & BAR_BIT != 0 {
            return (self.open >> (BAR - die) & 1) << BAR;
        }
        let mut sources = self.board_sources(state, die);
        if state.occupied & BEYOND_HOME == 0 {
            sources |= self.off_sources(state.occupied, die);
        }
        sources
    }

    /// Points from which the die bears off, all checkers being home (1.7).
    #[inline]
    fn off_sources(&self, occupied: u32, die: u8) -> u32 {
        if occupied >> die != 0 {
            return occupied & bit(die);
        }
        match self.rules.overshoot {
            Overshoot::Any => occupied,
            Overshoot::Highest => PointSet(occupied).highest().map_or(0, bit),
        }
    }

    /// The state after one step.
    #[inline]
    fn after(&self, state: &State, from: u8, die: u8) -> State {
        let to = from.saturating_sub(die);
        let us = state.us.stepped(from, die);
        let emptied = u32::from(us.is_empty_at(from)) << from;
        let mut next = State { us, occupied: state.occupied & !emptied | bit(to) & !1, ..*state };
        if state.blots & bit(to) != 0 {
            next.them = state.them.hit(other_side(Game::Short, to));
            next.blots &= !bit(to);
        }
        next
    }

    /// The position after a turn's last step.
    #[inline]
    fn last(state: &State, from: u8, die: u8) -> Position {
        let to = from.saturating_sub(die);
        let hit = state.blots & bit(to) != 0;
        let them = if hit { state.them.hit(other_side(Game::Short, to)) } else { state.them };
        Position { us: state.us.stepped(from, die), them }
    }
}
