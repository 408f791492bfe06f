//! Results in the order of their numbers, whatever order they arrive in.
//!
//! Floating-point sums depend on their order, and an SPRT depends on it still more: it stops at the
//! first pair that crosses a bound. Taking results strictly by number makes both independent of the
//! number of threads and of interruptions.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::StatsError;

/// Something that results of type `T` are added to, one after the other.
pub trait Fold<T> {
    /// Adds `item` after everything added before.
    fn fold(&mut self, item: T);
}

/// An accumulator that takes numbered results in any order and adds them in the order of their
/// numbers 0, 1, 2 …; those that came early wait.
///
/// `T` is one result, or a block of them that a thread has accumulated itself (then the blocks must
/// be cut the same way in every run).
///
/// ```
/// use nardy::arena::stats::{InOrder, Moments};
///
/// let mut total: InOrder<Moments, f64> = InOrder::default();
/// total.add(1, 0.25)?;
/// assert_eq!(total.get().count(), 0); // number 0 is still missing
/// total.add(0, 0.75)?;
/// assert_eq!(total.get().count(), 2);
/// # Ok::<(), nardy::arena::stats::StatsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InOrder<A, T> {
    total: A,
    next: u64,
    /// Sorted by number; all numbers are above `next`. `None` is a number without a result.
    waiting: VecDeque<(u64, Option<T>)>,
}

impl<A: Default, T> Default for InOrder<A, T> {
    fn default() -> Self {
        InOrder::new(A::default())
    }
}

impl<A, T> InOrder<A, T> {
    /// An accumulator that goes on from `total`, expecting number 0.
    pub fn new(total: A) -> Self {
        InOrder { total, next: 0, waiting: VecDeque::new() }
    }

    /// What all results before [`next`](Self::next) add up to.
    pub fn get(&self) -> &A {
        &self.total
    }

    /// The same, to be changed in what does not depend on the order of results.
    pub fn get_mut(&mut self) -> &mut A {
        &mut self.total
    }

    /// What all results before [`next`](Self::next) add up to, giving up those that wait.
    pub fn into_inner(self) -> A {
        self.total
    }

    /// The first number not yet taken into account.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Numbers from [`next`](Self::next) on whose results are already here, in rising order. A run
    /// that resumes must not play these again.
    pub fn waiting(&self) -> impl Iterator<Item = u64> + '_ {
        self.waiting.iter().map(|(index, _)| *index)
    }

    /// Whether the result of this number is already here.
    pub fn has(&self, index: u64) -> bool {
        index < self.next || self.place(index).is_ok()
    }

    fn place(&self, index: u64) -> Result<usize, usize> {
        self.waiting.binary_search_by_key(&index, |(i, _)| *i)
    }
}

impl<A: Fold<T>, T> InOrder<A, T> {
    /// Takes the result with this number.
    ///
    /// # Errors
    /// [`StatsError::Repeated`] if it has come before; nothing changes then.
    pub fn add(&mut self, index: u64, item: T) -> Result<(), StatsError> {
        self.take(index, Some(item))
    }

    /// Notes that this number has no result (a void pair), so later ones need not wait for it.
    ///
    /// # Errors
    /// [`StatsError::Repeated`] if it has come before; nothing changes then.
    pub fn skip(&mut self, index: u64) -> Result<(), StatsError> {
        self.take(index, None)
    }

    fn take(&mut self, index: u64, item: Option<T>) -> Result<(), StatsError> {
        let next = self.next;
        let repeated = StatsError::Repeated { index, next };
        if index < next {
            return Err(repeated);
        }
        let Err(place) = self.place(index) else {
            return Err(repeated);
        };
        self.waiting.insert(place, (index, item));
        while self.waiting.front().is_some_and(|(i, _)| *i == self.next) {
            if let Some((_, Some(item))) = self.waiting.pop_front() {
                self.total.fold(item);
            }
            self.next += 1;
        }
        Ok(())
    }
}
