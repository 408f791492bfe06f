//! How to roll out.

/// Trials that are counted together: one for each throw of two dice.
pub const BLOCK: u64 = 36;

/// How to roll out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutSettings {
    /// Trials of each candidate, rounded up to blocks of [`BLOCK`].
    pub trials: u64,
    /// Plies after which the model's chances stand for the rest of the game; `None` plays every game to its end.
    pub truncate: Option<u32>,
    /// Plies that are looked ahead for each play; 0 = the network alone.
    pub depth: u32,
    /// Takes luck out of the results.
    pub luck_adjusted: bool,
    /// Drops a candidate once it is behind by so many standard errors; infinite = never.
    pub clear: f64,
    /// Ends once the 95 % intervals of what the candidates still in question lose have no greater half-widths, in points; 0 =
    /// never.
    pub enough: f64,
    /// Trials of each candidate between two looks at the results, rounded up to blocks.
    pub batch: u64,
    /// Seed of the dice.
    pub seed: u64,
}

impl Default for RolloutSettings {
    fn default() -> RolloutSettings {
        RolloutSettings {
            trials: 1296,
            truncate: None,
            depth: 0,
            luck_adjusted: true,
            clear: 3.0,
            enough: 0.0,
            batch: 4 * BLOCK,
            seed: 1,
        }
    }
}

impl RolloutSettings {
    /// Blocks between two looks at the results.
    pub(super) fn batch_blocks(&self) -> u64 {
        self.batch.div_ceil(BLOCK).max(1)
    }
}
