use crate::positions::{Positions, every_long_rules, every_short_rules};
use nardy::movegen::{Play, is_legal, legal_plays};
use nardy::position::{Checkers, Position, other_side};
use nardy::rules::{Game, PRESETS, Rules};
use nardy::types::{BAR, NUM_CHECKERS, OFF, Step};

fn on_many_plays(all_rules: &[Rules], positions_each: usize, test: impl Fn(Position, &Play, &Rules)) {
    for (seed, rules) in (71..).zip(all_rules) {
        let mut positions = Positions::new(rules.game, seed);
        for i in 0..positions_each {
            let position = if i % 2 == 0 { positions.next_of_walk(rules) } else { positions.placed() };
            for play in legal_plays(position, positions.roll(), rules).iter() {
                test(position, &play, rules);
            }
        }
    }
}

fn all_rules() -> Vec<Rules> {
    let presets = PRESETS.iter().map(|preset| preset.rules);
    presets.chain(every_long_rules()).chain(every_short_rules()).collect()
}

#[test]
fn every_play_leads_to_a_valid_position() {
    on_many_plays(&all_rules(), 40, |position, play, rules| {
        assert_eq!(play.position.validate(rules.game), Ok(()), "{position:?} {}", play.steps);
    });
}

#[test]
fn every_play_moves_exactly_the_checkers_its_steps_name() {
    on_many_plays(&all_rules(), 40, |position, play, rules| {
        let (mut us, mut them) = (position.us.counts(), position.them.counts());
        for step in play.steps.iter() {
            us[usize::from(step.from)] -= 1;
            us[usize::from(step.to())] += 1;
            let his = usize::from(other_side(rules.game, step.to()));
            if step.to() != OFF && them[his] > 0 {
                them[his] -= 1;
                them[usize::from(BAR)] += 1;
            }
        }
        assert_eq!((play.position.us.counts(), play.position.them.counts()), (us, them), "{position:?} {}", play.steps);
        assert_eq!(us.iter().sum::<u8>(), NUM_CHECKERS);
        assert_eq!(them.iter().sum::<u8>(), NUM_CHECKERS);
    });
}

#[test]
fn every_play_listed_is_legal_as_a_list_of_steps() {
    for (seed, rules) in (81..).zip(all_rules()) {
        let mut positions = Positions::new(rules.game, seed);
        for _ in 0..10 {
            let (position, roll) = (positions.next_of_walk(&rules), positions.roll());
            for play in legal_plays(position, roll, &rules).iter() {
                let steps: Vec<Step> = play.steps.iter().collect();
                assert_eq!(is_legal(position, roll, &rules, &steps), Ok(play.position), "{position:?} {}", play.steps);
            }
        }
    }
}

/// A board that belongs to nobody: checkers on the points of White's numbering (white above zero), and bars and
/// borne-off checkers of White and Black.
type Board = ([i8; 25], [u8; 2], [u8; 2]);

fn board(position: Position, game: Game, black_on_roll: bool) -> Board {
    let (white, black) = if black_on_roll { (position.them, position.us) } else { (position.us, position.them) };
    let mut points = [0; 25];
    for point in 1..=24 {
        points[usize::from(point)] += white.count(point) as i8;
        points[usize::from(other_side(game, point))] -= black.count(point) as i8;
    }
    (points, [white.bar(), black.bar()], [white.off(), black.off()])
}

/// The position that one side sees on a board.
fn seen(board: &Board, game: Game, black_on_roll: bool) -> Position {
    let side = |black: bool| {
        let mut counts = [0; 26];
        for point in 1..=24u8 {
            let here = if black { other_side(game, point) } else { point };
            let checkers = board.0[usize::from(here)] * if black { -1 } else { 1 };
            counts[usize::from(point)] = checkers.max(0) as u8;
        }
        (counts[25], counts[0]) = (board.1[usize::from(black)], board.2[usize::from(black)]);
        Checkers::from_counts(&counts).unwrap()
    };
    Position { us: side(black_on_roll), them: side(!black_on_roll) }
}

/// The board turned round and repainted: White's checkers stand where Black's stood in Black's eyes.
fn colours_swapped(board: &Board, game: Game) -> Board {
    let mut points = [0; 25];
    for point in 1..=24usize {
        let turned = match game {
            Game::Long => (point + 11) % 24 + 1,
            Game::Short => 25 - point,
        };
        points[turned] = -board.0[point];
    }
    (points, [board.1[1], board.1[0]], [board.2[1], board.2[0]])
}

#[test]
fn the_same_board_with_the_colours_swapped_gives_the_same_plays() {
    for rules in [Rules::LONG, Rules::SHORT] {
        let mut positions = Positions::new(rules.game, 91);
        for i in 0..1_000 {
            let position = if i % 2 == 0 { positions.next_of_walk(&rules) } else { positions.placed() };
            let roll = positions.roll();
            let as_white = board(position, rules.game, false);
            let as_black = colours_swapped(&as_white, rules.game);
            let boards = |start: &Board, black: bool| {
                let plays = legal_plays(seen(start, rules.game, black), roll, &rules);
                plays.iter().map(|play| board(play.position, rules.game, black)).collect::<Vec<_>>()
            };
            let mut white: Vec<Board> =
                boards(&as_white, false).iter().map(|board| colours_swapped(board, rules.game)).collect();
            let mut black = boards(&as_black, true);
            white.sort_unstable();
            black.sort_unstable();
            assert_eq!(white, black, "{position:?} {roll}");
        }
    }
}
