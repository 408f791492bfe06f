//! Placeholder head of `rules`.
