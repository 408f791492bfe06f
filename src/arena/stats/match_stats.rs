//! Everything about one match of two players, in one accumulator.

use serde::{Deserialize, Serialize};

use super::{
    Fold, Level, LuckReport, LuckStats, PairReport, PairResult, PairStats, Sprt, SprtSpec, SprtStatus, StatsError,
};

/// Results of a match: points, luck and, where asked for, a test that ends it.
///
/// Feed it through [`InOrder`](super::InOrder). Once the test has its verdict, later pairs are
/// ignored: a run with many threads has always played a few more by then, and the final figures
/// would otherwise depend on how many.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchStats {
    pairs: PairStats,
    luck: LuckStats,
    sprt: Option<Sprt>,
}

impl MatchStats {
    /// A match without results, with the test that may end it.
    ///
    /// # Errors
    /// Those of [`SprtSpec::validate`].
    pub fn new(sprt: Option<SprtSpec>) -> Result<Self, StatsError> {
        Ok(MatchStats {
            pairs: PairStats::default(),
            luck: LuckStats::default(),
            sprt: sprt.map(Sprt::new).transpose()?,
        })
    }

    /// Adds one pair, unless the match is decided.
    pub fn push(&mut self, pair: &PairResult) {
        if self.is_decided() {
            return;
        }
        self.pairs.push(pair);
        self.luck.push_pair(pair);
        if let Some(sprt) = &mut self.sprt {
            sprt.push(pair);
        }
    }

    /// Whether the test has its verdict, so no more games are needed.
    pub fn is_decided(&self) -> bool {
        self.sprt.is_some_and(|sprt| sprt.decision().is_some())
    }

    /// Points and rates.
    pub fn pairs(&self) -> &PairStats {
        &self.pairs
    }

    /// Luck-adjusted points, over the pairs whose luck is known.
    pub fn luck(&self) -> &LuckStats {
        &self.luck
    }

    /// The test, if there is one.
    pub fn sprt(&self) -> Option<&Sprt> {
        self.sprt.as_ref()
    }

    /// All figures at once, ready to print.
    pub fn report(&self, level: Level) -> MatchReport {
        let lucky = self.luck.adjusted().count() > 0;
        MatchReport {
            pairs: self.pairs.report(level),
            luck: lucky.then(|| self.luck.report(level)),
            sprt: self.sprt.map(|sprt| sprt.status()),
        }
    }
}

impl Fold<PairResult> for MatchStats {
    fn fold(&mut self, pair: PairResult) {
        self.push(&pair);
    }
}

/// The figures of a match, from A's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// Points and rates.
    pub pairs: PairReport,
    /// Luck-adjusted points; `None` if no pair has its luck measured.
    pub luck: Option<LuckReport>,
    /// The test; `None` if none was asked for.
    pub sprt: Option<SprtStatus>,
}
