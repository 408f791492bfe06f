use super::*;
use crate::eval::builtin_player;
use crate::game::SeededDice;
use crate::movegen::legal_plays;
use crate::rules::Game;
use crate::types::Roll;
use std::collections::HashMap;

fn side(points: &[(u8, u8)]) -> Checkers {
    Checkers::from_points(points)
}

fn tables() -> &'static Bearoff {
    Bearoff::of(&Rules::SHORT).unwrap()
}

fn outcomes(us: &[(u8, u8)], them: &[(u8, u8)], rules: &Rules) -> [f32; 6] {
    Bearoff::of(rules).unwrap().outcomes(Position { us: side(us), them: side(them) }, rules).unwrap()
}

/// The definition of the two-sided chance, on whole positions of either game.
fn win(position: Position, rules: &Rules, known: &mut HashMap<Position, f64>) -> f64 {
    if position.them.off() == NUM_CHECKERS {
        return 0.0;
    }
    if let Some(&win) = known.get(&position) {
        return win;
    }
    let best = |roll: Roll| {
        let plays = legal_plays(position, roll, rules);
        let values = plays.positions().iter().map(|result| 1.0 - win(result.swapped(), rules, known));
        f64::from(roll.weight()) * values.fold(0.0, f64::max)
    };
    let mean = Roll::ALL.map(best).iter().sum::<f64>() / 36.0;
    known.insert(position, mean);
    mean
}

#[test]
fn lone_checkers_and_pairs_go_off_as_everybody_knows() {
    // Of 36 rolls, so many bear off at once.
    let known: [(&[(u8, u8)], f32); 8] = [
        (&[(1, 2)], 36.0),
        (&[(6, 1)], 27.0),
        (&[(5, 1)], 31.0),
        (&[(4, 1)], 34.0),
        (&[(3, 1)], 36.0),
        (&[(6, 2)], 4.0),
        (&[(6, 1), (1, 1)], 15.0),
        (&[(3, 1), (2, 1)], 25.0),
    ];
    for (points, rolls) in known {
        let chances = tables().rolls_to_finish(side(points)).unwrap();
        assert!((chances[1] * 36.0 - rolls).abs() < 1e-4, "{points:?} {}", chances[1] * 36.0);
        assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert_eq!(tables().rolls_to_finish(side(&[])), Some(vec![1.0]));
    assert_eq!(tables().rolls_to_finish(side(&[(7, 1)])), None);
}

#[test]
fn small_endings_are_won_as_by_definition_in_both_games() {
    type Points = &'static [(u8, u8)];
    let cases: [(Points, Points); 4] = [
        (&[(6, 1), (5, 1)], &[(6, 1), (4, 1)]),
        (&[(6, 2)], &[(3, 2), (1, 1)]),
        (&[(4, 1), (2, 2)], &[(5, 1), (1, 2)]),
        (&[(2, 1)], &[(6, 3)]),
    ];
    for rules in [Rules::SHORT, Rules::LONG, "short-site".parse().unwrap(), "long,must_off=true".parse().unwrap()] {
        let mut known = HashMap::new();
        for (us, them) in cases {
            let expected = win(Position { us: side(us), them: side(them) }, &rules, &mut known);
            let [win, _, _, lose, ..] = outcomes(us, them, &rules);
            assert!((f64::from(win) - expected).abs() < 1e-6, "{rules} {us:?} {them:?}: {win}, {expected}");
            assert_eq!(win + lose, 1.0);
        }
    }
}

#[test]
fn distributions_of_each_side_alone_nearly_give_the_exact_chance() {
    let (mut sum, mut greatest, mut number) = (0.0f64, 0.0f64, 0);
    let one = tables().one_sided();
    let two = TwoSided::new(&Rules::SHORT);
    for us in (1..924).step_by(7) {
        for them in (1..924).step_by(5) {
            let difference = f64::from((two.win(us, them) - before(one.finish(us), one.finish(them), 1)).abs());
            (sum, greatest, number) = (sum + difference, greatest.max(difference), number + 1);
        }
    }
    let mean = sum / f64::from(number);
    assert!(mean < 1e-3 && greatest < 0.03, "mean {mean}, greatest {greatest}");
}

#[test]
fn a_mars_is_won_if_the_opponent_has_nothing_off_in_time() {
    // One checker on the six point, all fifteen of the opponent at home: 27/36 at once, and then all he has is a roll.
    let us: &[(u8, u8)] = &[(6, 1)];
    let them: &[(u8, u8)] = &[(6, 10), (5, 5)];
    // He bears one off at once with a 6 or a 5 in any roll (20 of 36), and with the doubles 1-1 … 4-4 that reach off.
    let first = tables().rolls_to_first(side(them)).unwrap();
    assert!(first[0] == 0.0 && first[1] >= 20.0 / 36.0);
    let ours = tables().rolls_to_finish(side(us)).unwrap();
    let mars: f32 = ours[1] + ours[2] * (1.0 - first[1]);
    let [win, win_mars, koks, lose, lose_mars, lose_koks] = outcomes(us, them, &Rules::SHORT);
    assert!((win_mars - mars).abs() < 1e-6 && (win + win_mars + lose - 1.0).abs() < 1e-6);
    assert_eq!((koks, lose_mars, lose_koks), (0.0, 0.0, 0.0));
    assert!(win + win_mars > 0.99);
    // Seen by the other side: it loses a mars unless it bears off a checker before.
    let [_, _, _, _, lost_mars, _] = outcomes(them, us, &Rules::SHORT);
    let expected = ours[1] * (1.0 - first[1]) + ours[2] * (1.0 - first[1] - first[2]);
    assert!((lost_mars - expected).abs() < 1e-6);
    // A rule set that pays a home mars like an oin.
    let rules: Rules = "long,score=(1,1,2,3)".parse().unwrap();
    let chances = outcomes(us, them, &rules);
    assert_eq!((chances[1], chances[4]), (0.0, 0.0));
}

#[test]
fn a_first_checker_goes_off_as_by_definition() {
    let points = side(&[(6, 14), (5, 1)]);
    let (_, exact) = first_by_definition(points, &mut HashMap::new());
    let table = tables().rolls_to_first(points).unwrap();
    assert!((exact[1] - f64::from(table[1])).abs() < 1e-6, "{exact:?} {table:?}");
}

#[test]
fn what_the_tables_do_not_cover_is_refused() {
    for rules in ["long,last_turn=true", "short,max_point=5"] {
        assert!(Bearoff::of(&rules.parse().unwrap()).is_none(), "{rules}");
    }
    let home = side(&[(6, 15)]);
    for other in [side(&[(7, 1)]), side(&[(25, 1)]), side(&[])] {
        let position = Position { us: home, them: other };
        assert!(!Bearoff::covers(position) && tables().outcomes(position, &Rules::SHORT).is_none());
        assert!(tables().outcomes(position.swapped(), &Rules::SHORT).is_none());
    }
    for game in [Game::Long, Game::Short] {
        assert!(!Bearoff::covers(Position::start(game)));
    }
}

#[test]
fn chances_are_chances_and_a_better_position_wins_more() {
    for index in (924..NUM_HOME).step_by(1013) {
        let us = side_of(index).unwrap();
        let them = side_of(NUM_HOME - 1 - index / 2).unwrap();
        let chances = tables().outcomes(Position { us, them }, &Rules::SHORT).unwrap();
        assert!(chances.iter().all(|c| (0.0..=1.0).contains(c)), "{chances:?}");
        assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let mean = tables().mean_rolls(us).unwrap();
        assert!(mean >= us.pip_count() as f32 / 24.0 && mean >= f32::from(NUM_CHECKERS - us.off()) / 4.0);
    }
    let [ahead, ..] = outcomes(&[(1, 8)], &[(1, 9)], &Rules::SHORT);
    let [behind, ..] = outcomes(&[(1, 9)], &[(1, 8)], &Rules::SHORT);
    assert!(ahead > 0.8 && behind < 0.6, "{ahead} {behind}");
}

/// The definition of the number of rolls to the first checker off, with any legal play: the least mean, and its distribution.
fn first_by_definition(us: Checkers, known: &mut HashMap<Checkers, (f64, Vec<f64>)>) -> (f64, Vec<f64>) {
    if us.off() > 0 {
        return (0.0, vec![1.0]);
    }
    if let Some(found) = known.get(&us) {
        return found.clone();
    }
    let (mut mean, mut chances) = (1.0, vec![0.0; 30]);
    for roll in Roll::ALL {
        let plays = legal_plays(Position { us, them: side(&[(1, 15)]) }, roll, &Rules::SHORT);
        let reached = plays.positions().iter().map(|result| first_by_definition(result.us, known));
        let (best, after) = reached.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let weight = f64::from(roll.weight()) / 36.0;
        mean += weight * best;
        chances[1..].iter_mut().zip(after).for_each(|(sum, chance)| *sum += weight * chance);
    }
    known.insert(us, (mean, chances.clone()));
    (mean, chances)
}

#[test]
fn with_checkers_outside_the_first_goes_off_about_as_soon_as_by_definition() {
    let mut known = HashMap::new();
    // Stacks are what the tables know least about: whether a point is left empty.
    let sides: [(&[(u8, u8)], f64); 6] = [
        (&[(7, 1), (6, 5), (5, 4), (4, 3), (3, 2)], 1e-5),
        (&[(12, 1), (6, 4), (5, 4), (3, 3), (2, 3)], 1e-4),
        (&[(24, 1), (6, 3), (5, 3), (4, 3), (3, 3), (2, 2)], 1e-4),
        (&[(9, 1), (1, 14)], 1e-5),
        (&[(8, 2), (6, 5), (4, 5), (2, 3)], 5e-4),
        (&[(18, 1), (6, 14)], 0.03),
    ];
    for (points, tolerance) in sides {
        let (mean, _) = first_by_definition(side(points), &mut known);
        let table = tables().rolls_to_first(side(points)).unwrap();
        let table_mean: f64 = table.iter().zip(0u8..).map(|(chance, n)| f64::from(*chance) * f64::from(n)).sum();
        assert!((mean - table_mean).abs() < tolerance, "{points:?}: {mean}, {table_mean}");
        assert!((table.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    let refused: [&[(u8, u8)]; 3] = [&[(7, 4), (6, 11)], &[(7, 1), (6, 13)], &[(25, 1), (6, 14)]];
    for points in refused {
        assert_eq!(tables().rolls_to_first(side(points)), None, "{points:?}");
    }
}

/// How far [`Bearoff::mars`] is from the chance by definition, in positions of games in which one side has one checker outside.
fn errors_of_mars(rules: &Rules, player: &str, games: u64) -> Vec<f32> {
    let mut player = builtin_player(player, rules.game).unwrap();
    let mut known = HashMap::new();
    let mut errors = Vec::new();
    for game in 0..games {
        let mut dice = SeededDice::for_game(1, game);
        let mut position = Position::start(rules.game);
        while !position.is_over() {
            if let Some(mars) = tables().mars(position, rules) {
                let (outside, home, lead) = match mars {
                    Mars::Won(_) => (position.them, position.us, 1),
                    Mars::Lost(_) => (position.us, position.them, 0),
                };
                if (7..25).map(|point| outside.count(point)).sum::<u8>() == 1 {
                    let (_, first) = first_by_definition(outside, &mut known);
                    let first: Vec<f32> = first.iter().map(|&chance| chance as f32).collect();
                    let expected = before(&tables().rolls_to_finish(home).unwrap(), &first, lead);
                    let (Mars::Won(chance) | Mars::Lost(chance)) = mars;
                    errors.push((chance - expected).abs());
                }
            }
            let roll = dice.next_roll();
            let plays = legal_plays(position, roll, rules);
            position = plays.positions()[player.choose(position, roll, rules, &plays)].swapped();
        }
    }
    errors
}

#[test]
fn the_chance_of_a_mars_is_nearly_that_of_the_quickest_play() {
    let cases = [(Rules::SHORT, "pubeval", 0.001, 0.06), (Rules::LONG, "pips", 1e-5, 0.002)];
    for (rules, player, mean, most) in cases {
        let errors = errors_of_mars(&rules, player, 100);
        assert!(errors.len() > 50, "{rules}: {}", errors.len());
        assert!(errors.iter().sum::<f32>() / (errors.len() as f32) < mean, "{rules}");
        assert!(errors.iter().all(|&error| error < most), "{rules}");
    }
}

#[test]
fn the_chance_of_a_mars_is_told_for_races_with_one_side_at_home_alone() {
    let mars = |us: &[(u8, u8)], them: &[(u8, u8)], rules: &Rules| {
        Bearoff::of(rules).unwrap().mars(Position { us: side(us), them: side(them) }, rules)
    };
    // Two rolls needed at most; the other's checker on the mid point comes home and off in one roll with 6-6, 5-5 and 4-4 alone.
    let outside: &[(u8, u8)] = &[(13, 1), (6, 5), (5, 5), (4, 4)];
    let Some(Mars::Won(chance)) = mars(&[(6, 1)], outside, &Rules::SHORT) else { panic!() };
    let expected = 27.0 / 36.0 + 9.0 / 36.0 * 33.0 / 36.0;
    assert!((chance - expected).abs() < 1e-5, "{chance}");
    let Some(Mars::Lost(chance)) = mars(outside, &[(6, 1)], &Rules::SHORT) else { panic!() };
    let at_once = 27.0 / 36.0 * 33.0 / 36.0;
    assert!(chance > at_once && chance < at_once + 9.0 / 36.0 * 0.5, "{chance}");
    // Contact, checkers off, both at home, none at home; and a home mars that pays less.
    for (us, them) in
        [(&[(6, 1)][..], &[(20, 1), (6, 14)][..]), (&[(6, 1)], &[(13, 1), (6, 13)]), (&[(6, 1)], &[(6, 15)])]
    {
        assert_eq!(mars(us, them, &Rules::SHORT), None);
    }
    assert_eq!(mars(outside, outside, &Rules::SHORT), None);
    let cheap: Rules = "long,score=(1,1,2,2)".parse().unwrap();
    assert_eq!(mars(&[(6, 1)], outside, &cheap), None);
}
