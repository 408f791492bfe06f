//! The line protocol on standard input and output.
//!
//! One thread reads, the main thread answers line by line. While an answer takes its time, the reader by itself handles the
//! words that can't wait: `stop` ends every question read so far, `isready` is answered, `quit` does as `stop` and ends
//! the program after the lines before it.

use crate::input::{Input, read_line};
use crate::log::Log;
use nardy::protocol::{Host, LONGEST_LINE, Reply, Session};
use std::io::{self, BufReader, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Lines read ahead at most.
const QUEUE: usize = 4096;
/// How long an answer may take before `isready` is answered in between.
const PATIENCE: Duration = Duration::from_millis(50);

/// What both threads know. Lines are numbered from 1.
pub struct Shared {
    start: Instant,
    /// Lines before this number are to be answered at once.
    stop_before: AtomicU64,
    /// The line being answered.
    current: AtomicU64,
    /// It needs the engine, so it may take long.
    thinking: AtomicBool,
    /// Lines answered.
    answered: Mutex<u64>,
    changed: Condvar,
    log: Log,
}

impl Shared {
    fn answered(&self) -> MutexGuard<'_, u64> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self, before: u64) {
        self.stop_before.store(before, Ordering::SeqCst);
        // The lock makes sure that nobody is between looking and falling asleep.
        let _guard = self.answered();
        self.changed.notify_all();
    }

    fn is_stopped(&self) -> bool {
        self.stop_before.load(Ordering::SeqCst) > self.current.load(Ordering::SeqCst)
    }

    /// Waits until line `number` has been answered; false if that takes too long.
    fn wait_for(&self, number: u64, patience: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.answered(), patience, |answered| *answered < number);
        *waited.unwrap_or_else(PoisonError::into_inner).0 >= number
    }

    fn write(&self, lines: &[String]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        for line in lines {
            self.log.line('<', line.as_bytes());
            writeln!(out, "{line}")?;
        }
        out.flush()
    }
}

/// [`Shared`] as the session sees it.
pub struct ThreadHost(pub Arc<Shared>);

impl Host for ThreadHost {
    fn stopped(&self) -> bool {
        self.0.is_stopped()
    }

    fn millis(&self) -> u64 {
        self.0.start.elapsed().as_millis() as u64
    }

    fn wait(&self, millis: u64) {
        let shared = &self.0;
        let waiting = |_: &mut u64| !shared.is_stopped();
        drop(shared.changed.wait_timeout_while(shared.answered(), Duration::from_millis(millis), waiting));
    }
}

/// What both threads will share.
pub fn shared(log: Log) -> Arc<Shared> {
    Arc::new(Shared {
        start: Instant::now(),
        stop_before: AtomicU64::new(0),
        current: AtomicU64::new(0),
        thinking: AtomicBool::new(false),
        answered: Mutex::new(0),
        changed: Condvar::new(),
        log,
    })
}

fn asks_engine(input: &Input) -> bool {
    let Input::Line(line) = input else { return false };
    ["go", "hint", "eval", "XGID", "board:"].iter().any(|word| line.trim_ascii().starts_with(word.as_bytes()))
}

/// Reads until the end, or until `quit`.
fn read(shared: &Shared, queue: &SyncSender<(u64, Input)>) {
    let mut reader = BufReader::with_capacity(1 << 16, io::stdin());
    let mut number = 0;
    loop {
        let input = read_line(&mut reader, LONGEST_LINE).unwrap_or(Input::End);
        if let Input::Line(line) = &input {
            shared.log.line('>', line);
            match line.trim_ascii() {
                b"stop" => {
                    shared.stop(number + 1);
                    continue;
                }
                b"quit" => shared.stop(number + 1),
                b"isready" if !shared.wait_for(number, PATIENCE) => {
                    // Only a question that is being thought about may be overtaken, not what still waits.
                    let thinking = shared.thinking.load(Ordering::SeqCst);
                    let last = shared.current.load(Ordering::SeqCst) == number;
                    if thinking && last && shared.write(&["readyok".into()]).is_ok() {
                        continue;
                    }
                }
                _ => {}
            }
        }
        number += 1;
        if queue.send((number, input)).is_err() {
            return;
        }
    }
}

/// Answers until `quit`, the end of the input, or until nobody reads the answers any more.
///
/// # Errors
/// If an answer can't be written for any other reason.
pub fn run(shared: &Arc<Shared>, mut session: Session) -> io::Result<()> {
    let (sender, receiver): (_, Receiver<(u64, Input)>) = sync_channel(QUEUE);
    let reader = Arc::clone(shared);
    // Never joined: it may wait for input that will not come.
    std::thread::spawn(move || read(&reader, &sender));
    for (number, input) in receiver {
        shared.current.store(number, Ordering::SeqCst);
        shared.thinking.store(asks_engine(&input), Ordering::SeqCst);
        let Reply { lines, quit } = match input {
            Input::Line(line) => session.handle(&line),
            Input::TooLong => session.handle_too_long(),
            Input::End => return Ok(()),
        };
        match shared.write(&lines) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            result => result?,
        }
        if quit {
            return Ok(());
        }
        *shared.answered() = number;
        shared.changed.notify_all();
    }
    Ok(())
}
