//! Integration tests, one binary: a line for each module.

/// The fast generator against the slow one.
mod oracle;
/// perft tables: distinct results over the 21 rolls.
mod perft;
/// Seeded positions and rule sets for the other modules.
mod positions;
