use std::io::Read;
use std::process::{Command, Output, Stdio};

fn nardy(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nardy"));
    command.args(args);
    command
}

fn output(args: &[&str]) -> Output {
    nardy(args).output().unwrap()
}

/// Standard output of a command that must succeed.
fn stdout(args: &[&str]) -> String {
    let output = output(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Exit code and standard error of a command that must fail without output.
fn failure(args: &[&str]) -> (i32, String) {
    let output = output(args);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{args:?}");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn perft_prints_its_number_alone_on_the_last_line() {
    let last = |args: &[&str]| stdout(args).lines().last().unwrap().to_string();
    assert_eq!(last(&["perft", "--rules", "long", "--depth", "3"]), "35387");
    assert_eq!(last(&["perft", "--rules", "short", "--depth", "2"]), "202782");
    assert_eq!(last(&["perft", "--rules", "long,head=none", "--depth", "2"]), "441");
    assert_eq!(last(&["perft", "--depth", "0"]), "1");
    let bar = "own bar:1 13:4 8:3 6:5 4:2 | opp 24:1 13:5 8:3 6:4 5:2";
    assert_eq!(last(&["perft", "--rules", "short", "--depth", "1", bar]), "182");
}

#[test]
fn divide_prints_a_line_for_each_roll_and_their_sum() {
    let text = stdout(&["divide", "--rules", "short", "--depth", "1"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 23);
    assert_eq!((lines[4], lines[22]), ("3-1  16", "447"));
    let counts = lines[1..22].iter().map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap());
    assert_eq!(counts.sum::<u64>(), 447);
}

#[test]
fn every_format_of_a_position_is_recognised() {
    let by_literal = stdout(&["show", "--rules", "short", "own 24:2 13:5 8:3 6:5 | opp 24:2 13:5 8:3 6:5"]);
    for text in ["start", "4HPwATDgc/ABMA", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"] {
        assert_eq!(stdout(&["show", "--rules", "short", text]), by_literal, "{text}");
    }
    let board = "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:1:1:0:-1:5:2:5:2:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    let shown = stdout(&["show", "--rules", "short", board]);
    assert!(shown.contains("  to play 5-2\n"), "{shown}");
    assert!(shown.contains("position  own 24:2 13:5 8:3 6:5 | opp 24:1 23:1 13:4 11:1 8:3 6:5\n"), "{shown}");
}

#[test]
fn show_draws_either_view_in_ascii_and_unicode() {
    let position = "own 24:10 18:5 | opp 24:14 9:1";
    let own = stdout(&["show", position]);
    assert!(own.contains('○') && own.contains('●') && own.contains("13 14 15"), "{own}");
    let ascii = stdout(&["show", "--ascii", position]);
    assert!(ascii.is_ascii(), "{ascii}");
    let opponent = stdout(&["show", "--ascii", "--view", "opp", "--numbers", "board", position]);
    assert!(opponent.contains("  1  2  3  4  5  6    7  8  9 10 11 12\n"), "{opponent}");
}

#[test]
fn legal_lists_the_plays_in_own_or_board_numbers() {
    assert_eq!(stdout(&["legal", "start", "66"]), "24/18(2)\n1 legal play with 6-6\n");
    let black = stdout(&["legal", "start", "6-6", "--numbers", "board", "--black"]);
    assert_eq!(black, "12/6(2)\n1 legal play with 6-6\n");
    // The dice may come with the position.
    let xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10";
    assert!(stdout(&["legal", "--rules", "short", xgid]).ends_with("16 legal plays with 3-1\n"));
    let dance = "own bar:1 3:14 | opp 6:3 5:3 4:3 3:2 2:2 1:2";
    assert_eq!(stdout(&["legal", "--rules", "short", dance, "52"]), "pass\n1 legal play with 5-2\n");
}

#[test]
fn legal_prints_json_that_holds_the_resulting_positions() {
    let text = stdout(&["legal", "--json", "--rules", "long,head=none", "start", "65"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["rules"], &json["roll"]), (&"long,head=none".into(), &serde_json::json!([6, 5])));
    let plays = json["plays"].as_array().unwrap();
    assert_eq!(plays.len(), 1);
    assert_eq!((&plays[0]["play"], &plays[0]["steps"]), (&"24/13".into(), &"24/18 18/13".into()));
    let own = plays[0]["own"].as_array().unwrap();
    assert_eq!((own[13].as_u64(), own[24].as_u64(), own.len()), (Some(1), Some(14), 26));
    let result = stdout(&["show", plays[0]["gnu_id"].as_str().unwrap()]);
    assert!(result.contains("own 24:14 13:1 | opp 24:15"), "{result}");
}

#[test]
fn rules_lists_the_sets_and_every_option_of_one() {
    let all = stdout(&["rules"]);
    for preset in nardy::rules::PRESETS {
        assert!(all.lines().any(|line| line.split_whitespace().next() == Some(preset.name)), "{all}");
    }
    let site = stdout(&["rules", "long-site"]);
    assert!(site.contains("* head=needed_any ") && site.contains("  block_when=step ") && !site.contains("max_point"));
    let short = stdout(&["rules", "short,max_point=5"]);
    assert!(short.contains("* max_point=5 ") && !short.contains("block"), "{short}");
}

#[test]
fn verify_counts_the_positions_of_a_file_of_test_vectors() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/conformance/long-fsg.jsonl.gz");
    let text = stdout(&["verify", file]);
    assert!(
        text.contains("rules long,head=needed_doubles,block=none, 203 positions")
            && text.ends_with(" checked, 0 mismatches\n"),
        "{text}"
    );
    let (code, message) = failure(&["verify", "no-such-file.jsonl"]);
    assert!(code == 1 && message.starts_with("error: no-such-file.jsonl: "), "{message}");
}

#[test]
fn errors_go_to_standard_error_with_exit_code_one() {
    for (args, reason) in [
        (&["show", "own 24:15 | opp 12:15"][..], "own point 24 holds checkers of both sides (opponent's point 12)"),
        (&["show", "4HPwATDgc/ABM"], "expected 14 characters, found 13"),
        (&["legal", "start"], "which roll?"),
        (&["legal", "own off:15 | opp 1:1", "31"], "the game is over in this position"),
        (&["divide", "--depth", "0"], "the depth must be at least 1"),
    ] {
        let (code, message) = failure(args);
        assert_eq!(code, 1, "{args:?}: {message}");
        assert!(message.starts_with("error: ") && message.contains(reason), "{message}");
    }
}

#[test]
fn wrong_arguments_give_exit_code_two() {
    for (args, reason) in [
        (&["show"][..], "<POSITION>"),
        (&["legal", "start", "77"], "expected two dice from 1 to 6"),
        (&["perft", "--rules", "lang", "--depth", "1"], "expected one of long, long-fsg"),
        (&["perft", "--rules", "short,head=none,block=home", "--depth", "1"], "short nardy has no option block"),
        (&["perft", "--depth", "99"], "99 is not in 0..=20"),
        (&["castle"], "unrecognized subcommand"),
    ] {
        let (code, message) = failure(args);
        assert_eq!(code, 2, "{args:?}: {message}");
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    // 2,220 plays as JSON are more than a pipe holds, so the writer meets the closed end.
    let mut child = nardy(&["legal", "--json", "--rules", "short", "AACAkCRJqqoAAA", "11"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success(), "{:?}", output.status);
}
