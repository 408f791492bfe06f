//! The bot: long and short nardy for any program that can start it and talk to it in lines (docs/protocol.md).

mod external;
mod input;
mod log;
mod models;
mod stdio;

use clap::{Parser, Subcommand};
use nardy::protocol::gnubg::GnubgOptions;
use nardy::protocol::{Level, Session};
use nardy::search::MAX_DEPTH;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::process::ExitCode;

/// Plays long and short nardy over standard input and output (UBGI; docs/protocol.md). Models of both games are built in.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Play with this model instead of the built-in one of its game; may be given once for each game.
    #[arg(long, value_name = "FILE", global = true)]
    model: Vec<PathBuf>,
    /// A small model of the same game as a given `--model`: it chooses the replies that the large one values when it looks
    /// ahead, which then takes a fraction of the time.
    #[arg(long, value_name = "FILE", global = true)]
    filter: Vec<PathBuf>,
    /// Write everything that is said to this file; `-` is standard error.
    #[arg(long, value_name = "FILE", global = true)]
    log: Option<PathBuf>,
    /// Seed of the dice and of the mistakes of weaker levels; different at every start unless given.
    #[arg(long, value_name = "N", global = true)]
    seed: Option<u64>,
    /// Strength: full, expert, club, casual, beginner.
    #[arg(long, value_name = "LEVEL", global = true, default_value_t)]
    level: Level,
    /// Plies to look ahead: 0, the network alone, to 3.
    #[arg(long, value_name = "N", global = true, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    ply: u32,
    /// An option of the protocol to begin with, such as `game.rules=long-site`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    options: Vec<String>,
    #[command(subcommand)]
    service: Option<Service>,
}

#[derive(Subcommand)]
enum Service {
    /// Serve GNU Backgammon's command `set player N external host:port`.
    Gnubg {
        /// Where to wait for it.
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4777")]
        listen: String,
        /// End after the first connection is closed.
        #[arg(long)]
        once: bool,
        /// Money games are played without the Jacoby rule.
        #[arg(long)]
        no_jacoby: bool,
    },
}

/// A number that nobody knows beforehand: the standard library seeds its hash maps from the operating system.
fn unknown_seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

fn run(args: Args) -> Result<(), Box<dyn std::error::Error>> {
    let engine = models::engine(&args.model, &args.filter)?;
    let log = log::Log::open(args.log.as_deref())?;
    if let Some(Service::Gnubg { listen, once, no_jacoby }) = args.service {
        let seed = args.seed.unwrap_or_else(unknown_seed);
        let options = GnubgOptions { jacoby: !no_jacoby, ply: args.ply, level: args.level, seed };
        return Ok(external::serve(listen, once, &engine, options, log)?);
    }
    let shared = stdio::shared(log);
    let host = stdio::ThreadHost(shared.clone());
    let mut session = Session::new(Box::new(engine), Box::new(host), args.seed.unwrap_or_else(unknown_seed));
    let given = [
        format!("engine.level={}", args.level),
        format!("engine.ply={}", args.ply),
        format!("engine.seed={}", args.seed.unwrap_or(0)),
    ];
    for option in given.iter().chain(&args.options) {
        let (key, value) = option.split_once('=').ok_or_else(|| format!("--set needs KEY=VALUE, found {option:?}"))?;
        if let Some(refusal) = session.handle(format!("set {key} {value}").as_bytes()).lines.first() {
            return Err(format!("--set {option}: {refusal}").into());
        }
    }
    Ok(stdio::run(&shared, session)?)
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nardy-bot: {error}");
            ExitCode::FAILURE
        }
    }
}
