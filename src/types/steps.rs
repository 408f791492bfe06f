//! Steps (one checker by one die) and the packed list of a turn's steps.

use super::OFF;
use std::fmt;

/// One checker moved by one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The point it leaves, 1 to 25, in the mover's numbering.
    pub from: u8,
    /// The die it uses, 1 to 6.
    pub die: u8,
}

impl Step {
    /// The point it reaches; [`OFF`] when it is borne off.
    pub const fn to(self) -> u8 {
        if self.from > self.die { self.from - self.die } else { OFF }
    }

    /// The byte that stands for the step in [`Steps`].
    #[inline]
    pub(crate) const fn code(self) -> u32 {
        (self.from as u32) << 3 | self.die as u32
    }
}

impl fmt::Display for Step {
    /// `13/8`, `bar/22`, `6/off`; no hit mark, since a step does not know the opponent.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.from {
            super::BAR => f.write_str("bar")?,
            from => write!(f, "{from}")?,
        }
        match self.to() {
            OFF => f.write_str("/off"),
            to => write!(f, "/{to}"),
        }
    }
}

/// The steps of one turn in the order in which they are made, at most four, packed into four bytes.
///
/// Ordering compares step by step (`from`, then `die`): the canonical list of a play is the greatest legal one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Steps(u32);

impl Steps {
    /// No step: a pass.
    pub const NONE: Steps = Steps(0);

    /// The list with one more step at its end. The list must have fewer than four.
    #[inline]
    #[must_use]
    pub const fn with(self, step: Step) -> Steps {
        Steps(self.0 | step.code() << (24 - 8 * self.len()))
    }

    /// The list of `len` steps, at least one, whose codes are the bytes of a number, the last one's the lowest.
    #[inline]
    pub(crate) const fn from_tail(codes: u32, len: u32) -> Steps {
        Steps(codes << (32 - 8 * len))
    }

    /// The list of `len` steps, given the list of four that has them at its end and nothing before.
    pub(crate) const fn aligned(self, len: u32) -> Steps {
        Steps::from_tail(self.0, len)
    }

    /// The list of two steps.
    #[inline]
    pub(crate) const fn from_codes(first: u32, second: u32) -> Steps {
        Steps(first << 24 | second << 16)
    }

    /// Number of steps, 0 to 4.
    pub const fn len(self) -> usize {
        4 - self.0.trailing_zeros() as usize / 8
    }

    /// No steps.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The steps in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Step> + DoubleEndedIterator + Clone {
        (0..self.len()).map(move |i| {
            let byte = (self.0 >> (24 - 8 * i)) as u8;
            Step { from: byte >> 3, die: byte & 7 }
        })
    }
}

impl PartialOrd for Steps {
    fn partial_cmp(&self, other: &Steps) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Steps {
    fn cmp(&self, other: &Steps) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl FromIterator<Step> for Steps {
    /// # Panics
    /// If there are more than four steps.
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Steps {
        steps.into_iter().fold(Steps::NONE, |list, step| {
            assert!(list.len() < 4, "a turn has at most four steps");
            list.with(step)
        })
    }
}

impl fmt::Display for Steps {
    /// The steps as legs, `pass` if there are none.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("pass");
        }
        for (i, step) in self.iter().enumerate() {
            write!(f, "{}{step}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Steps({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_packed_and_come_back_in_order() {
        let list =
            [Step { from: 25, die: 6 }, Step { from: 6, die: 6 }, Step { from: 1, die: 1 }, Step { from: 24, die: 3 }];
        for n in 0..=4 {
            let steps: Steps = list[..n].iter().copied().collect();
            assert_eq!(steps.len(), n);
            assert!(steps.iter().eq(list[..n].iter().copied()));
        }
        assert_eq!(Steps::from_codes(list[0].code(), list[1].code()), list[..2].iter().copied().collect());
        assert_eq!(list.into_iter().collect::<Steps>().to_string(), "bar/19 6/off 1/off 24/21");
    }
}
