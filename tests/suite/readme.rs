//! Runs the commands that README.md shows and compares what they print.

use std::process::Command;

const README: &str = include_str!("../../README.md");

/// A line of this alone stands for any number of lines.
const ANYTHING: &str = "…";

/// `(arguments, expected output)` of every `$ nardy …` line in a `console` block.
fn shown() -> Vec<(Vec<String>, Vec<&'static str>)> {
    let blocks = README.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap());
    let mut all = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match line.strip_prefix("$ nardy ") {
            Some(arguments) => all.push((words(arguments), Vec::new())),
            None => all.last_mut().expect("a block starts with a command").1.push(line),
        }
    }
    all
}

/// Splits at spaces outside single quotes, as a shell does.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for c in text.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    assert!(!quoted, "an open quote in {text}");
    words
}

fn matches(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&ANYTHING, rest)) => (0..=found.len()).any(|skipped| matches(rest, &found[skipped..])),
        Some((line, rest)) => found.first() == Some(line) && matches(rest, &found[1..]),
    }
}

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let commands = shown();
    assert!(commands.len() >= 6, "only {} commands were found", commands.len());
    for (arguments, expected) in commands {
        let run = Command::new(env!("CARGO_BIN_EXE_nardy"))
            .args(&arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let found = String::from_utf8(run.stdout).unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "nardy {arguments:?} failed:\n{errors}");
        assert!(matches(&expected, &found.lines().collect::<Vec<_>>()), "nardy {arguments:?} printed\n{found}");
    }
}

#[test]
fn other_output_than_shown_is_noticed() {
    for (line, wrong) in [("a\n…\nc", "a\nb\nd"), ("a\nb", "a"), ("a", "a\nb"), ("…\nx", "")] {
        assert!(!matches(&line.lines().collect::<Vec<_>>(), &wrong.lines().collect::<Vec<_>>()), "{line} {wrong}");
    }
}
