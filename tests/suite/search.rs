//! What is known about the opening, and about endings, is found by the shipped model.

use nardy::eval::Model;
use nardy::movegen::legal_plays;
use nardy::notation::{Numbers, format_play, parse_play};
use nardy::position::{Checkers, Position};
use nardy::rules::{Game, Rules};
use nardy::search::{Limits, SearchSettings, Searcher};
use nardy::types::Roll;
use std::path::Path;
use std::sync::Arc;

fn searcher(game: &str) -> Searcher {
    let load = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(format!("{name}.safetensors"));
        Arc::new(Model::load(path).unwrap())
    };
    let (model, filter) = (load(game), load(&format!("{game}-quick")));
    let rules = *model.rules();
    Searcher::new(model, Some(filter), rules, SearchSettings::default()).unwrap()
}

/// The best play of a roll of short nardy, looked ahead.
fn best(searcher: &mut Searcher, position: Position, roll: Roll, depth: u32) -> (String, Position) {
    let plays = legal_plays(position, roll, &Rules::SHORT);
    let ranking = searcher.rank(position, &plays, &Limits::depth(depth));
    let play = plays.get(ranking.plays[0].index);
    (format_play(position, play.steps, Game::Short, Numbers::Own), play.position)
}

/// How the 15 opening rolls are played by common consent; where rollouts find several plays within a few hundredths of a point,
/// all of them.
const OPENINGS: [(&str, &[&str]); 15] = [
    ("21", &["13/11 6/5", "24/23 13/11"]),
    ("31", &["8/5 6/5"]),
    ("41", &["24/23 13/9", "13/9 6/5"]),
    ("51", &["24/23 13/8", "13/8 6/5"]),
    ("61", &["13/7 8/7"]),
    ("32", &["24/21 13/11", "13/11 13/10"]),
    ("42", &["8/4 6/4"]),
    ("52", &["13/11 13/8", "24/22 13/8"]),
    ("62", &["24/18 13/11", "24/16", "13/5"]),
    ("43", &["24/20 13/10", "24/21 13/9", "13/10 13/9"]),
    ("53", &["8/3 6/3"]),
    ("63", &["24/18 13/10", "24/15"]),
    ("54", &["24/20 13/8", "13/8 13/9"]),
    ("64", &["24/14", "24/18 13/9", "8/2 6/2"]),
    ("65", &["24/13"]),
];

#[test]
fn opening_rolls_are_played_as_by_common_consent_at_2_ply() {
    let mut searcher = searcher("short");
    let position = Position::SHORT_START;
    let mut wrong = Vec::new();
    for (dice, accepted) in OPENINGS {
        let roll: Roll = dice.parse().unwrap();
        let (text, result) = best(&mut searcher, position, roll, 2);
        let results: Vec<Position> =
            accepted.iter().map(|text| parse_play(text, position, roll, &Rules::SHORT).unwrap().position).collect();
        if !results.contains(&result) {
            wrong.push(format!("{dice}: {text} instead of {}", accepted.join(" or ")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_last_checkers_are_moved_as_the_exact_tables_demand_at_every_depth() {
    let mut searcher = searcher("short");
    let side = Checkers::from_points;
    // 2-1 with checkers on 6 and 2: 6/4 2/1 leaves 4 and 1 (29 rolls bear both off), 6/3 leaves 3 and 2 (25), 6/5 2/off
    // leaves a 5 (31). The opponent needs two turns unless it throws a double.
    let position = Position { us: side(&[(6, 1), (2, 1)]), them: side(&[(1, 3)]) };
    for depth in 0..=2 {
        let (_, result) = best(&mut searcher, position, "21".parse().unwrap(), depth);
        assert_eq!(result.us, side(&[(5, 1)]), "{depth}-ply");
    }
    // A mars is in question: with one turn left, it must be used to bring the last checker in and one off.
    let position = Position { us: side(&[(7, 1), (5, 1), (4, 6), (3, 7)]), them: side(&[(1, 2)]) };
    for depth in 0..=2 {
        let (text, result) = best(&mut searcher, position, "51".parse().unwrap(), depth);
        assert_eq!(result.us.off(), 1, "{depth}-ply: {text}");
    }
}
