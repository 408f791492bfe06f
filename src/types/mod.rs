//! The vocabulary: dice, point sets, steps. No rules live here.
//!
//! Points are plain `u8` in the numbering of the side that owns the checkers: a checker moves down from 24 to 1,
//! [`OFF`] (0) is borne off and [`BAR`] (25) the bar of short nardy.

mod dice;
mod points;
mod steps;

pub use dice::{ParseRollError, Roll};
pub use points::PointSet;
pub use steps::{Step, Steps};

/// The "point" of checkers borne off.
pub const OFF: u8 = 0;
/// The "point" of checkers on the bar.
pub const BAR: u8 = 25;
/// Checkers a side has.
pub const NUM_CHECKERS: u8 = 15;
