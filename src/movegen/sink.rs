//! Where the generator's inner loops write their plays.

use super::{PlayList, grow};
use crate::position::{Checkers, Position, STEP_DELTAS, other_side};
use crate::rules::Game;
use crate::types::{PointSet, Steps};

/// Room that is asked for at a time: more than one die has sources.
const ROOM: usize = 32;

/// The end of a list: counts every play, stores them as long as there is room.
pub(super) struct Sink<'a> {
    positions: &'a mut [Position],
    steps: &'a mut [Steps],
    number: usize,
}

impl Sink<'_> {
    /// Adds the plays that come from a position by one last step from each of `sources`; `list` makes a play's list of
    /// steps of that source.
    #[inline(always)]
    pub(super) fn finish(&mut self, us: Checkers, them: Checkers, sources: u32, die: u8, list: impl Fn(u32) -> Steps) {
        if sources == 0 {
            return;
        }
        let deltas = &STEP_DELTAS[usize::from(die & 7)];
        let (number, end) = (self.number, self.number + ROOM);
        let (Some(positions), Some(lists)) = (self.positions.get_mut(number..end), self.steps.get_mut(number..end))
        else {
            self.number += sources.count_ones() as usize;
            return;
        };
        let mut rest = sources;
        for (position, steps) in positions.iter_mut().zip(lists) {
            let from = (rest | 1 << 31).trailing_zeros();
            *position = Position { us: Checkers(us.0.wrapping_add(deltas[from as usize])), them };
            *steps = list(from);
            self.number += 1;
            rest &= rest.wrapping_sub(1);
            if rest == 0 {
                break;
            }
        }
    }

    /// The same where the last step may hit a checker on one of `blots`: first the plays that don't.
    #[inline(always)]
    pub(super) fn finish_hitting(
        &mut self,
        us: Checkers,
        them: Checkers,
        (sources, blots): (u32, u32),
        die: u8,
        list: impl Fn(u32) -> Steps,
    ) {
        let hitting = sources & (blots << die);
        self.finish(us, them, sources ^ hitting, die, &list);
        for from in PointSet(hitting) {
            let them = them.hit(other_side(Game::Short, from - die));
            self.finish(us, them, 1 << from, die, &list);
        }
    }
}

impl PlayList {
    /// Moves the steps of all plays, which stand at the end of their lists, to the beginning; each play has `len`.
    #[cold]
    pub(super) fn align_steps(&mut self, len: u32) {
        for steps in &mut self.steps[..self.len] {
            *steps = steps.aligned(len);
        }
    }

    /// Lets `write` put plays at the end; if they don't fit, the storage grows and `write` starts again.
    #[inline(always)]
    pub(super) fn extend(&mut self, write: impl Fn(&mut Sink)) {
        loop {
            let (positions, steps) = (&mut self.positions[self.len..], &mut self.steps[self.len..]);
            let mut sink = Sink { positions, steps, number: 0 };
            write(&mut sink);
            let len = self.len + sink.number;
            if len + ROOM <= self.positions.len() {
                self.len = len;
                return;
            }
            grow(&mut self.positions, &mut self.steps, len + ROOM);
        }
    }
}
