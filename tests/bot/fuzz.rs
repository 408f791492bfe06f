//! Random and damaged lines: an answer in good form to each, and never a panic or an impossible state.

use crate::fixture::session;
use crate::transcripts::{all, unescape};
use nardy::protocol::{ErrorCode, Session};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Lines to damage: everything sent in the transcripts.
fn seeds() -> Vec<Vec<u8>> {
    all()
        .iter()
        .flat_map(|(_, _, text)| {
            text.lines().filter_map(|line| line.strip_prefix("> ")).map(unescape).collect::<Vec<_>>()
        })
        .filter(|line| !line.starts_with(b"quit"))
        .collect()
}

fn pick<'a>(rng: &mut impl Rng, lines: &'a [Vec<u8>]) -> &'a [u8] {
    &lines[rng.random_range(0..lines.len())]
}

/// A line as it stands, damaged, of words of several, or of random bytes.
fn line(rng: &mut impl Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut line = pick(rng, seeds).to_vec();
    match rng.random_range(0..10) {
        0..=3 => return line,
        4 => return (0..rng.random_range(0..60)).map(|_| rng.random()).collect(),
        5 => {
            let other = pick(rng, seeds).to_vec();
            let words: Vec<&[u8]> = line.split(|&b| b == b' ').chain(other.split(|&b| b == b' ')).collect();
            let chosen: Vec<&[u8]> =
                (0..rng.random_range(1..6)).map(|_| words[rng.random_range(0..words.len())]).collect();
            return chosen.join(&b' ');
        }
        _ => {}
    }
    for _ in 0..rng.random_range(1..4) {
        if line.is_empty() {
            break;
        }
        let at = rng.random_range(0..line.len());
        match rng.random_range(0..5) {
            0 => line[at] = rng.random(),
            1 => line[at] = b"0123456789-/:| abcxXoO*,"[rng.random_range(0..24)],
            2 => drop(line.remove(at)),
            3 => line.truncate(at),
            _ => line.insert(at, line[at]),
        }
    }
    line
}

fn check(session: &mut Session, line: &[u8]) {
    let reply = session.handle(line);
    for answer in &reply.lines {
        assert!(!answer.contains(['\n', '\r', '\0']), "{answer:?}");
        if let Some(code) = answer.strip_prefix("error ") {
            assert!(ErrorCode::ALL.iter().any(|known| code.starts_with(known.as_str())), "{answer:?}");
            assert_eq!(reply.lines.len(), 1, "an error is the whole answer");
        }
    }
    session.table().position().validate(session.settings().rules.game).unwrap();
}

/// What is on the table is what comes back from its own saved text.
fn check_saved(session: &mut Session) {
    let state = session.handle(b"state").lines;
    let saved = session.handle(b"save").lines.remove(0);
    let json = saved.strip_prefix("saved ").unwrap_or_else(|| panic!("{saved}"));
    let mut other = crate::fixture::session();
    assert_eq!(other.handle(format!("resume {json}").as_bytes()).lines, state, "{json}");
}

fn feed(count: usize, seed: u64) {
    let (seeds, mut rng) = (seeds(), ChaCha8Rng::seed_from_u64(seed));
    let mut session = session();
    for i in 0..count {
        let line = line(&mut rng, &seeds);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            check(&mut session, &line);
            if i % 1000 == 0 {
                check_saved(&mut session);
            }
        }));
        assert!(outcome.is_ok(), "line {i} of seed {seed}: {:?}", String::from_utf8_lossy(&line));
        // A clean table now and then, lest one strange option decide everything that follows.
        if i % 500 == 499 {
            session = crate::fixture::session();
        }
    }
    println!("{count} lines, no panic");
}

#[test]
fn thousands_of_damaged_lines_leave_the_session_sound() {
    feed(20_000, 1);
}

/// `cargo test --release --no-default-features --test bot a_million -- --ignored --nocapture`.
#[test]
#[ignore = "a million lines take minutes"]
fn a_million_damaged_lines_leave_the_session_sound() {
    feed(1_000_000, 2);
}
