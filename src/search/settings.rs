//! What is looked at and what is passed over.

use crate::eval::Keep;

/// Most plies that are looked ahead.
pub const MAX_DEPTH: u32 = 3;

/// How wide to search. docs/strength.md tells what the defaults were measured to gain and to cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// Entry `d`: which plays, sorted by what they are worth at `d` plies, are looked at one ply deeper.
    pub plies: [Keep; MAX_DEPTH as usize],
    /// Which plays of each roll inside the tree, sorted by the filter network, the large network values. Without a
    /// filter network it values all of them.
    pub tree: Keep,
    /// Values positions where both sides bear off by tables instead of the network ([`crate::bearoff`]).
    pub exact_endings: bool,
    /// Threads; 0 = one per core. Does not change results.
    pub threads: usize,
    /// Positions in the cache, rounded up to a power of two; 32 bytes each. Does not change results.
    pub cache: usize,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings {
            plies: [Keep { most: 8, within: 0.16 }, Keep { most: 4, within: 0.08 }, Keep { most: 3, within: 0.04 }],
            tree: Keep { most: 4, within: 0.10 },
            exact_endings: true,
            threads: 0,
            cache: 1 << 18,
        }
    }
}

impl SearchSettings {
    /// The same on one thread, for callers that run several searches at once.
    #[must_use]
    pub fn single_thread(self) -> SearchSettings {
        SearchSettings { threads: 1, ..self }
    }

    /// The number of threads that they stand for on this machine.
    pub fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}
