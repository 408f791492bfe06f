//! Long nardy and short nardy (backgammon): exact rules, fast move generation, TD(λ) training and inference.

#[cfg(feature = "cli")]
pub mod arena;
pub mod bearoff;
pub mod eval;
pub mod features;
pub mod game;
pub mod movegen;
pub mod net;
pub mod notation;
pub mod position;
pub mod protocol;
pub mod rollout;
pub mod rules;
pub mod search;
#[cfg(feature = "train")]
pub mod train;
pub mod types;

/// The examples of the README, run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExamples;
