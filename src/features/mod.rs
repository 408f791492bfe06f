//! Positions as network inputs: a sparse list of `(input, value)`, always from the point of view of the side on roll.
//!
//! Every layout has a name and a version, which model files carry; docs/features.md works an example out in full. All
//! layouts begin with the same 196 point inputs, which depend on one point's count each, so that a play changes few of
//! them ([`Layout::changes`]); the inputs after them describe the position as a whole and are computed anew for every
//! position ([`Layout::extras`]).

mod extras;
mod shots;

use crate::position::{Checkers, Position};
use crate::rules::Game;
use crate::types::BAR;
pub use extras::Extras;

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

    /// Number of inputs.
    pub const fn num_inputs(self) -> usize {
        POINT_INPUTS
            + match self {
                Layout::Points => 0,
                Layout::Short | Layout::Long => extras::NUM_EXTRAS,
            }
    }

    /// Appends all inputs of a position that are not 0, in ascending order.
    pub fn encode(self, position: Position, inputs: &mut Vec<(u16, f32)>) {
        self.encode_with(position, &self.extras(position), inputs);
    }

    /// [`Layout::encode`] for a caller who has the extras already.
    pub fn encode_with(self, position: Position, extras: &Extras, inputs: &mut Vec<(u16, f32)>) {
        side_changes(Checkers(0), position.us, 0, inputs);
        side_changes(Checkers(0), position.them, SIDE, inputs);
        push_differences(&[0.0; extras::NUM_EXTRAS], extras, inputs);
    }

    /// The inputs beyond the point inputs; all 0 in a layout that has none.
    #[inline(always)]
    pub fn extras(self, position: Position) -> Extras {
        match self {
            Layout::Points => [0.0; extras::NUM_EXTRAS],
            Layout::Short => extras::short(position),
            Layout::Long => extras::long(position),
        }
    }

    /// Appends what must be added to the inputs of `from`, whose extras are given, to get those of `to`.
    #[inline(always)]
    pub fn changes(self, from: Position, extras: &Extras, to: Position, changes: &mut Vec<(u16, f32)>) {
        side_changes(from.us, to.us, 0, changes);
        side_changes(from.them, to.them, SIDE, changes);
        push_differences(extras, &self.extras(to), changes);
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

/// How the inputs of one point change: offsets from the point's first input, and what to add.
#[derive(Clone, Copy)]
struct Change {
    entries: [(u16, f32); 3],
    len: usize,
}

/// The change from each number of checkers on a point to each other.
static CHANGES: [[Change; 16]; 16] = {
    const fn unit(count: usize, unit: usize) -> f32 {
        match unit {
            0 => (count == 1) as u8 as f32,
            1 => (count == 2) as u8 as f32,
            2 => (count >= 3) as u8 as f32,
            _ => count.saturating_sub(3) as f32 / 2.0,
        }
    }
    let mut table = [[Change { entries: [(0, 0.0); 3], len: 0 }; 16]; 16];
    let mut index = 0;
    while index < 16 * 16 {
        let (from, to) = (index / 16, index % 16);
        let change = &mut table[from][to];
        let mut i = 0;
        while i < UNITS as usize {
            let value = unit(to, i) - unit(from, i);
            if value != 0.0 {
                change.entries[change.len] = (i as u16, value);
                change.len += 1;
            }
            i += 1;
        }
        index += 1;
    }
    table
};

/// Appends the changes of one side's inputs in ascending order: points 1 to 24, then the bar, then off.
#[inline(always)]
fn side_changes(from: Checkers, to: Checkers, base: u16, changes: &mut Vec<(u16, f32)>) {
    const BAR_BITS: u128 = 15 << (4 * BAR);
    const LOWEST: u128 = 0x1111_1111_1111_1111_1111_1111_1111_1111;
    let different = from.0 ^ to.0;
    let mut rest = (different | different >> 1 | different >> 2 | different >> 3) & LOWEST & !1 & !BAR_BITS;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        rest &= rest - 1;
        // In halves, because shifting 64 bits is cheaper than 128.
        let count = |side: Checkers| (if bit < 64 { side.0 as u64 } else { (side.0 >> 64) as u64 }) >> (bit & 63) & 15;
        let change = &CHANGES[count(from) as usize][count(to) as usize];
        // Four inputs a point, as there are four bits: the bit is the number of the point's first input, and 4 more.
        let first = base + bit as u16 - UNITS;
        let end = changes.len() + change.len;
        // Three at once and then those beyond the end taken back: no branch to foretell.
        changes.extend_from_slice(&change.entries.map(|(unit, value)| (first + unit, value)));
        changes.truncate(end);
    }
    if different & BAR_BITS != 0 {
        changes.push((base + SIDE - 2, f32::from(to.bar()) / 2.0 - f32::from(from.bar()) / 2.0));
    }
    if different & 15 != 0 {
        changes.push((base + SIDE - 1, f32::from(to.off()) / 15.0 - f32::from(from.off()) / 15.0));
    }
}

/// Appends the extras that differ.
#[inline(always)]
fn push_differences(from: &Extras, to: &Extras, changes: &mut Vec<(u16, f32)>) {
    let mut different = [(0, 0.0); 16];
    let mut len = 0;
    for (input, (from, to)) in (POINT_INPUTS as u16..).zip(from.iter().zip(to)) {
        // Written in any case, and kept if it is a difference: no branch to foretell.
        different[len & 15] = (input, to - from);
        len += usize::from(from != to);
    }
    changes.extend_from_slice(&different[..len & 15]);
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
        for (layout, rules) in
            [(Layout::Short, Rules::SHORT), (Layout::Long, Rules::LONG), (Layout::Points, Rules::LONG)]
        {
            for pair in positions(&rules).windows(2) {
                let mut row = dense(layout, pair[0]);
                let mut changes = Vec::new();
                layout.changes(pair[0], &layout.extras(pair[0]), pair[1], &mut changes);
                changes.iter().for_each(|&(input, value)| row[usize::from(input)] += value);
                let expected = dense(layout, pair[1]);
                assert!(row.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{pair:?}");
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
