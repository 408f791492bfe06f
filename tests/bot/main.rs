//! Tests of the bot: its protocol in the library, and the program itself.

/// The example clients.
mod clients;
/// An engine that never changes.
mod fixture;
/// Random and damaged lines.
mod fuzz;
/// The program: pipes, threads, the external player.
mod process;
/// docs/protocol.md and tests/data/transcripts.
mod transcripts;
