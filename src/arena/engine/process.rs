//! A child process whose output is read by a thread of its own, so that waiting for a line always ends.

use crate::arena::fault::FaultKind;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longest line that is read, in bytes.
const LONGEST_LINE: usize = 1 << 16;
/// Lines read ahead; a program that floods its output waits until they are taken.
const QUEUE: usize = 1024;
/// How often a waiting thread looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(50);
/// How long a program whose output ended may take to end itself.
const LAST_BREATH: Duration = Duration::from_millis(1000);
/// Bytes kept of what a program writes to its standard error.
const TAIL: usize = 600;

/// What came next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// A line without its end.
    Line(String),
    /// A line above [`LONGEST_LINE`]; nothing after it is read.
    TooLong,
    /// The output has ended.
    Closed,
    /// Nothing in time.
    TimedOut,
    /// The tournament is being stopped.
    Interrupted,
}

/// Lines from a reader, each with a deadline.
#[derive(Debug)]
pub(super) struct Lines(Receiver<Incoming>);

impl Lines {
    /// Reads from now on, in a thread that ends with the source or when nobody listens any more.
    pub(super) fn of(source: impl Read + Send + 'static) -> Lines {
        let (sender, receiver) = sync_channel(QUEUE);
        std::thread::spawn(move || read_lines(source, &sender));
        Lines(receiver)
    }

    /// The next line, waited for until a moment.
    pub(super) fn next(&self, until: Instant, stop: &AtomicBool) -> Incoming {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Incoming::Interrupted;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.0.recv_timeout(left.min(GLANCE)) {
                Ok(incoming) => return incoming,
                Err(RecvTimeoutError::Disconnected) => return Incoming::Closed,
                Err(RecvTimeoutError::Timeout) if left <= GLANCE => return Incoming::TimedOut,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn read_lines(source: impl Read, sender: &SyncSender<Incoming>) {
    let mut reader = BufReader::new(source);
    loop {
        let mut line = Vec::new();
        let read = (&mut reader).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line);
        let incoming = match read {
            Ok(0) | Err(_) => Incoming::Closed,
            Ok(n) if n > LONGEST_LINE => Incoming::TooLong,
            Ok(_) => Incoming::Line(String::from_utf8_lossy(&line).trim_matches(['\r', '\n', '\0']).to_string()),
        };
        let last = !matches!(incoming, Incoming::Line(_));
        if sender.send(incoming).is_err() || last {
            return;
        }
    }
}

/// A running program.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    pub(super) lines: Lines,
    errors: Arc<Mutex<Vec<u8>>>,
    error_reader: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a program with its arguments.
    pub(super) fn start(command: &[String]) -> io::Result<Process> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no command"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is meant for the tournament, which ends its engines itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let errors: Arc<Mutex<Vec<u8>>> = Arc::default();
        let kept = Arc::clone(&errors);
        let error_reader = child.stderr.take().map(|stderr| std::thread::spawn(move || keep_tail(stderr, &kept)));
        let missing = || io::Error::other("the program has no output to read");
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stdin = child.stdin.take();
        Ok(Process { child, stdin, lines: Lines::of(stdout), errors, error_reader })
    }

    /// Sends text as it is.
    pub(super) fn send(&mut self, text: &str) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(text.as_bytes())?;
        stdin.flush()
    }

    /// Whether the program, whose pipe is broken, has ended or still runs, in words.
    pub(super) fn post_mortem(&mut self) -> (FaultKind, String) {
        let until = Instant::now() + LAST_BREATH;
        let pause = || std::thread::sleep(Duration::from_millis(5));
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    // What it wrote last may not have been read yet.
                    let reading = |reader: &JoinHandle<()>| !reader.is_finished();
                    while self.error_reader.as_ref().is_some_and(reading) && Instant::now() < until {
                        pause();
                    }
                    return (FaultKind::Crash, format!("the program ended with {status}"));
                }
                Ok(None) if Instant::now() < until => pause(),
                _ => return (FaultKind::ClosedPipe, "the program runs on, but its pipe is closed".into()),
            }
        }
    }

    /// The last that the program wrote to its standard error, as an addition to a message.
    pub(super) fn last_words(&self) -> String {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&errors).trim().to_string();
        if text.is_empty() { text } else { format!("; it wrote to standard error: {text}") }
    }

    /// Asks the program to end and gives it a moment.
    pub(super) fn quit(&mut self, farewell: &str) {
        let _ = self.send(farewell);
        self.stdin = None;
        let until = Instant::now() + LAST_BREATH;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Only this child, by its handle; an error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads to the end and keeps the last bytes.
fn keep_tail(mut source: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(n @ 1..) = source.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..n]);
        let excess = kept.len().saturating_sub(TAIL);
        kept.drain(..excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_the_end_is_told() {
        let stop = AtomicBool::new(false);
        let soon = || Instant::now() + Duration::from_secs(20);
        let lines = Lines::of(&b"one\r\ntwo\0\n\xff\nlast"[..]);
        for expected in ["one", "two", "\u{fffd}", "last"] {
            assert_eq!(lines.next(soon(), &stop), Incoming::Line(expected.into()));
        }
        assert_eq!(lines.next(soon(), &stop), Incoming::Closed);
        let endless = Lines::of(io::repeat(b'x'));
        assert_eq!(endless.next(soon(), &stop), Incoming::TooLong);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(endless.next(soon(), &stop), Incoming::Interrupted);
    }
}
