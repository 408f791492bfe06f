use nardy::movegen::{divide, perft};
use nardy::position::{Checkers, Position};
use nardy::rules::Rules;

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn position(own: &[(u8, u8)], opp: &[(u8, u8)]) -> Position {
    Position { us: Checkers::from_points(own), them: Checkers::from_points(opp) }
}

fn block_positions() -> [Position; 8] {
    let b1 = [(13, 4), (11, 2), (10, 2), (9, 2), (8, 2), (7, 3)];
    [
        position(&b1, &[(24, 15)]),
        position(&b1, &[(24, 14), (8, 1)]),
        position(&b1, &[(24, 14), (5, 1)]),
        position(
            &[(24, 4), (23, 2), (22, 1), (21, 1), (20, 1), (11, 1), (10, 1), (9, 1), (8, 1), (7, 1), (6, 1)],
            &[(24, 14), (13, 1)],
        ),
        position(&[(24, 10), (23, 1), (3, 2), (2, 1), (1, 1)], &[(24, 10), (20, 5)]),
        position(&[(24, 6), (15, 2), (14, 2), (13, 2), (12, 2), (11, 1)], &[(20, 5), (19, 5), (18, 5)]),
        position(&[(13, 3), (11, 2), (10, 2), (8, 2), (7, 2), (6, 4)], &[(24, 15)]),
        position(
            &[(24, 1), (18, 1), (17, 1), (16, 1), (15, 1), (14, 1), (1, 9)],
            &[(24, 5), (23, 2), (22, 2), (21, 2), (20, 2), (19, 2)],
        ),
    ]
}

#[test]
fn long_nardy_from_the_start_for_every_head_rule() {
    for (head, counts) in [
        ("official", [22, 484, 35_387]),
        ("az46", [21, 441, 30_117]),
        ("needed_doubles", [22, 489, 35_722]),
        ("needed_any", [22, 489, 35_722]),
        ("doubles_first", [28, 770, 64_198]),
        ("doubles_always", [28, 770, 78_297]),
        ("none", [21, 441, 29_129]),
    ] {
        let rules = rules(&format!("long,head={head}"));
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(Position::LONG_START, &rules, depth), count, "head={head} depth {depth}");
        }
    }
}

#[test]
fn short_nardy_from_the_start() {
    for (rules, counts) in [(Rules::SHORT, [447, 202_782]), (rules("short,max_point=5"), [405, 166_498])] {
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(Position::SHORT_START, &rules, depth), count, "{rules} depth {depth}");
        }
    }
}

#[test]
#[ignore = "counts 116 million positions; run with --release"]
fn short_nardy_from_the_start_to_depth_three() {
    assert_eq!(perft(Position::SHORT_START, &Rules::SHORT, 3), 116_154_993);
}

#[test]
fn block_rules_on_the_eight_positions() {
    let table: [(&str, [u64; 8], [u64; 8]); 9] = [
        (
            "ahead/opp/step",
            [890, 1276, 1276, 4428, 121, 613, 934, 217],
            [19_662, 32_567, 29_401, 0, 8348, 192_043, 19_745, 274_572],
        ),
        (
            "ahead/opp/turn",
            [1030, 1276, 1276, 4515, 124, 613, 994, 217],
            [22_697, 32_567, 29_401, 0, 8541, 192_043, 21_005, 274_572],
        ),
        (
            "ahead/own/step",
            [890, 1276, 1276, 4428, 127, 613, 934, 217],
            [19_662, 32_567, 29_401, 0, 8715, 192_043, 19_745, 274_572],
        ),
        (
            "home/opp/step",
            [890, 890, 1276, 3683, 121, 613, 934, 217],
            [19_662, 23_813, 29_401, 0, 8348, 192_043, 19_745, 274_572],
        ),
        (
            "home/opp/turn",
            [1030, 1030, 1276, 3771, 124, 613, 994, 217],
            [22_697, 27_350, 29_401, 0, 8541, 192_043, 21_005, 0],
        ),
        (
            "home/ring/step",
            [890, 890, 1276, 3683, 121, 469, 934, 217],
            [19_662, 23_813, 29_401, 0, 8348, 146_878, 19_745, 0],
        ),
        (
            "home/own/step",
            [890, 890, 1276, 3683, 127, 469, 934, 217],
            [19_662, 23_813, 29_401, 0, 8715, 146_878, 19_745, 0],
        ),
        (
            "none/opp/step",
            [1276, 1276, 1276, 4675, 127, 613, 1171, 219],
            [27_863, 32_567, 29_401, 0, 8715, 194_191, 24_722, 0],
        ),
        ("ahead/ring/step", [890, 1276, 1276, 4428, 121, 613, 934, 217], [0; 8]),
    ];
    for (options, first, second) in table {
        let mut names = options.split('/');
        let mut name = || names.next().unwrap();
        let rules = rules(&format!("long,block={},block_path={},block_when={}", name(), name(), name()));
        for (i, position) in block_positions().into_iter().enumerate() {
            assert_eq!(perft(position, &rules, 1), first[i], "{options} position {i}");
            // 0 = not in the published table.
            if second[i] > 0 {
                assert_eq!(perft(position, &rules, 2), second[i], "{options} position {i}, depth 2");
            }
        }
    }
}

#[test]
fn block_positions_roll_by_roll() {
    let boards = block_positions();
    for (board, counts) in [
        (boards[0], [39, 20, 93, 21, 27, 105, 22, 27, 28, 88, 22, 28, 27, 27, 72, 24, 30, 30, 30, 29, 101]),
        (boards[6], [53, 22, 110, 25, 31, 143, 21, 26, 29, 74, 25, 30, 34, 29, 102, 22, 25, 29, 25, 29, 50]),
        (boards[7], [47, 23, 21, 19, 15, 5, 14, 13, 10, 1, 11, 9, 7, 5, 1, 5, 4, 3, 2, 1, 1]),
    ] {
        assert_eq!(divide(board, &Rules::LONG, 1), counts);
    }
}

#[test]
fn bearing_off_under_every_option() {
    let side = [(6, 3), (5, 3), (4, 3), (3, 2), (2, 2), (1, 2)];
    let board = position(&side, &side);
    for (options, counts) in [
        ("long", [374, 139_876]),
        ("short", [374, 139_876]),
        ("long,overshoot=any", [378, 142_884]),
        ("short,overshoot=any", [378, 142_884]),
        ("long,must_off=true", [50, 2500]),
    ] {
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(board, &rules(options), depth), count, "{options} depth {depth}");
        }
    }
}

#[test]
fn a_checker_on_the_bar_in_short_nardy() {
    let board = position(&[(25, 1), (13, 4), (8, 3), (6, 5), (4, 2)], &[(24, 1), (13, 5), (8, 3), (6, 4), (5, 2)]);
    assert_eq!(perft(board, &Rules::SHORT, 1), 182);
    assert_eq!(perft(board, &Rules::SHORT, 2), 99_625);
}

#[test]
fn a_finished_game_has_no_continuation() {
    let over = position(&[(0, 15)], &[(3, 1)]);
    assert_eq!((perft(over, &Rules::SHORT, 0), perft(over, &Rules::SHORT, 1)), (1, 0));
}
