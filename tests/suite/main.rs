//! Integration tests, one binary: a line for each module.

/// perft tables: distinct results over the 21 rolls.
mod perft;

/// Random positions and rules for property tests.
mod strategies;

/// Every text form of positions and plays is read back as what was written.
mod text_round_trips;
