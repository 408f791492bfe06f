use super::*;

fn both(test: impl Fn(Rules)) {
    test(Rules::LONG);
    test(Rules::SHORT);
}

const FAR: [(u8, u8); 1] = [(11, 15)];

#[test]
fn dice_left_when_the_last_checker_comes_home_may_bear_off() {
    both(|rules| {
        let board = position(&[(9, 1), (6, 14)], &FAR);
        let end = position(&[(6, 14)], &FAR);
        assert_eq!(is_legal(board, roll(6, 3), &rules, &[step(9, 3), step(6, 6)]), Ok(end));
        assert!(results(board, roll(6, 3), &rules).contains(&end));
    });
}

#[test]
fn nothing_is_borne_off_while_a_checker_is_outside() {
    both(|rules| {
        assert_eq!(plays(position(&[(16, 1), (6, 14)], &FAR), roll(6, 6), &rules), ["16/10 10/4 6/off 6/off"]);
        let list = plays(position(&[(16, 1), (6, 14)], &FAR), roll(6, 3), &rules);
        assert!(list.iter().all(|steps| !steps.contains("off")), "{list:?}");
    });
}

#[test]
fn a_larger_die_bears_off_the_highest_checker_only_unless_any_may_go() {
    let board = position(&[(4, 1), (2, 1), (1, 1)], &FAR);
    both(|rules| {
        assert_eq!(plays(board, roll(6, 5), &rules), ["4/off 2/off"]);
        let any = Rules { overshoot: nardy::rules::Overshoot::Any, ..rules };
        assert_eq!(plays(board, roll(6, 5), &any), ["2/off 1/off", "4/off 1/off", "4/off 2/off"]);
    });
}

#[test]
fn a_larger_die_bears_off_nothing_while_a_checker_is_above() {
    both(|rules| {
        assert_eq!(plays(position(&[(5, 2), (3, 1), (1, 1)], &FAR), roll(6, 4), &rules), ["5/off 5/1"]);
        for overshoot in ["highest", "any"] {
            let rules: Rules = format!("{},overshoot={overshoot}", rules.game).parse().unwrap();
            assert_eq!(plays(position(&[(6, 1), (1, 2)], &FAR), roll(5, 5), &rules).len(), 1);
            let list = plays(position(&[(6, 2), (1, 2)], &FAR), roll(5, 2), &rules);
            assert!(list.iter().all(|steps| !steps.starts_with("1/off")), "{list:?}");
        }
    });
}

#[test]
fn bearing_off_is_a_right_and_no_duty() {
    both(|rules| {
        let list = plays(position(&[(6, 2), (5, 1), (1, 2)], &FAR), roll(5, 1), &rules);
        assert!(list.contains(&"6/1 6/5".into()), "{list:?}");
        assert!(list.contains(&"5/off 1/off".into()), "{list:?}");
    });
}

#[test]
fn full_use_holds_while_bearing_off() {
    both(|rules| assert_eq!(plays(position(&[(6, 2)], &FAR), roll(4, 3), &rules), ["6/2 6/3"]));
}

#[test]
fn a_die_that_can_bear_off_must_under_must_off_unless_the_opponent_is_in_the_way() {
    both(|rules| {
        let must = Rules { must_off: true, ..rules };
        let board = position(&[(6, 2), (5, 2), (1, 2)], &FAR);
        assert_eq!(plays(board, roll(5, 1), &must), ["5/off 1/off"]);
        assert!(plays(board, roll(5, 1), &rules).len() > 1);
        // A checker on my 4.
        let his = nardy::position::other_side(rules.game, 4);
        let board = position(&[(6, 2), (5, 2), (1, 2)], &[(his, 1), (11, 14)]);
        assert_eq!(plays(board, roll(5, 1), &must), plays(board, roll(5, 1), &rules));
    });
    let must = rules("short,must_off=true");
    let board = position(&[(6, 2), (5, 2), (1, 2)], &[(25, 1), (13, 14)]);
    assert!(plays(board, roll(5, 1), &must).len() > 1);
}

#[test]
fn a_bearing_off_that_leaves_a_forbidden_row_is_no_duty() {
    // All fifteen are behind 6..1, so the row has to be opened: 3/off is forbidden as long as it stands.
    let board =
        position(&[(6, 2), (5, 6), (4, 1), (3, 3), (2, 1), (1, 2)], &[(24, 1), (23, 3), (22, 3), (21, 4), (20, 4)]);
    assert_eq!(plays(board, roll(3, 3), &rules("long,must_off=true")), ["4/1 3/off 3/off 3/off"]);
}

#[test]
fn enemy_checkers_in_my_home_block_steps_there_in_long_nardy() {
    let board = position(&[(6, 2)], &[(14, 1), (15, 14)]);
    // His 14 and 15 are my 2 and 3.
    assert_eq!(plays(board, roll(4, 3), &Rules::LONG), ["pass"]);
}
