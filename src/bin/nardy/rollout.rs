//! `nardy rollout`: what a position, or each play of a roll, is worth when it is played out many times.

use super::common::{DisplayArgs, RulesArg};
use super::models;
use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use nardy::movegen::{PlayList, legal_plays};
use nardy::notation::format_play;
use nardy::position::Position;
use nardy::position::text::gnu_id;
use nardy::rollout::{BLOCK, Rolled, Roller, Rollout, RolloutSettings};
use nardy::search::{MAX_DEPTH, SearchSettings, Searcher};
use nardy::types::Roll;
use serde_json::{Value, json};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of `nardy rollout`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The position.
    position: String,
    /// The roll, such as `31`; without one, and none in the position's text, the position itself is rolled out.
    dice: Option<Roll>,
    /// Most games played out for each play, rounded up to a multiple of 36.
    #[arg(long, value_name = "N", default_value_t = 1296, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    trials: u64,
    /// Let the model value the position after that many plies instead of playing to the end.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    truncate: Option<u32>,
    /// Plies that are looked ahead for each play in the games: 0, the network alone, to 3.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    ply: u32,
    /// Most plays rolled out: the best at 2-ply.
    #[arg(long, value_name = "N", default_value_t = 5)]
    candidates: usize,
    /// Plays that lose more points than this at 2-ply are not rolled out.
    #[arg(long, value_name = "POINTS", default_value_t = 0.2)]
    within: f32,
    /// Stop rolling out a play that is behind by so many standard errors; 0 = never.
    #[arg(long, value_name = "N", default_value_t = 3.0)]
    clear: f64,
    /// Do not take luck out of the results.
    #[arg(long)]
    no_luck: bool,
    /// Seed of the dice.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads; 0 = one per core. Does not change the result.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Play with this model instead of the built-in one of the game.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// A small model that sorts replies for a given `--model`.
    #[arg(long, value_name = "FILE", requires = "model")]
    filter: Option<PathBuf>,
    /// One JSON object instead of a table.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RulesArg,
    #[command(flatten)]
    display: DisplayArgs,
}

/// Rolls out and writes the table.
pub fn run(args: Args, out: &mut dyn Write) -> Result<()> {
    let parsed = args.rules.position(&args.position)?;
    let position = parsed.position;
    ensure!(!position.is_over(), "the game is over in this position: a side has borne off all its checkers");
    let mut roller = roller(&args)?;
    let Some(roll) = args.dice.or(parsed.roll) else {
        let bar = progress_bar(&args, 1);
        let rollout = roller.position(position, &mut |seen| show(&bar, seen));
        bar.finish_and_clear();
        return write(&args, position, None, &rollout, out);
    };
    let plays = legal_plays(position, roll, &args.rules.rules);
    let numbers = roller.choose(position, &plays, 2, args.candidates, args.within);
    let bar = progress_bar(&args, numbers.len() as u64);
    let rollout = roller.plays(&plays, &numbers, &mut |seen| show(&bar, seen));
    bar.finish_and_clear();
    write(&args, position, Some((roll, &plays)), &rollout, out)
}

fn roller(args: &Args) -> Result<Roller> {
    let rules = args.rules.rules;
    let (model, filter) = models::pair(rules.game, args.model.as_deref(), args.filter.as_deref())?;
    let search = SearchSettings { threads: args.threads, ..SearchSettings::default() };
    let searcher = Searcher::new(Arc::new(model), filter.map(Arc::new), rules, search)?;
    let clear = if args.clear > 0.0 { args.clear } else { f64::INFINITY };
    let settings = RolloutSettings {
        trials: args.trials,
        truncate: args.truncate,
        depth: args.ply,
        luck_adjusted: !args.no_luck,
        clear,
        seed: args.seed,
        ..RolloutSettings::default()
    };
    Ok(Roller::new(&searcher, settings)?)
}

fn progress_bar(args: &Args, candidates: u64) -> ProgressBar {
    let template = "{bar:30} {pos}/{len} games, {per_sec}, {eta} left {msg}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(candidates * args.trials.next_multiple_of(BLOCK)).with_style(style)
}

fn show(bar: &ProgressBar, seen: &Rollout) -> ControlFlow<()> {
    bar.set_position(seen.trials);
    if let Some(best) = seen.candidates.first() {
        bar.set_message(format!("{:+.4} ± {:.4}", best.equity.mean, best.equity.half_width()));
    }
    ControlFlow::Continue(())
}

/// A play as text; a position without dice has none.
fn name(args: &Args, position: Position, played: Option<(Roll, &PlayList)>, rolled: &Rolled) -> String {
    let game = args.rules.rules.game;
    played.map_or("before the throw".into(), |(_, plays)| {
        format_play(position, plays.steps(rolled.index), game, args.display.play_numbers())
    })
}

fn write(
    args: &Args,
    position: Position,
    played: Option<(Roll, &PlayList)>,
    rollout: &Rollout,
    out: &mut dyn Write,
) -> Result<()> {
    if args.json {
        let list: Vec<Value> = rollout
            .candidates
            .iter()
            .map(|rolled| {
                json!({
                    "play": name(args, position, played, rolled),
                    "trials": rolled.trials,
                    "outcomes": rolled.outcomes,
                    "equity": rolled.equity.mean,
                    "equity_error": finite(rolled.equity.standard_error),
                    "loss": rolled.loss.mean,
                    "loss_error": finite(rolled.loss.standard_error),
                    "dropped": rolled.dropped,
                })
            })
            .collect();
        let whole = json!({
            "rules": args.rules.rules,
            "position": gnu_id(position),
            "roll": played.map(|(roll, _)| [roll.high(), roll.low()]),
            "seed": args.seed,
            "truncate": args.truncate,
            "ply": args.ply,
            "luck_adjusted": !args.no_luck,
            "candidates": list,
        });
        serde_json::to_writer(&mut *out, &whole)?;
        return Ok(writeln!(out)?);
    }
    writeln!(out, "points ± 95 %         loss ± 95 %    win %  mars %  koks %  lost mars, koks %   games  play")?;
    for rolled in &rollout.candidates {
        let [win, mars, koks, _, lose_mars, lose_koks] = rolled.outcomes.map(|chance| 100.0 * chance);
        writeln!(
            out,
            "{:+.4} ± {:.4}   {:7.4} ± {:.4}   {:6.2}  {:6.2}  {:6.2}    {:6.2} {:6.2}   {:7}  {}{}",
            rolled.equity.mean,
            rolled.equity.half_width(),
            rolled.loss.mean,
            rolled.loss.half_width(),
            win + mars + koks,
            mars + koks,
            koks,
            lose_mars + lose_koks,
            lose_koks,
            rolled.trials,
            name(args, position, played, rolled),
            if rolled.dropped { " (clearly behind)" } else { "" }
        )?;
    }
    Ok(())
}

/// JSON has no infinity.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
