//! A searcher as a player.

use super::{Limits, Searcher};
use crate::game::Player;
use crate::movegen::PlayList;
use crate::position::Position;
use crate::rules::Rules;
use crate::types::Roll;
use std::time::{Duration, Instant};

/// A model that looks ahead.
#[derive(Debug)]
pub struct SearchPlayer {
    name: String,
    searcher: Searcher,
    depth: u32,
    time: Option<Duration>,
}

impl SearchPlayer {
    /// A player of that name that looks `depth` plies ahead, at most [`super::MAX_DEPTH`].
    pub fn new(name: impl Into<String>, searcher: Searcher, depth: u32) -> SearchPlayer {
        SearchPlayer { name: name.into(), searcher, depth, time: None }
    }

    /// Gives it no more than that time for a play. Its games then depend on how fast the machine is.
    #[must_use]
    pub fn with_time(self, time: Duration) -> SearchPlayer {
        SearchPlayer { time: Some(time), ..self }
    }
}

impl Player for SearchPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn choose(&mut self, position: Position, _roll: Roll, _rules: &Rules, plays: &PlayList) -> usize {
        let deadline = self.time.map(|time| Instant::now() + time);
        let limits = Limits { deadline, ..Limits::depth(self.depth) };
        self.searcher.rank(position, plays, &limits).plays[0].index
    }
}
