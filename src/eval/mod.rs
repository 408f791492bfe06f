//! Placeholder head of `eval`.
