use nardy::movegen::verify::{VerifyError, verify_file, verify_lines};
use std::error::Error;
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/conformance")
}

#[test]
fn every_test_vector_agrees_with_the_generator() {
    for (name, positions) in [
        ("long-blocks", 290),
        ("long-fsg", 203),
        ("long-play", 559),
        ("long-random", 392),
        ("long-site", 146),
        ("long-turn", 144),
        ("short-max5", 146),
        ("short-play", 9308),
        ("short-random", 390),
    ] {
        let report = verify_file(&directory().join(format!("{name}.jsonl.gz"))).unwrap();
        assert_eq!(report.positions, positions, "{name}");
        let texts: Vec<String> = report.mismatches.iter().map(|m| m.to_string()).collect();
        assert!(texts.is_empty(), "{name}: {}", texts.join("\n"));
    }
}

const OPTIONS: &str = r#"{"options":{"game":"long","head":"official"}}"#;

/// The answer to 2-1 from the start of long nardy, as a line.
fn opening_line(head: u8, results: &[(u8, u8)]) -> String {
    let side = |points: &[(usize, u8)]| {
        let mut counts = [0u8; 26];
        points.iter().for_each(|&(point, n)| counts[point] += n);
        format!("{counts:?}")
    };
    let start = side(&[(24, 15)]);
    let results: Vec<String> = results
        .iter()
        .map(|&(left, to)| format!("[{},{start}]", side(&[(24, left), (usize::from(to), 15 - left)])))
        .collect();
    format!(r#"{{"mine":{},"opp":{start},"dice":[2,1],"results":[{}]}}"#, side(&[(24, head)]), results.join(","))
}

#[test]
fn missing_and_extra_results_are_reported_with_their_line() {
    let right = opening_line(15, &[(14, 21)]);
    let wrong = opening_line(15, &[(14, 20)]);
    let report = verify_lines(format!("{OPTIONS}\n{right}\n\n{wrong}\n").as_bytes()).unwrap();
    assert_eq!((report.positions, report.mismatches.len()), (2, 1));
    let mismatch = &report.mismatches[0];
    assert_eq!((mismatch.line, mismatch.missing.len(), mismatch.extra.len()), (4, 1, 1));
    let text = mismatch.to_string();
    assert!(text.contains("line 4") && text.contains("missing") && text.contains("extra"), "{text}");
}

/// The error and its causes in one text.
fn refusal(text: &[u8]) -> String {
    let error = verify_lines(text).expect_err(&String::from_utf8_lossy(text));
    let mut whole = error.to_string();
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(error) = cause {
        whole += &format!(": {error}");
        cause = error.source();
    }
    whole
}

#[test]
fn damaged_files_are_refused_saying_where_and_why() {
    let right = opening_line(15, &[(14, 21)]);
    let with = |line: &str| format!("{OPTIONS}\n{right}\n{line}\n");
    for (text, expected) in [
        (String::new(), "no line of options"),
        (format!("{OPTIONS}\n"), "no positions"),
        ("{}\n".into(), "line 1: expected a line of options"),
        (r#"{"options":{}}"#.into(), "line 1: expected the option game to be long or short, found nothing"),
        (r#"{"options":{"game":"chess"}}"#.into(), "found chess"),
        (r#"{"options":{"game":"long","tail":1}}"#.into(), "unknown rule option \"tail\""),
        (r#"{"options":{"game":"long","head":"two"}}"#.into(), "rule option head can't be \"two\""),
        (r#"{"options":{"game":"long","max_point":5}}"#.into(), "long nardy has no option max_point"),
        (with("{"), "line 3: expected a position with the fields"),
        (with(r#"{"mine":[1,2]}"#), "line 3"),
        (
            with(&opening_line(14, &[(14, 21)])),
            "line 3: impossible position: own must have 15 checkers in all, found 14",
        ),
        (with(&right.replace("[2,1]", "[7,1]")), "line 3: expected two dice from 1 to 6, found 7 and 1"),
        (with(&right.replace("[2,1]", "[2]")), "line 3"),
        (with(&opening_line(15, &[(14, 12)])), "line 3: impossible result: own point 12 holds checkers of both sides"),
        (with(&opening_line(15, &[(14, 21), (14, 21)])), "line 3: expected distinct results"),
        (with(&right.replacen('{', r#"{"game":"short","#, 1)), "line 3: expected the game of line 1, found short"),
    ] {
        let refusal = refusal(text.as_bytes());
        assert!(refusal.contains(expected), "{refusal:?} should contain {expected:?}");
    }
    assert!(refusal(&[OPTIONS.as_bytes(), b"\n\xFF\xFE\n"].concat()).contains("line 2: can't be read"));
}

#[test]
fn a_file_cut_off_or_missing_is_refused() {
    let whole = std::fs::read(directory().join("long-play.jsonl.gz")).unwrap();
    let cut = std::env::temp_dir().join(format!("nardy-cut-{}.jsonl.gz", std::process::id()));
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let result = verify_file(&cut);
    std::fs::remove_file(&cut).unwrap();
    assert!(matches!(result, Err(VerifyError::Read { line, .. }) if line > 1), "{result:?}");
    assert!(matches!(verify_file(Path::new("no such file")), Err(VerifyError::Open(_))));
}
