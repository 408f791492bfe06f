//! `nardy perft` and `nardy divide`: counting positions to check move generators.

use super::common::RulesArg;
use anyhow::{Result, ensure};
use nardy::movegen::{divide, perft};
use nardy::position::Position;
use nardy::types::Roll;
use std::io::Write;

/// Arguments of `nardy perft` and `nardy divide`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Turns to count; each turn takes all 21 rolls once and every distinct result.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=20))]
    depth: u32,
    /// The position; the start position if left out.
    #[arg(default_value = "start")]
    position: String,
    #[command(flatten)]
    rules: RulesArg,
}

impl Args {
    fn announce(&self, out: &mut dyn Write) -> Result<Position> {
        let position = self.rules.position(&self.position)?.position;
        writeln!(out, "{}, depth {}: {position}", self.rules.rules, self.depth)?;
        out.flush()?;
        Ok(position)
    }
}

/// Counts.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let position = args.announce(out)?;
    writeln!(out, "{}", perft(position, &args.rules.rules, args.depth))?;
    Ok(())
}

/// Counts each roll on its own.
pub fn run_divide(args: Args, out: &mut dyn Write) -> Result<()> {
    ensure!(args.depth > 0, "divide counts roll by roll, so the depth must be at least 1");
    let position = args.announce(out)?;
    let counts = divide(position, &args.rules.rules, args.depth);
    for (roll, count) in Roll::ALL.into_iter().zip(counts) {
        writeln!(out, "{roll}  {count}")?;
    }
    writeln!(out, "{}", counts.iter().sum::<u64>())?;
    Ok(())
}
