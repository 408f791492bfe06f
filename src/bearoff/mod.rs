//! Exact endings: both sides have all their checkers at home and bear off. The same in both games, since no checker meets
//! another any more.
//!
//! - **One side alone**: for each of the 54,264 ways in which up to 15 checkers can stand on six points, the distribution of the
//!   number of rolls until the last one is off, and of the first one if none is, played so that the mean is least.
//!   Two such distributions give the chances of a position; that each side minds only its own mean costs
//!   some 0.001 points at most (docs/strength.md).
//! - **One side with up to three checkers outside its home**: the number of rolls until its first checker is off, nearly exact
//!   ([`Bearoff::mars`]). With the other side bearing off, that gives the chance of a mars.
//! - **Both sides together**: with up to six checkers each, the chance to win with best play on both sides.
//!
//! The tables are computed when they are first needed or, if somebody sees that coming, before ([`Bearoff::prepare`]). That
//! takes about a second, too little for a file of them, to be read and checked safely each time, to be worth it.
//! They depend on the rules of bearing off alone.
//!
//! # Examples
//! ```
//! use nardy::bearoff::Bearoff;
//! use nardy::position::{Checkers, Position};
//! use nardy::rules::Rules;
//!
//! let tables = Bearoff::of(&Rules::SHORT).unwrap();
//! let (us, them) = (Checkers::from_points(&[(6, 1)]), Checkers::from_points(&[(1, 1)]));
//! let chances = tables.outcomes(Position { us, them }, &Rules::SHORT).unwrap();
//! assert_eq!((chances[0] * 36.0).round(), 27.0); // a lone checker on 6 goes off with 27 of the 36 rolls
//! ```

mod index;
mod one_sided;
mod outside;
mod two_sided;

pub use index::{NUM_HOME, index_of, side_of};

use crate::game::{NUM_OUTCOMES, WinKind};
use crate::position::{Checkers, Position, is_race};
use crate::rules::{Overshoot, Rules};
use crate::types::NUM_CHECKERS;
use index::at_home;
use one_sided::OneSided;
use outside::{Outside, outside_index_of};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use two_sided::{MOST_CHECKERS, TwoSided};

/// The tables for one way of bearing off.
#[derive(Debug)]
pub struct Bearoff {
    rules: Rules,
    one: OnceLock<OneSided>,
    outside: OnceLock<Outside>,
    two: OnceLock<TwoSided>,
    /// Somebody has begun to fill them.
    begun: AtomicBool,
}

/// One for each combination of the options that matter: overshoot, and whether bearing off is a duty.
static TABLES: [OnceLock<Bearoff>; 4] = [const { OnceLock::new() }; 4];

impl Bearoff {
    /// The tables for these rules; they are filled when they are first asked. `None` if the rules have an option that bearing
    /// off alone can't account for: `last_turn`, which can draw a game, or `max_point`.
    pub fn of(rules: &Rules) -> Option<&'static Bearoff> {
        if rules.last_turn || rules.max_point > 0 {
            return None;
        }
        let place = usize::from(rules.overshoot == Overshoot::Any) + 2 * usize::from(rules.must_off);
        let fill = || Bearoff {
            rules: *rules,
            one: OnceLock::new(),
            outside: OnceLock::new(),
            two: OnceLock::new(),
            begun: AtomicBool::new(false),
        };
        Some(TABLES[place].get_or_init(fill))
    }

    /// Both sides are at home, and neither has finished.
    #[inline]
    pub fn covers(position: Position) -> bool {
        let Position { us, them } = position;
        at_home(us) && at_home(them) && !position.is_over()
    }

    /// Fills the tables on a thread of its own, so that the first question need not wait; whoever asks before they are full
    /// still does. Does nothing the second time.
    pub fn prepare(&'static self) {
        if !self.begun.swap(true, Ordering::Relaxed) {
            std::thread::spawn(|| self.fill());
        }
    }

    /// Fills the tables and returns when they are full, so that no later question waits.
    pub fn fill(&self) {
        self.begun.store(true, Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| self.two_sided());
            self.outside();
        });
    }

    fn two_sided(&self) -> &TwoSided {
        self.two.get_or_init(|| TwoSided::new(&self.rules))
    }

    fn one_sided(&self) -> &OneSided {
        self.one.get_or_init(|| OneSided::new(&self.rules))
    }

    fn outside(&self) -> &Outside {
        self.outside.get_or_init(|| Outside::new(self.one_sided()))
    }

    /// The chance of each number of rolls, from 0, until a side is off entirely; numbers after the last one have no chance.
    /// `None` unless all its checkers are at home.
    pub fn rolls_to_finish(&self, side: Checkers) -> Option<Vec<f32>> {
        Some(self.one_sided().finish(index_of(side)?).to_vec())
    }

    /// The chance of each number of rolls, from 0, until a side has borne off its first checker.
    /// Exact with all checkers at home, and nearly so with one to three outside, given that no checker of the other side is
    /// in the way; `None` for other sides.
    pub fn rolls_to_first(&self, side: Checkers) -> Option<Vec<f32>> {
        Some(self.first(side)?.to_vec())
    }

    fn first(&self, side: Checkers) -> Option<&[f32]> {
        if let Some(index) = index_of(side) {
            return Some(self.one_sided().first(index));
        }
        let index = outside_index_of(side)?;
        Some(self.outside().first(index))
    }

    /// The mean number of rolls until a side is off entirely. `None` unless all its checkers are at home.
    pub fn mean_rolls(&self, side: Checkers) -> Option<f32> {
        let chances = self.rolls_to_finish(side)?;
        Some(chances.iter().zip(0u8..).map(|(chance, n)| chance * f32::from(n)).sum())
    }

    /// The chance that the one side which has all its checkers at home finishes before the other one, with one to three
    /// checkers outside, has borne off its first. `None` for other positions, for those in which the sides have not passed each
    /// other, and for rules that pay less for a mars if the loser is at home.
    ///
    /// Each side minds only its own mean. Of the side outside, the table knows which points it occupies at home and whether one
    /// checker alone holds the rearmost, not how many the others hold: the chance is off by 0.0003 on average
    /// (docs/search.md).
    pub fn mars(&self, position: Position, rules: &Rules) -> Option<Mars> {
        let Position { us, them } = position;
        let (home, outside, lead) = match (at_home(us), at_home(them)) {
            (true, false) => (us, them, 1),
            (false, true) => (them, us, 0),
            _ => return None,
        };
        let same_mars = [WinKind::HomeMars, WinKind::Mars].iter().all(|kind| kind.class(rules.score) == 1);
        if !same_mars || position.is_over() || !is_race(rules.game, position) {
            return None;
        }
        let (home, outside) = (index_of(home)?, outside_index_of(outside)?);
        let chance = before(self.one_sided().finish(home), self.outside().first(outside), lead);
        Some(if lead == 1 { Mars::Won(chance) } else { Mars::Lost(chance) })
    }

    /// The chances of the six outcomes for the side on roll before it throws, in the order of
    /// [`crate::game::NUM_OUTCOMES`]; `None` where [`Bearoff::covers`] is false.
    ///
    /// `rules` settle what a mars counts as; their rules of bearing off must be those of the tables.
    pub fn outcomes(&self, position: Position, rules: &Rules) -> Option<[f32; NUM_OUTCOMES]> {
        if !Bearoff::covers(position) {
            return None;
        }
        let (us, them) = (index_of(position.us)?, index_of(position.them)?);
        let small = |side: Checkers| side.off() + MOST_CHECKERS >= NUM_CHECKERS;
        if small(position.us) && small(position.them) {
            let win = self.two_sided().win(us, them);
            return Some([win, 0.0, 0.0, 1.0 - win, 0.0, 0.0]);
        }
        let one = self.one_sided();
        let (ours, theirs) = (one.finish(us), one.finish(them));
        // We finish with our roll n, when they have had n − 1.
        let win = before(ours, theirs, 1);
        // They finish with their roll n, when we have had n.
        let lose = 1.0 - win;
        let mars_counts = WinKind::HomeMars.class(rules.score) > 0;
        let mars = if mars_counts { before(ours, one.first(them), 1).min(win) } else { 0.0 };
        let lose_mars = if mars_counts { before(theirs, one.first(us), 0).min(lose) } else { 0.0 };
        Some([win - mars, mars, 0.0, lose - lose_mars, lose_mars, 0.0])
    }
}

/// The chance that the side on roll wins, or that it loses, by a mars or more, a koks included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mars {
    /// It wins so.
    Won(f32),
    /// It loses so.
    Lost(f32),
}

/// The chance that one thing happens after `n` rolls while another has not happened after `n - lead`.
fn before(one: &[f32], other: &[f32], lead: usize) -> f32 {
    let mut sum = 0.0;
    // What is left of the other's chances after its first n - lead + 1 numbers.
    let mut left = 1.0;
    for (n, chance) in one.iter().enumerate() {
        if n >= lead {
            left -= other.get(n - lead).copied().unwrap_or(0.0);
        }
        sum += chance * left.max(0.0f32);
    }
    sum
}

#[cfg(test)]
mod tests;
