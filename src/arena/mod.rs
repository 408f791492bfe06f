//! Placeholder head of `arena`.

pub mod stats;
