//! Small cases that were worked out by hand or stand in tables.

use super::super::*;
use super::{close, game};

#[test]
fn quantiles_agree_with_the_tables() {
    let level = Level::P95;
    close(level.z(), 1.959964, 1e-6);
    close(Level::new(0.99).unwrap().z(), 2.575829, 1e-6);
    for (dof, t) in
        [(1.0, 12.706205), (2.0, 4.302653), (4.0, 2.776445), (10.0, 2.228139), (30.0, 2.042272), (120.0, 1.979930)]
    {
        close(level.t(dof).unwrap(), t, 2e-6);
    }
    close(level.t(999.0).unwrap(), 1.962341, 2e-6);
    assert_eq!(level.t(1000.0), Some(level.z()));
    assert_eq!(level.t(0.0), None);
    assert_eq!(level.t(f64::NAN), None);
}

#[test]
fn levels_outside_0_to_1_are_refused() {
    for got in [0.0, 1.0, -0.5, 95.0] {
        assert_eq!(Level::new(got), Err(StatsError::Level { got }));
    }
    assert!(Level::new(f64::NAN).is_err());
    assert!(serde_json::from_str::<Level>("1.5").is_err());
    assert_eq!(serde_json::from_str::<Level>("0.95").unwrap(), Level::P95);
}

#[test]
fn moments_of_a_textbook_sample() {
    let mut m = Moments::default();
    for x in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
        m.push(x).unwrap();
    }
    assert_eq!((m.count(), m.mean()), (8, 5.0));
    close(m.sum_squares(), 32.0, 1e-12);
    close(m.variance().unwrap(), 32.0 / 7.0, 1e-12);
    // t(7) = 2.364624; standard error √(32/7/8) = 0.755929
    let e = m.estimate(Level::P95);
    close(e.std_error.unwrap(), 0.755929, 1e-6);
    close(e.interval.unwrap().low, 5.0 - 2.364624 * 0.755929, 1e-5);
    close(e.interval.unwrap().half_width(), 1.787488, 1e-5);
}

#[test]
fn spread_survives_a_large_offset() {
    let mut m = Moments::default();
    for x in [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0] {
        m.push(x).unwrap();
    }
    close(m.variance().unwrap(), 30.0, 1e-6);
}

#[test]
fn fewer_than_two_observations_have_no_interval() {
    let mut m = Moments::default();
    assert_eq!(m.estimate(Level::P95).interval, None);
    m.push(3.0).unwrap();
    let e = m.estimate(Level::P95);
    assert_eq!((e.mean, e.std_error, e.interval), (3.0, None, None));
    assert_eq!(e.chance_above(0.0), None);
}

#[test]
fn numbers_that_would_poison_a_sum_are_refused() {
    let mut m = Moments::default();
    for bad in [f64::NAN, f64::INFINITY, -1e13] {
        assert!(m.push(bad).is_err());
        m.fold(bad);
        assert!(GameResult::new(bad, Ending::WinOin, None).is_err());
        assert!(GameResult::new(1.0, Ending::WinOin, Some(bad)).is_err());
        assert!(LuckStats::default().push(1.0, bad).is_err());
    }
    assert_eq!(m, Moments::default());
}

#[test]
fn wilson_agrees_with_worked_cases() {
    let i = wilson(0.8, 10.0, Level::P95);
    close(i.low, 0.490162, 1e-6);
    close(i.high, 0.943318, 1e-6);
    let i = wilson(0.0, 10.0, Level::P95);
    assert_eq!(i.low, 0.0);
    close(i.high, 0.277533, 1e-6);
    let i = wilson(1.0, 10.0, Level::P95);
    close(i.low, 1.0 - 0.277533, 1e-6);
    assert_eq!(i.high, 1.0);
    let i = wilson(0.0, 0.0, Level::P95);
    assert_eq!((i.low, i.high), (0.0, 1.0));
}

#[test]
fn pairs_needed_follows_the_square_law() {
    // (1.959964·1/0.05)² = 1536.6
    assert_eq!(pairs_needed(1.0, 0.05, Level::P95), Ok(1537));
    assert_eq!(pairs_needed(1.0, 0.025, Level::P95), Ok(6147));
    assert_eq!(pairs_needed(0.0, 0.1, Level::P95), Ok(2));
    assert!(pairs_needed(1.0, 0.0, Level::P95).is_err());
    assert!(pairs_needed(-1.0, 0.1, Level::P95).is_err());
    assert!(pairs_needed(f64::NAN, 0.1, Level::P95).is_err());
}

#[test]
fn endings_flip_and_keep_their_place() {
    for (index, ending) in Ending::ALL.into_iter().enumerate() {
        assert_eq!(ending.index(), index);
        assert_eq!(ending.flip().flip(), ending);
        assert_eq!(ending.half_wins() + ending.flip().half_wins(), 2);
    }
}

/// Four pairs: won 2 + lost 1, won 1 + won 3, lost 1 + lost 2, lost 1 + drawn.
fn four_pairs() -> PairStats {
    use Ending::*;
    let mut stats = PairStats::default();
    for (first, second) in [
        (game(2.0, WinMars), game(-1.0, LoseOin)),
        (game(1.0, WinOin), game(3.0, WinKoks)),
        (game(-1.0, LoseOin), game(-2.0, LoseMars)),
        (game(-1.0, LoseOin), game(0.0, Draw)),
    ] {
        stats.push(&PairResult::new(first, second));
    }
    stats
}

#[test]
fn four_pairs_worked_by_hand() {
    let stats = four_pairs();
    let report = stats.report(Level::P95);
    // Pair means 0.5, 2, −1.5, −0.5: mean 0.125, squared deviations 6.6875, t(3) = 3.182446.
    close(report.mean.mean, 0.125, 1e-12);
    let se = (6.6875f64 / 3.0 / 4.0).sqrt();
    close(report.mean.std_error.unwrap(), se, 1e-12);
    let half = report.mean.interval.unwrap().half_width();
    close(half, 3.182446 * se, 1e-5);
    close(report.pair_std_dev.unwrap(), 2.0 * se, 1e-12);
    // Games 2, −1, 1, 3, −1, −2, −1, 0: mean 1/8, squares 21, variance (21 − 1/8)/7.
    let game_variance = (21.0f64 - 0.125) / 7.0;
    close(report.game_std_dev.unwrap(), game_variance.sqrt(), 1e-12);
    let ratio = 2.0 * (6.6875 / 3.0) / game_variance;
    close(report.pairing_ratio.unwrap(), ratio, 1e-12);
    assert_eq!((report.win.count, report.win.games), (3, 8));
    assert_eq!(report.win.value, 0.375);
    let counts = [report.win_mars, report.win_koks, report.lose_mars, report.lose_koks, report.draw];
    assert_eq!(counts.map(|r| r.count), [1, 1, 1, 0, 1]);
    assert_eq!(stats.rate(Ending::LoseOin, Level::P95).count, 3);
    assert_eq!(report.scores, [1, 1, 1, 0, 1]);
    assert_eq!(stats.wins(), (3.5, 4.5));
}

#[test]
fn rates_widen_where_the_games_of_a_pair_agree() {
    // Wins per pair 1, 2, 0, 0: squares 5, mean 0.75, variance (5 − 4·0.5625)/3 = 0.916667;
    // independent games at 3/8 would have 2·0.375·0.625 = 0.46875.
    let rate = four_pairs().win_rate(Level::P95);
    let effect = (2.75 / 3.0) / 0.46875;
    close(rate.design_effect, effect, 1e-12);
    assert_eq!(rate.interval, wilson(0.375, 8.0 / effect, Level::P95));
}

#[test]
fn rates_are_not_narrowed_where_the_games_of_a_pair_differ() {
    let mut stats = PairStats::default();
    for _ in 0..10 {
        let (won, lost) = (game(1.0, Ending::WinOin), game(-1.0, Ending::LoseOin));
        stats.push(&PairResult::new(won, lost));
    }
    let report = stats.report(Level::P95);
    assert_eq!(report.win.design_effect, 0.0);
    assert_eq!(report.win.interval, wilson(0.5, 20.0, Level::P95));
    // Every pair is level, so the mean is certain, and so is the score.
    assert_eq!(report.mean.interval, Some(Interval::around(0.0, 0.0)));
    assert_eq!(report.mean.chance_above(0.0), Some(0.5));
    assert_eq!(report.pairing_ratio, Some(0.0));
    assert_eq!(report.elo.unwrap().elo, Some(0.0));
}

#[test]
fn empty_statistics_claim_nothing() {
    let report = PairStats::default().report(Level::P95);
    assert_eq!(report.mean.interval, None);
    assert_eq!((report.win.interval.low, report.win.interval.high), (0.0, 1.0));
    assert_eq!((report.elo, report.pairing_ratio), (None, None));
}

#[test]
fn statistics_of_the_opponent_mirror_those_of_a() {
    let mut mirrored = PairStats::default();
    let mut straight = PairStats::default();
    let pair = PairResult::new(game(2.0, Ending::WinMars), game(-3.0, Ending::LoseKoks));
    let draw = PairResult::new(game(0.0, Ending::Draw), game(1.0, Ending::WinOin));
    for p in [pair, draw] {
        straight.push(&p);
        mirrored.push(&p.flip());
    }
    let (a, b) = (straight.report(Level::P95), mirrored.report(Level::P95));
    assert_eq!(a.mean.mean, -b.mean.mean);
    assert_eq!(a.win_mars.count, b.lose_mars.count);
    assert_eq!(a.lose_koks.count, b.win_koks.count);
    assert_eq!(straight.wins().0, mirrored.wins().1);
    assert_eq!(a.elo.unwrap().elo.unwrap(), -b.elo.unwrap().elo.unwrap());
}

#[test]
fn elo_and_score_are_inverse() {
    close(score_of_elo(0.0), 0.5, 0.0);
    close(score_of_elo(400.0), 10.0 / 11.0, 1e-12);
    close(elo_of_score(0.75).unwrap(), 190.848502, 1e-6);
    for elo in [-700.0, -3.0, 0.0, 55.5] {
        close(elo_of_score(score_of_elo(elo)).unwrap(), elo, 1e-9);
    }
    assert_eq!((elo_of_score(0.0), elo_of_score(1.0)), (None, None));
}

#[test]
fn elo_interval_comes_from_the_spread_of_pair_scores() {
    // Scores of 100 pairs: 20 lost, 50 level, 30 won: mean 0.55, variance
    // (20·0.55² + 50·0.05² + 30·0.45²)/99 = 12.25/99, standard error 0.0351763, t(99) = 1.984217.
    let mut stats = PairStats::default();
    let (won, lost) = (game(1.0, Ending::WinOin), game(-1.0, Ending::LoseOin));
    for (count, first, second) in [(20, lost, lost), (50, won, lost), (30, won, won)] {
        for _ in 0..count {
            stats.push(&PairResult::new(first, second));
        }
    }
    let elo = stats.elo(Level::P95).unwrap();
    close(elo.score.mean, 0.55, 1e-12);
    let half = 1.984217 * (12.25f64 / 99.0 / 100.0).sqrt();
    close(elo.score.interval.unwrap().half_width(), half, 1e-6);
    close(elo.elo.unwrap(), 400.0 * (0.55f64 / 0.45).log10(), 1e-9);
    close(elo.low.unwrap(), elo_of_score(0.55 - half).unwrap(), 1e-3);
    close(elo.high.unwrap(), elo_of_score(0.55 + half).unwrap(), 1e-3);
}

#[test]
fn luck_of_four_units_worked_by_hand() {
    let mut stats = LuckStats::default();
    for (points, luck) in [(2.0, 1.0), (-1.0, -1.0), (1.0, 0.5), (0.0, -0.5)] {
        stats.push(points, luck).unwrap();
    }
    let report = stats.report(Level::P95);
    // Points less luck: 1, 0, 0.5, 0.5.
    close(report.raw.mean, 0.5, 1e-12);
    close(report.luck.mean, 0.0, 1e-12);
    close(report.adjusted.mean, 0.5, 1e-12);
    // Squared deviations: raw 2.25 + 2.25 + 0.25 + 0.25 = 5, adjusted 0.5.
    close(report.variance_ratio.unwrap(), 0.1, 1e-12);
    close(report.adjusted.std_error.unwrap(), (0.5f64 / 12.0).sqrt(), 1e-12);
    // Regression: Σ points·luck = 2 + 1 + 0.5 = 3.5, Σ luck² = 2.5, slope 1.4,
    // residual 5 − 3.5·1.4 = 0.1 with 2 degrees of freedom.
    let regression = report.regression.unwrap();
    close(regression.coefficient, 1.4, 1e-12);
    close(regression.coefficient_std_error, (0.05f64 / 2.5).sqrt(), 1e-12);
    close(regression.adjusted.mean, 0.5, 1e-12);
    close(regression.adjusted.std_error.unwrap(), (0.05f64 / 4.0).sqrt(), 1e-12);
    close(regression.variance_ratio.unwrap(), 0.05 / (5.0 / 3.0), 1e-12);
    // t(2) = 4.302653
    let half = regression.adjusted.interval.unwrap().half_width();
    close(half, 4.302653 * (0.05f64 / 4.0).sqrt(), 1e-6);
}

#[test]
fn regression_reads_the_line_at_luck_zero() {
    // Points = 0.3 + 2·luck exactly, with luck that is not 0 on average.
    let mut stats = LuckStats::default();
    for luck in [0.1, 0.4, -0.2, 0.9] {
        stats.push(0.3 + 2.0 * luck, luck).unwrap();
    }
    let regression = stats.report(Level::P95).regression.unwrap();
    close(regression.coefficient, 2.0, 1e-12);
    close(regression.adjusted.mean, 0.3, 1e-12);
    close(regression.adjusted.std_error.unwrap(), 0.0, 1e-7);
}

#[test]
fn luck_needs_both_games_of_a_pair() {
    let lucky = |l| GameResult::new(1.0, Ending::WinOin, l).unwrap();
    let mut stats = LuckStats::default();
    assert!(!stats.push_pair(&PairResult::new(lucky(Some(0.5)), lucky(None))));
    assert!(stats.push_pair(&PairResult::new(lucky(Some(0.5)), lucky(Some(-0.25)))));
    assert_eq!(stats.adjusted().count(), 1);
    assert_eq!(stats.adjusted().mean(), 0.875);
    assert_eq!(stats.report(Level::P95).regression, None);
}
