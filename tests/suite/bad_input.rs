//! Wrong texts, each with the whole message it must give.

use nardy::notation::parse_play;
use nardy::position::text::parse_position;
use nardy::rules::{Game, Rules};
use nardy::types::Roll;

fn check(kind: &str, rows: &[(&str, &str)], read: impl Fn(&str) -> Result<String, String>) {
    let mut wrong = Vec::new();
    for &(text, expected) in rows {
        match read(text) {
            Err(message) if message == expected => {}
            Err(message) => wrong.push(format!("{text:?}\n  expected: {expected}\n  message:  {message}")),
            Ok(value) => wrong.push(format!("{text:?} was read as {value}")),
        }
    }
    assert!(wrong.is_empty(), "{kind}:\n{}", wrong.join("\n"));
}

fn check_positions(game: Game, rows: &[(&str, &str)]) {
    check("positions", rows, |text| match parse_position(text, game) {
        Ok(parsed) => Ok(parsed.position.to_string()),
        Err(error) => Err(error.to_string()),
    });
}

/// Rows `position ; roll ; play`.
fn check_plays(rules: &str, rows: &[(&str, &str)]) {
    let rules: Rules = rules.parse().unwrap();
    check("plays", rows, |row| {
        let (position, rest) = row.split_once(" ; ").unwrap();
        let (roll, play) = rest.split_once(" ;").unwrap();
        let position = parse_position(position, rules.game).unwrap().position;
        match parse_play(play.strip_prefix(' ').unwrap_or(play), position, roll.parse().unwrap(), &rules) {
            Ok(play) => Ok(play.steps.to_string()),
            Err(error) => Err(error.to_string()),
        }
    });
}

#[test]
fn wrong_dice_are_refused() {
    check(
        "dice",
        &[
            ("", "expected two dice from 1 to 6 such as `31`, `3-1` or `3 1`, found \"\""),
            ("3", "expected two dice from 1 to 6 such as `31`, `3-1` or `3 1`, found \"3\""),
            ("07", "expected two dice from 1 to 6 such as `31`, `3-1` or `3 1`, found \"07\""),
            ("77", "expected two dice from 1 to 6 such as `31`, `3-1` or `3 1`, found \"77\""),
            ("3-1-1", "expected two dice from 1 to 6 such as `31`, `3-1` or `3 1`, found \"3-1-1\""),
            ("three one", "expected two dice from 1 to 6 such as `31`, `3-1` or `3 1`, found \"three one\""),
            ("3--1", "expected two dice from 1 to 6 such as `31`, `3-1` or `3 1`, found \"3--1\""),
        ],
        |text| text.parse::<Roll>().map(|roll| roll.to_string()).map_err(|error| error.to_string()),
    );
}

#[test]
fn wrong_rule_sets_are_refused() {
    check(
        "rules",
        &[
            (
                "",
                "unknown rule set \"\"; expected one of long, long-fsg, long-site, long-official, short, backgammon, short-fsg, short-site",
            ),
            (
                "Long",
                "unknown rule set \"Long\"; expected one of long, long-fsg, long-site, long-official, short, backgammon, short-fsg, short-site",
            ),
            (
                "nackgammon",
                "unknown rule set \"nackgammon\"; expected one of long, long-fsg, long-site, long-official, short, backgammon, short-fsg, short-site",
            ),
            ("long,head", "expected `option=value` after the rule set's name, found \"head\""),
            (
                "long,hed=none",
                "unknown rule option \"hed\"; expected one of opening, next_game, head, block, block_path, block_when, block_cap, overshoot, must_off, max_point, last_turn, score",
            ),
            (
                "long,head=never",
                "rule option head can't be \"never\"; expected one of official, az46, needed_doubles, needed_any, doubles_first, doubles_always, none",
            ),
            ("long,block_cap=5", "rule option block_cap can't be \"5\"; expected 0 (off) or a number from 6 to 23"),
            ("long,must_off=yes", "rule option must_off can't be \"yes\"; expected true or false"),
            (
                "long,score=(2,1,2,2)",
                "rule option score can't be \"(2,1,2,2)\"; expected four rising numbers from 1 to 100: (oin,home mars,mars,koks)",
            ),
            (
                "short,score=(1,2,2,2)",
                "rule option score can't be \"(1,2,2,2)\"; expected three rising numbers from 1 to 100: (oin,mars,koks)",
            ),
            ("short,max_point=15", "rule option max_point can't be \"15\"; expected 0 (off) or a number from 5 to 14"),
            ("short,block=home", "impossible rules: short nardy has no option block"),
            ("long,max_point=5", "impossible rules: long nardy has no option max_point"),
            (
                "long,block=none,block_cap=7",
                "impossible rules: block_cap limits rows, so it needs block=ahead or block=home",
            ),
        ],
        |text| text.parse::<Rules>().map(|rules| rules.to_string()).map_err(|error| error.to_string()),
    );
}

#[test]
fn wrong_literals_are_refused() {
    check_positions(
        Game::Long,
        &[
            (
                "",
                "\"\" is no position; expected `start`, a literal such as `own 24:15 | opp 24:15`, a GNU Position ID of 14 characters, an XGID (`XGID=…`) or a FIBS board (`board:…`)",
            ),
            (
                "begin",
                "\"begin\" is no position; expected `start`, a literal such as `own 24:15 | opp 24:15`, a GNU Position ID of 14 characters, an XGID (`XGID=…`) or a FIBS board (`board:…`)",
            ),
            (
                "24:15",
                "\"24:15\" is no position; expected `start`, a literal such as `own 24:15 | opp 24:15`, a GNU Position ID of 14 characters, an XGID (`XGID=…`) or a FIBS board (`board:…`)",
            ),
            (
                "own 24:15",
                "literal: column 10: expected a point (1 to 24, `bar`, `off`) or `|`, found the end of the text",
            ),
            ("own 24:15 |", "literal: column 12: expected `opp`, found the end of the text"),
            ("own 24:15 | own 24:15", "literal: column 13: expected `opp`, found \"own\""),
            ("opp 24:15 | own 24:15", "literal: column 1: expected `own`, found \"opp\""),
            ("own 24 | opp 24:15", "literal: column 7: expected one `:` after the point, found ' '"),
            (
                "own 26:1 | opp 24:15",
                "literal: column 5: expected a point (1 to 24, `bar`, `off`) or `|`, found \"26\"",
            ),
            ("own 24:16 | opp 24:15", "literal: column 8: expected a number of checkers from 0 to 15, found \"16\""),
            ("own 24:x | opp 24:15", "literal: column 8: expected a number of checkers from 0 to 15, found \"x\""),
            ("own 24::5 | opp 24:15", "literal: column 9: expected one `:` after the point, found \"5\""),
            ("own 24:9 | opp 24:15 | 3", "literal: column 22: expected a point (1 to 24, `bar`, `off`), found '|'"),
            ("own 24:8 24:7 | opp 24:15", "literal: column 10: own 24 is given twice"),
            ("own 24:9 20:7 | opp 24:15", "own must have 15 checkers in all, found 16"),
            ("own 24:9 off:5 | opp 24:15", "own must have 15 checkers in all, found 14"),
            ("own 24:9 12:6 | opp 24:15", "own point 12 holds checkers of both sides (opponent's point 24)"),
            ("own bar:1 24:14 | opp 24:15", "long nardy has no bar, found 1 checker(s) of own on it"),
            ("own 24:15 | opp bar:2 24:13", "long nardy has no bar, found 2 checker(s) of opp on it"),
        ],
    );
    check_positions(
        Game::Short,
        &[("own 24:2 1:1 | opp 24:2", "own point 1 holds checkers of both sides (opponent's point 24)")],
    );
}

#[test]
fn wrong_gnu_ids_are_refused() {
    check_positions(
        Game::Short,
        &[
            ("4HPwATDgc/ABM", "GNU Position ID: expected 14 characters, found 13"),
            ("4HPwATDgc/ABMAA", "GNU Position ID: expected 14 characters, found 15"),
            ("4HPwATDgc_ABMA", "GNU Position ID: column 10: expected a letter, a digit, `+` or `/`, found '_'"),
            (
                "4HPwATDgc/ABMB",
                "GNU Position ID: column 14: expected `A`, `Q`, `g` or `w`, since the last character holds only two bits, found 'B'",
            ),
            (
                "//////////////",
                "GNU Position ID: column 14: expected `A`, `Q`, `g` or `w`, since the last character holds only two bits, found '/'",
            ),
            ("AAAAAAAAAAAAAw", "GNU Position ID: more checkers follow after both sides' bars"),
        ],
    );
    check_positions(Game::Long, &[("AACA/w/4/wEAEA", "long nardy has no bar, found 1 checker(s) of own on it")]);
}

#[test]
fn wrong_xgids_are_refused() {
    check_positions(
        Game::Short,
        &[
            (
                "XGID=-b----E-C---eE---c-e----B:0:0:1:00:0:0:0:0:10",
                "XGID: expected 26 characters before the first colon, found 25",
            ),
            (
                "XGID=-b----E-C---eE---c-e----BB-:0:0:1:00:0:0:0:0:10",
                "XGID: expected 26 characters before the first colon, found 27",
            ),
            (
                "XGID=-b----E-C---eE---c-e-?--B-:0:0:1:00:0:0:0:0:10",
                "XGID: column 27: expected `-`, `A` to `O` or `a` to `o`, found '?'",
            ),
            (
                "XGID=-b----P-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
                "XGID: column 12: expected `-`, `A` to `O` or `a` to `o`, found 'P'",
            ),
            (
                "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0",
                "XGID: expected 9 fields after the 26 characters, found 8",
            ),
            ("XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10", "XGID: field turn must be 1 or -1, found \"0\""),
            (
                "XGID=-b----E-C---eE---c-e----B-:0:2:1:00:0:0:0:0:10",
                "XGID: field cube owner must be 0, 1 or -1, found \"2\"",
            ),
            (
                "XGID=-b----E-C---eE---c-e----B-:0:0:1:70:0:0:0:0:10",
                "XGID: field dice must be `00`, two dice such as `63`, `D`, `B` or `R`, found \"70\"",
            ),
            (
                "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:x:0:0:0:10",
                "XGID: field score 1 must be a number of points from 0 to 9999, found \"x\"",
            ),
            (
                "XGID=-b----H-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
                "the upper-case side must have 15 checkers in all, found 18",
            ),
            (
                "XGID=Ab----D-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
                "XGID: column 6: expected `-` or the lower-case side's checkers on its bar, found 'A'",
            ),
        ],
    );
    check_positions(
        Game::Long,
        &[(
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
            "an XGID holds a position of short nardy, not of long nardy",
        )],
    );
}

/// The start in GNU Backgammon's form, player 1 on roll.
const BOARD: &str = "board:a:b:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";

#[test]
fn wrong_fibs_boards_are_refused() {
    let rows = [
        (":25:0:0:0:0:0:0:0:1", ":25:0:0:0:0:0:0:0", "FIBS board: expected 52 fields after `board:`, found 51"),
        ("board:a:", "board::", "FIBS board: field name 1 must be a name, found \"\""),
        (
            ":0:-2:0:0:0:0:5:",
            ":0:-2:0:0:0:0:16:",
            "FIBS board: field board 6 must be a number from -15 to 15, found \"16\"",
        ),
        (":0:-2:0:0:0:0:5:", ":0:-2:0:0:0:0:6:", "you must have 15 checkers in all, found 16"),
        (":0:-2:0:0:0:0:5:", ":0:-2:0:0:0:0:4:", "FIBS board: 0 checkers off for you, but its points and bar leave 1"),
        (":2:0:1:0:0:0:0:1:", ":2:0:2:0:0:0:0:1:", "FIBS board: field turn must be 1, -1 or 0, found \"2\""),
        (":2:0:1:0:0:0:0:1:", ":2:0:1:7:0:0:0:1:", "FIBS board: field dice must be a number from 0 to 6, found \"7\""),
        (
            ":2:0:1:0:0:0:0:1:1:1:",
            ":2:0:1:0:0:0:0:1:1:2:",
            "FIBS board: field opponent may double must be 0 or 1, found \"2\"",
        ),
        (":1:-1:0:25:", ":1:-1:25:0:", "FIBS board: field home:bar must be 0:25 with direction -1, found \"25:0\""),
        (":1:-1:0:25:", ":0:-1:0:25:", "FIBS board: field colour must be 1 or -1, found \"0\""),
    ];
    let boards = rows.map(|(from, to, message)| {
        assert_eq!(BOARD.matches(from).count(), 1, "{from}");
        (BOARD.replace(from, to), message)
    });
    let rows: Vec<(&str, &str)> = boards.iter().map(|(board, message)| (board.as_str(), *message)).collect();
    check_positions(Game::Short, &rows);
    check_positions(Game::Long, &[(BOARD, "a FIBS board holds a position of short nardy, not of long nardy")]);
}

#[test]
fn words_that_are_no_legs_are_refused() {
    check_plays(
        "short",
        &[
            ("start ; 31 ;", "expected a play such as `24/21 24/23`, found nothing"),
            ("start ; 31 ; pass", "the roll 3-1 can be played, so passing is not allowed; one play is `24/21 24/23`"),
            ("start ; 31 ; ,", "at byte 1: expected a leg such as `13/8`, found the end of the text"),
            ("start ; 31 ; hello", "at byte 0: expected a point such as `13` or `bar`, found 'h'"),
            ("start ; 31 ; 8", "at byte 1: expected `/` or a dash after the point, found the end of the text"),
            (
                "start ; 31 ; 8/",
                "at byte 2: expected the point the checker goes to, such as `8` or `off`, found the end of the text",
            ),
            ("start ; 31 ; 8/5 6", "at byte 5: expected `/` or a dash after the point, found the end of the text"),
            ("start ; 31 ; 8/5x 6/5", "at byte 3: expected a space or the end after the leg, found 'x'"),
            ("start ; 31 ; 8/5 6:5", "at byte 5: expected `/` or a dash after the point, found ':'"),
            ("start ; 31 ; 26/25", "at byte 0: 26 is no point; expected 0 (off) to 25 (bar)"),
            ("start ; 31 ; 8/5(9)", "at byte 4: expected a number from 1 to 4 in brackets, found '9'"),
            ("start ; 31 ; 8/5(2 6/5", "at byte 5: expected `)` after the number, found ' '"),
            (
                "start ; 31 ; 5/8 6/5",
                "`5/8` goes backwards: checkers move from higher to lower points of their side's own numbering",
            ),
            ("start ; 31 ; off/3", "`off/3` starts off the board: a checker borne off never moves again"),
            ("start ; 31 ; 8/bar", "`8/bar` leads to the bar, but only a hit puts a checker there"),
            ("start ; 31 ; 6/5(3) 8/7(2)", "more than 4 legs; a roll moves at most 4 checkers"),
        ],
    );
}

#[test]
fn plays_against_the_rules_of_short_nardy_are_refused() {
    check_plays(
        "short",
        &[
            ("start ; 31 ; 7/4 6/5", "`7/4`: the mover has no checker on 7 to move"),
            ("start ; 31 ; 8/5(4)", "the dice 3-1 can't make `8/5(4)`"),
            ("start ; 31 ; 13/8", "the dice 3-1 can't make `13/8`"),
            ("start ; 31 ; 8/5 8/5", "the dice 3-1 can't make `8/5 8/5`"),
            ("start ; 51 ; 13/8 24/19", "the dice 5-1 can't make `13/8 24/19`"),
            ("start ; 51 ; 24/19 6/5", "`24/19`: 19 is blocked by the opponent"),
            (
                "start ; 31 ; 8/5",
                "`8/5` uses 1 of the dice 3-1, but 2 can be played and must be; one such play is `24/21 24/23`",
            ),
            ("start ; 31 ; 8/5* 6/5", "`8/5*` is marked as a hit, but no single enemy checker stands there"),
            ("start ; 65 ; 6/off 13/8", "`6/off`: nothing can be borne off while a checker is outside the home, on 24"),
            (
                "own bar:1 24:1 6:13 | opp 24:2 13:5 8:3 6:5 ; 31 ; 24/21 6/5",
                "`24/21`: the checker on the bar must enter first",
            ),
            ("own bar:1 6:14 | opp 6:3 5:3 4:3 3:2 2:2 1:2 ; 52 ; bar/20", "`bar/20`: 20 is blocked by the opponent"),
            (
                "own 24:2 6:13 | opp 20:1 13:14 ; 41 ; bar/21 6/5",
                "`bar/21`: the mover has no checker on the bar to move",
            ),
            (
                "own 6:2 4:1 2:12 | opp 24:2 ; 53 ; 4/off 6/3",
                "`4/off`: a 5 can't bear this checker off while there is one on 6",
            ),
            (
                "own 20:1 3:14 | opp 16:2 13:6 6:5 24:2 ; 65 ; 20/15",
                "`20/15` uses the smaller die; if either die of 6-5 can be played but not both, it must be the 6; one such play is `20/14`",
            ),
            (
                "own 24:2 6:13 | opp 5:1 13:14 ; 64 ; 24/14",
                "`24/14` can mean `24/18/14` or `24/20*/14`; name the points between or mark the hits with `*`",
            ),
        ],
    );
    check_plays(
        "short,max_point=5",
        &[("start ; 52 ; 8/6 13/8", "`8/6`: 6 has 5 checkers already, the most these rules allow")],
    );
    check_plays(
        "short,must_off=true",
        &[(
            "own 6:2 4:1 2:2 | opp 3:2 ; 64 ; 6/off 6/2",
            "`6/2`: a checker can be borne off with the 4, so these rules demand it",
        )],
    );
}

#[test]
fn plays_against_the_rules_of_long_nardy_are_refused() {
    check_plays(
        "long",
        &[
            ("start ; 65 ; 24/18 24/19", "`24/19`: the head rule lets 1 checker(s) leave 24 in this turn"),
            (
                "start ; 66 ; 24/18",
                "`24/18` uses 1 of the dice 6-6, but 2 can be played and must be; one such play is `24/18(2)`",
            ),
            ("start ; 66 ; 24/18(3)", "`24/18`: the head rule lets 2 checker(s) leave 24 in this turn"),
            ("start ; 66 ; 24/12 24/18", "`24/12`: 12 is blocked by the opponent"),
            ("start ; 31 ; bar/22 24/23", "`bar/22`: long nardy has no bar"),
            ("start ; 31 ; 24/21*/20", "`24/21*`: nothing is ever hit in long nardy"),
            (
                "own 13:4 11:2 10:2 9:2 8:2 7:3 | opp 24:15 ; 21 ; 7/6 13/11",
                "`7/6`: the block rule forbids the row 11 10 9 8 7 6",
            ),
            (
                "own 13:3 11:2 10:2 8:2 7:2 6:4 | opp 24:15 ; 41 ; 13/9/8",
                "`13/9`: the block rule forbids the row 11 10 9 8 7 6",
            ),
            (
                "own 9:1 6:14 | opp 24:1 ; 63 ; 6/off 6/3",
                "`6/off`: nothing can be borne off while a checker is outside the home, on 9",
            ),
        ],
    );
    check_plays(
        "long,block_when=turn",
        &[(
            "own 13:4 11:2 10:2 9:2 8:2 7:3 | opp 24:15 ; 21 ; 7/6 13/11",
            "`7/6 13/11`: the block rule forbids the row 11 10 9 8 7 6",
        )],
    );
}
