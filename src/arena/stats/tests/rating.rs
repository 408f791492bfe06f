//! Ratings: worked tournaments, recovery of known strengths, and what cannot be rated.

use super::super::rating::*;
use super::super::*;
use super::{TOY_POINTS, close, rng, toy_pair};

fn pairing(a: usize, b: usize, mean: f64, std_error: f64) -> Pairing {
    Pairing { a, b, mean, std_error }
}

fn wins(a: usize, b: usize, wins_a: f64, wins_b: f64) -> Wins {
    Wins { a, b, wins_a, wins_b }
}

fn elo(players: usize, all: &[Wins]) -> Result<RatingTable, StatsError> {
    bradley_terry(players, all, &BradleyTerryOptions::default())
}

fn values(table: &RatingTable) -> Vec<f64> {
    table.ratings.iter().map(|r| r.unwrap().value).collect()
}

#[test]
fn three_players_in_points_worked_by_hand() {
    let all = [pairing(0, 1, 0.3, 0.1), pairing(1, 2, 0.2, 0.1), pairing(2, 0, -0.4, 0.1)];
    let table = least_squares(3, &all, Level::P95).unwrap();
    // Equal weights in a full round robin: a rating is the sum of results over the players.
    let by_hand = [0.7 / 3.0, -0.1 / 3.0, -0.6 / 3.0];
    for (got, expected) in values(&table).iter().zip(by_hand) {
        close(*got, expected, 1e-12);
    }
    // Weights 100: the pseudo-inverse of 100·(3·I − J) is (I − J/3)/300.
    let rating = table.ratings[0].unwrap();
    close(rating.std_error, (2.0f64 / 900.0).sqrt(), 1e-12);
    close(rating.interval.half_width(), 1.959964 * rating.std_error, 1e-6);
    close(table.covariance[0][1], -1.0 / 900.0, 1e-12);
    let difference = table.difference(0, 2).unwrap();
    close(difference.value, 1.3 / 3.0, 1e-12);
    close(difference.std_error, (2.0f64 / 300.0).sqrt(), 1e-12);
    // Every result is off by 1/30: 3·100/900.
    close(table.fit.chi_squared, 1.0 / 3.0, 1e-9);
    assert_eq!(table.fit.degrees_of_freedom, 1);
    close(table.fit.p_value.unwrap(), 0.563703, 1e-5);
    assert_eq!(table.ranking(), [0, 1, 2]);
    assert!(table.is_connected());
}

#[test]
fn by_games_a_rating_in_a_full_round_robin_is_the_mean_result() {
    let all = [pairing(0, 1, 0.3, 0.1), pairing(1, 2, 0.2, 0.2), pairing(2, 0, -0.4, 0.3)].map(|p| (p, 50.0));
    let table = least_squares_by_games(3, &all, Level::P95).unwrap();
    for (got, expected) in values(&table).iter().zip([0.7 / 3.0, -0.1 / 3.0, -0.6 / 3.0]) {
        close(*got, expected, 1e-12);
    }
    // (m01 + m02)/3, and for the difference to player 2 (m01 + 2·m02 + m12)/3.
    close(table.ratings[0].unwrap().std_error, (0.01f64 + 0.09).sqrt() / 3.0, 1e-12);
    close(table.difference(0, 2).unwrap().std_error, (0.01f64 + 4.0 * 0.09 + 0.04).sqrt() / 3.0, 1e-12);
    // With equal errors it is the same as the other fit.
    let equal = [pairing(0, 1, 0.3, 0.1), pairing(1, 2, 0.2, 0.1), pairing(2, 0, -0.4, 0.1)];
    let (one, two) =
        (least_squares(3, &equal, Level::P95), least_squares_by_games(3, &equal.map(|p| (p, 7.0)), Level::P95));
    let (one, two) = (one.unwrap(), two.unwrap());
    for player in 0..3 {
        close(one.ratings[player].unwrap().value, two.ratings[player].unwrap().value, 1e-12);
        close(one.ratings[player].unwrap().std_error, two.ratings[player].unwrap().std_error, 1e-12);
    }
    let wrong = least_squares_by_games(2, &[(pairing(0, 1, 0.1, 0.1), 0.0)], Level::P95).unwrap_err();
    assert_eq!(wrong.to_string(), "the weight of pairing 0-1 must be finite and above 0, got 0");
}

#[test]
fn by_games_a_result_that_can_hardly_vary_does_not_hide_the_others() {
    // 0 is better than 1, and both beat 2 by all there is.
    let all = [pairing(0, 1, 0.1, 0.025), pairing(0, 2, 1.99, 0.002), pairing(1, 2, 1.991, 0.002)];
    let weighted = least_squares(3, &all, Level::P95).unwrap();
    assert!(weighted.difference(0, 1).unwrap().value < 0.01 && weighted.fit.p_value.unwrap() < 0.001);
    let by_games = least_squares_by_games(3, &all.map(|p| (p, 1000.0)), Level::P95).unwrap();
    let difference = by_games.difference(0, 1).unwrap();
    close(difference.value, (2.0 * 0.1 + 1.99 - 1.991) / 3.0, 1e-12);
    assert!(difference.interval.low > 0.0);
    assert_eq!(by_games.fit, weighted.fit);
}

#[test]
fn weights_pull_towards_the_surer_result() {
    // The same pairing twice, 0.1 ± 0.1 and 0.4 ± 0.2: weights 100 and 25.
    let all = [pairing(0, 1, 0.1, 0.1), pairing(1, 0, -0.4, 0.2)];
    let table = least_squares(2, &all, Level::P95).unwrap();
    let difference = table.difference(0, 1).unwrap();
    close(difference.value, (10.0 + 10.0) / 125.0, 1e-12);
    close(difference.std_error, 125f64.powf(-0.5), 1e-12);
    close(difference.chance_better, 0.963181, 1e-5);
    close(values(&table)[0], 0.08, 1e-12);
}

#[test]
fn a_chain_adds_up_its_variances() {
    let all = [pairing(0, 1, 0.1, 0.03), pairing(1, 2, 0.2, 0.04)];
    let table = least_squares(3, &all, Level::P95).unwrap();
    let difference = table.difference(0, 2).unwrap();
    close(difference.value, 0.3, 1e-12);
    close(difference.std_error, 0.05, 1e-12);
    assert_eq!(table.fit.degrees_of_freedom, 0);
    assert_eq!(table.fit.p_value, None);
}

#[test]
fn pairings_share_their_spread() {
    let moments = |xs: &[f64]| {
        let mut m = Moments::default();
        xs.iter().for_each(|x| m.push(*x).unwrap());
        m
    };
    let matches = [
        (0, 1, moments(&[1.0, -1.0, 1.0, -1.0])), // squares 4, 3 degrees of freedom
        (1, 2, moments(&[0.5])),                  // no spread of its own
        (0, 2, moments(&[0.0, 0.0])),             // level by chance
        (0, 3, Moments::default()),
    ];
    let got = pairings(&matches).unwrap();
    assert_eq!(got.len(), 3);
    // Common variance 4/(3 + 0 + 1) = 1, with the weight of ten pairs.
    close(got[0].std_error, (14.0f64 / 13.0 / 4.0).sqrt(), 1e-12);
    close(got[1].std_error, 1.0, 1e-12);
    close(got[2].std_error, (10.0f64 / 11.0 / 2.0).sqrt(), 1e-12);
    assert_eq!((got[1].a, got[1].b, got[1].mean), (1, 2, 0.5));
    let level = [(0, 1, moments(&[0.0, 0.0, 0.0]))];
    assert_eq!(pairings(&level), Err(StatsError::NoSpread));
    assert_eq!(pairings(&[]), Ok(Vec::new()));
}

#[test]
fn two_players_in_elo_worked_by_hand() {
    let table = elo(2, &[wins(0, 1, 3.0, 1.0)]).unwrap();
    let difference = table.difference(0, 1).unwrap();
    close(difference.value, 190.848502, 1e-6);
    // Information 4·(3/4)·(1/4) = 0.75 per unit of log-strength; one unit is 173.7178 Elo.
    close(difference.std_error, 173.717793 / 0.75f64.sqrt(), 1e-4);
    close(table.ratings[1].unwrap().value, -95.424251, 1e-6);
    close(table.ratings[1].unwrap().std_error, 173.717793 / 3f64.sqrt(), 1e-4);
}

#[test]
fn three_players_whose_wins_fit_strengths_4_2_1_exactly() {
    let all = [wins(0, 1, 20.0, 10.0), wins(2, 1, 10.0, 20.0), wins(0, 2, 40.0, 10.0)];
    let table = elo(3, &all).unwrap();
    let step = 400.0 * 2f64.log10();
    for (got, expected) in values(&table).iter().zip([step, 0.0, -step]) {
        close(*got, expected, 1e-7);
    }
    close(table.fit.chi_squared, 0.0, 1e-12);
    // Information: 30·(2/9), 30·(2/9), 50·(4/25) = 20/3, 20/3, 8. Seen from 0 to 2, the direct
    // 8 and the way round 1/(3/20 + 3/20) = 10/3 add up.
    let variance = 1.0 / (8.0 + 10.0 / 3.0);
    close(table.difference(0, 2).unwrap().std_error, 173.717793 * f64::sqrt(variance), 1e-3);
}

#[test]
fn draws_count_half_and_virtual_wins_pull_together() {
    let mut stats = PairStats::default();
    let game = |p, e| GameResult::new(p, e, None).unwrap();
    let (won, draw) = (game(1.0, Ending::WinOin), game(0.0, Ending::Draw));
    stats.push(&PairResult::new(won, draw));
    let all = [Wins::of(0, 1, &stats)];
    assert_eq!(all, [wins(0, 1, 1.5, 0.5)]);
    let options = BradleyTerryOptions { virtual_wins: 0.5, ..Default::default() };
    let table = bradley_terry(2, &all, &options).unwrap();
    let expected = 400.0 * 2f64.log10();
    close(table.difference(0, 1).unwrap().value, expected, 1e-7);
}

#[test]
fn disconnected_tournaments_are_reported_as_such() {
    let all = [pairing(0, 3, 0.5, 0.1), pairing(1, 2, 0.1, 0.1)];
    let table = least_squares(5, &all, Level::P95).unwrap();
    assert!(!table.is_connected());
    assert_eq!(table.groups, [vec![0, 3], vec![1, 2], vec![4]]);
    assert_eq!(table.ratings[4], None);
    assert_eq!(table.ranking(), [0, 1, 2, 3]);
    // Each group has its own zero.
    close(table.ratings[0].unwrap().value, 0.25, 1e-12);
    close(table.ratings[1].unwrap().value, 0.05, 1e-12);
    assert_eq!(table.difference(0, 1), None);
    assert_eq!(table.difference(0, 9), None);
    assert_eq!(table.covariance[0][1], 0.0);
    assert_eq!(table.fit.degrees_of_freedom, 0);

    let table = elo(4, &[wins(0, 1, 3.0, 1.0), wins(2, 3, 1.0, 1.0)]).unwrap();
    assert_eq!(table.groups, [vec![0, 1], vec![2, 3]]);
    close(table.ratings[2].unwrap().value, 0.0, 1e-9);
    let json = serde_json::to_string(&table).unwrap();
    assert_eq!(serde_json::from_str::<RatingTable>(&json).unwrap(), table);
}

#[test]
fn players_that_win_every_game_have_no_finite_elo_unless_pulled_in() {
    let all = [wins(0, 1, 5.0, 5.0), wins(1, 2, 10.0, 0.0), wins(0, 2, 10.0, 0.0)];
    let groups = vec![vec![0, 1], vec![2]];
    assert_eq!(elo(3, &all), Err(StatsError::Unbounded { groups }));
    let options = BradleyTerryOptions { virtual_wins: 0.5, ..Default::default() };
    let table = bradley_terry(3, &all, &options).unwrap();
    assert_eq!(table.ranking(), [0, 1, 2]);
    assert!(table.difference(1, 2).unwrap().value > 300.0);
}

#[test]
fn senseless_input_is_refused_by_name() {
    let points = |p| least_squares(2, &[p], Level::P95).unwrap_err();
    let unknown = StatsError::UnknownPlayer { player: 2, players: 2 };
    assert_eq!(points(pairing(0, 2, 0.0, 1.0)), unknown);
    let same = StatsError::SamePlayer { player: 1 };
    assert_eq!(points(pairing(1, 1, 0.0, 1.0)), same);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200] {
        let error = points(pairing(0, 1, 0.0, bad)).to_string();
        assert!(error.contains("standard error"), "{error}");
    }
    assert!(least_squares(2, &[pairing(0, 1, f64::NAN, 1.0)], Level::P95).is_err());
    assert_eq!(elo(2, &[wins(0, 2, 1.0, 1.0)]), Err(unknown));
    let negative = elo(2, &[wins(0, 1, -1.0, 1.0)]).unwrap_err();
    assert!(negative.to_string().contains("-1"), "{negative}");
    let impatient = BradleyTerryOptions { max_iterations: 1, ..Default::default() };
    let error = bradley_terry(2, &[wins(0, 1, 3.0, 1.0)], &impatient).unwrap_err();
    assert!(matches!(error, StatsError::NotConverged { iterations: 1, .. }));
}

#[test]
fn weights_too_far_apart_are_refused_or_solved_but_never_nonsense() {
    let all = [pairing(0, 1, 0.5, 1e-9), pairing(1, 2, 0.1, 1e9)];
    match least_squares(3, &all, Level::P95) {
        Err(error) => assert_eq!(error, StatsError::IllConditioned),
        Ok(table) => close(table.difference(0, 1).unwrap().value, 0.5, 1e-3),
    }
}

#[test]
fn nobody_is_a_fine_tournament() {
    let table = least_squares(0, &[], Level::P95).unwrap();
    assert!(table.is_connected() && table.ratings.is_empty());
    let table = elo(2, &[]).unwrap();
    assert_eq!(table.groups, [vec![0], vec![1]]);
    assert_eq!(table.ratings, [None, None]);
}

#[test]
fn known_strengths_are_recovered_in_points_and_in_elo() {
    // Eight players, round robin of 2,000 pairs each.
    let points = [0.35, 0.2, 0.12, 0.05, -0.02, -0.1, -0.2, -0.4];
    let strengths = [300.0, 120.0, 60.0, 10.0, -20.0, -70.0, -150.0, -250.0];
    let mut rng = rng(41);
    let mut play = |p: f64| {
        let mut stats = PairStats::default();
        (0..2000).for_each(|_| stats.push(&toy_pair(&mut rng, p, 0.0)));
        stats
    };
    let (mut matches, mut won) = (Vec::new(), Vec::new());
    for a in 0..8 {
        for b in a + 1..8 {
            let p = 0.5 + (points[a] - points[b]) / TOY_POINTS / 2.0;
            matches.push((a, b, *play(p).pairs()));
            let p = score_of_elo(strengths[a] - strengths[b]);
            won.push(Wins::of(a, b, &play(p)));
        }
    }
    let tables = [least_squares(8, &pairings(&matches).unwrap(), Level::P95).unwrap(), elo(8, &won).unwrap()];
    for (table, (truth, tolerance)) in tables.iter().zip([(points, 0.03), (strengths, 8.0)]) {
        assert_eq!(table.ranking(), [0, 1, 2, 3, 4, 5, 6, 7]);
        close(values(table).iter().sum(), 0.0, 1e-9);
        for (rating, truth) in table.ratings.iter().zip(truth) {
            let rating = rating.unwrap();
            close(rating.value, truth, tolerance);
            assert!(rating.std_error < tolerance / 2.0, "{rating:?}");
            assert!((rating.value - truth).abs() < 3.5 * rating.std_error);
        }
        assert!(table.fit.p_value.unwrap() > 0.001, "{:?}", table.fit);
    }
}

#[test]
fn intransitive_results_show_in_the_fit() {
    // Scissors, stone, paper.
    let all = [pairing(0, 1, 0.3, 0.05), pairing(1, 2, 0.3, 0.05), pairing(2, 0, 0.3, 0.05)];
    let table = least_squares(3, &all, Level::P95).unwrap();
    close(table.fit.chi_squared, 108.0, 1e-9);
    assert!(table.fit.p_value.unwrap() < 1e-20);
    values(&table).iter().for_each(|v| close(*v, 0.0, 1e-12));
}
