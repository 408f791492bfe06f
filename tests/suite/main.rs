//! Integration tests, one binary: a line for each module.

/// Wrong input of every kind, each with its exact message.
mod bad_input;
/// Exact endings beside those of GNU Backgammon.
mod bearoff;
/// The command `nardy benchmark`.
#[cfg(feature = "cli")]
mod benchmark_command;
/// The binary `nardy`: output, errors and exit codes of its sub-commands.
#[cfg(feature = "cli")]
mod command_line;
/// The published test vectors, and damaged ones.
#[cfg(feature = "cli")]
mod conformance;
/// The command `nardy curve`.
#[cfg(feature = "cli")]
mod curve_command;
/// Every example, table and number in docs/rules.md holds.
mod docs_examples;
/// Games, matches and their records, played out at random.
mod game;
/// Game records through GNU Backgammon itself.
mod gnubg;
/// What holds for every play: valid positions, no checker lost, colours alike.
mod invariants;
/// Modules use each other only in the allowed direction.
mod layers;
/// The command `nardy match`.
#[cfg(feature = "cli")]
mod match_command;
/// No text makes a parser panic.
mod no_panic;
/// The fast generator against the slow one.
mod oracle;
/// What is tried on each parser, shared with the fuzz targets.
mod parser_bodies;
/// perft tables: distinct results over the 21 rolls.
mod perft;
/// Seeded positions and rule sets for the other modules.
mod positions;
/// The benchmark player against the one in GNU Backgammon.
mod pubeval;
/// The commands of the README print what it shows.
#[cfg(feature = "cli")]
mod readme;
/// Single rules by example.
mod rule_cases;
/// Openings and endings by the shipped model, looked ahead.
mod search;
/// Random positions and rules for property tests.
mod strategies;
/// Every text form of positions and plays is read back as what was written.
mod text_round_trips;
/// Tournaments: the same result whatever the threads and interruptions, and engines that misbehave.
#[cfg(feature = "cli")]
mod tournament;
/// The commands `nardy tournament` and `nardy analyse`.
#[cfg(feature = "cli")]
mod tournament_command;
/// Turns made checker by checker, and explicit lists of steps.
mod walk;

/// A small model of short nardy, quick enough for tests.
#[cfg(feature = "cli")]
const SHORT_MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/short-quick.safetensors");
