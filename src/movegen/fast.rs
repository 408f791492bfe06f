//! The fast generator.

use super::rows::Rows;
use super::{PlayList, Sink};
use crate::position::{Checkers, Position, other_side, other_side_set};
use crate::rules::{Game, Head, Overshoot, Rules};
use crate::types::{BAR, NUM_CHECKERS, OFF, PointSet, Roll, Step, Steps};

const HEAD: u8 = 24;
const BAR_BIT: u32 = 1 << BAR;
const BEYOND_HOME: u32 = !0x7F;

/// What stays the same during one turn.
struct Turn<'a> {
    rules: &'a Rules,
    /// Points a step may land on.
    open: u32,
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
    let start = State { us: position.us, them: position.them, occupied: position.us.occupied().0, blots: 0 };
    match rules.game {
        Game::Short => {
            let held = other_side_set(Game::Short, position.them.held()).0;
            let blots = other_side_set(Game::Short, position.them.occupied()).0 & !held;
            let open = !held & PointSet::BOARD.0;
            let turn = Turn { rules, open, head_floor: 0, rows: Rows::FREE };
            turn.generate(State { blots, ..start }, roll, plays);
        }
        Game::Long => {
            let open = !other_side_set(Game::Long, position.them.occupied()).0 & PointSet::BOARD.0;
            let head = position.us.count(HEAD);
            let (limit, if_needed) = head_limit(rules.head, head == NUM_CHECKERS, roll);
            let rows = Rows::new(rules, position.them);
            let mut turn = Turn { rules, open, head_floor: head.saturating_sub(limit), rows };
            turn.generate(start, roll, plays);
            if if_needed && plays.steps(0).len() < roll.dice().count() {
                turn.head_floor = head - 2;
                turn.generate(start, roll, plays);
            }
        }
    }
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

/// Adds the plays that end with `die` from each of `sources`; `pack` makes the list of steps of the last one's code.
#[inline(always)]
fn finish(
    us: Checkers,
    them: Checkers,
    blots: u32,
    sources: u32,
    die: u8,
    sink: &mut Sink,
    pack: impl Fn(u32) -> Steps,
) {
    let hitting = sources & (blots << die);
    let mut rest = sources ^ hitting;
    while rest != 0 {
        let from = rest.trailing_zeros() as u8;
        rest &= rest - 1;
        sink.put(Position { us: us.stepped(from, die), them }, pack(Step { from, die }.code()));
    }
    for from in PointSet(hitting) {
        let them = them.hit(other_side(Game::Short, from - die));
        sink.put(Position { us: us.stepped(from, die), them }, pack(Step { from, die }.code()));
    }
}

/// One level of a double's nested loops, `$next` being the level below: written out, since calls would cost more than
/// the work they do. `limit` holds the sources not above the last one, `done` the steps made so far.
macro_rules! double_level {
    ($name:ident, $next:ident) => {
        #[inline(always)]
        fn $name(&self, state: &State, die: u8, limit: u32, done: u32, steps: Steps, sink: &mut Sink) {
            let mut rest = self.sources(state, die) & limit;
            while rest != 0 {
                let from = rest.trailing_zeros() as u8;
                let from_bit = rest & rest.wrapping_neg();
                rest ^= from_bit;
                let steps = steps.with_code(done, Step { from, die }.code());
                let limit = from_bit | (from_bit - 1);
                self.$next(&self.after(state, from, die), die, limit, done + 1, steps, sink);
            }
        }
    };
}

impl Turn<'_> {
    fn generate(&self, start: State, roll: Roll, plays: &mut PlayList) {
        plays.clear();
        let unusual = self.rules.must_off || self.rules.max_point > 0;
        let rows_matter = self.rows.any() && self.rows_threatened(&start, roll);
        if roll.is_double() {
            if unusual {
                self.layers(start, roll.high(), plays);
            } else {
                self.double(start, roll.high(), rows_matter, plays);
            }
        } else {
            let outside = start.occupied & BEYOND_HOME;
            // With one checker outside at most, a die may bring it home and the other bear off.
            let may_bear_off = outside & outside.wrapping_sub(1) == 0
                && (outside == 0 || start.us.count(outside.trailing_zeros() as u8) == 1);
            let highest_only = self.rules.overshoot == Overshoot::Highest;
            if unusual || rows_matter {
                self.pairs_in_both_orders(&start, roll, plays);
            } else if may_bear_off && start.blots == 0 && start.occupied & BAR_BIT == 0 && highest_only {
                plays.extend(|sink| self.pairs_homewards(&start, roll.high(), roll.low(), sink));
            } else if may_bear_off || start.occupied & BAR_BIT != 0 {
                self.pairs_with_off(&start, roll.high(), roll.low(), plays);
            } else {
                plays.extend(|sink| self.pairs(&start, roll.high(), roll.low(), sink));
            }
            if plays.is_empty() {
                self.single(&start, roll, plays);
            }
        }
        if plays.is_empty() {
            plays.push(start.position(), Steps::NONE);
        }
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

    /// [`Turn::sources`] with the options `max_point` and `must_off`.
    fn sources_unusual(&self, state: &State, die: u8) -> u32 {
        let mut sources = self.sources(state, die);
        if self.rules.max_point > 0 {
            let full = |from: &u8| *from > die && state.us.count(from - die) >= self.rules.max_point;
            sources &= !PointSet(sources).filter(full).collect::<PointSet>().0;
        }
        if self.rules.must_off && state.occupied & BEYOND_HOME == 0 {
            let home_seen_by_them = other_side_set(self.rules.game, PointSet::HOME).0 | BAR_BIT;
            // A step that leaves a forbidden row can't be made, so it is no duty either.
            let permitted =
                |from: &u8| !self.rows.every_step || !self.rows.forbid(self.after(state, *from, die).occupied);
            let off = self.off_sources(state.occupied, die);
            let off = PointSet(off).filter(permitted).collect::<PointSet>().0;
            if off != 0 && state.them.occupied().0 & home_seen_by_them == 0 {
                sources = off;
            }
        }
        sources
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

    /// Both dice of a roll where order matters only for hits: no bar, no bearing off, no row within reach.
    fn pairs(&self, start: &State, high: u8, low: u8, sink: &mut Sink) {
        let high_sources = self.board_sources(start, high);
        let low_sources = self.board_sources(start, low);
        let mut singles = start.occupied & !start.us.held().0;
        if start.us.count(HEAD) <= self.head_floor + 1 {
            singles |= bit(HEAD);
        }
        // The checker `low` pips behind a source would stop on it and so play both dice; with the high die first the
        // same comes out, unless a checker is hit on that way.
        let high_first = (self.open & !start.blots) << high;
        let onward = self.open << low;
        let mut rest = high_sources;
        while rest != 0 {
            let from = rest.trailing_zeros() as u8;
            let from_bit = rest & rest.wrapping_neg();
            rest ^= from_bit;
            let middle = from_bit >> high;
            let us = start.us.stepped(from, high);
            let (mut them, mut blots) = (start.them, start.blots);
            if blots & middle != 0 {
                them = them.hit(other_side(Game::Short, from - high));
                blots ^= middle;
            }
            let seconds = low_sources & !(from_bit & singles) & !(from_bit << low & high_first) | onward & middle;
            let code = Step { from, die: high }.code();
            finish(us, them, blots, seconds, low, sink, |last| {
                // The checker further back moves first.
                let (first, second) = if last >> 3 > code >> 3 { (last, code) } else { (code, last) };
                Steps::from_codes(first, second)
            });
        }
        // One checker with the low die first, onto a point of its own alone.
        let landing = self.open & (self.open << high) & !start.occupied;
        for from in PointSet(low_sources & (landing << low)) {
            let middle = from - low;
            let same = self.open & bit(from - high) != 0 && start.blots & (bit(middle) | bit(from - high)) == 0;
            if !same {
                let first = self.after(start, from, low);
                let code = Step { from, die: low }.code();
                finish(first.us, first.them, first.blots, bit(middle), high, sink, |last| {
                    Steps::from_codes(code, last)
                });
            }
        }
    }

    /// Both dice where bearing off comes in, but nothing can be hit and a die that is too large bears off from the
    /// highest point only: the few collisions are known, so nothing has to be looked up.
    fn pairs_homewards(&self, start: &State, high: u8, low: u8, sink: &mut Sink) {
        let high_sources = self.sources(start, high);
        let low_sources = self.sources(start, low);
        let mut rest = high_sources;
        while rest != 0 {
            let from = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            let first = self.after(start, from, high);
            let mut seconds = self.sources(&first, low);
            if from >= high {
                // The checker `low` pips behind would take this one's place; it can as well play both dice.
                seconds &= !(high_sources & bit(from + low));
            }
            let code = Step { from, die: high }.code();
            finish(first.us, first.them, 0, seconds, low, sink, |last| {
                // The checker further back moves first if it can.
                let low_first = last >> 3 > code >> 3 && low_sources >> (last >> 3) & 1 != 0;
                if low_first { Steps::from_codes(last, code) } else { Steps::from_codes(code, last) }
            });
        }
        // Bearing off with the low die first gives nothing new: the high die could have done it.
        let mut rest = low_sources & (u32::MAX << (low + 1));
        while rest != 0 {
            let from = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            let first = self.after(start, from, low);
            let mut seconds = self.sources(&first, high) & !high_sources;
            let middle = bit(from - low);
            if seconds & middle != 0 && from > high && high_sources & bit(from) != 0 {
                let other = self.after(start, from, high);
                if self.sources(&other, low) & bit(from - high) != 0 {
                    seconds ^= middle;
                }
            }
            let code = Step { from, die: low }.code();
            finish(first.us, first.them, 0, seconds, high, sink, |last| Steps::from_codes(code, last));
        }
    }

    /// Both dice where bearing off or the bar comes in, but neither rows nor unusual options.
    fn pairs_with_off(&self, start: &State, high: u8, low: u8, plays: &mut PlayList) {
        plays.forget_seen();
        let high_sources = self.sources(start, high);
        let low_sources = self.sources(start, low);
        for from in PointSet(high_sources) {
            let first = self.after(start, from, high);
            let code = Step { from, die: high }.code();
            for second in PointSet(self.sources(&first, low)) {
                let last = Step { from: second, die: low }.code();
                // The checker further back moves first if it can.
                let low_first = second > from && low_sources & bit(second) != 0;
                let steps = if low_first { Steps::from_codes(last, code) } else { Steps::from_codes(code, last) };
                plays.push_unique(Turn::last(&first, second, low), steps);
            }
        }
        for from in PointSet(low_sources) {
            let first = self.after(start, from, low);
            let code = Step { from, die: low }.code();
            // What the high die could have done at once was found above: two steps that are both legal at the start
            // stay legal after each other.
            for second in PointSet(self.sources(&first, high) & !high_sources) {
                let last = Step { from: second, die: high }.code();
                plays.push_unique(Turn::last(&first, second, high), Steps::from_codes(code, last));
            }
        }
    }

    /// Both dice in both orders, every step tested.
    fn pairs_in_both_orders(&self, start: &State, roll: Roll, plays: &mut PlayList) {
        plays.forget_seen();
        for (die, other) in [(roll.high(), roll.low()), (roll.low(), roll.high())] {
            for from in PointSet(self.sources_unusual(start, die)) {
                let first = self.after(start, from, die);
                if self.rows.every_step && self.rows.forbid(first.occupied) {
                    continue;
                }
                for second in PointSet(self.sources_unusual(&first, other)) {
                    if !self.rows.forbid(self.after(&first, second, other).occupied) {
                        let codes = (Step { from, die }.code(), Step { from: second, die: other }.code());
                        plays.push_unique(Turn::last(&first, second, other), Steps::from_codes(codes.0, codes.1));
                    }
                }
            }
        }
    }

    /// One die only, the larger one if it can be played (1.5).
    fn single(&self, start: &State, roll: Roll, plays: &mut PlayList) {
        for die in [roll.high(), roll.low()] {
            for from in PointSet(self.sources_unusual(start, die)) {
                let last = self.after(start, from, die);
                if !self.rows.forbid(last.occupied) {
                    plays.push(last.position(), Steps::NONE.with(Step { from, die }));
                }
            }
            if !plays.is_empty() {
                return;
            }
        }
    }

    /// A double: as many of the four dice as possible, sources in descending order.
    fn double(&self, start: State, die: u8, rows_matter: bool, plays: &mut PlayList) {
        for count in (1..=4).rev() {
            if rows_matter {
                self.double_with_rows(&start, &start, die, count, u32::MAX, Steps::NONE, plays);
            } else {
                plays.extend(|sink| match count {
                    4 => self.four_steps(&start, die, u32::MAX, 0, Steps::NONE, sink),
                    3 => self.three_steps(&start, die, u32::MAX, 0, Steps::NONE, sink),
                    2 => self.two_steps(&start, die, u32::MAX, 0, Steps::NONE, sink),
                    _ => self.one_step(&start, die, u32::MAX, 0, Steps::NONE, sink),
                });
            }
            if !plays.is_empty() {
                return;
            }
        }
    }

    double_level!(four_steps, three_steps);
    double_level!(three_steps, two_steps);
    double_level!(two_steps, one_step);

    /// The last step of a double.
    #[inline(always)]
    fn one_step(&self, state: &State, die: u8, limit: u32, done: u32, steps: Steps, sink: &mut Sink) {
        let sources = self.sources(state, die) & limit;
        finish(state.us, state.them, state.blots, sources, die, sink, |code| steps.with_code(done, code));
    }

    /// The same where rows may be forbidden: every set of steps whose end is permitted and that has a permitted order.
    #[allow(clippy::too_many_arguments)]
    fn double_with_rows(
        &self,
        start: &State,
        state: &State,
        die: u8,
        left: u32,
        limit: u32,
        steps: Steps,
        plays: &mut PlayList,
    ) {
        for from in PointSet(self.sources(state, die) & limit) {
            let next = self.after(state, from, die);
            let steps = steps.with(Step { from, die });
            if left > 1 {
                self.double_with_rows(start, &next, die, left - 1, (2 << from) - 1, steps, plays);
            } else if !self.rows.forbid(next.occupied) {
                let order = if self.rows.every_step { self.permitted_order(start, steps) } else { Some(steps) };
                if let Some(order) = order {
                    plays.push(next.position(), order);
                }
            }
        }
    }

    /// The greatest order of the steps in which none leaves a forbidden row.
    fn permitted_order(&self, start: &State, steps: Steps) -> Option<Steps> {
        let (mut sources, mut len, mut die) = ([OFF; 4], 0, 0);
        for step in steps.iter() {
            (sources[len], die) = (step.from, step.die);
            len += 1;
        }
        self.order_from(start, die, &mut sources[..len], Steps::NONE)
    }

    fn order_from(&self, state: &State, die: u8, sources: &mut [u8], done: Steps) -> Option<Steps> {
        if sources.is_empty() {
            return Some(done);
        }
        let legal = self.sources(state, die);
        for i in 0..sources.len() {
            let from = sources[i];
            if (i > 0 && sources[i - 1] == from) || legal & bit(from) == 0 {
                continue;
            }
            let next = self.after(state, from, die);
            if self.rows.forbid(next.occupied) {
                continue;
            }
            // Keep the rest in descending order.
            sources[..=i].rotate_right(1);
            let found = self.order_from(&next, die, &mut sources[1..], done.with(Step { from, die }));
            sources[..=i].rotate_left(1);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// A double under the options where any order can matter: all states after one step, after two, and so on.
    fn layers(&self, start: State, die: u8, plays: &mut PlayList) {
        let mut layer = vec![(start, Steps::NONE)];
        for _ in 0..4 {
            let mut next: Vec<(State, Steps)> = Vec::new();
            for (state, steps) in &layer {
                for from in PointSet(self.sources_unusual(state, die)) {
                    let after = self.after(state, from, die);
                    if !self.rows.every_step || !self.rows.forbid(after.occupied) {
                        next.push((after, steps.with(Step { from, die })));
                    }
                }
            }
            next.sort_unstable_by_key(|(state, steps)| (state.position(), std::cmp::Reverse(*steps)));
            next.dedup_by_key(|(state, _)| state.position());
            let permitted = |(state, _): &&(State, Steps)| !self.rows.forbid(state.occupied);
            if next.iter().any(|entry| permitted(&entry)) {
                plays.clear();
                next.iter().filter(permitted).for_each(|(state, steps)| plays.push(state.position(), *steps));
            }
            layer = next;
        }
    }
}
