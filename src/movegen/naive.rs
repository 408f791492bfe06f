//! The slow generator: the oracle of the fast one, kept for good.
//!
//! It is different in method on purpose. Positions are plain arrays of counts; every order of the dice and every point
//! is tried; all sequences of steps are collected first, and only then "as many dice as possible" and "the larger die"
//! are applied. It shares nothing with the fast generator but the vocabulary, and each rule is written as the rules
//! tell it (numbers such as "1.6" refer to docs/rules.md). Nobody should play games with it.

use super::Play;
use crate::position::{Checkers, Position};
use crate::rules::{Block, BlockPath, BlockWhen, Game, Head, Overshoot, Rules};
use crate::types::{Roll, Step, Steps};
use std::collections::HashMap;

/// The legal plays of a roll, sorted by resulting position; a pass is the unchanged position with no steps.
///
/// The same plays as those of [`super::legal_plays`], each with the same canonical list of steps, but hundreds of times
/// slower. The position must be valid ([`Position::validate`]) and not over.
pub fn legal_plays(position: Position, roll: Roll, rules: &Rules) -> Vec<Play> {
    let mut greatest: HashMap<Position, Steps> = HashMap::new();
    for play in legal_sequences(position, roll, rules) {
        let steps = greatest.entry(play.position).or_insert(play.steps);
        if play.steps.iter().gt(steps.iter()) {
            *steps = play.steps;
        }
    }
    let mut plays: Vec<Play> = greatest.into_iter().map(|(position, steps)| Play { position, steps }).collect();
    plays.sort_by_key(|play| play.position);
    plays
}

/// Every legal way to play a roll: all orders of all steps, each with the position it leads to.
pub fn legal_sequences(position: Position, roll: Roll, rules: &Rules) -> Vec<Play> {
    let board = Board { us: position.us.counts(), them: position.them.counts() };
    let mut dice = vec![roll.high(), roll.low()];
    if roll.is_double() {
        dice.extend([roll.high(), roll.high()]);
    }
    let first_turn = board.us[24] == 15;
    let mut sequences = all_sequences(&board, &dice, rules, head_allowance(rules, first_turn, roll));
    let only_if_needed = match rules.head {
        Head::NeededDoubles => first_turn && roll.is_double(),
        Head::NeededAny => first_turn,
        _ => false,
    };
    if rules.game == Game::Long && only_if_needed && most_dice(&sequences) < dice.len() {
        sequences = all_sequences(&board, &dice, rules, 2);
    }
    let used = most_dice(&sequences);
    sequences.retain(|s| s.steps.len() == used);
    if used == 1 && sequences.iter().any(|s| s.first_die() == Some(roll.high())) {
        sequences.retain(|s| s.first_die() == Some(roll.high()));
    }
    sequences.iter().map(|s| Play { position: s.end.to_position(), steps: s.steps }).collect()
}

/// Checkers that may leave the head in this turn, whatever the rest of the roll allows (1.4).
fn head_allowance(rules: &Rules, first_turn: bool, roll: Roll) -> usize {
    let double_of = |numbers: &[u8]| roll.is_double() && numbers.contains(&roll.high());
    let two = match rules.head {
        Head::Official => first_turn && double_of(&[3, 4, 6]),
        Head::Az46 => first_turn && double_of(&[4, 6]),
        Head::DoublesFirst => first_turn && roll.is_double(),
        Head::DoublesAlways => roll.is_double(),
        Head::NeededDoubles | Head::NeededAny | Head::None => false,
    };
    if two { 2 } else { 1 }
}

/// Counts of both sides, each in its own numbers: `[0]` off, `[25]` bar.
#[derive(Clone)]
struct Board {
    us: [u8; 26],
    them: [u8; 26],
}

/// Steps in the order in which they are made, and where they lead.
struct Sequence {
    steps: Steps,
    end: Board,
}

impl Sequence {
    fn first_die(&self) -> Option<u8> {
        self.steps.iter().next().map(|step| step.die)
    }
}

fn most_dice(sequences: &[Sequence]) -> usize {
    sequences.iter().map(|s| s.steps.len()).max().unwrap_or(0)
}

/// Every sequence of legal steps, of any length, that may stand at the end of a turn; the empty one always may.
fn all_sequences(board: &Board, dice: &[u8], rules: &Rules, head_allowance: usize) -> Vec<Sequence> {
    let mut sequences = vec![Sequence { steps: Steps::NONE, end: board.clone() }];
    continue_with(board, dice, rules, head_allowance, Steps::NONE, &mut sequences);
    sequences
}

fn continue_with(
    board: &Board,
    dice: &[u8],
    rules: &Rules,
    head_allowance: usize,
    done: Steps,
    sequences: &mut Vec<Sequence>,
) {
    for (i, &die) in dice.iter().enumerate() {
        if dice[..i].contains(&die) {
            continue;
        }
        let mut rest = dice.to_vec();
        rest.remove(i);
        // A step from no higher than the die bears off.
        let off_is_a_must = rules.must_off
            && !board.they_are_in_the_way(rules.game)
            && (1..=die).any(|from| board.step_is_legal(from, die, rules, head_allowance, done));
        for from in 1..=25 {
            if !board.step_is_legal(from, die, rules, head_allowance, done) || (off_is_a_must && from > die) {
                continue;
            }
            let end = board.after(from, die, rules.game);
            let steps = done.with(Step { from, die });
            continue_with(&end, &rest, rules, head_allowance, steps, sequences);
            // Under `step` the step itself has been tested.
            if rules.block_when == BlockWhen::Step || !end.has_forbidden_row(rules) {
                sequences.push(Sequence { steps, end });
            }
        }
    }
}

impl Board {
    fn to_position(&self) -> Position {
        let side = |counts| Checkers::from_counts(counts).expect("steps keep the number of checkers");
        Position { us: side(&self.us), them: side(&self.them) }
    }

    /// One checker can make one step now (1.3, 1.4, 1.6, 1.7, 2).
    fn step_is_legal(&self, from: u8, die: u8, rules: &Rules, head_allowance: usize, done: Steps) -> bool {
        if self.us[usize::from(from)] == 0 || (self.us[25] > 0 && from != 25) {
            return false;
        }
        if from <= die {
            if !self.may_bear_off(from, die, rules.overshoot) {
                return false;
            }
        } else {
            let to = from - die;
            let theirs = self.them[usize::from(other_number(rules.game, to))];
            let enough_to_hold = if rules.game == Game::Long { 1 } else { 2 };
            if theirs >= enough_to_hold || (rules.max_point > 0 && self.us[usize::from(to)] >= rules.max_point) {
                return false;
            }
        }
        if rules.game == Game::Long && from == 24 {
            let left_the_head = done.iter().filter(|step| step.from == 24).count();
            if left_the_head >= head_allowance {
                return false;
            }
        }
        rules.block_when == BlockWhen::Turn || !self.after(from, die, rules.game).has_forbidden_row(rules)
    }

    /// All checkers are home, and the die fits the point or is larger and may be used there (1.7).
    fn may_bear_off(&self, from: u8, die: u8, overshoot: Overshoot) -> bool {
        if (7..=25).any(|point| self.us[point] > 0) {
            return false;
        }
        let nothing_on = |mut points: std::ops::RangeInclusive<u8>| points.all(|p| self.us[usize::from(p)] == 0);
        from == die
            || match overshoot {
                Overshoot::Highest => nothing_on(from + 1..=6),
                Overshoot::Any => nothing_on(die..=6),
            }
    }

    /// The opponent has something on the bar or in the mover's home (option `must_off`).
    fn they_are_in_the_way(&self, game: Game) -> bool {
        self.them[25] > 0 || (1..=6).any(|point| self.them[usize::from(other_number(game, point))] > 0)
    }

    /// The board after one step, a lone enemy checker in short nardy sent to its bar.
    fn after(&self, from: u8, die: u8, game: Game) -> Board {
        let mut board = self.clone();
        let to = from.saturating_sub(die);
        board.us[usize::from(from)] -= 1;
        board.us[usize::from(to)] += 1;
        if game == Game::Short && to > 0 {
            let theirs = usize::from(other_number(game, to));
            if board.them[theirs] == 1 {
                board.them[theirs] = 0;
                board.them[25] += 1;
            }
        }
        board
    }

    /// Some row of six lacks its permission, or some row is longer than any permission allows (1.6).
    fn has_forbidden_row(&self, rules: &Rules) -> bool {
        let they_are_gone = (1..=24).all(|q| self.them[q] == 0);
        if rules.game == Game::Short || rules.block == Block::None || they_are_gone {
            return false;
        }
        let path = path_of_rows(rules.block_path);
        let closed = rules.block_path == BlockPath::Ring;
        let too_long = usize::from(rules.block_cap) + 1;
        (0..24).any(|start| {
            self.holds_row(&path, start, 6, closed) && !self.permits(&path, start, rules.block)
                || rules.block_cap > 0 && self.holds_row(&path, start, too_long, closed)
        })
    }

    /// The mover has a checker on each of `length` neighbours along the path; a closed path goes on from its end.
    fn holds_row(&self, path: &[u8; 24], start: usize, length: usize, closed: bool) -> bool {
        (closed || start + length <= 24) && (start..start + length).all(|i| self.us[usize::from(path[i % 24])] > 0)
    }

    /// The row of six that starts there may stand.
    fn permits(&self, path: &[u8; 24], start: usize, block: Block) -> bool {
        let row = || (start..start + 6).map(|i| other_number(Game::Long, path[i % 24]));
        match block {
            Block::None => true,
            Block::Home => (1..=6).any(|q| self.them[q] > 0),
            // A row across the opponent's own corner: he never goes from 1 to 24, so it stops nobody.
            Block::Ahead if row().any(|q| q == 1) && row().any(|q| q == 24) => true,
            Block::Ahead => (1..=24).any(|q| self.them[usize::from(q)] > 0 && row().all(|held| q < held)),
        }
    }
}

/// The same point in the other side's numbers (0).
fn other_number(game: Game, point: u8) -> u8 {
    match game {
        Game::Short => 25 - point,
        Game::Long if point <= 12 => point + 12,
        Game::Long => point - 12,
    }
}

/// The mover's points in the order in which neighbours count as a row (1.6).
fn path_of_rows(path: BlockPath) -> [u8; 24] {
    std::array::from_fn(|i| {
        let number = 24 - i as u8;
        match path {
            BlockPath::Opp => other_number(Game::Long, number),
            BlockPath::Own | BlockPath::Ring => number,
        }
    })
}
