//! Learning: networks, their training step and everything around it. Nothing but the binary `nardy` uses it.

pub mod batch;
pub mod checkpoint;
pub mod config;
pub mod device;
pub mod ema;
pub mod expand;
pub mod lambda;
pub mod learner;
pub mod metrics;
pub mod model;
mod normal;
pub mod records;
pub mod run;
pub mod samples;
pub mod schedule;
pub mod self_play;
mod sparse;

#[cfg(test)]
pub(crate) mod test_dir;
