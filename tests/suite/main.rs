//! Integration tests, one binary: a line for each module.

/// Games, matches and their records, played out at random.
mod game;
/// Game records through GNU Backgammon itself.
mod gnubg;
/// perft tables: distinct results over the 21 rolls.
mod perft;
/// The benchmark player against the one in GNU Backgammon.
mod pubeval;
