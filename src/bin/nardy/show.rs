//! `nardy show`: a position as a drawing and in every format.

use super::common::{DisplayArgs, RulesArg};
use anyhow::Result;
use nardy::position::text::{PositionFormat, Xgid, gnu_id};
use nardy::rules::Game;
use std::io::Write;

/// Arguments of `nardy show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The position.
    position: String,
    #[command(flatten)]
    rules: RulesArg,
    #[command(flatten)]
    display: DisplayArgs,
}

/// Draws the position.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let parsed = args.rules.position(&args.position)?;
    let position = parsed.position;
    write!(out, "{}", args.display.draw(position, &args.rules.rules))?;
    if let Some(roll) = parsed.roll {
        writeln!(out, "  to play {roll}")?;
    }
    writeln!(out, "\nposition  {position}")?;
    writeln!(out, "GNU ID    {}", gnu_id(position))?;
    if args.rules.rules.game == Game::Short {
        let xgid = match parsed.format {
            PositionFormat::Xgid(xgid) => xgid,
            _ => Xgid::money(position, parsed.roll),
        };
        writeln!(out, "XGID      {xgid}")?;
    }
    Ok(())
}
