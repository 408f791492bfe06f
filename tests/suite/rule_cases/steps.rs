use super::*;

#[test]
fn one_enemy_checker_holds_a_point_in_long_nardy_and_two_in_short() {
    let long = position(&[(20, 1), (1, 14)], &[(3, 1), (24, 14)]);
    assert_eq!(plays(long, roll(5, 2), &Rules::LONG), ["20/18 18/13"]);
    let short = position(&[(20, 1), (2, 14)], &[(10, 1), (7, 2), (11, 12)]);
    assert_eq!(plays(short, roll(5, 2), &Rules::SHORT), ["20/15 15/13"]);
}

#[test]
fn a_checker_may_not_jump_with_the_sum_of_the_dice() {
    let board = position(&[(20, 1), (1, 14)], &[(3, 1), (6, 1), (24, 13)]);
    // 15 and 18 are held, so 13 can't be reached though it is free.
    assert_eq!(plays(board, roll(5, 2), &Rules::LONG), ["pass"]);
}

#[test]
fn a_double_is_played_four_times() {
    let board = position(&[(23, 1), (1, 14)], &[(24, 15)]);
    assert_eq!(plays(board, roll(2, 2), &Rules::LONG), ["23/21 21/19 19/17 17/15"]);
}
