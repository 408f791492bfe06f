//! When to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// How long and how deep to search. What is known when a limit is reached is the result.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Most plies, at most [`super::MAX_DEPTH`].
    pub depth: u32,
    /// When to stop. 0-ply is always completed.
    pub deadline: Option<Instant>,
    /// Stop once that many positions have been valued. With several threads, what is reached by then may differ from run
    /// to run.
    pub nodes: Option<u64>,
    /// Asked from time to time, on the calling thread, whether to stop.
    pub stopped: Option<&'a dyn Fn() -> bool>,
}

impl Limits<'_> {
    /// So many plies, however long they take.
    pub fn depth(depth: u32) -> Limits<'static> {
        Limits { depth, deadline: None, nodes: None, stopped: None }
    }
}

/// What all threads of a search share.
#[derive(Debug, Default)]
pub(super) struct Progress {
    stop: AtomicBool,
    nodes: AtomicU64,
}

impl Progress {
    pub(super) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A thread's view of the limits.
#[derive(Clone, Copy)]
pub(super) struct Control<'a> {
    progress: &'a Progress,
    deadline: Option<Instant>,
    nodes: u64,
    /// On the calling thread only.
    asked: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Control<'a> {
    /// The calling thread's control.
    pub(super) fn new(progress: &'a Progress, limits: &Limits<'a>) -> Control<'a> {
        let nodes = limits.nodes.unwrap_or(u64::MAX);
        Control { progress, deadline: limits.deadline, nodes, asked: limits.stopped }
    }

    /// The search has been stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.progress.is_stopped()
    }

    /// Counts positions; true if the search is to stop.
    pub(super) fn count(&self, nodes: u64) -> bool {
        let total = self.progress.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        if self.progress.is_stopped() {
            return true;
        }
        let stop = total >= self.nodes
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.asked.is_some_and(|asked| asked());
        if stop {
            self.progress.stop.store(true, Ordering::Relaxed);
        }
        stop
    }
}

/// The parts of a [`Control`] that other threads may have.
#[derive(Clone, Copy)]
pub(super) struct Remote<'a>(&'a Progress, Option<Instant>, u64);

impl<'a> Control<'a> {
    /// For another thread, where the caller's question can't be asked.
    pub(super) fn remote(&self) -> Remote<'a> {
        Remote(self.progress, self.deadline, self.nodes)
    }
}

impl<'a> Remote<'a> {
    pub(super) fn control(self) -> Control<'a> {
        let Remote(progress, deadline, nodes) = self;
        Control { progress, deadline, nodes, asked: None }
    }
}
