//! Plays as text: every usual spelling in, two spellings out.
//!
//! [`parse_play`] finds the one legal play that a text means and says what is wrong when there is none;
//! [`parse_legs`] reads the words of a game record without a position. [`format_play`] writes for people
//! (`24/18*/13 6/5(2)`), [`format_steps`] for programs (every step on its own). Reading what either wrote gives back
//! the same play.
//!
//! A leg is `from/to`: points in the mover's own numbering, 25 or `bar`, 0 or `off`. `13-8` means `13/8`; a chain
//! `24/18/13` names every landing; `24/13` leaves the landings between to the reader; `(2)` repeats; `*` marks a hit
//! and may be left out. Legs may come in any order, between them white space, commas or semicolons.

mod error;
mod explain;
mod format;
mod legs;
mod resolve;

pub use error::PlayTextError;
pub use format::{format_play, format_steps};
pub use legs::{Leg, LegsError, parse_legs};
pub use resolve::{PlayTextOptions, parse_play, parse_play_with};

use crate::position::other_side;
use crate::rules::Game;
use crate::types::{BAR, OFF};

/// In whose numbering a text gives the points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// The mover's own: every checker moves down, from 24 to 1.
    #[default]
    Own,
    /// The opponent's. In this numbering `bar` and `off` are always words, since 0 and 25 would be those of the other
    /// side.
    Opponent,
}

impl Numbers {
    /// The numbering printed on boards, which is White's own, for a play of White or of Black.
    pub const fn board(mover_is_white: bool) -> Numbers {
        if mover_is_white { Numbers::Own } else { Numbers::Opponent }
    }

    /// Turns a point of the mover's own numbering into this one, and back; bar and off stay what they are.
    pub const fn convert(self, game: Game, point: u8) -> u8 {
        match self {
            Numbers::Opponent if point != OFF && point != BAR => other_side(game, point),
            _ => point,
        }
    }
}

/// A point as texts name it.
fn point_name(point: u8) -> String {
    match point {
        OFF => "off".into(),
        BAR => "bar".into(),
        _ => point.to_string(),
    }
}
