//! In which part of a game a decision is taken.

use crate::position::{Checkers, Position, in_contact};
use crate::rules::Game;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A part of a game. Short nardy has all but [`Phase::Middle`], long nardy neither [`Phase::Contact`] nor
/// [`Phase::Crashed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Short nardy: contact in the first [`OPENING_TURNS`] turns of a game. Long nardy: a side has [`OPENING_HEAD`] checkers
    /// or more on its head.
    Opening,
    /// Short nardy: checkers of the two sides have still to pass each other, and it is none of the others.
    Contact,
    /// Short nardy: contact, and a side has at most [`CRASHED_REST`] checkers left that are neither off nor deep in its
    /// home, on its points 1 and 2.
    Crashed,
    /// Long nardy: none of the others.
    Middle,
    /// The sides are past each other. Short nardy: no hit is possible. Long nardy: all checkers are in the second half of
    /// their way.
    Race,
    /// A race in which all checkers of both sides are at home.
    BearOff,
}

/// Turns of both sides together that are the opening of short nardy.
pub const OPENING_TURNS: usize = 8;
/// In long nardy the opening lasts as long as a side has so many checkers on its head.
pub const OPENING_HEAD: u8 = 8;
/// Most checkers outside points 1 and 2 of a side that is crashed.
pub const CRASHED_REST: u8 = 6;

impl Phase {
    /// Every phase, in the order of a game.
    pub const ALL: [Phase; 6] =
        [Phase::Opening, Phase::Contact, Phase::Crashed, Phase::Middle, Phase::Race, Phase::BearOff];

    /// The phase of a position in the turn of a game with that number, counted from 1.
    pub fn of(game: Game, position: Position, turn: usize) -> Phase {
        let Position { us, them } = position;
        let sides = [us, them];
        let passed = match game {
            Game::Short => !in_contact(us, them),
            Game::Long => sides.iter().all(|side| !side.any_in(13, 25)),
        };
        if passed {
            return if sides.iter().any(|side| side.any_in(7, 25)) { Phase::Race } else { Phase::BearOff };
        }
        match game {
            Game::Long if sides.iter().any(|side| side.count(24) >= OPENING_HEAD) => Phase::Opening,
            Game::Long => Phase::Middle,
            Game::Short if turn <= OPENING_TURNS => Phase::Opening,
            Game::Short if sides.into_iter().any(is_crashed) => Phase::Crashed,
            Game::Short => Phase::Contact,
        }
    }

    /// Its name in reports and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Contact => "contact",
            Phase::Crashed => "crashed",
            Phase::Middle => "middle",
            Phase::Race => "race",
            Phase::BearOff => "bear-off",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.as_str())
    }
}

fn is_crashed(side: Checkers) -> bool {
    let rest: u8 = (3..=25).map(|point| side.count(point)).sum();
    rest <= CRASHED_REST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::text::parse_position;

    fn phase(game: Game, text: &str, turn: usize) -> Phase {
        Phase::of(game, parse_position(text, game).unwrap().position, turn)
    }

    #[test]
    fn every_phase_of_short_nardy_is_told_from_the_others() {
        let short = |text, turn| phase(Game::Short, text, turn);
        assert_eq!((short("start", 8), short("start", 9)), (Phase::Opening, Phase::Contact));
        let buried = "own 24:2 6:4 2:4 1:5 | opp 22:1 13:5 8:4 6:5";
        assert_eq!(short(buried, 30), Phase::Crashed);
        assert_eq!(short("own 24:2 6:5 2:4 1:4 | opp 22:1 13:5 8:4 6:5", 30), Phase::Contact);
        // Borne-off checkers are no part of a structure either; the side of the opponent counts, too.
        assert_eq!(short("own 22:1 13:5 8:4 6:5 | opp bar:1 2:2 1:3", 30), Phase::Crashed);
        assert_eq!(short("own 12:5 6:10 | opp 12:5 6:10", 3), Phase::Race);
        assert_eq!(short("own 6:5 1:1 | opp 6:15", 40), Phase::BearOff);
        // Somebody waits on the bar for a side that bears off.
        assert_eq!(short("own 6:8 5:7 | opp bar:1 4:14", 40), Phase::Contact);
    }

    #[test]
    fn every_phase_of_long_nardy_is_told_from_the_others() {
        let long = |text| phase(Game::Long, text, 20);
        assert_eq!(long("start"), Phase::Opening);
        assert_eq!(long("own 24:7 18:8 | opp 24:8 17:7"), Phase::Opening);
        assert_eq!(long("own 24:7 18:8 | opp 24:7 17:8"), Phase::Middle);
        assert_eq!(long("own 13:1 6:14 | opp 12:15"), Phase::Middle);
        assert_eq!(long("own 12:1 6:14 | opp 12:15"), Phase::Race);
        assert_eq!(long("own 6:14 | opp 5:15"), Phase::BearOff);
    }
}
