//! Placeholder head of `game`.
