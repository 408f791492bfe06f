//! Long nardy and short nardy (backgammon): exact rules, fast move generation, TD(λ) training and inference.

pub mod eval;
pub mod features;
pub mod game;
pub mod movegen;
pub mod net;
pub mod position;
pub mod protocol;
pub mod rules;
pub mod types;
#[cfg(feature = "cli")]
pub mod arena;
#[cfg(feature = "train")]
pub mod train;
