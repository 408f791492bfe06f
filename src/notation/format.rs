//! Plays in writing.

use super::{Numbers, point_name};
use crate::position::{Position, other_side};
use crate::rules::Game;
use crate::types::{BAR, OFF, Steps};
use std::fmt::Write;

/// The play for people: one leg per checker, `24/13` for consecutive steps, every hit marked, equal legs counted as in
/// `8/5(2)`, `pass` without steps. Points between are named if a checker is hit there, or would be on another way.
///
/// `position` is the one before the play, seen by the mover.
///
/// # Examples
/// ```
/// use nardy::notation::{Numbers, format_play};
/// use nardy::{movegen::legal_plays, position::Position, rules::Rules, types::Roll};
///
/// let plays = legal_plays(Position::LONG_START, Roll::new(6, 6).unwrap(), &Rules::LONG);
/// let play = plays.get(0);
/// assert_eq!(format_play(Position::LONG_START, play.steps, Rules::LONG.game, Numbers::Own), "24/18(2)");
/// ```
pub fn format_play(position: Position, steps: Steps, game: Game, numbers: Numbers) -> String {
    if steps.is_empty() {
        return "pass".into();
    }
    let blot = |point: u8| {
        game == Game::Short && (1..=24).contains(&point) && position.them.count(other_side(game, point)) == 1
    };
    let mut unmarked: Vec<u8> = steps.iter().map(|step| step.to()).filter(|&to| blot(to)).collect();
    let mut text = String::new();
    for (path, times) in counted(paths(steps)) {
        if !text.is_empty() {
            text.push(' ');
        }
        let names = named_points(&path, steps, &blot);
        for (i, &point) in names.iter().enumerate() {
            let slash = if i == 0 { "" } else { "/" };
            let _ = write!(text, "{slash}{}", point_name(numbers.convert(game, point)));
            if i > 0 && unmarked.contains(&point) {
                unmarked.retain(|&other| other != point);
                text.push('*');
            }
        }
        if times > 1 {
            let _ = write!(text, "({times})");
        }
    }
    text
}

/// The play for programs: every step on its own in playing order, `24/18 18/13`, `bar/22`, `6/off`, no marks; `pass`
/// without steps.
pub fn format_steps(steps: Steps, game: Game, numbers: Numbers) -> String {
    if steps.is_empty() {
        return "pass".into();
    }
    let name = |point| point_name(numbers.convert(game, point));
    steps.iter().map(|step| format!("{}/{}", name(step.from), name(step.to()))).collect::<Vec<_>>().join(" ")
}

/// The points each checker stands on in turn.
fn paths(steps: Steps) -> Vec<Vec<u8>> {
    let mut paths: Vec<Vec<u8>> = Vec::new();
    for step in steps.iter() {
        match paths.iter_mut().find(|path| path.last() == Some(&step.from)) {
            Some(path) => path.push(step.to()),
            None => paths.push(vec![step.from, step.to()]),
        }
    }
    paths
}

/// Equal paths once, with their number.
fn counted(paths: Vec<Vec<u8>>) -> Vec<(Vec<u8>, usize)> {
    let mut counted: Vec<(Vec<u8>, usize)> = Vec::new();
    for path in paths {
        match counted.iter_mut().find(|(known, _)| *known == path) {
            Some((_, times)) => *times += 1,
            None => counted.push((path, 1)),
        }
    }
    counted
}

/// The points of a path that must be written: its ends, hits, and a landing that tells it from another way.
fn named_points(path: &[u8], steps: Steps, blot: &impl Fn(u8) -> bool) -> Vec<u8> {
    let (from, to) = (path[0], path[path.len() - 1]);
    // A path of two different dice could have gone by the other one first.
    let other_way = path.len() == 3 && steps.iter().any(|step| blot(from.saturating_sub(step.die)));
    let between = |&&point: &&u8| point != OFF && point != BAR && (other_way || blot(point));
    let inner = path[1..path.len() - 1].iter().filter(between);
    std::iter::once(&from).chain(inner).chain(std::iter::once(&to)).copied().collect()
}
