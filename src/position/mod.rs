//! Placeholder head of `position`.
