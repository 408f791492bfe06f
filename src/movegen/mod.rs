//! Placeholder head of `movegen`.
