//! Legal plays: every distinct position a roll can lead to, each with its canonical list of steps.
//!
//! [`legal_plays_into`] is the fast generator; [`naive`] is a slow one, different in method, kept as its oracle.
//!
//! Why it is fast: the steps of a double, taken in descending order of their source, reach each result exactly once
//! (the step vectors are linearly independent), and the two dice of another roll collide only where one checker plays
//! both. Order matters only for hits on the way, bearing off, and the head, block and `max_point` rules; positions
//! where one of these can matter take slower loops that test every order.

mod fast;
pub mod naive;
mod perft;
mod rows;
mod sink;
#[cfg(feature = "cli")]
pub mod verify;
mod walk;

pub use perft::{divide, perft};
pub use walk::{IllegalPlay, IllegalStep, NextStep, TurnWalk, is_legal};

use crate::position::Position;
use crate::rules::Rules;
use crate::types::{Roll, Steps};

/// A legal play: the position it leads to and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Play {
    /// The position after the play, still seen by the side that made it.
    pub position: Position,
    /// The greatest legal list of steps (compared step by step: source, then die) that leads there.
    pub steps: Steps,
}

/// All legal plays of a roll; reused from roll to roll, so that generating allocates nothing once it has grown.
#[derive(Clone, Debug, Default)]
pub struct PlayList {
    /// Storage; the plays are the first `len` of each.
    positions: Vec<Position>,
    steps: Vec<Steps>,
    len: usize,
    /// A filter: the bit of every position added by `push_unique` is set.
    seen: [u64; 8],
}

impl PlayList {
    /// An empty list.
    pub fn new() -> PlayList {
        PlayList::default()
    }

    /// Number of plays: at least one after generating, since a pass counts as one.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Nothing has been generated yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The resulting positions, still seen by the mover.
    pub fn positions(&self) -> &[Position] {
        &self.positions[..self.len]
    }

    /// The steps of the play with that number.
    ///
    /// # Panics
    /// If there is no such play.
    pub fn steps(&self, index: usize) -> Steps {
        self.steps[..self.len][index]
    }

    /// The play with that number.
    ///
    /// # Panics
    /// If there is no such play.
    pub fn get(&self, index: usize) -> Play {
        Play { position: self.positions()[index], steps: self.steps(index) }
    }

    /// The plays in the order in which they were generated.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Play> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Nothing can be played: the only "play" is to pass.
    pub fn is_pass(&self) -> bool {
        self.len > 0 && self.steps[0].is_empty()
    }

    /// The play that leads to `position`.
    pub fn find(&self, position: Position) -> Option<Play> {
        self.positions().iter().position(|&p| p == position).map(|i| self.get(i))
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    fn push(&mut self, position: Position, steps: Steps) {
        if self.len == self.positions.len() {
            grow(&mut self.positions, &mut self.steps, self.len + 1);
        }
        (self.positions[self.len], self.steps[self.len]) = (position, steps);
        self.len += 1;
    }

    /// To be called before the first [`PlayList::push_unique`] of a roll.
    fn forget_seen(&mut self) {
        self.seen = [0; 8];
    }

    /// Adds a play unless its position is listed; of two ways to a position the greater list of steps stays.
    #[inline]
    fn push_unique(&mut self, position: Position, steps: Steps) {
        let fold = position.us.0 ^ position.them.0.rotate_left(64);
        let hash = (fold as u64 ^ (fold >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55;
        let (word, bit) = (hash as usize / 64, 1 << (hash % 64));
        if self.seen[word] & bit != 0
            && let Some(i) = self.positions().iter().position(|&p| p == position)
        {
            self.steps[i] = self.steps[i].max(steps);
            return;
        }
        self.seen[word] |= bit;
        self.push(position, steps);
    }
}

/// Makes room for that many plays.
#[cold]
fn grow(positions: &mut Vec<Position>, steps: &mut Vec<Steps>, number: usize) {
    let size = number.max(512).next_power_of_two();
    positions.resize(size, Position::LONG_START);
    steps.resize(size, Steps::NONE);
}

/// The legal plays of a roll. If nothing can be played, the list holds the unchanged position with no steps.
///
/// The position must be valid ([`Position::validate`]) and not over.
///
/// # Examples
/// ```
/// use nardy::{movegen::legal_plays, position::Position, rules::Rules, types::Roll};
///
/// let plays = legal_plays(Position::LONG_START, Roll::new(6, 6).unwrap(), &Rules::LONG);
/// assert_eq!(plays.len(), 1); // two head checkers to 18, the enemy head stops both there
/// assert_eq!(plays.steps(0).to_string(), "24/18 24/18");
/// ```
pub fn legal_plays(position: Position, roll: Roll, rules: &Rules) -> PlayList {
    let mut plays = PlayList::new();
    legal_plays_into(position, roll, rules, &mut plays);
    plays
}

/// [`legal_plays`] into the caller's list, which is cleared first.
pub fn legal_plays_into(position: Position, roll: Roll, rules: &Rules, plays: &mut PlayList) {
    fast::generate(position, roll, rules, plays);
}
