//! Placeholder head of `features`.
