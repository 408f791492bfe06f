//! `nardy`, the people's tool: positions, plays and rules of long and short nardy on the command line.
//!
//! Every sub-command is a file of its own with its arguments and a `run` that writes to the given output.

mod analyse;
mod arena;
mod benchmark;
mod common;
mod curve;
mod legal;
mod match_;
#[path = "../nardy-bot/models.rs"]
mod models;
mod perft;
mod play;
mod rollout;
mod rules;
#[cfg(feature = "train")]
mod selfplay;
mod show;
mod tournament;
#[cfg(feature = "train")]
mod train;
mod verify;

use clap::{Parser, Subcommand};
use std::io::{self, Write};
use std::process::ExitCode;

/// Long and short nardy (backgammon): positions, legal plays, rules.
#[derive(Debug, Parser)]
#[command(name = "nardy", version, about, after_help = common::POSITION_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find out what each decision of recorded games cost, and show the worst ones.
    Analyse(analyse::Args),
    /// Measure players by a fixed set of decisions whose plays are rolled out once.
    Benchmark(benchmark::Args),
    /// Draw the learning curves of training runs: points per game with intervals, as SVG.
    Curve(curve::Args),
    /// Draw a position and write it in every format.
    Show(show::Args),
    /// List the legal plays of a roll.
    Legal(legal::Args),
    /// Count the distinct positions to a depth; the number stands alone on the last line.
    Perft(perft::Args),
    /// The same count for each of the 21 rolls, the sum on the last line.
    Divide(perft::Args),
    /// Let two players play each other with duplicate dice.
    Match(match_::Args),
    /// Play against the bot in the terminal.
    Play(play::Args),
    /// Play a position or the plays of a roll out many times, to find the best play.
    Rollout(rollout::Args),
    /// List the rule sets and how they differ, or every option of one.
    Rules(rules::Args),
    /// Let a model play itself, as the trainer does, and say how fast that is.
    #[cfg(feature = "train")]
    Selfplay(selfplay::Args),
    /// Train a network by self-play, from a recipe (training/*.toml).
    #[cfg(feature = "train")]
    Train(train::Args),
    /// Find out which of several players is better, by how much, and how sure that is.
    Tournament(tournament::Args),
    /// Check the move generator against test vectors (format: tests/data/conformance/README.md).
    Verify(verify::Args),
}

fn run(command: Command, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    match command {
        Command::Analyse(args) => analyse::run(args, out)?,
        Command::Benchmark(args) => code = benchmark::run(args, out)?,
        Command::Curve(args) => curve::run(args, out)?,
        Command::Show(args) => show::run(args, out)?,
        Command::Legal(args) => legal::run(args, out)?,
        Command::Perft(args) => perft::run(args, out)?,
        Command::Divide(args) => perft::run_divide(args, out)?,
        Command::Match(args) => code = match_::run(args, out)?,
        Command::Play(args) => play::run(args, out)?,
        Command::Rollout(args) => rollout::run(args, out)?,
        Command::Rules(args) => rules::run(args, out)?,
        Command::Tournament(args) => code = tournament::run(args, out)?,
        Command::Verify(args) => code = verify::run(args, out)?,
        #[cfg(feature = "train")]
        Command::Selfplay(args) => selfplay::run(args, out)?,
        #[cfg(feature = "train")]
        Command::Train(args) => train::run(args, out)?,
    }
    out.flush()?;
    Ok(code)
}

/// Somebody closed the pipe, as `head` does: nothing more is wanted, nothing is wrong.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        // JSON errors wrap those of the output without naming them as their cause.
        let json_kind = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        kind.or(json_kind) == Some(io::ErrorKind::BrokenPipe)
    })
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let mut out = io::BufWriter::new(io::stdout().lock());
    match run(command, &mut out) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // What was written before the error still belongs to the reader.
            let _ = out.flush();
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
