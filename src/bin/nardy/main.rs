//! The people's tool.
fn main() {}
