//! A board as SVG.
//!
//! The viewer is the side on roll; its points stand as in the drawings for terminals: 24 at the upper right, 13 at the
//! upper left, 12 at the lower left, 1 at the lower right.

use crate::position::{Checkers, Position, other_side};
use crate::rules::Game;
use crate::types::{BAR, OFF, Steps};
use std::fmt::Write;

const CELL: f64 = 34.0;
const RADIUS: f64 = 15.0;
const ROWS: u8 = 5;
const MARGIN: f64 = 24.0;
const HALF: f64 = 6.0 * CELL;
/// Height of the playing field.
const HEIGHT: f64 = 2.0 * (ROWS as f64) * 2.0 * RADIUS + 44.0;

/// A play drawn as arrows.
#[derive(Clone, Copy, Debug)]
pub struct Arrows<'a> {
    /// The play of the side on roll.
    pub steps: Steps,
    /// Colour of its arrows.
    pub colour: &'a str,
    /// Dashed arrows.
    pub dashed: bool,
    /// Sideways shift in pixels, so that two plays don't cover each other.
    pub shift: f64,
}

/// Draws a position as the side on roll sees it: its checkers light, the opponent's dark.
pub fn board_svg(position: Position, game: Game, arrows: &[Arrows]) -> String {
    let board = Board { position, game };
    let (width, height) = (board.right() + 2.0 * CELL, HEIGHT + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\
         <rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{}\" height=\"{HEIGHT}\" fill=\"#efe6d2\" stroke=\"#6b5b3e\" \
         stroke-width=\"2\"/>",
        board.right() - MARGIN
    );
    if game == Game::Short {
        let x = MARGIN + HALF;
        let _ = write!(svg, "<rect x=\"{x}\" y=\"{MARGIN}\" width=\"{CELL}\" height=\"{HEIGHT}\" fill=\"#c9b78f\"/>");
    } else {
        let x = MARGIN + HALF;
        let _ = write!(
            svg,
            "<line x1=\"{x}\" y1=\"{MARGIN}\" x2=\"{x}\" y2=\"{}\" stroke=\"#6b5b3e\" stroke-width=\"2\"/>",
            MARGIN + HEIGHT
        );
    }
    (1..=24).for_each(|point| board.point(point, &mut svg));
    (1..=24).for_each(|point| board.stack(point, &mut svg));
    board.bar_and_off(&mut svg);
    for (number, arrows) in arrows.iter().enumerate() {
        board.arrows(arrows, number, &mut svg);
    }
    svg + "</svg>"
}

struct Board {
    position: Position,
    game: Game,
}

impl Board {
    fn bar_width(&self) -> f64 {
        if self.game == Game::Short { CELL } else { 0.0 }
    }

    /// Right edge of the field.
    fn right(&self) -> f64 {
        MARGIN + 2.0 * HALF + self.bar_width()
    }

    /// Middle of a point's column.
    fn x(&self, point: u8) -> f64 {
        let column = if point > 12 { point - 13 } else { 12 - point };
        let bar = if column > 5 { self.bar_width() } else { 0.0 };
        MARGIN + (f64::from(column) + 0.5) * CELL + bar
    }

    /// Middle of the checker in a row counted from the rim.
    fn y(point: u8, row: f64) -> f64 {
        let from_rim = RADIUS + 1.0 + row * 2.0 * RADIUS;
        if point > 12 { MARGIN + from_rim } else { MARGIN + HEIGHT - from_rim }
    }

    fn point(&self, point: u8, svg: &mut String) {
        let (x, top) = (self.x(point), point > 12);
        let rim = if top { MARGIN } else { MARGIN + HEIGHT };
        let tip = if top { rim + 0.42 * HEIGHT } else { rim - 0.42 * HEIGHT };
        let fill = if point.is_multiple_of(2) { "#d9c59a" } else { "#b9966a" };
        let (left, right) = (x - CELL / 2.0 + 1.0, x + CELL / 2.0 - 1.0);
        let _ = write!(svg, "<path d=\"M{left} {rim}L{right} {rim}L{x} {tip}Z\" fill=\"{fill}\"/>");
        let label = if top { MARGIN - 8.0 } else { MARGIN + HEIGHT + 17.0 };
        text(svg, x, label, 12.0, "#555", &point.to_string());
    }

    fn stack(&self, point: u8, svg: &mut String) {
        let Position { us, them } = self.position;
        let (ours, theirs) = (us.count(point), them.count(other_side(self.game, point)));
        let (count, light) = if ours > 0 { (ours, true) } else { (theirs, false) };
        for row in 0..count.min(ROWS) {
            let (x, y) = (self.x(point), Board::y(point, f64::from(row)));
            let label = if row == ROWS - 1 && count > ROWS { count.to_string() } else { String::new() };
            checker(svg, (x, y), light, &label);
        }
    }

    fn bar_and_off(&self, svg: &mut String) {
        let side = |svg: &mut String, checkers: Checkers, light: bool| {
            let middle = MARGIN + HEIGHT / 2.0;
            let away = |distance: f64| if light { middle - distance } else { middle + distance };
            if checkers.bar() > 0 {
                let label = if checkers.bar() > 1 { checkers.bar().to_string() } else { String::new() };
                // A checker on the bar stands in the half in which it enters.
                checker(svg, (MARGIN + HALF + CELL / 2.0, away(40.0)), light, &label);
            }
            if checkers.off() > 0 {
                let y = if light { MARGIN + HEIGHT - 30.0 } else { MARGIN + 30.0 };
                checker(svg, (self.right() + CELL, y), light, &checkers.off().to_string());
                text(svg, self.right() + CELL, y + 32.0, 11.0, "#555", "off");
            }
        };
        side(svg, self.position.us, true);
        side(svg, self.position.them, false);
    }

    /// Where a checker of the side on roll stands when it is on a point, on the bar, or off.
    fn place(&self, point: u8) -> (f64, f64) {
        match point {
            BAR => (MARGIN + HALF + CELL / 2.0, MARGIN + HEIGHT / 2.0 - 40.0),
            OFF => (self.right() + CELL, MARGIN + HEIGHT - 30.0),
            _ => {
                let count = self.position.us.count(point).clamp(1, ROWS);
                (self.x(point), Board::y(point, f64::from(count - 1)))
            }
        }
    }

    fn arrows(&self, arrows: &Arrows, number: usize, svg: &mut String) {
        let colour = arrows.colour;
        // One id for each play and page would be needed; the colour makes it the same for the same look.
        let id = format!("tip{number}{}", colour.trim_start_matches('#'));
        let _ = write!(
            svg,
            "<defs><marker id=\"{id}\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"5\" markerHeight=\"5\" \
             orient=\"auto\"><path d=\"M0 0L10 5L0 10Z\" fill=\"{colour}\"/></marker></defs>"
        );
        let dash = if arrows.dashed { " stroke-dasharray=\"7 4\"" } else { "" };
        for step in arrows.steps.iter() {
            let ((x1, y1), (x2, y2)) = (self.place(step.from), self.place(step.to()));
            let (x1, x2) = (x1 + arrows.shift, x2 + arrows.shift);
            let _ = write!(
                svg,
                "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" stroke-width=\"3\"{dash} \
                 stroke-opacity=\"0.9\" marker-end=\"url(#{id})\"/>"
            );
        }
    }
}

fn checker(svg: &mut String, (x, y): (f64, f64), light: bool, label: &str) {
    let (fill, ink) = if light { ("#fbfbf7", "#222") } else { ("#3a3a40", "#fff") };
    let radius = RADIUS - 0.8;
    let _ = write!(
        svg,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"#222\" stroke-width=\"1.3\"/>"
    );
    if !label.is_empty() {
        text(svg, x, y + 5.0, 14.0, ink, label);
    }
}

fn text(svg: &mut String, x: f64, y: f64, size: f64, fill: &str, text: &str) {
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" font-family=\"sans-serif\" text-anchor=\"middle\" \
         fill=\"{fill}\">{text}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::text::parse_literal;

    #[test]
    fn every_checker_is_drawn_or_counted() {
        let position = parse_literal("own bar:2 13:5 6:8 | opp 24:3 13:6 6:4 off:2", Game::Short).unwrap();
        let svg = board_svg(position, Game::Short, &[]);
        // Own: one on the bar with its number, 5, and 5 of 8; the opponent's: 3, 5 of 6, 4, and one off.
        assert_eq!(svg.matches("fill=\"#fbfbf7\"").count(), 1 + 5 + 5);
        assert_eq!(svg.matches("fill=\"#3a3a40\"").count(), 3 + 5 + 4 + 1);
        for label in [">2</text>", ">8</text>", ">6</text>", ">off</text>"] {
            assert!(svg.contains(label), "{label}");
        }
    }

    #[test]
    fn opposite_points_share_a_column_in_both_games() {
        for game in [Game::Short, Game::Long] {
            let board = Board { position: Position::start(game), game };
            assert_eq!((board.x(24), board.x(13)), (board.x(1), board.x(12)));
            assert!(board.x(1) > board.x(12) && Board::y(24, 0.0) < Board::y(1, 0.0));
        }
    }
}
