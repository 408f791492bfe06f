//! What a pair of games brings, and what the pairs of a pairing add up to.

use crate::arena::analysis::{LossStats, UnitLosses};
use crate::arena::referee::GameFault;
use crate::arena::seat::Clock;
use crate::arena::stats::{Fold, MatchStats, PairResult, PairStats, SprtSpec, StatsError};
use crate::game::ByColor;
use serde::{Deserialize, Serialize};

/// Worst decisions kept of each player of a pairing.
const KEPT_BLUNDERS: usize = 12;
/// Failures kept of each pairing with their words; all are counted.
const KEPT_FAULTS: usize = 50;

/// A decision that cost much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blunder {
    /// Who: 0 for player A of the pairing, 1 for B.
    pub player: usize,
    /// Seed of the game.
    pub seed: u64,
    /// The game had swapped dice.
    pub swapped: bool,
    /// Which turn, counted from 1.
    pub turn: usize,
    /// The position before the play, seen by the mover, as `own … | opp …`.
    pub position: String,
    /// The dice, such as `63`.
    pub dice: String,
    /// What was played.
    pub played: String,
    /// What the reference would have played.
    pub best: String,
    /// Equity of the best play for the mover, in points.
    pub equity: f64,
    /// What it cost, in points.
    pub loss: f64,
    /// Half the width of the 95 % interval of the loss, if it was found out by a rollout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_width: Option<f64>,
}

/// One pair of games or matches, from A's point of view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairOutcome {
    /// The results; `None` for a void pair.
    pub result: Option<PairResult>,
    /// Games played.
    pub games: u64,
    /// Turns in them.
    pub turns: u64,
    /// Thinking time.
    pub clocks: ByColor<Clock>,
    /// Failures.
    pub faults: Vec<GameFault>,
    /// Equity lost, where a reference judged it.
    pub losses: Option<UnitLosses>,
    /// The worst decisions.
    pub blunders: Vec<Blunder>,
    /// The games as lines of JSON, if they are kept.
    pub records: Vec<String>,
}

/// All pairs of a pairing, from A's point of view. Must be fed in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairingTotal {
    /// Points, luck, test.
    pub stats: MatchStats,
    /// The same pairs from B's point of view.
    pub seen_by_b: PairStats,
    /// Games played.
    pub games: u64,
    /// Turns in them.
    pub turns: u64,
    /// Pairs that do not count.
    pub void_pairs: u64,
    /// Thinking time; the only figures that differ from run to run.
    pub clocks: ByColor<Clock>,
    /// The first failures.
    pub faults: Vec<GameFault>,
    /// Failures of A and of B.
    pub fault_counts: [u64; 2],
    /// Equity lost.
    pub losses: ByColor<LossStats>,
    /// The worst decisions of either player, worst first.
    pub blunders: Vec<Blunder>,
    /// Who has failed too often to go on: 0 for A, 1 for B.
    pub withdrawn: Option<usize>,
    max_faults: u32,
    /// Records of folded pairs that have not been written yet.
    #[serde(skip)]
    pub outbox: Vec<String>,
}

impl PairingTotal {
    /// A pairing without results.
    ///
    /// # Errors
    /// If the test is impossible.
    pub fn new(sprt: Option<SprtSpec>, max_faults: u32) -> Result<PairingTotal, StatsError> {
        Ok(PairingTotal {
            stats: MatchStats::new(sprt)?,
            seen_by_b: PairStats::default(),
            games: 0,
            turns: 0,
            void_pairs: 0,
            clocks: ByColor::default(),
            faults: Vec::new(),
            fault_counts: [0; 2],
            losses: ByColor::default(),
            blunders: Vec::new(),
            withdrawn: None,
            max_faults,
            outbox: Vec::new(),
        })
    }

    /// No more pairs are needed: the test has its verdict, or a player has been withdrawn.
    pub fn is_closed(&self) -> bool {
        self.stats.is_decided() || self.withdrawn.is_some()
    }
}

impl Fold<PairOutcome> for PairingTotal {
    /// Adds a pair, unless the pairing is closed.
    fn fold(&mut self, pair: PairOutcome) {
        if self.is_closed() {
            return;
        }
        match &pair.result {
            Some(result) => {
                self.stats.push(result);
                self.seen_by_b.push(&result.flip());
            }
            None => self.void_pairs += 1,
        }
        self.games += pair.games;
        self.turns += pair.turns;
        self.clocks.white.merge(&pair.clocks.white);
        self.clocks.black.merge(&pair.clocks.black);
        if let Some(losses) = &pair.losses {
            self.losses.white.push(&losses.white);
            self.losses.black.push(&losses.black);
        }
        for fault in pair.faults {
            let count = &mut self.fault_counts[fault.player.min(1)];
            *count += 1;
            if *count > u64::from(self.max_faults) && self.withdrawn.is_none() {
                self.withdrawn = Some(fault.player.min(1));
            }
            if self.faults.len() < KEPT_FAULTS {
                self.faults.push(fault);
            }
        }
        self.blunders.extend(pair.blunders);
        keep_worst(&mut self.blunders, KEPT_BLUNDERS);
        self.outbox.extend(pair.records);
    }
}

/// Keeps the worst decisions of either player, worst first; equal ones in the order of seeds and turns.
pub(super) fn keep_worst(blunders: &mut Vec<Blunder>, keep: usize) {
    let place = |b: &Blunder| (b.seed, b.swapped, b.turn);
    blunders.sort_by(|a, b| b.loss.total_cmp(&a.loss).then_with(|| place(a).cmp(&place(b))));
    let mut kept = [0, 0];
    blunders.retain(|blunder| {
        let count = &mut kept[blunder.player.min(1)];
        *count += 1;
        *count <= keep
    });
}
