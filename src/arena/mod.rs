//! Placeholder head of `arena`.
