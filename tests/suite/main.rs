//! Integration tests, one binary: a line for each module.

/// perft tables: distinct results over the 21 rolls.
mod perft;
