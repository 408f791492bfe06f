//! Sequential probability ratio tests: play until one of two hypotheses is clearly better.
//!
//! Both tests are generalised likelihood ratios over pairs: what the hypotheses leave open (the
//! spread of points, the frequencies of pair scores) takes its most likely value under each.

use serde::{Deserialize, Serialize};

use super::{Fold, Moments, PairResult, StatsError};

/// Elo distances are taken up to this size: beyond, scores are 0 or 1 to five decimals.
const ELO_LIMIT: f64 = 2000.0;

/// Largest log-likelihood ratio given, in size. It is only met where all pairs have the same result,
/// and keeps infinities out of saved files.
const LLR_LIMIT: f64 = 1e6;

/// Weight of a pair score that was never seen, in pairs. Without it one hypothesis could be ruled
/// out by a handful of pairs that all scored alike.
const UNSEEN: f64 = 1e-3;

/// What is tested, from A's point of view: `h0` against `h1`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "unit", rename_all = "snake_case")]
pub enum Hypotheses {
    /// Mean points per game.
    Points {
        /// Points per game if H0 is true.
        h0: f64,
        /// Points per game if H1 is true.
        h1: f64,
    },
    /// Mean points per game, measured with the luck taken out. Pairs without luck are left out.
    LuckAdjustedPoints {
        /// Points per game if H0 is true.
        h0: f64,
        /// Points per game if H1 is true.
        h1: f64,
    },
    /// Distance in Elo: only won, drawn and lost count, not by how much.
    Elo {
        /// Elo distance if H0 is true.
        h0: f64,
        /// Elo distance if H1 is true.
        h1: f64,
    },
}

impl Hypotheses {
    fn values(&self) -> (f64, f64) {
        match *self {
            Hypotheses::Points { h0, h1 } | Hypotheses::LuckAdjustedPoints { h0, h1 } | Hypotheses::Elo { h0, h1 } => {
                (h0, h1)
            }
        }
    }
}

/// A test to run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SprtSpec {
    /// H0 and H1.
    #[serde(flatten)]
    pub hypotheses: Hypotheses,
    /// Chance to accept H1 although H0 is true, above 0 and below 0.5.
    #[serde(default = "five_percent")]
    pub alpha: f64,
    /// Chance to accept H0 although H1 is true, above 0 and below 0.5.
    #[serde(default = "five_percent")]
    pub beta: f64,
    /// No verdict before this many pairs: the spread is not known well enough. 100 by default.
    #[serde(default = "default_min_pairs")]
    pub min_pairs: u64,
}

fn five_percent() -> f64 {
    0.05
}

fn default_min_pairs() -> u64 {
    100
}

impl SprtSpec {
    /// The test of these hypotheses with `alpha` and `beta` 5 % and at least 100 pairs.
    pub fn new(hypotheses: Hypotheses) -> Self {
        SprtSpec { hypotheses, alpha: five_percent(), beta: five_percent(), min_pairs: default_min_pairs() }
    }

    /// Wald's bounds for the log-likelihood ratio: at or below the first H0 is accepted, at or above
    /// the second H1.
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        (lower, upper)
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`StatsError`] naming the number that is wrong.
    pub fn validate(&self) -> Result<(), StatsError> {
        for (what, got) in [("alpha", self.alpha), ("beta", self.beta)] {
            if got.is_nan() || got <= 0.0 || got >= 0.5 {
                return Err(StatsError::ErrorRate { what, got });
            }
        }
        let (h0, h1) = self.hypotheses.values();
        let (what, limit) = match self.hypotheses {
            Hypotheses::Elo { .. } => ("a hypothesis in Elo", ELO_LIMIT),
            _ => ("a hypothesis in points per game", super::moments::LIMIT),
        };
        for got in [h0, h1] {
            if got.is_nan() || got.abs() > limit {
                return Err(StatsError::OutOfRange { what, limit, got });
            }
        }
        if h0 == h1 {
            return Err(StatsError::SameHypotheses { both: h0 });
        }
        Ok(())
    }
}

/// Where a test stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Neither bound is reached: play on.
    Undecided,
    /// H0 is accepted.
    AcceptH0,
    /// H1 is accepted.
    AcceptH1,
}

/// A verdict and when it fell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Never [`Verdict::Undecided`].
    pub verdict: Verdict,
    /// Pairs seen by then.
    pub pairs: u64,
    /// Log-likelihood ratio by then.
    pub llr: f64,
}

/// The figures of a running or finished test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SprtStatus {
    /// The test.
    pub spec: SprtSpec,
    /// Log-likelihood ratio, positive if H1 explains the pairs better.
    pub llr: f64,
    /// H0 is accepted at or below this.
    pub lower: f64,
    /// H1 is accepted at or above this.
    pub upper: f64,
    /// Pairs seen.
    pub pairs: u64,
    /// Where the test stands.
    pub verdict: Verdict,
}

/// A running test. It must see the pairs in a fixed order (see [`InOrder`](super::InOrder)) and
/// keeps its first verdict: pairs that come later are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    spec: SprtSpec,
    points: Moments,
    scores: [u64; 5],
    decision: Option<Decision>,
}

impl Sprt {
    /// A test that has seen nothing.
    ///
    /// # Errors
    /// Those of [`SprtSpec::validate`].
    pub fn new(spec: SprtSpec) -> Result<Self, StatsError> {
        spec.validate()?;
        Ok(Sprt { spec, points: Moments::default(), scores: [0; 5], decision: None })
    }

    /// Adds one pair, unless the verdict has fallen.
    pub fn push(&mut self, pair: &PairResult) {
        if self.decision.is_some() {
            return;
        }
        let points = match self.spec.hypotheses {
            Hypotheses::LuckAdjustedPoints { .. } => pair.luck().map(|luck| pair.points() - luck),
            _ => Some(pair.points()),
        };
        let Some(points) = points else { return };
        self.points.push_checked(points);
        self.scores[pair.half_wins()] += 1;
        let pairs = self.points.count();
        if pairs < self.spec.min_pairs {
            return;
        }
        let llr = self.llr();
        let (lower, upper) = self.spec.bounds();
        let verdict = match llr {
            llr if llr <= lower => Verdict::AcceptH0,
            llr if llr >= upper => Verdict::AcceptH1,
            _ => return,
        };
        self.decision = Some(Decision { verdict, pairs, llr });
    }

    /// Log-likelihood ratio of H1 to H0 over the pairs seen; 0 below two pairs.
    pub fn llr(&self) -> f64 {
        match self.spec.hypotheses {
            Hypotheses::Points { h0, h1 } | Hypotheses::LuckAdjustedPoints { h0, h1 } => {
                points_llr(&self.points, h0, h1)
            }
            Hypotheses::Elo { h0, h1 } => pentanomial_llr(&self.scores, h0, h1),
        }
    }

    /// The verdict, once it has fallen.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// All figures at once, ready to print.
    pub fn status(&self) -> SprtStatus {
        let (lower, upper) = self.spec.bounds();
        SprtStatus {
            spec: self.spec,
            llr: self.decision.map_or_else(|| self.llr(), |d| d.llr),
            lower,
            upper,
            pairs: self.points.count(),
            verdict: self.decision.map_or(Verdict::Undecided, |d| d.verdict),
        }
    }
}

impl Fold<PairResult> for Sprt {
    fn fold(&mut self, pair: PairResult) {
        self.push(&pair);
    }
}

/// Log-likelihood ratio of mean `h1` to mean `h0` for normal observations of unknown spread:
/// `n/2 · ln((v + (m−h0)²)/(v + (m−h1)²))` with mean `m` and variance `v` (divisor n), at most 10⁶
/// in size. 0 below two observations.
///
/// With a spread plugged in from the same few observations the ratio would run wild early on; this
/// form cannot, and agrees with it once there are many.
pub fn points_llr(points: &Moments, h0: f64, h1: f64) -> f64 {
    if points.count() < 2 {
        return 0.0;
    }
    let n = points.count() as f64;
    let variance = points.sum_squares() / n;
    let off = |h: f64| variance + (points.mean() - h).powi(2);
    let llr = n / 2.0 * (off(h0) / off(h1)).ln();
    if llr.is_nan() {
        return 0.0;
    }
    llr.clamp(-LLR_LIMIT, LLR_LIMIT)
}

/// Log-likelihood ratio of a distance of `h1` to one of `h0` Elo, given the pairs by half wins (0 to
/// 4) of the first player. Without draws only places 0, 2 and 4 are filled and this is the
/// trinomial test. 0 below two pairs.
///
/// Under each hypothesis the five frequencies are the most likely ones whose mean score is that of
/// the hypothesis; scores never seen count as 0.001 pairs.
pub fn pentanomial_llr(scores: &[u64; 5], h0: f64, h1: f64) -> f64 {
    if scores.iter().sum::<u64>() < 2 {
        return 0.0;
    }
    let counts = scores.map(|n| (n as f64).max(UNSEEN));
    let fit = |elo: f64| {
        let score = score_of_elo(elo);
        let offsets = [0.0, 0.25, 0.5, 0.75, 1.0].map(|s| s - score);
        let tilt = likeliest_tilt(&counts, &offsets);
        // The likeliest frequencies are counts/total/(1 + tilt·offset).
        offsets.map(|d| 1.0 + tilt * d)
    };
    let (under0, under1) = (fit(h0), fit(h1));
    let terms = counts.iter().zip(under0.iter().zip(&under1));
    let llr: f64 = terms.map(|(n, (d0, d1))| n * (d0 / d1).ln()).sum();
    llr.clamp(-LLR_LIMIT, LLR_LIMIT)
}

/// The root `t` of `Σ counts·d/(1 + t·d)` that keeps every `1 + t·d` positive. The sum falls in `t`
/// from +∞ to −∞ over that range: Newton's steps, and halving where they would leave the range.
/// Needs offsets of both signs.
fn likeliest_tilt(counts: &[f64; 5], offsets: &[f64; 5]) -> f64 {
    let (mut low, mut high) = (-1.0 / offsets[4], -1.0 / offsets[0]);
    let mut tilt = 0.0;
    // Halving alone would settle within the bits of an `f64`; Newton needs about five steps.
    for _ in 0..2 * f64::MANTISSA_DIGITS {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (n, d) in counts.iter().zip(offsets) {
            let term = d / (1.0 + tilt * d);
            sum += n * term;
            slope -= n * term * term;
        }
        if sum > 0.0 {
            low = tilt;
        } else {
            high = tilt;
        }
        let newton = tilt - sum / slope;
        let next = if low < newton && newton < high { newton } else { low + (high - low) / 2.0 };
        if (next - tilt).abs() <= f64::EPSILON * (high - low).max(1.0) {
            return next;
        }
        tilt = next;
    }
    tilt
}

/// The expected score (0 to 1) of a player this many Elo better: `1/(1 + 10^(−elo/400))`.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo distance that an expected score means: `400·log₁₀(s/(1−s))`; `None` unless `0 < s < 1`.
pub fn elo_of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 * (score / (1.0 - score)).log10())
}
