//! One body for each parser: any text is either refused with a message or read as something that prints and reads back
//! as itself. Run by the property tests here and by the fuzz targets in `fuzz/`.

use nardy::movegen::legal_plays;
use nardy::notation::{Numbers, PlayTextOptions, format_play, format_steps, parse_legs, parse_play_with};
use nardy::position::Position;
use nardy::position::text::{DrawOptions, draw, gnu_id, parse_gnu_id, parse_literal, parse_position};
use nardy::position::text::{FibsBoard, Xgid};
use nardy::rules::{Game, Rules};
use nardy::types::Roll;

fn says_why<T>(result: Result<T, impl std::error::Error>) -> Option<T> {
    result.map_err(|error| assert!(!error.to_string().is_empty())).ok()
}

/// Legs without a position, and plays of a few positions in every reading mode.
pub fn plays(text: &str) {
    if let Some(legs) = says_why(parse_legs(text)) {
        assert!(legs.iter().all(|leg| leg.to < leg.from && leg.from <= 25 && text.get(leg.at.0..leg.at.1).is_some()));
    }
    for (position, rules) in [
        (Position::LONG_START, Rules::LONG),
        (Position::SHORT_START, Rules::SHORT),
        (Position::SHORT_START.swapped(), Rules { max_point: 5, must_off: true, ..Rules::SHORT }),
    ] {
        for roll in [Roll::ALL[1], Roll::ALL[5], Roll::ALL[19]] {
            for numbers in [Numbers::Own, Numbers::Opponent] {
                let options = PlayTextOptions { numbers, empty_is_pass: true };
                let read = |text: &str| says_why(parse_play_with(text, position, roll, &rules, options));
                let Some(play) = read(text) else { continue };
                assert_eq!(legal_plays(position, roll, &rules).find(play.position), Some(play));
                assert_eq!(read(&format_play(position, play.steps, rules.game, numbers)), Some(play));
                assert_eq!(read(&format_steps(play.steps, rules.game, numbers)), Some(play));
            }
        }
    }
}

/// `own … | opp …`.
pub fn literal(text: &str) {
    for game in [Game::Long, Game::Short] {
        if let Some(position) = says_why(parse_literal(text, game)) {
            assert_eq!(parse_literal(&position.to_string(), game), Ok(position));
        }
    }
}

/// GNU Position IDs.
pub fn gnu_ids(text: &str) {
    for game in [Game::Long, Game::Short] {
        if let Some(position) = says_why(parse_gnu_id(text, game)) {
            assert_eq!(gnu_id(position), text);
        }
    }
}

/// XGIDs.
pub fn xgid(text: &str) {
    if let Some(xgid) = says_why(text.parse::<Xgid>()) {
        assert_eq!(xgid.to_string().parse(), Ok(xgid));
    }
}

/// FIBS boards.
pub fn fibs_board(text: &str) {
    if let Some(board) = says_why(text.parse::<FibsBoard>()) {
        assert_eq!(board.to_string().parse(), Ok(board.clone()));
        let _ = (says_why(board.position()), board.roll());
    }
}

/// Positions in any format, and their drawings.
pub fn positions(text: &str) {
    for game in [Game::Long, Game::Short] {
        if let Some(parsed) = says_why(parse_position(text, game)) {
            assert_eq!(parsed.position.validate(game), Ok(()));
            assert!(draw(parsed.position, game, DrawOptions::default()).lines().count() > 10);
        }
    }
}

/// Rolls.
pub fn dice(text: &str) {
    if let Some(roll) = says_why(text.parse::<Roll>()) {
        assert_eq!(roll.to_string().parse(), Ok(roll));
    }
}

/// Rule sets.
pub fn rules(text: &str) {
    if let Some(rules) = says_why(text.parse::<Rules>()) {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
}
