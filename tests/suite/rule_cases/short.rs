use super::*;

#[test]
fn a_lone_checker_is_hit_and_two_hold_the_point() {
    let board = position(&[(24, 2), (6, 13)], &[(4, 1), (3, 2), (13, 12)]);
    let list = legal_plays(board, roll(3, 2), &Rules::SHORT);
    assert_eq!(plays(board, roll(3, 1), &Rules::SHORT).iter().filter(|s| s.starts_with("24/22")).count(), 0);
    let hit = list.iter().find(|play| play.steps.to_string().starts_with("24/21")).unwrap().position;
    assert_eq!((hit.them.bar(), hit.them.count(4)), (1, 0));
    assert!(list.iter().all(|play| play.position.us.count(22) == 0));
}

#[test]
fn checkers_on_the_bar_come_first_and_each_needs_its_die() {
    let one = position(&[(25, 1), (13, 14)], &[(1, 2), (13, 13)]);
    let list = plays(one, roll(4, 3), &Rules::SHORT);
    assert!(!list.is_empty() && list.iter().all(|steps| steps.starts_with("bar/")), "{list:?}");
    let two = position(&[(25, 2), (13, 13)], &[(1, 2), (13, 13)]);
    assert_eq!(plays(two, roll(4, 3), &Rules::SHORT), ["bar/21 bar/22"]);
    let one_enters = position(&[(25, 2), (13, 13)], &[(3, 2), (13, 13)]);
    assert_eq!(plays(one_enters, roll(4, 3), &Rules::SHORT), ["bar/21"]);
    let double = position(&[(25, 2), (13, 13)], &[(1, 2), (11, 13)]);
    let list = plays(double, roll(3, 3), &Rules::SHORT);
    assert!(list.iter().all(|steps| steps.starts_with("bar/22 bar/22 ")), "{list:?}");
    assert!(list.contains(&"bar/22 bar/22 13/10 13/10".into()), "{list:?}");
}

#[test]
fn without_an_entry_the_turn_is_passed() {
    let board = position(&[(25, 1), (13, 14)], &[(6, 2), (5, 2), (12, 11)]);
    assert_eq!(plays(board, roll(6, 5), &Rules::SHORT), ["pass"]);
    assert_ne!(plays(board, roll(6, 4), &Rules::SHORT), ["pass"]);
}

#[test]
fn a_checker_hit_while_bearing_off_must_come_home_first() {
    let board = position(&[(25, 1), (2, 2)], &[(13, 15)]);
    assert_eq!(plays(board, roll(6, 2), &Rules::SHORT), ["bar/19 19/17"]);
    assert_eq!(plays(position(&[(7, 1), (2, 2)], &[(13, 15)]), roll(6, 2), &Rules::SHORT).len(), 2);
}

#[test]
fn walls_of_any_length_are_legal() {
    let board = position(&[(9, 3), (8, 2), (7, 2), (6, 2), (5, 2), (4, 2), (10, 2)], &[(24, 2), (13, 13)]);
    let list = plays(board, roll(6, 5), &Rules::SHORT);
    assert!(list.contains(&"10/5 9/3".into()) || list.contains(&"9/3 9/4".into()), "{list:?}");
}

#[test]
fn a_full_point_takes_no_checker_until_one_has_left_it() {
    let five = rules("short,max_point=5");
    let play = |steps: &[Step]| is_legal(Position::SHORT_START, roll(2, 1), &five, steps);
    let full = IllegalStep::Full { to: 6, count: 5 };
    assert_eq!(play(&[step(8, 2), step(6, 1)]), Err(IllegalPlay::Step { number: 1, step: step(8, 2), why: full }));
    let end = position(&[(24, 2), (13, 5), (8, 2), (6, 5), (5, 1)], &[(24, 2), (13, 5), (8, 3), (6, 5)]);
    assert_eq!(play(&[step(6, 1), step(8, 2)]), Ok(end));
}

#[test]
fn full_points_can_stop_an_entry_and_force_a_pass() {
    let board = position(&[(25, 1), (22, 5), (2, 5), (1, 4)], &[(12, 15)]);
    assert_eq!(plays(board, roll(3, 3), &rules("short,max_point=5")), ["pass"]);
    assert_ne!(plays(board, roll(3, 3), &Rules::SHORT), ["pass"]);
}

#[test]
fn a_full_point_is_not_passed_over_either() {
    // His 14 is my 11, so the only way from 13 to 8 is over the five on 10; another checker can go instead.
    let board = position(&[(13, 1), (10, 5), (1, 5)], &[(14, 2), (20, 13)]);
    assert!(plays(board, roll(3, 2), &Rules::SHORT).contains(&"13/10 10/8".into()));
    let five = rules("short,max_point=5");
    let list = plays(board, roll(3, 2), &five);
    assert!(list.contains(&"10/8 13/10".into()) && !list.contains(&"13/10 10/8".into()), "{list:?}");
}
