use crate::strategies::{game, position, roll, rules, walked_position};
use nardy::movegen::{PlayList, legal_plays};
use nardy::notation::{
    Numbers, PlayTextError, PlayTextOptions, format_play, format_steps, parse_play, parse_play_with,
};
use nardy::position::Position;
use nardy::position::text::{
    CubeOwner, DrawOptions, FibsBoard, PointNumbers, PositionFormat, View, Xgid, XgidAction, draw, gnu_id,
    parse_position,
};
use nardy::rules::{Game, Rules};
use nardy::types::{Roll, Step, Steps};
use proptest::prelude::*;

fn position_of_any_game() -> impl Strategy<Value = (Game, Position)> {
    game().prop_flat_map(|game| (Just(game), position(game)))
}

fn situation() -> impl Strategy<Value = (Rules, Position, Roll)> {
    rules().prop_flat_map(|rules| {
        let anywhere =
            prop_oneof![5 => position(rules.game), 2 => walked_position(rules, 60), 2 => walked_position(rules, 3)];
        (Just(rules), anywhere.prop_filter("over", |position| !position.is_over()), roll())
    })
}

/// Both printed forms of a play in both numberings are read back as that play.
fn check_play(position: Position, roll: Roll, rules: &Rules, plays: &PlayList, i: usize) -> Result<(), TestCaseError> {
    let play = plays.get(i);
    for numbers in [Numbers::Own, Numbers::Opponent] {
        let options = PlayTextOptions { numbers, empty_is_pass: false };
        for text in [
            format_play(position, play.steps, rules.game, numbers),
            format_steps(play.steps, rules.game, numbers),
            format_steps(play.steps.iter().rev().collect(), rules.game, numbers),
        ] {
            let read = parse_play_with(&text, position, roll, rules, options);
            prop_assert_eq!(read, Ok(play), "{} in {} with {}", text, position, roll);
        }
    }
    Ok(())
}

/// Where the reader allows every step but not the play, the dice must be what is wrong.
fn check_refusal(error: &PlayTextError, roll: Roll, plays: &PlayList, text: &str) -> Result<(), TestCaseError> {
    let legal_dice = plays.steps(0).len();
    match error {
        PlayTextError::UseMoreDice { used, needed, .. } => {
            prop_assert!(used < needed && *needed == legal_dice, "{}", text);
        }
        PlayTextError::LargerDie { .. } => {
            prop_assert!(!roll.is_double() && legal_dice == 1, "{}", text);
            let Some(step) = plays.steps(0).iter().next() else { return Err(TestCaseError::fail(text.to_string())) };
            prop_assert_eq!(step.die, roll.high(), "{}", text);
        }
        _ => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1200))]

    #[test]
    fn every_position_survives_its_literal_and_its_gnu_id((game, position) in position_of_any_game()) {
        prop_assert_eq!(position.validate(game), Ok(()));
        for text in [position.to_string(), gnu_id(position)] {
            let parsed = parse_position(&text, game);
            prop_assert_eq!(parsed.map(|p| p.position), Ok(position), "{}", text);
        }
    }

    #[test]
    fn every_xgid_is_read_as_it_was_written(
        position in position(Game::Short),
        upper_to_move: bool,
        cube_owner in prop::sample::select(vec![CubeOwner::Nobody, CubeOwner::Upper, CubeOwner::Lower]),
        action in prop_oneof![
            Just(XgidAction::RollOrDouble), Just(XgidAction::Doubled), Just(XgidAction::Beavered),
            Just(XgidAction::Raccooned), roll().prop_map(XgidAction::Play)
        ],
        (cube_log2, max_cube_log2, crawford_jacoby) in (0u8..=12, 0u8..=12, 0u8..=3),
        (a, b, match_length) in (0u32..25, 0u32..25, 0u32..26),
    ) {
        let xgid = Xgid {
            position, upper_to_move, cube_log2, cube_owner, action, score: [a, b], crawford_jacoby, match_length,
            max_cube_log2,
        };
        let parsed = parse_position(&xgid.to_string(), Game::Short).unwrap();
        prop_assert_eq!((parsed.position, parsed.roll), (position, xgid.roll()));
        prop_assert_eq!(parsed.format, PositionFormat::Xgid(xgid));
    }

    #[test]
    fn every_fibs_board_is_read_as_it_was_written(
        position in position(Game::Short), roll in prop::option::of(roll()), negative: bool, upwards: bool,
    ) {
        let mut board = FibsBoard::money(position, roll);
        if negative {
            (board.colour, board.turn) = (-1, -1);
            board.board = board.board.map(|n| -n);
        }
        if upwards {
            (board.direction, board.home, board.bar) = (1, 25, 0);
            board.board.reverse();
        }
        let parsed = parse_position(&board.to_string(), Game::Short).unwrap();
        prop_assert_eq!((parsed.position, parsed.roll), (position, roll));
        prop_assert_eq!(parsed.format, PositionFormat::Fibs(Box::new(board.clone())));
        board.turn = -board.turn;
        prop_assert_eq!(board.position(), Ok(position.swapped()));
    }

    #[test]
    fn a_drawing_shows_the_number_of_checkers_of_every_stack((game, position) in position_of_any_game(), opponent: bool) {
        let view = if opponent { View::Opponent } else { View::OnRoll };
        let options = DrawOptions { ascii: true, view, numbers: PointNumbers::Viewer, white_on_roll: true };
        let drawn = draw(position, game, options);
        let board: String = drawn.lines().filter(|line| line.starts_with(" |")).collect();
        let stacks = |side: nardy::position::Checkers| (1..=25).map(move |p| side.count(p)).collect::<Vec<_>>();
        for (side, glyph) in [(position.us, 'O'), (position.them, 'X')] {
            let glyphs: usize = stacks(side).iter().map(|&n| if n > 5 { 4 } else { usize::from(n) }).sum();
            prop_assert_eq!(board.matches(glyph).count(), glyphs, "\n{}", drawn);
        }
        let mut numbers: Vec<u8> = board.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
        let mut high: Vec<u8> = [position.us, position.them].into_iter().flat_map(stacks).filter(|&n| n > 5).collect();
        numbers.sort_unstable();
        high.sort_unstable();
        prop_assert_eq!(numbers, high, "\n{}", drawn);
    }

    #[test]
    fn every_printed_play_is_read_back_as_itself((rules, position, roll) in situation()) {
        let plays = legal_plays(position, roll, &rules);
        // A sample keeps the largest lists cheap.
        for i in (0..plays.len()).step_by(1 + plays.len() / 60) {
            check_play(position, roll, &rules, &plays, i)?;
        }
    }

    #[test]
    fn a_list_of_steps_is_a_play_exactly_if_the_generator_has_it(
        (rules, position, roll) in situation(), choices in prop::collection::vec((0u8..=25, 0usize..4), 1..5),
    ) {
        let plays = legal_plays(position, roll, &rules);
        let dice: Vec<u8> = roll.dice().collect();
        let mut text = String::new();
        let mut free = dice.clone();
        for &(point, die) in choices.iter().take(dice.len()) {
            let die = free.remove(die % free.len());
            // The occupied point at or below the one drawn, so that many texts come close to a play.
            let from = (1..=point.max(1)).rev().find(|&p| position.us.count(p) > 0).unwrap_or(point.max(1));
            text += &format!("{} ", Step { from, die });
        }
        match parse_play(&text, position, roll, &rules) {
            Ok(play) => prop_assert_eq!(plays.find(play.position), Some(play), "{}", text),
            Err(error) => check_refusal(&error, roll, &plays, &text)?,
        }
    }

    #[test]
    fn all_pairs_of_steps_are_judged_as_the_generator_does((rules, position, roll) in situation()) {
        prop_assume!(!roll.is_double());
        let plays = legal_plays(position, roll, &rules);
        let mut read = Vec::new();
        for (first, second) in [(roll.high(), roll.low()), (roll.low(), roll.high())] {
            for a in position.us.occupied() {
                let points = position.us.occupied().chain([a.saturating_sub(first)]).filter(|&p| p > 0);
                for b in points {
                    let steps: Steps = [Step { from: a, die: first }, Step { from: b, die: second }].into_iter().collect();
                    let text = format_steps(steps, rules.game, Numbers::Own);
                    match parse_play(&text, position, roll, &rules) {
                        Ok(play) => read.push(play.position),
                        Err(error) => check_refusal(&error, roll, &plays, &text)?,
                    }
                }
            }
        }
        if plays.steps(0).len() == 2 {
            read.sort_unstable();
            read.dedup();
            let mut all = plays.positions().to_vec();
            all.sort_unstable();
            prop_assert_eq!(read, all, "{} {} {}", rules, position, roll);
        }
    }
}

#[test]
fn every_play_of_a_few_whole_games_is_read_back_from_both_forms() {
    for (text, mut state) in [("long", 1u64), ("long-site", 2), ("short", 3), ("short-fsg", 4)] {
        let rules: Rules = text.parse().unwrap();
        let mut position = Position::start(rules.game);
        let mut next = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        for _ in 0..300 {
            let roll = Roll::ALL[next(21)];
            let plays = legal_plays(position, roll, &rules);
            for i in 0..plays.len().min(150) {
                check_play(position, roll, &rules, &plays, i).unwrap();
            }
            let chosen = plays.positions()[next(plays.len())];
            position = if chosen.is_over() { Position::start(rules.game) } else { chosen.swapped() };
        }
    }
}
