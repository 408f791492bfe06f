//! Where the generator's inner loops write their plays.

use super::{PlayList, grow};
use crate::position::{Checkers, Position, STEP_DELTAS, other_side};
use crate::rules::Game;
use crate::types::{PointSet, Steps};
use std::iter::Zip;
use std::slice::IterMut;

/// The end of a list, to be filled as far as there is room.
pub(super) struct Sink<'a> {
    room: Zip<IterMut<'a, Position>, IterMut<'a, Steps>>,
    /// A play did not fit.
    overflow: bool,
}

impl Sink<'_> {
    /// Adds the plays that come from a position by one last step from each of `sources`; `list` makes a play's list of
    /// steps of that source.
    #[inline(always)]
    pub(super) fn finish(&mut self, us: Checkers, them: Checkers, sources: u32, die: u8, list: impl Fn(u32) -> Steps) {
        let deltas = &STEP_DELTAS[usize::from(die & 7)];
        let mut rest = sources;
        while rest != 0 {
            let from = rest.trailing_zeros();
            let Some((position, steps)) = self.room.next() else {
                self.overflow = true;
                return;
            };
            *position = Position { us: Checkers(us.0.wrapping_add(deltas[from as usize])), them };
            *steps = list(from);
            rest &= rest - 1;
        }
    }

    /// The same where the steps from `hits` hit a lone checker: first the plays that don't.
    #[inline(always)]
    pub(super) fn finish_hitting(
        &mut self,
        us: Checkers,
        them: Checkers,
        (sources, hits): (u32, u32),
        die: u8,
        list: impl Fn(u32) -> Steps,
    ) {
        let hitting = sources & hits;
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
            let room = positions.iter_mut().zip(steps);
            let size = room.len();
            let mut sink = Sink { room, overflow: false };
            write(&mut sink);
            if !sink.overflow {
                self.len += size - sink.room.len();
                return;
            }
            let size = 2 * self.positions.len();
            grow(&mut self.positions, &mut self.steps, size);
        }
    }
}
