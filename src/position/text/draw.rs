//! The board as a drawing for people.
//!
//! ```text
//!   ● opponent  pip count 167, off 0, bar 0
//!    13 14 15 16 17 18        19 20 21 22 23 24
//!  ┌───────────────────┬────┬───────────────────┐
//!  │  ○           ●    │    │  ●              ○ │
//! ```
//!
//! The viewer's own points always stand in the same places: 24 at the upper right, 13 at the upper left, 12 at the
//! lower left, 1 at the lower right. In long nardy both sides then travel counter-clockwise, in short nardy the viewer
//! does and the other side goes the opposite way.

use crate::position::{Checkers, Position, other_side};
use crate::rules::Game;
use crate::types::BAR;
use std::fmt::Write;

/// Who looks at the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// The side on roll.
    #[default]
    OnRoll,
    /// Its opponent.
    Opponent,
}

/// How the points are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PointNumbers {
    /// By the viewer.
    #[default]
    Viewer,
    /// By White, as printed on boards.
    Board,
}

/// How [`draw`] draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawOptions {
    /// Plain ASCII: White is `O`, Black `X`. Otherwise `○` and `●` in frames of Unicode lines.
    pub ascii: bool,
    /// Who looks at the board.
    pub view: View,
    /// How the points are numbered.
    pub numbers: PointNumbers,
    /// The side on roll is White.
    pub white_on_roll: bool,
}

impl Default for DrawOptions {
    /// Unicode, seen and numbered by the side on roll, which is White.
    fn default() -> DrawOptions {
        DrawOptions { ascii: false, view: View::OnRoll, numbers: PointNumbers::Viewer, white_on_roll: true }
    }
}

/// Rows of each half; a stack of more checkers shows its number instead of the last one.
const ROWS: u8 = 5;

/// The characters of a drawing.
struct Style {
    white: char,
    black: char,
    wall: char,
    flat: char,
    top: [char; 3],
    bottom: [char; 3],
}

const UNICODE: Style =
    Style {
        white: '○', black: '●', wall: '│', flat: '─', top: ['┌', '┬', '┐'], bottom: ['└', '┴', '┘']
    };
const ASCII: Style =
    Style { white: 'O', black: 'X', wall: '|', flat: '-', top: ['+', '+', '+'], bottom: ['+', '+', '+'] };

/// One side in the drawing.
struct Side {
    checkers: Checkers,
    glyph: char,
    name: &'static str,
}

struct Board<'a> {
    game: Game,
    style: &'a Style,
    near: Side,
    far: Side,
    /// Labels are the far side's numbers.
    far_numbers: bool,
}

/// Draws a valid position: the board with its numbers, the opponent's line above and the viewer's line below, each
/// with pip count, checkers off and, in short nardy, on the bar. Lines end with a line feed.
///
/// # Examples
/// ```
/// use nardy::position::{Position, text::{DrawOptions, draw}};
/// use nardy::rules::Game;
///
/// let board = draw(Position::LONG_START, Game::Long, DrawOptions { ascii: true, ..Default::default() });
/// assert!(board.contains("15")); // the number on a head
/// ```
pub fn draw(position: Position, game: Game, options: DrawOptions) -> String {
    let style = if options.ascii { &ASCII } else { &UNICODE };
    let glyph = |white: bool| if white { style.white } else { style.black };
    let us = Side { checkers: position.us, glyph: glyph(options.white_on_roll), name: "on roll" };
    let them = Side { checkers: position.them, glyph: glyph(!options.white_on_roll), name: "opponent" };
    let (near, far, near_is_white) = match options.view {
        View::OnRoll => (us, them, options.white_on_roll),
        View::Opponent => (them, us, !options.white_on_roll),
    };
    let far_numbers = options.numbers == PointNumbers::Board && !near_is_white;
    Board { game, style, near, far, far_numbers }.draw()
}

impl Board<'_> {
    fn draw(&self) -> String {
        let mut lines = vec![self.about(&self.far), self.labels(13), self.border(self.style.top)];
        lines.extend((0..ROWS).map(|row| self.row(13, row)));
        lines.push(self.between());
        lines.extend((0..ROWS).rev().map(|row| self.row(12, row)));
        lines.extend([self.border(self.style.bottom), self.labels(12), self.about(&self.near)]);
        lines.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{}", line.trim_end());
            text
        })
    }

    /// The points of a half from left to right, in the viewer's numbers: 13 to 24 or 12 to 1.
    fn half(first: u8) -> [u8; 12] {
        std::array::from_fn(|i| if first == 13 { 13 + i as u8 } else { 12 - i as u8 })
    }

    fn about(&self, side: &Side) -> String {
        let checkers = side.checkers;
        let mut line =
            format!("  {} {:<8}  pip count {}, off {}", side.glyph, side.name, checkers.pip_count(), checkers.off());
        if self.game == Game::Short {
            let _ = write!(line, ", bar {}", checkers.bar());
        }
        line
    }

    fn labels(&self, first: u8) -> String {
        let label = |point| if self.far_numbers { other_side(self.game, point) } else { point };
        self.columns(' ', &Self::half(first).map(|point| format!("{:>2}", label(point))), "", ' ')
    }

    fn border(&self, [left, middle, right]: [char; 3]) -> String {
        let half: String = std::iter::repeat_n(self.style.flat, 19).collect();
        let bar: String = match self.game {
            Game::Long => String::from(middle),
            Game::Short => format!("{middle}{}{middle}", String::from(self.style.flat).repeat(4)),
        };
        format!(" {left}{half}{bar}{half}{right}")
    }

    /// Twelve cells of two characters between walls, with the bar of short nardy in the middle.
    fn columns(&self, wall: char, cells: &[String; 12], bar: &str, gap: char) -> String {
        let half = |cells: &[String]| cells.iter().fold(String::new(), |text, cell| text + &String::from(gap) + cell);
        let middle = match self.game {
            Game::Long => String::from(wall),
            Game::Short => format!("{wall} {bar:>2} {wall}"),
        };
        format!(" {wall}{}{gap}{middle}{}{gap}{wall}", half(&cells[..6]), half(&cells[6..]))
    }

    /// Row 0 lies at the rim of the board.
    fn row(&self, first: u8, row: u8) -> String {
        let cells = Self::half(first).map(|point| {
            let (near, far) = (self.near.checkers.count(point), self.far.checkers.count(other_side(self.game, point)));
            let glyph = if near > 0 { self.near.glyph } else { self.far.glyph };
            cell(near.max(far), glyph, row)
        });
        // Checkers on the bar stand in the half in which they enter.
        let side = if first == 13 { &self.near } else { &self.far };
        self.columns(self.style.wall, &cells, &cell(side.checkers.count(BAR), side.glyph, ROWS - 1 - row), ' ')
    }

    /// The line between the halves.
    fn between(&self) -> String {
        let cells = std::array::from_fn(|_| "  ".into());
        self.columns(self.style.wall, &cells, "", ' ')
    }
}

/// What a stack shows in a row counted from where it stands.
fn cell(count: u8, glyph: char, row: u8) -> String {
    if count > ROWS && row == ROWS - 1 {
        format!("{count:>2}")
    } else if row < count {
        format!(" {glyph}")
    } else {
        "  ".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str, game: Game) -> Position {
        crate::position::text::parse_literal(text, game).unwrap()
    }

    #[test]
    fn the_start_of_short_nardy_in_ascii() {
        let options = DrawOptions { ascii: true, ..Default::default() };
        let drawn = draw(Position::SHORT_START, Game::Short, options);
        assert_eq!(drawn, include_str!("drawings/short_start_ascii.txt"), "\n{drawn}");
    }

    #[test]
    fn a_long_board_in_unicode_from_the_opponents_side_with_board_numbers() {
        let board = literal("own 24:9 23:1 13:1 2:1 off:3 | opp 24:11 9:4", Game::Long);
        let options = DrawOptions { view: View::Opponent, numbers: PointNumbers::Board, ..Default::default() };
        let drawn = draw(board, Game::Long, options);
        assert_eq!(drawn, include_str!("drawings/long_opponent_unicode.txt"), "\n{drawn}");
    }

    #[test]
    fn both_views_show_every_checker() {
        let board = literal("own bar:7 6:8 | opp bar:1 24:3 6:4 5:1 off:6", Game::Short);
        for view in [View::OnRoll, View::Opponent] {
            let drawn = draw(board, Game::Short, DrawOptions { ascii: true, view, ..Default::default() });
            let rows = drawn.lines().filter(|line| line.starts_with(" |")).collect::<String>();
            let shown = |c: char| rows.matches(c).count();
            // 7 and 8 checkers show four and a number each.
            assert_eq!((shown('O'), shown('X'), shown('7'), shown('8')), (8, 9, 1, 1), "\n{drawn}");
        }
    }
}
