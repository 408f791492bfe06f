//! Two different dice.

use super::{BAR_BIT, BEYOND_HOME, HEAD, State, Turn, bit};
use crate::movegen::PlayList;
use crate::movegen::sink::Sink;
use crate::position::other_side;
use crate::rules::{Game, Overshoot};
use crate::types::{BAR, PointSet, Step, Steps};

/// Makes a list of two steps of the source of the second, which comes first if it is one of `ahead`.
#[inline(always)]
fn in_order(step: Step, other: u8, ahead: u32) -> impl Fn(u32) -> Steps {
    let code = step.code();
    move |from| {
        let last = from << 3 | u32::from(other);
        let (first, second) = if ahead >> from & 1 != 0 { (last, code) } else { (code, last) };
        Steps::from_codes(first, second)
    }
}

impl Turn<'_> {
    /// All plays of two different dice, neither rows nor unusual options mattering.
    pub(super) fn two_dice(&self, start: &State, high: u8, low: u8, plays: &mut PlayList) {
        if start.occupied & BAR_BIT != 0 {
            return self.pairs_from_bar(start, high, low, plays);
        }
        if self.may_bear_off_with_two(start) {
            if start.blots != 0 || self.rules.overshoot != Overshoot::Highest {
                return self.pairs_with_off(start, high, low, plays);
            }
            self.pairs_homewards(start, high, low, plays);
        } else {
            self.pairs(start, high, low, plays);
        }
    }

    #[inline(never)]
    fn pairs(&self, start: &State, high: u8, low: u8, plays: &mut PlayList) {
        plays.extend(|sink| {
            self.high_first(start, high, low, sink);
            self.low_first(start, high, low, sink);
        });
    }

    #[inline(never)]
    fn pairs_homewards(&self, start: &State, high: u8, low: u8, plays: &mut PlayList) {
        plays.extend(|sink| {
            self.high_first_homewards(start, high, low, sink);
            self.low_first_homewards(start, high, low, sink);
        });
    }

    /// The high die first where order matters only for hits: no bar, no bearing off, no row within reach.
    #[inline(always)]
    fn high_first(&self, start: &State, high: u8, low: u8, sink: &mut Sink) {
        let high_sources = self.board_sources(start, high);
        let low_sources = self.board_sources(start, low);
        let mut singles = start.occupied & !self.held;
        if self.head_floor > 0 && start.us.count(HEAD) <= self.head_floor + 1 {
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
            let (mut them, mut blots) = (start.them, start.blots);
            if blots & middle != 0 {
                them = them.hit(other_side(Game::Short, from - high));
                blots ^= middle;
            }
            let seconds = low_sources & !(from_bit & singles) & !(from_bit << low & high_first) | onward & middle;
            // The checker further back moves first.
            let ahead = low_sources & !(from_bit | (from_bit - 1));
            let list = in_order(Step { from, die: high }, low, ahead);
            sink.finish_hitting(start.us.stepped(from, high), them, (seconds, blots << low), low, list);
        }
    }

    /// The low die first: what can't be had with the high die first.
    #[inline(always)]
    fn low_first(&self, start: &State, high: u8, low: u8, sink: &mut Sink) {
        // One checker with the low die first, onto a point that nobody is on yet; what the high die can begin as well
        // without a difference was found above.
        let landing = self.open & (self.open << high) & !start.occupied;
        let same = (self.open & !start.blots) << high & !(start.blots << low);
        for from in PointSet(self.board_sources(start, low) & (landing << low) & !same) {
            let first = self.after(start, from, low);
            let list = in_order(Step { from, die: low }, high, 0);
            sink.finish_hitting(first.us, first.them, (bit(from - low), first.blots << high), high, list);
        }
    }

    /// Points from which the die can be played, nobody being on the bar and a die that is too large bearing off from
    /// the highest point only.
    #[inline(always)]
    fn homeward_sources(&self, occupied: u32, die: u8) -> u32 {
        let highest = bit((31 - (occupied | 1).leading_zeros()) as u8);
        let off = occupied & if occupied >> die != 0 { bit(die) } else { highest };
        occupied & (self.open << die) | if occupied & BEYOND_HOME == 0 { off } else { 0 }
    }

    /// The high die first where bearing off comes in, but nothing can be hit and a die that is too large bears off from
    /// the highest point only: the few collisions are known, so nothing has to be looked up.
    #[inline(always)]
    fn high_first_homewards(&self, start: &State, high: u8, low: u8, sink: &mut Sink) {
        let high_sources = self.homeward_sources(start.occupied, high);
        let low_sources = self.homeward_sources(start.occupied, low);
        let singles = start.occupied & !self.held;
        let after = |from_bit: u32, die: u8| start.occupied & !(from_bit & singles) | from_bit >> die & !1;
        let mut rest = high_sources;
        while rest != 0 {
            let from = rest.trailing_zeros() as u8;
            let from_bit = rest & rest.wrapping_neg();
            rest ^= from_bit;
            // The checker `low` pips behind would take this one's place; it can as well play both dice, unless this one
            // is borne off by a die too large for it.
            let behind = if from >= high { high_sources & from_bit << low } else { 0 };
            let seconds = self.homeward_sources(after(from_bit, high), low) & !behind;
            // The checker further back moves first if it can.
            let ahead = low_sources & !(from_bit | (from_bit - 1));
            let list = in_order(Step { from, die: high }, low, ahead);
            sink.finish(start.us.stepped(from, high), start.them, seconds, low, list);
        }
    }

    /// The low die first: what can't be had with the high die first.
    #[inline(always)]
    fn low_first_homewards(&self, start: &State, high: u8, low: u8, sink: &mut Sink) {
        let high_sources = self.homeward_sources(start.occupied, high);
        let low_sources = self.homeward_sources(start.occupied, low);
        let singles = start.occupied & !self.held;
        let after = |from_bit: u32, die: u8| start.occupied & !(from_bit & singles) | from_bit >> die & !1;
        // Bearing off with the low die first gives nothing new: the high die could have done it.
        let mut rest = low_sources & (u32::MAX << (low + 1));
        while rest != 0 {
            let from = rest.trailing_zeros() as u8;
            let from_bit = rest & rest.wrapping_neg();
            rest ^= from_bit;
            let mut seconds = self.homeward_sources(after(from_bit, low), high) & !high_sources;
            let middle = from_bit >> low;
            if seconds & middle != 0 && from > high && high_sources & from_bit != 0 {
                let other = self.homeward_sources(after(from_bit, high), low);
                if other & from_bit >> high != 0 {
                    seconds ^= middle;
                }
            }
            let list = in_order(Step { from, die: low }, high, 0);
            sink.finish(start.us.stepped(from, low), start.them, seconds, high, list);
        }
    }

    /// Someone is on the bar: both dice enter, or one enters and the other moves on the board (bearing off is out of
    /// reach).
    fn pairs_from_bar(&self, start: &State, high: u8, low: u8, plays: &mut PlayList) {
        let by_high = BAR - high;
        let by_low = BAR - low;
        let enters = |to: u8| self.open & bit(to) != 0;
        let mut add = |die: u8, other: u8, except: u32| {
            let first = self.after(start, BAR, die);
            let code = Step { from: BAR, die }.code();
            for from in PointSet(self.sources(&first, other) & !except) {
                let steps = Steps::from_codes(code, Step { from, die: other }.code());
                plays.push(Turn::last(&first, from, other), steps);
            }
        };
        if enters(by_high) {
            add(high, low, 0);
        }
        if enters(by_low) {
            // The checker that enters plays both dice: the same as with the high die first, unless one is hit on the way.
            // Two that enter were found above.
            let same = enters(by_high) && start.blots & (bit(by_high) | bit(by_low)) == 0;
            let except = if same { bit(by_low) } else { 0 };
            add(low, high, except | if enters(by_high) { BAR_BIT } else { 0 });
        }
    }

    /// Bearing off comes in, and hits or a freer choice with a die that is too large: duplicates are looked up.
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
}
