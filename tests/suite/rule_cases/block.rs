use super::*;

const B1: [(u8, u8); 6] = [(13, 4), (11, 2), (10, 2), (9, 2), (8, 2), (7, 3)];

/// Some play of the roll leaves checkers on all these points.
fn can_hold(board: Position, roll: Roll, options: &str, points: [u8; 6]) -> bool {
    let rules = rules(&format!("long,{options}"));
    plays(board, roll, &rules);
    results(board, roll, &rules).iter().any(|p| points.iter().all(|&point| p.us.count(point) > 0))
}

const SIX_OF_B1: [u8; 6] = [11, 10, 9, 8, 7, 6];

#[test]
fn b1_six_in_a_row_are_forbidden_while_all_fifteen_are_behind() {
    let board = position(&B1, &[(24, 15)]);
    assert!(!can_hold(board, roll(2, 1), "block=ahead", SIX_OF_B1));
    assert!(!can_hold(board, roll(2, 1), "block=home", SIX_OF_B1));
    assert!(can_hold(board, roll(2, 1), "block=none", SIX_OF_B1));
}

#[test]
fn b1a_a_checker_past_the_row_permits_it_unless_it_must_be_home() {
    let board = position(&B1, &[(24, 14), (8, 1)]);
    assert!(can_hold(board, roll(2, 1), "block=ahead", SIX_OF_B1));
    assert!(!can_hold(board, roll(2, 1), "block=home", SIX_OF_B1));
}

#[test]
fn b1h_a_checker_at_home_permits_the_row_under_both_rules() {
    let board = position(&B1, &[(24, 14), (5, 1)]);
    assert!(can_hold(board, roll(2, 1), "block=ahead", SIX_OF_B1));
    assert!(can_hold(board, roll(2, 1), "block=home", SIX_OF_B1));
}

#[test]
fn b3_each_row_needs_its_own_passer() {
    let mine = [(24, 4), (23, 2), (22, 1), (21, 1), (20, 1), (11, 1), (10, 1), (9, 1), (8, 1), (7, 1), (6, 1)];
    let board = position(&mine, &[(24, 14), (13, 1)]);
    let (standing, second) = ([11, 10, 9, 8, 7, 6], [24, 23, 22, 21, 20, 19]);
    assert!(can_hold(board, roll(4, 2), "block=ahead", standing));
    assert!(!can_hold(board, roll(4, 2), "block=ahead", second));
    assert!(can_hold(board, roll(4, 2), "block=none", second));
}

#[test]
fn b4_a_wall_across_the_movers_own_corner_is_a_row() {
    let board = position(&[(24, 10), (23, 1), (3, 2), (2, 1), (1, 1)], &[(24, 10), (20, 5)]);
    let wall = [3, 2, 1, 24, 23, 22];
    for (path, permitted) in [("opp", false), ("ring", false), ("own", true)] {
        for block in ["ahead", "home"] {
            let options = format!("block={block},block_path={path}");
            assert_eq!(can_hold(board, roll(2, 1), &options, wall), permitted, "{options}");
        }
    }
}

#[test]
fn b5_six_across_the_opponents_corner_are_no_wall() {
    let board = position(&[(24, 6), (15, 2), (14, 2), (13, 2), (12, 2), (11, 1)], &[(20, 5), (19, 5), (18, 5)]);
    let six = [15, 14, 13, 12, 11, 10];
    for (options, permitted) in [
        ("block=ahead,block_path=opp", true),
        ("block=ahead,block_path=own", true),
        ("block=ahead,block_path=ring", true),
        ("block=home,block_path=opp", true),
        ("block=home,block_path=ring", false),
        ("block=home,block_path=own", false),
    ] {
        assert_eq!(can_hold(board, roll(6, 5), options, six), permitted, "{options}");
    }
    let home = position(&[(24, 6), (15, 2), (14, 2), (13, 2), (12, 2), (11, 1)], &[(20, 5), (19, 5), (6, 5)]);
    assert!(can_hold(home, roll(6, 5), "block=home,block_path=ring", six));
}

#[test]
fn b6_a_row_that_exists_only_between_two_dice_is_forbidden_unless_the_turns_end_counts() {
    let board = position(&[(13, 3), (11, 2), (10, 2), (8, 2), (7, 2), (6, 4)], &[(24, 15)]);
    let target = |rules: &Rules| plays(board, roll(4, 1), rules).contains(&"13/9 9/8".to_string());
    assert!(!target(&Rules::LONG));
    assert!(target(&rules("long,block_when=turn")));
    assert!(target(&rules("long,block=none")));
}

#[test]
fn b7_if_every_full_play_is_forbidden_the_larger_die_alone_is_played() {
    let board = position(
        &[(24, 1), (18, 1), (17, 1), (16, 1), (15, 1), (14, 1), (1, 9)],
        &[(24, 5), (23, 2), (22, 2), (21, 2), (20, 2), (19, 2)],
    );
    for &block in &[Block::Ahead, Block::Home] {
        for &block_when in BlockWhen::ALL {
            assert_eq!(plays(board, roll(6, 5), &Rules { block, block_when, ..Rules::LONG }), ["24/18"]);
        }
    }
    assert_eq!(plays(board, roll(6, 5), &rules("long,block=none")), ["24/18 18/13"]);
}

#[test]
fn a_row_on_the_opponents_home_is_never_permitted_while_he_is_on_the_board() {
    let mine = [(24, 1), (18, 3), (17, 3), (16, 3), (15, 3), (14, 2)];
    let row = [18, 17, 16, 15, 14, 13];
    for &path in BlockPath::ALL {
        for block in ["ahead", "home"] {
            let options = format!("block={block},block_path={path}");
            assert!(!can_hold(position(&mine, &[(7, 15)]), roll(6, 5), &options, row), "{options}");
            // In the last turn after the starter has finished.
            let last_turn = format!("{options},last_turn=true");
            assert!(can_hold(position(&mine, &[(0, 15)]), roll(6, 5), &last_turn, row), "{options}");
        }
    }
}

#[test]
fn once_the_opponent_bears_off_he_is_past_every_row() {
    let mine = [(24, 10), (23, 1), (22, 1), (21, 1), (20, 2)];
    let row = [24, 23, 22, 21, 20, 19];
    for block in ["block=ahead", "block=home"] {
        assert!(can_hold(position(&mine, &[(0, 10), (6, 5)]), roll(5, 1), block, row));
        assert!(!can_hold(position(&mine, &[(13, 15)]), roll(5, 1), block, row));
    }
}

#[test]
fn a_row_may_be_lengthened_with_a_passer_unless_it_is_capped() {
    let board = position(&[(13, 5), (11, 2), (10, 2), (9, 2), (8, 2), (7, 1), (6, 1)], &[(17, 14), (3, 1)]);
    for (cap, permitted) in [(0, true), (6, false), (7, true)] {
        let rules = Rules { block_cap: cap, ..Rules::LONG };
        let list = plays(board, roll(1, 1), &rules);
        let seven = results(board, roll(1, 1), &rules).iter().any(|p| (6..=12).all(|point| p.us.count(point) > 0));
        assert_eq!(seven, permitted, "cap {cap}: {list:?}");
    }
}
