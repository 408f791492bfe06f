//! Positions as network inputs: a sparse list of `(input, value)`, always from the point of view of the side on roll.
//!
//! Every layout has a name and a version, which model files carry; docs/features.md works an example out in full. All
//! layouts begin with the same 196 point inputs, which depend on one point's count each, so that a play changes few of
//! them ([`Layout::point_changes`]); the inputs after them describe the position as a whole and are encoded anew for
//! every position ([`Layout::extras`]).

mod extras;
mod shots;

use crate::position::{Checkers, Position};
use crate::rules::Game;
use crate::types::{BAR, OFF};

/// Inputs per point and side: exactly 1 checker, exactly 2, 3 or more, half of what exceeds 3.
const UNITS: u16 = 4;
/// Inputs per side: 24 points, bar, borne off.
const SIDE: u16 = 24 * UNITS + 2;
/// Inputs that depend on single points, both sides.
pub const POINT_INPUTS: usize = 2 * SIDE as usize;

/// A way to turn positions into network inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The 196 point inputs alone, either game.
    Points,
    /// Short nardy: points and what bitboards tell of contact (shots, primes, escapes …).
    Short,
    /// Long nardy: points and what bitboards tell of mobility, rows and the race.
    Long,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Layout; 3] = [Layout::Points, Layout::Short, Layout::Long];

    /// The name that model files and recipes use.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Points => "points",
            Layout::Short => "short",
            Layout::Long => "long",
        }
    }

    /// The version of the layout that this program computes; a model made with another one can't be used.
    pub const fn version(self) -> u32 {
        1
    }

    /// The layout of that name.
    pub fn by_name(name: &str) -> Option<Layout> {
        Layout::ALL.into_iter().find(|layout| layout.name() == name)
    }

    /// The layout can describe positions of the game.
    pub const fn suits(self, game: Game) -> bool {
        matches!((self, game), (Layout::Points, _) | (Layout::Short, Game::Short) | (Layout::Long, Game::Long))
    }

    /// Nothing can be hit or blocked any more: both sides only run home and bear off.
    pub fn is_race(game: Game, position: Position) -> bool {
        extras::is_race(game, position)
    }

    /// Number of inputs.
    pub const fn num_inputs(self) -> usize {
        POINT_INPUTS
            + match self {
                Layout::Points => 0,
                Layout::Short => extras::NUM_SHORT,
                Layout::Long => extras::NUM_LONG,
            }
    }

    /// Appends all inputs of a position that are not 0, in ascending order.
    pub fn encode(self, position: Position, inputs: &mut Vec<(u16, f32)>) {
        encode_side(position.us, 0, inputs);
        encode_side(position.them, SIDE, inputs);
        self.extras(position, inputs);
    }

    /// Appends the inputs beyond the point inputs that are not 0.
    pub fn extras(self, position: Position, inputs: &mut Vec<(u16, f32)>) {
        match self {
            Layout::Points => {}
            Layout::Short => extras::short(position, inputs),
            Layout::Long => extras::long(position, inputs),
        }
    }

    /// Appends what must be added to the point inputs of `from` to get those of `to`.
    pub fn point_changes(from: Position, to: Position, changes: &mut Vec<(u16, f32)>) {
        side_changes(from.us, to.us, 0, changes);
        side_changes(from.them, to.them, SIDE, changes);
    }

    /// Writes a position as a dense row of [`Layout::num_inputs`] numbers.
    ///
    /// # Panics
    /// If the row has another length.
    pub fn encode_dense(self, position: Position, row: &mut [f32], scratch: &mut Vec<(u16, f32)>) {
        assert_eq!(row.len(), self.num_inputs(), "a dense row has one number per input");
        scratch.clear();
        self.encode(position, scratch);
        row.fill(0.0);
        for &(input, value) in scratch.iter() {
            row[usize::from(input)] = value;
        }
    }
}

/// The inputs that stand for `count` checkers on a point, as (offset from the point's first input, value).
#[inline]
fn units(point: u8, count: u8) -> (u16, impl Iterator<Item = (u16, f32)>) {
    // Off and bar have one input each, after the 24 points.
    let (first, list) = match (point, count) {
        (_, 0) => (0, [(0, 0.0), (0, 0.0)]),
        (OFF, n) => (SIDE - 1, [(0, f32::from(n) / 15.0), (0, 0.0)]),
        (BAR, n) => (SIDE - 2, [(0, f32::from(n) / 2.0), (0, 0.0)]),
        (p, n @ 1..=3) => ((u16::from(p) - 1) * UNITS, [(u16::from(n) - 1, 1.0), (0, 0.0)]),
        (p, n) => ((u16::from(p) - 1) * UNITS, [(2, 1.0), (3, f32::from(n - 3) / 2.0)]),
    };
    (first, list.into_iter().filter(|(_, value)| *value != 0.0))
}

fn encode_side(side: Checkers, base: u16, inputs: &mut Vec<(u16, f32)>) {
    // Points 1 to 24, then the bar, then off: ascending inputs.
    let mut bits = side.0 >> 4;
    for point in (1..=BAR).chain([OFF]) {
        let count = if point == OFF { side.off() } else { bits as u8 & 15 };
        bits >>= 4;
        if count > 0 {
            let (first, units) = units(point, count);
            inputs.extend(units.map(|(unit, value)| (base + first + unit, value)));
        }
    }
}

#[inline]
fn side_changes(from: Checkers, to: Checkers, base: u16, changes: &mut Vec<(u16, f32)>) {
    let mut different = from.0 ^ to.0;
    while different != 0 {
        let point = (different.trailing_zeros() / 4) as u8;
        different &= !(15 << (4 * point));
        let (first, gone) = units(point, from.count(point));
        changes.extend(gone.map(|(unit, value)| (base + first + unit, -value)));
        let (first, come) = units(point, to.count(point));
        changes.extend(come.map(|(unit, value)| (base + first + unit, value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;
    use crate::rules::Rules;
    use crate::types::Roll;

    fn dense(layout: Layout, position: Position) -> Vec<f32> {
        let mut row = vec![0.0; layout.num_inputs()];
        layout.encode_dense(position, &mut row, &mut Vec::new());
        row
    }

    fn positions(rules: &Rules) -> Vec<Position> {
        let (mut all, mut position, mut state) = (Vec::new(), Position::start(rules.game), 12345u64);
        let mut next = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        while all.len() < 400 {
            let plays = legal_plays(position, Roll::ALL[next(21)], rules);
            position = plays.positions()[next(plays.len())].swapped();
            if position.is_over() {
                position = Position::start(rules.game);
            }
            all.push(position);
        }
        all
    }

    #[test]
    fn changes_added_to_one_position_give_the_other() {
        for rules in [Rules::SHORT, Rules::LONG] {
            let all = positions(&rules);
            for pair in all.windows(2) {
                let mut row = dense(Layout::Points, pair[0]);
                let mut changes = Vec::new();
                Layout::point_changes(pair[0], pair[1], &mut changes);
                changes.iter().for_each(|&(input, value)| row[usize::from(input)] += value);
                assert_eq!(row, dense(Layout::Points, pair[1]), "{pair:?}");
            }
        }
    }

    #[test]
    fn inputs_ascend_stay_in_range_and_tell_positions_apart() {
        for (layout, rules) in [(Layout::Short, Rules::SHORT), (Layout::Long, Rules::LONG)] {
            let mut seen = std::collections::HashMap::new();
            for position in positions(&rules) {
                let mut inputs = Vec::new();
                layout.encode(position, &mut inputs);
                assert!(inputs.windows(2).all(|w| w[0].0 < w[1].0), "{inputs:?}");
                assert!(
                    inputs.iter().all(|(i, v)| usize::from(*i) < layout.num_inputs() && v.abs() <= 7.5 && *v != 0.0)
                );
                let key: Vec<u32> = dense(Layout::Points, position).iter().map(|v| v.to_bits()).collect();
                assert_eq!(*seen.entry(key).or_insert(position), position);
            }
        }
    }

    #[test]
    fn the_start_of_short_nardy_is_encoded_as_documented() {
        let mut inputs = Vec::new();
        Layout::Points.encode(Position::SHORT_START, &mut inputs);
        let side = [(22, 1.0), (23, 1.0), (30, 1.0), (50, 1.0), (51, 1.0), (93, 1.0)];
        let both: Vec<(u16, f32)> = side.into_iter().chain(side.map(|(i, v)| (i + 98, v))).collect();
        assert_eq!(inputs, both);
    }
}
