//! Random positions and rules for property tests.

use nardy::movegen::legal_plays;
use nardy::position::{Checkers, Position, other_side};
use nardy::rules::{Game, Rules};
use nardy::types::Roll;
use proptest::prelude::*;

/// Rule sets that between them use every option that plays depend on.
pub const RULES: [&str; 15] = [
    "long",
    "long-site",
    "long,head=az46",
    "long,head=needed_doubles,block_path=own",
    "long,head=doubles_first,block_path=ring",
    "long,head=doubles_always,block=home,block_path=own",
    "long,head=none,block=none",
    "long,block_when=turn",
    "long,block_when=turn,block_cap=7",
    "long,block_cap=6,must_off=true",
    "short",
    "short-site",
    "short-fsg",
    "short,must_off=true",
    "short,max_point=6,must_off=true,overshoot=any",
];

pub fn rules() -> impl Strategy<Value = Rules> {
    prop::sample::select(&RULES).prop_map(|text| text.parse().unwrap())
}

pub fn game() -> impl Strategy<Value = Game> {
    prop::sample::select(Game::ALL)
}

pub fn roll() -> impl Strategy<Value = Roll> {
    prop::sample::select(&Roll::ALL)
}

/// Any valid position of the game: checkers thrown at random points, off and bar included, mostly with five points
/// of a row of six around the board.
pub fn position(game: Game) -> impl Strategy<Value = Position> {
    // A low upper bound crowds a side into its home, a high lower bound into the enemy's.
    let side = || {
        (prop::array::uniform15(any::<u16>()), 0u8..=20, 6u8..=25)
            .prop_map(|(raw, low, high)| raw.map(|n| low.min(high) + (n % u16::from(high - low.min(high) + 1)) as u8))
    };
    (side(), side(), prop::option::weighted(0.7, 0u8..24)).prop_map(move |(mut own, opp, row)| {
        if let Some(start) = row {
            (0..5).for_each(|i| own[usize::from(i)] = (start + i + u8::from(i > start % 5)) % 24 + 1);
        }
        let (mut us, mut them) = ([0u8; 26], [0u8; 26]);
        let legal = |point: u8| if game == Game::Long && point == 25 { 24 } else { point };
        own.iter().for_each(|&point| us[usize::from(legal(point))] += 1);
        for point in opp {
            let mut point = legal(point);
            while (1..=24).contains(&point) && us[usize::from(other_side(game, point))] > 0 {
                point -= 1;
            }
            them[usize::from(point)] += 1;
        }
        let side = |counts| Checkers::from_counts(&counts).unwrap();
        Position { us: side(us), them: side(them) }
    })
}

/// A position reached by random plays from the start, not over.
pub fn walked_position(rules: Rules, turns: usize) -> impl Strategy<Value = Position> {
    prop::collection::vec((roll(), any::<prop::sample::Index>()), 0..turns).prop_map(move |choices| {
        let mut position = Position::start(rules.game);
        for (roll, choice) in choices {
            let plays = legal_plays(position, roll, &rules);
            let next = plays.positions()[choice.index(plays.len())];
            if next.is_over() {
                break;
            }
            position = next.swapped();
        }
        position
    })
}
