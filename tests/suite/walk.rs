use crate::positions::{Positions, every_long_rules, every_short_rules, position, rules};
use nardy::movegen::{IllegalPlay, IllegalStep, TurnWalk, is_legal, legal_plays, naive};
use nardy::position::Position;
use nardy::rules::{Game, PRESETS, Rules};
use nardy::types::{Roll, Step, Steps};
use std::collections::BTreeSet;

fn roll(a: u8, b: u8) -> Roll {
    Roll::new(a, b).unwrap()
}

fn step(from: u8, die: u8) -> Step {
    Step { from, die }
}

/// Walks every way through the turn; every step that is not offered must be refused.
fn walk_everywhere(walk: &mut TurnWalk, found: &mut BTreeSet<(Steps, Position)>) {
    let next = walk.next_steps();
    assert_eq!(next.is_empty(), walk.is_complete(), "{walk:?}");
    for from in 0..=26 {
        for die in [0, 7, walk.roll().high(), walk.roll().low()] {
            if !next.iter().any(|n| (n.from, n.die) == (from, die)) {
                let before = walk.position();
                walk.step(from, die).unwrap_err();
                assert_eq!(walk.position(), before);
            }
        }
    }
    if walk.is_complete() {
        assert!(found.insert((walk.steps().iter().copied().collect(), walk.position())));
    }
    for n in next {
        let before = walk.position();
        assert_eq!(walk.step(n.from, n.die), Ok(n));
        assert_eq!(n.hit, walk.position().them != before.them, "{walk:?}");
        walk_everywhere(walk, found);
        assert_eq!(walk.undo(), Some(step(n.from, n.die)));
        assert_eq!(walk.position(), before);
    }
}

/// All walks = all legal sequences, their ends = the legal plays, and `is_legal` accepts exactly these.
fn check_walks(position: Position, roll: Roll, rules: &Rules) {
    let mut found = BTreeSet::new();
    let mut walk = TurnWalk::new(position, roll, *rules);
    walk_everywhere(&mut walk, &mut found);
    let all: BTreeSet<(Steps, Position)> =
        naive::legal_sequences(position, roll, rules).iter().map(|p| (p.steps, p.position)).collect();
    assert_eq!(found, all, "{position:?} {roll} {rules}");
    let ends: BTreeSet<Position> = all.iter().map(|(_, end)| *end).collect();
    assert!(legal_plays(position, roll, rules).iter().map(|p| p.position).collect::<BTreeSet<_>>() == ends);
    for (steps, end) in &all {
        let list: Vec<Step> = steps.iter().collect();
        assert_eq!(is_legal(position, roll, rules, &list), Ok(*end), "{position:?} {roll} {rules} {steps}");
        check_neighbours(position, roll, rules, &list, &all);
    }
}

/// Lists that differ from a legal one in one place are accepted only if they are legal themselves.
fn check_neighbours(position: Position, roll: Roll, rules: &Rules, list: &[Step], all: &BTreeSet<(Steps, Position)>) {
    let judge = |list: &[Step]| {
        let legal = all.iter().find(|(steps, _)| steps.iter().eq(list.iter().copied())).map(|(_, end)| *end);
        assert_eq!(is_legal(position, roll, rules, list).ok(), legal, "{position:?} {roll} {rules} {list:?}");
    };
    for i in 0..list.len() {
        let mut other = list.to_vec();
        other.remove(i);
        judge(&other);
        for from in [1, 6, 7, 12, 18, 23, 24, 25] {
            let mut other = list.to_vec();
            other[i].from = from;
            judge(&other);
        }
        let mut other = list.to_vec();
        other.swap(0, i);
        judge(&other);
        other.push(list[i]);
        judge(&other);
    }
}

fn check_many(all_rules: &[Rules], pairs: usize, seed: u64) {
    let mut positions = Positions::new(all_rules[0].game, seed);
    let mut done = 0;
    while done < pairs {
        let rules = &all_rules[done % all_rules.len()];
        let position = if done % 2 == 0 { positions.next_of_walk(rules) } else { positions.placed() };
        let roll = positions.roll();
        // A double with very many orders takes seconds and shows nothing more.
        if naive::legal_sequences(position, roll, rules).len() <= 150 {
            check_walks(position, roll, rules);
            done += 1;
        }
    }
}

#[test]
fn walks_end_in_the_legal_plays_on_every_preset() {
    for (seed, preset) in (1..).zip(PRESETS) {
        check_many(&[preset.rules], 40, seed);
    }
}

#[test]
fn walks_end_in_the_legal_plays_under_every_combination_of_options() {
    check_many(&every_long_rules(), 126, 31);
    check_many(&every_short_rules(), 60, 32);
}

#[test]
#[ignore = "takes minutes; run with --release"]
fn walks_end_in_the_legal_plays_on_many_positions() {
    for (seed, preset) in (101..).zip(PRESETS) {
        check_many(&[preset.rules], 5_000, seed);
    }
    check_many(&every_long_rules(), 20_000, 131);
    check_many(&every_short_rules(), 5_000, 132);
}

#[test]
fn a_finished_game_and_a_pass_are_complete_at_once() {
    let over = position(&[(0, 15)], &[(3, 1)]);
    for game in [Game::Long, Game::Short] {
        let walk = TurnWalk::new(over, roll(6, 5), Rules::default_of(game));
        assert!(walk.is_complete() && walk.next_steps().is_empty());
        assert_eq!(is_legal(over, roll(6, 5), &Rules::default_of(game), &[]), Ok(over));
    }
    let dance = position(&[(25, 1), (6, 14)], &[(6, 2), (5, 2), (4, 2), (3, 2), (2, 2), (1, 5)]);
    let mut walk = TurnWalk::new(dance, roll(6, 5), Rules::SHORT);
    assert!(walk.is_complete());
    assert_eq!(walk.undo(), None);
    assert_eq!(walk.dice_left(), [6, 5]);
}

#[test]
fn a_hit_is_shown_before_it_is_made() {
    let board = position(&[(13, 2), (6, 13)], &[(19, 2), (17, 1), (20, 12)]);
    let walk = TurnWalk::new(board, roll(5, 3), Rules::SHORT);
    let hits: Vec<(u8, u8)> = walk.next_steps().iter().filter(|n| n.hit).map(|n| (n.from, n.to)).collect();
    assert_eq!(hits, [(13, 8)]);
}

#[test]
fn a_checker_is_borne_off_with_the_smallest_die_that_will_do() {
    let board = position(&[(4, 2), (1, 1)], &[(1, 2)]);
    let mut walk = TurnWalk::new(board, roll(6, 4), Rules::SHORT);
    assert_eq!(walk.step_to(4, 0).map(|n| n.die), Ok(4));
    assert_eq!(walk.dice_left(), [6]);
    assert_eq!(walk.step_to(1, 0), Err(illegal(2, 1, 6, IllegalStep::HigherChecker { die: 6, higher: 4 })));
    assert_eq!(walk.step_to(4, 4), Err(IllegalPlay::NotAStep { from: 4, to: 4 }));
    assert_eq!(walk.step_to(4, 0).map(|n| n.die), Ok(6));
}

fn illegal(number: usize, from: u8, die: u8, why: IllegalStep) -> IllegalPlay {
    IllegalPlay::Step { number, step: step(from, die), why }
}

#[test]
fn every_illegal_step_is_refused_with_its_reason() {
    use IllegalStep::*;
    let start = Position::LONG_START;
    let b1 = position(&[(13, 4), (11, 2), (10, 2), (9, 2), (8, 2), (7, 3)], &[(24, 15)]);
    let max = rules("short,max_point=5");
    let must = rules("short,must_off=true");
    let bar = position(&[(25, 1), (13, 14)], &[(22, 2), (1, 2)]);
    let full = position(&[(25, 1), (22, 5), (2, 5), (1, 4)], &[(12, 15)]);
    let free = position(&[(7, 1), (3, 2)], &[(10, 15)]);
    let late = position(&[(7, 1), (3, 2)], &[(24, 15)]);
    for (position, roll, rules, steps, refusal) in [
        (start, roll(2, 1), Rules::LONG, vec![step(24, 3)], illegal(1, 24, 3, DieNotLeft { die: 3 })),
        (start, roll(2, 1), Rules::LONG, vec![step(24, 1), step(23, 1)], illegal(2, 23, 1, DieNotLeft { die: 1 })),
        (start, roll(2, 1), Rules::LONG, vec![step(23, 1)], illegal(1, 23, 1, NoChecker { point: 23 })),
        (start, roll(2, 1), Rules::LONG, vec![step(24, 2), step(24, 1)], illegal(2, 24, 1, Head { allowed: 1 })),
        (
            start,
            roll(3, 3),
            Rules::LONG,
            vec![step(24, 3), step(24, 3), step(24, 3)],
            illegal(3, 24, 3, Head { allowed: 2 }),
        ),
        (
            start,
            roll(6, 6),
            Rules::LONG,
            vec![step(24, 6), step(18, 6)],
            illegal(2, 18, 6, Blocked { to: 12, count: 15 }),
        ),
        (b1, roll(2, 1), Rules::LONG, vec![step(7, 1)], illegal(1, 7, 1, Row)),
        (bar, roll(3, 1), Rules::SHORT, vec![step(13, 1)], illegal(1, 13, 1, BarFirst)),
        (bar, roll(6, 1), Rules::SHORT, vec![step(25, 1)], illegal(1, 25, 1, Blocked { to: 24, count: 2 })),
        (full, roll(3, 3), max, vec![step(25, 3)], illegal(1, 25, 3, Full { to: 22, count: 5 })),
        (Position::SHORT_START, roll(2, 1), max, vec![step(8, 2)], illegal(1, 8, 2, Full { to: 6, count: 5 })),
        (late, roll(3, 1), Rules::LONG, vec![step(3, 3)], illegal(1, 3, 3, NotAllHome { outside: 7 })),
        (
            late,
            roll(6, 1),
            Rules::SHORT,
            vec![step(7, 1), step(3, 6)],
            illegal(2, 3, 6, HigherChecker { die: 6, higher: 6 }),
        ),
        (free, roll(3, 1), must, vec![step(7, 1), step(6, 3)], illegal(2, 6, 3, MustBearOff { die: 3 })),
    ] {
        assert_eq!(is_legal(position, roll, &rules, &steps), Err(refusal), "{refusal}");
        let mut walk = TurnWalk::new(position, roll, rules);
        let walked = steps.iter().try_for_each(|s| walk.step(s.from, s.die).map(drop));
        assert_eq!(walked, Err(refusal), "{refusal}");
    }
    let won = position(&[(1, 1)], &[(1, 1)]);
    let refusal = is_legal(won, roll(2, 1), &Rules::SHORT, &[step(1, 2), step(1, 1)]);
    assert_eq!(refusal, Err(illegal(2, 1, 1, GameOver)));
}

#[test]
fn a_turn_that_wastes_dice_is_refused_with_the_reason() {
    let board = position(&[(24, 1), (8, 1), (6, 13)], &[(5, 4), (6, 4), (7, 3), (9, 2), (21, 2)]);
    let mut walk = TurnWalk::new(board, roll(6, 2), Rules::SHORT);
    let dead_end = IllegalPlay::DeadEnd { number: 1, step: step(8, 2), must: 2 };
    assert_eq!(walk.step(8, 2), Err(dead_end));
    let half = is_legal(board, roll(6, 2), &Rules::SHORT, &[step(8, 2)]);
    assert_eq!(half, Err(IllegalPlay::Incomplete { made: 1, must: 2 }));

    let either = position(&[(20, 1), (2, 14)], &[(24, 14), (21, 1)]);
    let small = is_legal(either, roll(6, 5), &Rules::LONG, &[step(20, 5)]);
    assert_eq!(small, Err(IllegalPlay::LargerDie { die: 6 }));
    let mut walk = TurnWalk::new(either, roll(6, 5), Rules::LONG);
    assert_eq!(walk.step_to(20, 15), Err(IllegalPlay::LargerDie { die: 6 }));
    assert_eq!(walk.step_to(20, 14).map(|n| n.die), Ok(6));

    let b7 = position(
        &[(24, 1), (18, 1), (17, 1), (16, 1), (15, 1), (14, 1), (1, 9)],
        &[(24, 5), (23, 2), (22, 2), (21, 2), (20, 2), (19, 2)],
    );
    let at_end = rules("long,block_when=turn");
    let refusal = is_legal(b7, roll(6, 5), &at_end, &[step(24, 6), step(18, 5)]);
    assert_eq!(refusal, Err(IllegalPlay::RowAtEnd));
    let mut walk = TurnWalk::new(b7, roll(6, 5), at_end);
    walk.step(24, 6).unwrap();
    assert!(walk.is_complete());
    assert_eq!(walk.step(18, 5), Err(IllegalPlay::RowAtEnd));
}
