use super::*;

#[test]
fn a_play_of_both_dice_is_forced_if_there_is_only_one() {
    let board = position(&[(24, 1), (8, 1), (6, 13)], &[(5, 4), (6, 4), (7, 3), (9, 2), (21, 2)]);
    assert_eq!(plays(board, roll(6, 2), &Rules::SHORT), ["24/22 8/2"]);
}

#[test]
fn the_larger_die_must_be_used_if_only_one_fits() {
    let board = position(&[(20, 1), (3, 14)], &[(6, 5), (13, 6), (16, 2), (24, 2)]);
    assert_eq!(plays(board, roll(6, 5), &Rules::SHORT), ["20/14"]);
}

#[test]
fn the_small_die_is_used_when_no_large_one_exists() {
    let board = position(&[(24, 1), (6, 13), (4, 1)], &[(7, 5), (9, 2), (13, 2), (22, 2), (23, 2), (24, 2)]);
    assert_eq!(plays(board, roll(6, 2), &Rules::SHORT), ["24/22", "6/4"]);
}

#[test]
fn either_die_but_not_both_means_the_larger_in_long_nardy() {
    let mine = [(20, 1), (2, 14)];
    let six = position(&mine, &[(24, 14), (21, 1)]);
    assert_eq!(plays(six, roll(6, 5), &Rules::LONG), ["20/14"]);
    let five = position(&mine, &[(24, 13), (21, 1), (2, 1)]);
    assert_eq!(plays(five, roll(6, 5), &Rules::LONG), ["20/15"]);
}

#[test]
fn the_only_order_that_uses_both_dice_is_forced() {
    let board = position(&[(20, 1), (2, 14)], &[(24, 14), (2, 1)]);
    assert_eq!(plays(board, roll(6, 5), &Rules::LONG), ["20/15 15/9"]);
}

#[test]
fn of_a_double_as_many_dice_as_possible_are_played() {
    let board = position(&[(20, 1), (2, 14)], &[(24, 14), (23, 1)]);
    assert_eq!(plays(board, roll(3, 3), &Rules::LONG), ["20/17 17/14"]);
}

#[test]
fn a_roll_can_have_2220_results() {
    // GNU position id AACAkCRJqqoAAA
    let mine = [3, 5, 7, 9, 11, 13, 15, 17, 18, 19, 20, 21, 22, 23, 24].map(|point| (point, 1));
    let board = position(&mine, &[(24, 1)]);
    assert_eq!(results(board, roll(1, 1), &Rules::SHORT).len(), 2220);
    assert_eq!(legal_plays(board, roll(1, 1), &Rules::SHORT).len(), 2220);
    assert_eq!(naive::legal_plays(board, roll(1, 1), &Rules::SHORT).len(), 2220);
}

#[test]
fn both_sides_can_be_blocked_in_turn() {
    let side = [(24, 10), (6, 5)];
    let board = position(&side, &side);
    assert_eq!(plays(board, roll(6, 6), &Rules::LONG), ["pass"]);
    let passed = legal_plays(board, roll(6, 6), &Rules::LONG).get(0).position;
    assert_eq!(passed, board);
    assert_eq!(plays(passed.swapped(), roll(6, 6), &Rules::LONG), ["pass"]);

    let closed = [(25, 1), (6, 3), (5, 3), (4, 2), (3, 2), (2, 2), (1, 2)];
    let board = position(&closed, &closed);
    for roll in Roll::ALL {
        assert_eq!(plays(board, roll, &Rules::SHORT), ["pass"]);
        assert_eq!(plays(board.swapped(), roll, &Rules::SHORT), ["pass"]);
    }
}

#[test]
fn a_game_won_inside_a_double_voids_the_dice_left() {
    for rules in [Rules::LONG, Rules::SHORT] {
        let board = position(&[(3, 2)], &[(3, 2)]);
        let list = legal_plays(board, roll(5, 5), &rules);
        assert_eq!(list.len(), 1);
        assert_eq!(list.steps(0).to_string(), "3/off 3/off");
        assert!(list.get(0).position.is_over());
        assert_eq!(plays(position(&[(1, 1)], &[(3, 2)]), roll(6, 1), &rules), ["1/off"]);
    }
}

#[test]
fn both_dice_are_used_before_the_game_is_won() {
    for rules in [Rules::LONG, Rules::SHORT] {
        let board = position(&[(5, 1)], &[(3, 2)]);
        assert_eq!(plays(board, roll(6, 1), &rules), ["5/4 4/off"]);
        assert!(legal_plays(board, roll(6, 1), &rules).get(0).position.is_over());
    }
}
