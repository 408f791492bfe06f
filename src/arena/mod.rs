//! Placeholder head of `arena`.

pub mod duel;
pub mod luck;
pub mod stats;
