//! The program itself.

use crate::fixture::TempDir;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn bot(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nardy-bot"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Sends everything at once, closes the pipe and waits for the end.
fn converse(args: &[&str], input: Vec<u8>) -> Output {
    let mut child = bot(args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

fn said(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(String::from).collect()
}

struct Talk {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Talk {
    fn new(args: &[&str]) -> Talk {
        let mut child = bot(args).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Talk { child, stdin, stdout }
    }

    fn send(&mut self, text: &str) {
        writeln!(self.stdin, "{text}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().into()
    }

    fn read_until(&mut self, wanted: &str) -> String {
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "the bot ended before it said {wanted}");
            if line.starts_with(wanted) {
                return line;
            }
        }
    }
}

#[test]
fn it_answers_isready_stop_and_quit_while_it_takes_its_time() {
    // A pace of a minute is far longer than the test may last.
    let start = Instant::now();
    let mut talk = Talk::new(&["--set", "engine.pace=60000"]);
    for line in ["position start", "dice 3 1", "go", "isready"] {
        talk.send(line);
    }
    assert_eq!(talk.line(), "readyok");
    talk.send("stop");
    talk.read_until("bestmove ");
    // A stop in the queue behind a question ends it before it has begun.
    for line in ["go", "go", "stop"] {
        talk.send(line);
    }
    talk.read_until("bestmove ");
    talk.read_until("bestmove ");
    talk.send("go");
    talk.send("quit");
    assert!(talk.child.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(55));
}

/// A bot that is told to stop when it has just begun with the last of the lines, and when that was.
fn stopped_soon(lines: [&str; 3]) -> (Talk, Instant) {
    let mut talk = Talk::new(&[]);
    for line in lines {
        talk.send(line);
    }
    std::thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    talk.send("stop");
    (talk, start)
}

#[test]
fn a_search_ends_when_it_is_told_to_with_the_best_play_so_far() {
    // The roll with the most plays known; three plies of a quarter of a million replies each.
    let (mut talk, start) = stopped_soon(["position gnubgid AACAkCRJqqoAAA", "dice 1 1", "go depth 3"]);
    talk.read_until("bestmove ");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    talk.send("go movetime 50");
    talk.read_until("bestmove ");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_rollout_ends_when_it_is_told_to_with_what_is_known() {
    let (mut talk, start) = stopped_soon(["position start", "dice 3 1", "hint 2 rollout 1000000"]);
    assert_eq!(talk.line(), "hints 2 of 16");
    talk.read_until("hint 2 ");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    // Stopped before it has begun, it is a plain hint.
    for line in ["hint 1 rollout 1000000", "hint 1 rollout 1000000", "stop"] {
        talk.send(line);
    }
    talk.read_until("hint 1 ");
    let last = talk.read_until("hint 1 ");
    assert!(!last.contains(" trials ") && last.contains(" move "), "{last}");
    talk.send("quit");
    assert!(talk.child.wait().unwrap().success());
}

#[test]
fn a_hundred_thousand_commands_at_once_are_all_answered_in_order() {
    let input = "dice 3 1\nget analysis.lines\nisready\n".repeat(33_334).into_bytes();
    let output = converse(&[], input);
    assert!(output.status.success());
    let lines = said(&output);
    assert_eq!(lines.len(), 2 * 33_334);
    let expected = ["value analysis.lines 1", "readyok"];
    assert!(lines.iter().enumerate().all(|(i, line)| line == expected[i % 2]));
}

#[test]
fn strange_bytes_are_answered_with_errors_and_what_follows_is_served() {
    let mut input = vec![b'x'; 10 << 20];
    input.extend(b"\n\xff\xfe\xfd\n\0\0\0\nisready\0\r\nno such word\nposition gnubgid ????\nstate\ndice 3");
    let output = converse(&[], input);
    assert!(output.status.success());
    let lines = said(&output);
    let starts = [
        "error bad_argument the line is longer",
        "error bad_argument the line is not UTF-8",
        "readyok",
        "error unknown_command",
        "error bad_argument",
        "state variant short turn white dice -",
        "error bad_argument",
    ];
    assert_eq!(lines.len(), starts.len(), "{lines:?}");
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{lines:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let mut child = bot(&[]).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // The write fails as soon as the bot has noticed and is gone.
    while stdin.write_all(b"isready\n").is_ok() {}
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(stderr, "");
}

#[test]
fn wrong_arguments_are_told_on_standard_error() {
    for (args, expected) in [
        (["--model", "no/such/file"], "no/such/file"),
        (["--level", "grandmaster"], "unknown level"),
        (["--set", "engine.ply=99"], "engine.ply"),
    ] {
        let output = converse(&args, Vec::new());
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{output:?}");
    }
}

#[test]
fn the_log_has_both_sides_of_the_conversation() {
    let directory = TempDir::new("log");
    let path = directory.0.join("bot.log");
    converse(&["--log", path.to_str().unwrap()], b"isready\nfoo\n".to_vec());
    let log = std::fs::read_to_string(path).unwrap();
    for line in ["> isready", "< readyok", "> foo", "< error unknown_command"] {
        assert!(log.lines().any(|logged| logged.starts_with(line)), "{log}");
    }
}

#[test]
fn the_external_player_answers_one_request_after_the_other() {
    let mut child = bot(&["gnubg", "--listen", "127.0.0.1:0", "--once"]).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let address = first.trim().strip_prefix("listening on ").unwrap().to_string();
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut ask = |request: &str| {
        (&stream).write_all(format!("{request}\n\0").as_bytes()).unwrap();
        let mut reply = String::new();
        reader.read_line(&mut reply).unwrap();
        reply.trim_end().to_string()
    };
    let play = "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:1:1:0:-1:5:2:5:2:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    let reply = ask(play);
    assert!(reply.split(' ').count() == 2 && reply.contains('/'), "{reply}");
    assert!(ask("board:x").starts_with("Error: "));
    assert_eq!(ask(play), reply);
    drop(stream);
    drop(reader);
    assert!(child.wait().unwrap().success());
}
