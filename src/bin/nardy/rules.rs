//! `nardy rules`: the rule sets.

use anyhow::Result;
use nardy::rules::{PRESETS, ParseRulesError, Rules};
use std::io::Write;

/// Arguments of `nardy rules`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A rule set (`long`, `short-site`, `long,head=none`) to print with every option; without it, all named sets.
    rules: Option<Rules>,
}

/// Lists the named sets, or the options of one.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    match args.rules {
        Some(rules) => options(&rules, out),
        None => presets(out),
    }
}

fn presets(out: &mut dyn Write) -> Result<()> {
    for preset in PRESETS {
        let differences = preset.rules.differences();
        let changed: Vec<String> = differences.iter().map(|(option, value)| format!("{option}={value}")).collect();
        let game = preset.rules.game;
        let changed = if changed.is_empty() { format!("all defaults of {game} nardy") } else { changed.join(", ") };
        writeln!(out, "{:<14} {}\n{:14} {changed}", preset.name, preset.origin, "")?;
    }
    writeln!(out, "\n`nardy rules NAME` prints every option of a set and its other values.")?;
    Ok(())
}

fn options(rules: &Rules, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{rules}: {} nardy", rules.game)?;
    for option in Rules::options_of(rules.game) {
        let mark = if rules.differences().iter().any(|(changed, _)| *changed == option) { '*' } else { ' ' };
        let setting = format!("{option}={}", rules.get(option)?);
        writeln!(out, "{mark} {setting:<26} {}", values(*rules, option))?;
    }
    writeln!(out, "* differs from the game's defaults")?;
    Ok(())
}

/// The values an option can have, as the refusal of an impossible one tells them.
fn values(mut rules: Rules, option: &str) -> String {
    match rules.set(option, "") {
        Err(ParseRulesError::BadValue { expected, .. }) => expected,
        _ => String::new(),
    }
}
