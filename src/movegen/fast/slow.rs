//! Slower loops for the options and positions where any order of the steps can matter: rows within reach, `max_point`,
//! `must_off`.

use super::{BAR_BIT, BEYOND_HOME, State, Turn, bit};
use crate::movegen::PlayList;
use crate::position::other_side_set;
use crate::types::{OFF, PointSet, Roll, Step, Steps};

/// A part of a double's steps, sources in descending order.
struct Way {
    state: State,
    /// Sources that are not above the last one.
    limit: u32,
    steps: Steps,
    /// No step so far has left a forbidden row, if that matters.
    permitted: bool,
}

impl Turn<'_> {
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

    /// Both dice in both orders, every step tested.
    #[inline(never)]
    pub(super) fn pairs_in_both_orders(&self, start: &State, roll: Roll, plays: &mut PlayList) {
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

    /// Two dice where rows may be forbidden, but nothing can be hit or borne off. Order matters only for what is between
    /// the dice; results are equal only when one checker plays both dice, or could (its half-way points being held).
    #[inline(never)]
    pub(super) fn pairs_where_rows_matter(&self, start: &State, high: u8, low: u8, plays: &mut PlayList) {
        let [all_high, all_low] = [high, low].map(|die| self.board_sources(start, die));
        // Those that can begin: the point between the dice is permitted.
        let begin_high = self.permitted_first(start, all_high, high);
        let begin_low = self.permitted_first(start, all_low, low);
        for from in PointSet(begin_high) {
            let first = self.after(start, from, high);
            // A checker `low` behind that could begin with the high die has reached the same with both dice.
            let seconds = self.board_sources(&first, low) & !(bit(from) << low & begin_high);
            for second in PointSet(seconds) {
                let last = self.after(&first, second, low);
                if !self.rows.forbid(last.occupied) {
                    let codes = (Step { from, die: high }.code(), Step { from: second, die: low }.code());
                    let low_first = second > from && begin_low & bit(second) != 0;
                    let (a, b) = if low_first { (codes.1, codes.0) } else { codes };
                    plays.push(last.position(), Steps::from_codes(a, b));
                }
            }
        }
        for from in PointSet(begin_low) {
            let first = self.after(start, from, low);
            let mut seconds = self.board_sources(&first, high) & !begin_high;
            if begin_high & bit(from) != 0 {
                // The same checker, the high die first.
                seconds &= !(bit(from) >> low);
            }
            // A checker `high` behind that plays both dice, the low one first or by way of another in between.
            let behind = bit(from) << high;
            if behind & (begin_low | all_low & begin_high << low) != 0 {
                seconds &= !behind;
            }
            for second in PointSet(seconds) {
                let last = self.after(&first, second, high);
                if !self.rows.forbid(last.occupied) {
                    let codes = (Step { from, die: low }.code(), Step { from: second, die: high }.code());
                    plays.push(last.position(), Steps::from_codes(codes.0, codes.1));
                }
            }
        }
    }

    /// Those of the sources from which a first step leaves no forbidden row, or where that doesn't matter.
    fn permitted_first(&self, start: &State, sources: u32, die: u8) -> u32 {
        if !self.rows.every_step {
            return sources;
        }
        PointSet(sources)
            .filter(|&from| !self.rows.forbid(self.after(start, from, die).occupied))
            .collect::<PointSet>()
            .0
    }

    /// One die only, the larger one if it can be played (1.5).
    #[inline(never)]
    pub(super) fn single(&self, start: &State, roll: Roll, plays: &mut PlayList) {
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

    /// A double where rows may be forbidden: as many of the four dice as possible.
    #[inline(never)]
    pub(super) fn double_where_rows_matter(&self, start: &State, die: u8, plays: &mut PlayList) {
        for count in (1..=4).rev() {
            let way = Way { state: *start, limit: u32::MAX, steps: Steps::NONE, permitted: true };
            self.double_with_rows(start, &way, die, count, plays);
            if !plays.is_empty() {
                return;
            }
        }
    }

    /// Every set of steps, in descending order of their sources, whose end is permitted and that has a permitted order.
    fn double_with_rows(&self, start: &State, way: &Way, die: u8, left: u32, plays: &mut PlayList) {
        for from in PointSet(self.sources(&way.state, die) & way.limit) {
            let state = self.after(&way.state, from, die);
            let steps = way.steps.with(Step { from, die });
            let forbidden = self.rows.forbid(state.occupied);
            if left > 1 {
                let permitted = way.permitted && !(self.rows.every_step && forbidden);
                let next = Way { state, limit: (2 << from) - 1, steps, permitted };
                self.double_with_rows(start, &next, die, left - 1, plays);
            } else if !forbidden {
                // The descending order is the greatest, so others are only looked for if it is not permitted.
                let order = if way.permitted { Some(steps) } else { self.permitted_order(start, steps) };
                if let Some(order) = order {
                    plays.push(state.position(), order);
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
    #[inline(never)]
    pub(super) fn layers(&self, start: State, die: u8, plays: &mut PlayList) {
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
