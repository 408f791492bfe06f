//! Placeholder head of `protocol`.
