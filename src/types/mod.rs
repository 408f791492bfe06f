//! Placeholder head of `types`.
