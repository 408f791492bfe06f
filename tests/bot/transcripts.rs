//! Conversations, word for word: `> sent`, `< expected`, `# remark`. `\xNN` in a sent line is a byte. With the variable
//! `UPDATE` set to 1, the files and docs/protocol.md are rewritten to what is answered.

use crate::fixture::{SEED, TempDir, repository, session};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Name and text of each transcript, in the order of their names.
pub fn all() -> Vec<(String, PathBuf, String)> {
    let mut found: Vec<_> = std::fs::read_dir(repository("tests/data/transcripts"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            (name, path, text)
        })
        .collect();
    found.sort();
    found
}

/// The bytes of a sent line.
pub fn unescape(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        let (byte, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(byte, 16).unwrap());
        bytes.extend(rest.as_bytes());
    }
    bytes
}

fn sent(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix('>')).map(|line| line.strip_prefix(' ').unwrap_or(line))
}

fn replayed(text: &str) -> String {
    let mut session = session();
    let mut answered = String::new();
    for line in text.lines().filter(|line| !line.starts_with('<')) {
        answered += line;
        answered.push('\n');
        if let Some(sent) = line.strip_prefix('>') {
            let reply = session.handle(&unescape(sent.strip_prefix(' ').unwrap_or(sent)));
            for line in reply.lines {
                answered += format!("< {line}").trim_end();
                answered.push('\n');
            }
        }
    }
    answered
}

fn updating() -> bool {
    std::env::var("UPDATE").is_ok_and(|value| value == "1")
}

#[test]
fn every_transcript_is_answered_word_for_word() {
    let transcripts = all();
    assert!(transcripts.len() >= 8, "transcripts are missing: {}", transcripts.len());
    for (name, path, text) in transcripts {
        let answered = replayed(&text);
        if updating() {
            std::fs::write(path, answered).unwrap();
        } else {
            assert_eq!(answered, text, "transcript {name}; it was answered:\n{answered}");
        }
    }
}

#[test]
fn the_protocol_document_shows_every_transcript() {
    let path = repository("docs/protocol.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let mut updated = document.clone();
    for (name, _, text) in all() {
        let text = if updating() { replayed(&text) } else { text };
        let head = format!("<!-- transcript {name} -->\n```text\n");
        let start = updated.find(&head).unwrap_or_else(|| panic!("docs/protocol.md does not show {name}")) + head.len();
        let end = start + updated[start..].find("```\n").unwrap();
        updated.replace_range(start..end, &text);
    }
    if updating() {
        std::fs::write(path, updated).unwrap();
    } else {
        assert_eq!(document, updated, "docs/protocol.md shows other transcripts than tests/data/transcripts has");
    }
}

/// Times differ from run to run.
fn without_times(text: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(String::from).collect();
    for i in 1..words.len() {
        if words[i - 1] == "time" && words[i].parse::<u64>().is_ok() {
            words[i] = "0".into();
        }
    }
    words.join(" ")
}

#[test]
fn the_program_answers_the_transcripts_as_the_session_does() {
    let directory = TempDir::new("transcripts");
    for (name, _, text) in all() {
        let mut bot = Command::new(env!("CARGO_BIN_EXE_nardy-bot"))
            .args(directory.model_args())
            .args(["--seed", &SEED.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = Vec::new();
        // All is sent at once, so these two would end the search of every question before them.
        for line in sent(&text).filter(|line| !matches!(*line, "stop" | "quit")) {
            input.extend(unescape(line));
            input.push(b'\n');
        }
        bot.stdin.take().unwrap().write_all(&input).unwrap();
        let output = bot.wait_with_output().unwrap();
        assert!(output.status.success(), "{name}");
        let said = without_times(&String::from_utf8(output.stdout).unwrap());
        let said: Vec<&str> = said.lines().map(str::trim_end).collect();
        let expected: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix('<')).map(|line| line.trim_start_matches(' ')).collect();
        // Drawn boards begin with blanks, which both sides lose here.
        let said: Vec<&str> = said.into_iter().map(|line| line.trim_start_matches(' ')).collect();
        assert_eq!(said, expected, "transcript {name}");
    }
}
