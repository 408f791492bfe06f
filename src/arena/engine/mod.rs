//! Players that are programs of their own: started, asked, timed, and ended whatever they do.

mod gnubg;
mod process;
mod ubgi;

pub use gnubg::{Gnubg, find_gnubg};
pub use ubgi::{Dialect, UbgiEngine};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long engines may take, and who can stop waiting for them.
#[derive(Clone, Debug)]
pub struct EngineLimits {
    /// For one play.
    pub move_time: Duration,
    /// For starting, and for the greeting.
    pub start_time: Duration,
    /// How long an answer is waited for after its time, to tell a late one from none.
    pub grace: Duration,
    /// Set from outside to stop waiting.
    pub stop: Arc<AtomicBool>,
}

impl Default for EngineLimits {
    /// 30 s for a play, 20 s to start, 1 s of grace.
    fn default() -> EngineLimits {
        EngineLimits {
            move_time: Duration::from_secs(30),
            start_time: Duration::from_secs(20),
            grace: Duration::from_secs(1),
            stop: Arc::default(),
        }
    }
}
