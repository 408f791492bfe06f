//! Placeholder head of `train`.
