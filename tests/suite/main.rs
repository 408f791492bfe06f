//! Integration tests, one binary: a line for each module.

/// Every example, table and number in docs/rules.md holds.
mod docs_examples;
/// Modules use each other only in the allowed direction.
mod layers;
/// perft tables: distinct results over the 21 rolls.
mod perft;
