//! Sequential tests: worked ratios, then their error rates by simulation.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::*;
use super::{TOY_POINTS, close, game, rng, toy_pair};

fn points(h0: f64, h1: f64) -> SprtSpec {
    SprtSpec::new(Hypotheses::Points { h0, h1 })
}

fn elo(h0: f64, h1: f64) -> SprtSpec {
    SprtSpec::new(Hypotheses::Elo { h0, h1 })
}

#[test]
fn bounds_are_walds() {
    let (lower, upper) = points(0.0, 0.1).bounds();
    close(lower, -2.944439, 1e-6);
    close(upper, 2.944439, 1e-6);
    let spec = SprtSpec { alpha: 0.01, beta: 0.1, ..points(0.0, 0.1) };
    close(spec.bounds().0, (0.1f64 / 0.99).ln(), 1e-12);
    close(spec.bounds().1, 90f64.ln(), 1e-12);
}

#[test]
fn points_ratio_worked_by_hand() {
    // Observations 0, 1, 0, 1: mean 0.5, variance 0.25 (divisor n).
    let mut m = Moments::default();
    for x in [0.0, 1.0, 0.0, 1.0] {
        m.push(x).unwrap();
    }
    // H0 0: 0.25 + 0.25; H1 1: the same. H1 0.5: 0.25 + 0.
    close(points_llr(&m, 0.0, 1.0), 0.0, 1e-12);
    close(points_llr(&m, 0.0, 0.5), 2.0 * 2f64.ln(), 1e-12);
    close(points_llr(&m, 0.5, 0.0), -2.0 * 2f64.ln(), 1e-12);
}

#[test]
fn points_ratio_of_many_pairs_is_the_textbook_one() {
    // n·(h1 − h0)·(mean − (h0 + h1)/2)/variance
    let mut m = Moments::default();
    for i in 0..10_000 {
        m.push(if i % 2 == 0 { 1.02 } else { -0.98 }).unwrap();
    }
    let textbook = 10_000.0 * 0.03 * (0.02 - 0.015) / 1.0;
    close(points_llr(&m, 0.0, 0.03), textbook, 0.001);
}

#[test]
fn points_ratio_stays_finite_without_spread() {
    let mut m = Moments::default();
    assert_eq!(points_llr(&m, 0.0, 0.1), 0.0);
    for _ in 0..5 {
        m.push(0.0).unwrap();
    }
    assert_eq!(points_llr(&m, 0.0, 0.1), -1e6);
    assert_eq!(points_llr(&m, 0.1, 0.0), 1e6);
    assert_eq!(points_llr(&m, -0.1, 0.1), 0.0);
}

#[test]
fn two_valued_pair_scores_give_the_binomial_ratio() {
    let (s0, s1) = (score_of_elo(-5.0), score_of_elo(5.0));
    let binomial = 340.0 * (s1 / s0).ln() + 300.0 * ((1.0 - s1) / (1.0 - s0)).ln();
    close(binomial, 1.151293, 1e-6);
    // The scores never seen weigh 0.001 pairs each.
    close(pentanomial_llr(&[300, 0, 0, 0, 340], -5.0, 5.0), binomial, 1e-5);
}

/// The largest log-likelihood of (lost, level, won) pairs with this mean score, by golden section
/// over the one frequency that is free.
fn trinomial_likelihood(counts: [f64; 3], score: f64) -> f64 {
    let value = |level: f64| {
        let (won, lost) = (score - level / 2.0, 1.0 - score - level / 2.0);
        counts[0] * lost.ln() + counts[1] * level.ln() + counts[2] * won.ln()
    };
    let (mut low, mut high) = (0.0, 2.0 * f64::min(score, 1.0 - score));
    for _ in 0..200 {
        let third = (high - low) / 3.0;
        if value(low + third) < value(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    value((low + high) / 2.0)
}

#[test]
fn trinomial_ratio_agrees_with_a_direct_search() {
    for (counts, h0, h1) in [([30u64, 40, 35], 0.0, 10.0), ([200, 700, 260], -3.0, 25.0), ([5, 1, 60], 0.0, 150.0)] {
        let floats = counts.map(|n| n as f64);
        let likelihood = |elo: f64| trinomial_likelihood(floats, score_of_elo(elo));
        let direct = likelihood(h1) - likelihood(h0);
        let [lost, level, won] = counts;
        let got = pentanomial_llr(&[lost, 0, level, 0, won], h0, h1);
        close(got, direct, 0.002);
    }
    close(pentanomial_llr(&[30, 0, 40, 0, 35], 0.0, 10.0), 0.162308, 1e-5);
    close(pentanomial_llr(&[10, 20, 40, 22, 13], 0.0, 20.0), 0.177071, 1e-5);
}

#[test]
fn ratios_change_sign_with_the_hypotheses_and_the_point_of_view() {
    let scores = [10, 20, 40, 22, 13];
    let mut mirrored = scores;
    mirrored.reverse();
    let llr = pentanomial_llr(&scores, 3.0, 20.0);
    close(pentanomial_llr(&scores, 20.0, 3.0), -llr, 1e-9);
    close(pentanomial_llr(&mirrored, -3.0, -20.0), llr, 1e-9);
    for extreme in [[0, 0, 50, 0, 0], [50, 0, 0, 0, 0], [0, 0, 0, 0, 9]] {
        for elo in [-2000.0, 7.0, 2000.0] {
            assert!(pentanomial_llr(&extreme, 0.0, elo).is_finite());
        }
    }
}

#[test]
fn senseless_tests_are_refused_by_name() {
    let same = Sprt::new(points(0.1, 0.1)).unwrap_err();
    assert_eq!(same, StatsError::SameHypotheses { both: 0.1 });
    for bad in [0.0, 0.5, -0.1, f64::NAN] {
        let (mut alpha, mut beta) = (points(0.0, 0.1), points(0.0, 0.1));
        (alpha.alpha, beta.beta) = (bad, bad);
        let named = |spec| Sprt::new(spec).unwrap_err().to_string();
        assert!(named(alpha).starts_with("alpha"));
        assert!(named(beta).starts_with("beta"));
    }
    assert!(Sprt::new(points(0.0, f64::NAN)).is_err());
    let error = Sprt::new(elo(0.0, 5000.0)).unwrap_err().to_string();
    assert!(error.contains("Elo") && error.contains("5000"), "{error}");
}

#[test]
fn tests_can_be_written_in_toml() {
    let spec: SprtSpec = toml::from_str("unit = \"elo\"\nh0 = 0\nh1 = 5.5\nbeta = 0.1").unwrap();
    let hypotheses = Hypotheses::Elo { h0: 0.0, h1: 5.5 };
    let expected = SprtSpec { beta: 0.1, ..SprtSpec::new(hypotheses) };
    assert_eq!(spec, expected);
    let text = toml::to_string(&spec).unwrap();
    assert_eq!(toml::from_str::<SprtSpec>(&text).unwrap(), spec);
}

#[test]
fn no_verdict_falls_before_the_least_number_of_pairs() {
    let spec = SprtSpec { min_pairs: 40, ..points(0.0, 0.5) };
    let mut sprt = Sprt::new(spec).unwrap();
    let won = game(1.0, Ending::WinOin);
    for pairs in 1..=40 {
        assert_eq!(sprt.status().verdict, Verdict::Undecided);
        sprt.push(&PairResult::new(won, won));
        assert_eq!(sprt.status().pairs, pairs);
    }
    assert_eq!(sprt.status().verdict, Verdict::AcceptH1);
    assert_eq!(sprt.decision().unwrap().pairs, 40);
}

#[test]
fn luck_adjusted_tests_look_at_points_less_luck() {
    let hypotheses = Hypotheses::LuckAdjustedPoints { h0: 0.0, h1: 0.1 };
    let spec = SprtSpec { min_pairs: 30, ..SprtSpec::new(hypotheses) };
    let mut adjusted = Sprt::new(spec).unwrap();
    let mut plain = Sprt::new(points(0.0, 0.1)).unwrap();
    let lucky = |p: f64, e, l: f64| GameResult::new(p, e, Some(l)).unwrap();
    for _ in 0..20 {
        // Raw ±1, of which all but 0.1 is luck.
        let won = lucky(1.0, Ending::WinOin, 0.9);
        let lost = lucky(-1.0, Ending::LoseOin, -1.1 + 0.001);
        for pair in [PairResult::new(won, won), PairResult::new(lost, lost)] {
            adjusted.push(&pair);
            plain.push(&pair);
        }
        let unknown = game(1.0, Ending::WinOin);
        adjusted.push(&PairResult::new(unknown, unknown));
    }
    assert_eq!(adjusted.decision().unwrap().verdict, Verdict::AcceptH1);
    assert_eq!(plain.decision(), None);
    assert_eq!(plain.status().pairs, 40);
}

/// Share of runs that accept H1, and the mean number of pairs, with pairs drawn by `pair`.
fn accepted(spec: SprtSpec, pair: impl Fn(&mut ChaCha8Rng) -> PairResult, runs: u32, seed: u64) -> (f64, f64) {
    let mut rng = rng(seed);
    let (mut h1, mut pairs) = (0u32, 0u64);
    for _ in 0..runs {
        let mut sprt = Sprt::new(spec).unwrap();
        let decision = loop {
            sprt.push(&pair(&mut rng));
            if let Some(decision) = sprt.decision() {
                break decision;
            }
        };
        h1 += u32::from(decision.verdict == Verdict::AcceptH1);
        pairs += decision.pairs;
    }
    (f64::from(h1) / f64::from(runs), pairs as f64 / f64::from(runs))
}

/// Whether the share of errors fits a bound: not significantly above it (by Wilson's 99.9 %
/// interval), and not so far below that the test would be wasting games.
fn assert_errors(what: &str, share: f64, bound: f64, runs: u32) {
    println!("{what}: {share:.4} of {runs}, bound {bound}");
    let level = Level::new(0.999).unwrap();
    let low = wilson(share, f64::from(runs), level).low;
    assert!(low <= bound, "{what}: {share} is above {bound}");
    assert!(share > bound / 2.5, "{what}: {share} is far below {bound}");
}

fn error_rates(spec: SprtSpec, truths: [f64; 2], mirrored: f64, runs: u32, seed: u64) {
    let what = format!("{:?}", spec.hypotheses);
    let (share, pairs0) = accepted(spec, |rng| toy_pair(rng, truths[0], mirrored), runs, seed);
    assert_errors(&format!("{what} alpha"), share, spec.alpha, runs);
    let (share, pairs1) = accepted(spec, |rng| toy_pair(rng, truths[1], mirrored), runs, seed + 1);
    assert_errors(&format!("{what} beta"), 1.0 - share, spec.beta, runs);
    println!("{what}: {pairs0:.0} pairs if H0, {pairs1:.0} if H1");
}

/// The chance to win toy games that means this many points per game.
fn chance_of(points: f64) -> f64 {
    0.5 + points / TOY_POINTS / 2.0
}

#[test]
fn errors_of_the_points_test_stay_within_alpha_and_beta() {
    let spec = points(0.0, 0.12);
    error_rates(spec, [0.5, chance_of(0.12)], 0.0, 1500, 11);
    error_rates(spec, [0.5, chance_of(0.12)], 0.5, 1500, 13);
    let uneven = SprtSpec { alpha: 0.02, beta: 0.1, ..points(-0.1, 0.1) };
    let truths = [chance_of(-0.1), chance_of(0.1)];
    error_rates(uneven, truths, 0.0, 1500, 15);
}

#[test]
fn errors_of_the_elo_test_stay_within_alpha_and_beta() {
    let truths = [0.5, score_of_elo(60.0)];
    let spec = SprtSpec { min_pairs: 20, ..elo(0.0, 60.0) };
    error_rates(spec, truths, 0.0, 1000, 17);
    error_rates(spec, truths, 0.5, 1000, 19);
}

/// Errors of either kind, not significantly above `bound`, and the mean lengths.
fn table_row(spec: SprtSpec, bound: f64, pair: &dyn Fn(&mut ChaCha8Rng, bool) -> PairResult) {
    let (alpha, pairs0) = accepted(spec, |rng| pair(rng, false), 5000, 21);
    let (accepted1, pairs1) = accepted(spec, |rng| pair(rng, true), 5000, 22);
    let beta = 1.0 - accepted1;
    println!("{alpha:.4} {beta:.4}, mean {pairs0:.0} {pairs1:.0} pairs");
    let level = Level::new(0.999).unwrap();
    for share in [alpha, beta] {
        let low = wilson(share, 5000.0, level).low;
        assert!(low <= bound, "{share} is above {bound}");
    }
}

/// The figures quoted in docs/statistics.md.
#[test]
#[ignore = "takes minutes; prints the SPRT table of docs/statistics.md"]
fn sprt_table() {
    for min_pairs in [2, 32, 100] {
        // With fewer pairs the errors are only shown.
        let bounded = |bound| if min_pairs < 100 { 1.0 } else { bound };
        let asked = |spec| SprtSpec { min_pairs, ..spec };
        for h1 in [0.05, 0.1, 0.2, 0.4] {
            let spec = asked(points(0.0, h1));
            for mirrored in [0.0, 0.5] {
                print!("points {h1}, mirrored {mirrored}, at least {min_pairs}: ");
                table_row(spec, bounded(0.05), &|rng, h1_true| {
                    let p = if h1_true { chance_of(h1) } else { 0.5 };
                    toy_pair(rng, p, mirrored)
                });
            }
            // A wins three points seldom and mostly loses one: as skewed as games get.
            print!("points {h1}, skewed, at least {min_pairs}: ");
            table_row(spec, bounded(0.08), &|rng, h1_true| {
                let p = if h1_true { (1.0 + h1) / 4.0 } else { 0.25 };
                let mut one = || match rng.random::<f64>() < p {
                    true => game(3.0, Ending::WinKoks),
                    false => game(-1.0, Ending::LoseOin),
                };
                PairResult::new(one(), one())
            });
        }
        for h1 in [20.0, 40.0, 80.0] {
            print!("elo {h1}, at least {min_pairs}: ");
            table_row(asked(elo(0.0, h1)), bounded(0.05), &|rng, h1_true| {
                let p = if h1_true { score_of_elo(h1) } else { 0.5 };
                toy_pair(rng, p, 0.0)
            });
        }
    }
}
