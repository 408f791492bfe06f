//! Doubles: every set of steps in descending order of their source, so that each result comes up once.

use super::{BAR_BIT, BEYOND_HOME, HEAD, State, Turn, bit};
use crate::movegen::PlayList;
use crate::movegen::sink::Sink;
use crate::position::{Checkers, Position, other_side};
use crate::rules::Game;
use crate::types::{BAR, Step, Steps};

/// A position on the way, some dice of the double having been played.
#[derive(Clone, Copy)]
struct Node {
    us: Checkers,
    them: Checkers,
    /// Points that hold at least one own checker that may move, at least two, three, four. Each further step needs one
    /// set less, and what is not needed is not worked out.
    at_least: [u32; 4],
    /// Points from which a step hits.
    hits: u32,
    /// Points the next step can start from: none above the last one.
    sources: u32,
    /// The codes of the steps so far, the last one's in the lowest byte.
    codes: u32,
}

/// One level of the nested loops, `$next` being the level below: written out, since calls would cost more than the work
/// they do.
macro_rules! level {
    ($name:ident, $next:ident) => {
        #[inline(always)]
        fn $name(&self, node: &Node, sink: &mut Sink) {
            let mut rest = node.sources;
            while rest != 0 {
                let from_bit = rest & rest.wrapping_neg();
                let child = self.child(node, rest.trailing_zeros() as u8, from_bit);
                rest ^= from_bit;
                self.$next(&child, sink);
            }
        }
    };
}

/// The loops of a double, compiled for what can happen in them.
struct Double<'a, const HITS: bool, const OFF: bool> {
    turn: &'a Turn<'a>,
    die: u8,
    /// Points from which the die leads to an open point.
    onward: u32,
}

impl<const HITS: bool, const OFF: bool> Double<'_, HITS, OFF> {
    /// The sources of the next step on the way.
    #[inline(always)]
    fn sources(&self, occupied: u32) -> u32 {
        let mut sources = occupied & self.onward;
        if OFF && occupied & BEYOND_HOME == 0 {
            sources |= self.turn.off_sources(occupied, self.die);
        }
        sources
    }

    #[inline(always)]
    fn child(&self, node: &Node, from: u8, from_bit: u32) -> Node {
        let landing = if OFF { from_bit >> self.die & !1 } else { from_bit >> self.die };
        let [one, two, three, four] = node.at_least;
        let at_least = [
            one ^ from_bit & !two | landing,
            two & !(from_bit & !three) | landing & one,
            three & !(from_bit & !four) | landing & two,
            four,
        ];
        let (mut them, mut hits) = (node.them, node.hits);
        if HITS && hits & from_bit != 0 {
            them = them.hit(other_side(Game::Short, from - self.die));
            hits ^= from_bit;
        }
        Node {
            us: node.us.stepped(from, self.die),
            them,
            at_least,
            hits,
            sources: self.sources(at_least[0]) & (from_bit | (from_bit - 1)),
            codes: node.codes << 8 | Step { from, die: self.die }.code(),
        }
    }

    level!(after_three, after_two);
    level!(after_two, after_one);
    level!(after_one, last);

    /// All steps but the last have been made.
    #[inline(always)]
    fn last(&self, node: &Node, sink: &mut Sink) {
        let codes = node.codes << 8 | u32::from(self.die);
        let list = |from: u32| Steps::from_tail(codes | from << 3, 4);
        if HITS {
            sink.finish_hitting(node.us, node.them, (node.sources, node.hits), self.die, list);
        } else {
            sink.finish(node.us, node.them, node.sources, self.die, list);
        }
    }

    /// The plays that go on from a position with as many steps as possible, at most `dice`.
    #[inline(never)]
    fn all(&self, mut node: Node, dice: u32, plays: &mut PlayList) {
        node.sources = self.sources(node.at_least[0]);
        for left in (1..=dice).rev() {
            plays.extend(|sink| match left {
                4 => self.after_three(&node, sink),
                3 => self.after_two(&node, sink),
                2 => self.after_one(&node, sink),
                _ => self.last(&node, sink),
            });
            if !plays.is_empty() {
                if left < dice {
                    plays.align_steps(4 - dice + left);
                }
                return;
            }
        }
        if dice < 4 {
            plays.push(Position { us: node.us, them: node.them }, Steps::from_tail(node.codes, 4 - dice));
        }
    }
}

impl Turn<'_> {
    /// A double: as many of the four dice as possible, sources in descending order.
    pub(super) fn double(&self, start: &State, die: u8, plays: &mut PlayList) {
        let mut node = Node {
            us: start.us,
            them: start.them,
            at_least: [start.occupied, self.held, 0, 0],
            hits: start.blots << die,
            sources: 0,
            codes: 0,
        };
        let mut dice = 4;
        if start.occupied & BAR_BIT != 0 && !self.enter(&mut node, die, &mut dice) {
            return;
        }
        let (three, four) = node.us.three_and_four();
        (node.at_least[2], node.at_least[3]) = (three.0, four.0);
        let may_bear_off = self.head_floor == 0 && may_come_home(&node.at_least);
        if self.head_floor > 0 {
            let may_leave = start.us.count(HEAD).saturating_sub(self.head_floor);
            for (n, set) in (0..).zip(&mut node.at_least) {
                *set = *set & !bit(HEAD) | u32::from(may_leave > n) << HEAD;
            }
        }
        let onward = self.open << die;
        match (start.blots != 0, may_bear_off) {
            (false, false) => Double::<false, false> { turn: self, die, onward }.all(node, dice, plays),
            (false, true) => Double::<false, true> { turn: self, die, onward }.all(node, dice, plays),
            (true, false) => Double::<true, false> { turn: self, die, onward }.all(node, dice, plays),
            (true, true) => Double::<true, true> { turn: self, die, onward }.all(node, dice, plays),
        }
    }

    /// Enters as many checkers as the dice allow; false if none can.
    fn enter(&self, node: &mut Node, die: u8, dice: &mut u32) -> bool {
        let to = BAR - die;
        if self.open & bit(to) == 0 {
            return false;
        }
        for _ in 0..node.us.bar().min(4) {
            node.us = node.us.stepped(BAR, die);
            node.codes = node.codes << 8 | Step { from: BAR, die }.code();
            *dice -= 1;
        }
        if node.hits & BAR_BIT != 0 {
            node.them = node.them.hit(other_side(Game::Short, to));
            node.hits ^= BAR_BIT;
        }
        let (one, two) = node.us.occupied_and_held();
        (node.at_least[0], node.at_least[1]) = (one.0, two.0);
        true
    }
}

/// Three steps might bring everything home, so that the fourth could bear off: not said of all positions that can't, but
/// of all that can.
#[inline]
fn may_come_home(at_least: &[u32; 4]) -> bool {
    let mut outside = u64::from(at_least[0] & BEYOND_HOME) | u64::from(at_least[1] & BEYOND_HOME) << 32;
    for _ in 0..3 {
        outside &= outside.wrapping_sub(1);
    }
    outside == 0
}
