//! `nardy legal`: the legal plays of a roll.

use super::common::{DisplayArgs, RulesArg};
use anyhow::{Result, bail, ensure};
use nardy::movegen::{Play, legal_plays};
use nardy::movegen::legal_plays;
use nardy::notation::{Numbers, format_play, format_steps};
use nardy::position::Position;
use nardy::position::text::gnu_id;
use nardy::types::Roll;
use serde_json::{Value, json};
use std::io::Write;

/// Arguments of `nardy legal`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The position.
    position: String,
    /// The roll, such as `31`, `3-1` or `"3 1"`; may be left out if the position's text holds one.
    dice: Option<Roll>,
    /// One JSON object instead of lines: every play with its steps and the position it leads to, seen by the mover.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RulesArg,
    #[command(flatten)]
    display: DisplayArgs,
}

/// Lists the plays.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let parsed = args.rules.position(&args.position)?;
    let rules = args.rules.rules;
    let position = parsed.position;
    let Some(roll) = args.dice.or(parsed.roll) else {
        bail!("which roll? The position's text holds no dice, so give them after it, such as `31`");
    };
    ensure!(!position.is_over(), "the game is over in this position: a side has borne off all its checkers");
    let mut plays: Vec<Play> = legal_plays(position, roll, &rules).iter().collect();
    // From the back of the board to the front, whatever order the generator lists them in.
    plays.sort_unstable_by_key(|play| std::cmp::Reverse(play.steps));
    let plays = legal_plays(position, roll, &rules);
    let numbers = args.display.play_numbers();
    if args.json {
        let list: Vec<Value> = plays
            .iter()
            .map(|play| {
                let mut entry = describe(play.position);
                entry["play"] = format_play(position, play.steps, rules.game, numbers).into();
                entry["steps"] = format_steps(play.steps, rules.game, Numbers::Own).into();
                entry
            })
            .collect();
        let whole = json!({
            "rules": rules,
            "position": describe(position),
            "roll": [roll.high(), roll.low()],
            "plays": list,
        });
        serde_json::to_writer(&mut *out, &whole)?;
        writeln!(out)?;
        return Ok(());
    }
    for play in plays.iter() {
        writeln!(out, "{}", format_play(position, play.steps, rules.game, numbers))?;
    }
    writeln!(out, "{} legal play{} with {roll}", plays.len(), if plays.len() == 1 { "" } else { "s" })?;
    Ok(())
}

/// A position for programs: its GNU ID and both sides' 26 counts in their own numbers, off first and bar last.
fn describe(position: Position) -> Value {
    json!({ "gnu_id": gnu_id(position), "own": position.us.counts(), "opp": position.them.counts() })
}
