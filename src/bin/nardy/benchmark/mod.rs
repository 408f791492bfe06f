//! `nardy benchmark`: a fixed set of decisions, rolled out once, that any player can be measured by.

mod make;
mod run;

use crate::arena::PLAYER_HELP;
use anyhow::Result;
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of `nardy benchmark`.
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYER_HELP)]
pub struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Sample decisions from self-play and roll out their plays; after an interruption, the same command goes on.
    Make(make::Args),
    /// Ask players for their choices, and tell what these lose on average and where.
    Run(run::Args),
}

/// Makes or uses a benchmark.
pub fn run(args: Args, out: &mut dyn Write) -> Result<ExitCode> {
    match args.task {
        Task::Make(args) => make::run(args, out),
        Task::Run(args) => run::run(args, out),
    }
}

/// How often a line is written where no bar can be drawn.
const REPORT: Duration = Duration::from_secs(60);

/// A bar that counts decisions; lines on standard error if that is no terminal.
struct Progress {
    bar: ProgressBar,
    first: u64,
    start: Instant,
    /// When a line is due.
    due: Option<Instant>,
}

impl Progress {
    fn new(total: u64, first: u64) -> Progress {
        let template = "{bar:24} {pos}/{len} decisions, {per_sec}, {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total).with_style(style).with_position(first);
        bar.reset_eta();
        let start = Instant::now();
        let due = (!std::io::stderr().is_terminal()).then(|| start + REPORT);
        Progress { bar, first, start, due }
    }

    fn done(&mut self, done: u64) {
        self.bar.set_position(done);
        let Some(due) = self.due.filter(|due| Instant::now() >= *due) else { return };
        self.due = Some(due + REPORT);
        let total = self.bar.length().unwrap_or(done);
        let rate = (done - self.first) as f64 / self.start.elapsed().as_secs_f64();
        let left = total.saturating_sub(done) as f64 / rate / 60.0;
        eprintln!("{done}/{total} decisions, {rate:.2} a second, {left:.0} minutes left");
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
