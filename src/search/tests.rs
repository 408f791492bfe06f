use super::*;
use crate::eval::{Evaluator, Model, Outcomes, equity, flip};
use crate::features::Layout;
use crate::movegen::{PlayList, legal_plays};
use crate::net::NetWeights;
use crate::position::Position;
use crate::rules::{Game, Rules};
use crate::types::Roll;
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A random net: it knows nothing, but prefers some positions to others.
fn model(rules: Rules, seed: u64) -> Arc<Model> {
    let layout = if rules.game == Game::Long { Layout::Long } else { Layout::Short };
    let net = NetWeights::random(&[layout.num_inputs(), 24, 16, 6], seed).unwrap();
    Arc::new(Model::of_net(&net, layout, rules).unwrap())
}

fn searcher(rules: Rules, filtered: bool, settings: SearchSettings) -> Searcher {
    Searcher::new(model(rules, 1), filtered.then(|| model(rules, 2)), rules, settings).unwrap()
}

/// Keeps everything: full width.
fn wide(most: usize) -> SearchSettings {
    let all = Keep { most, within: f32::INFINITY };
    SearchSettings { plies: [all; 3], tree: all, exact_endings: false, threads: 1, cache: 1 << 12 }
}

/// The definition, without batches, filters, caches and threads: chances of the side on roll.
fn plain(evaluator: &mut Evaluator, position: Position, depth: u32) -> Outcomes {
    if depth == 0 {
        return evaluator.evaluate(position);
    }
    let (rules, points) = (*evaluator.rules(), *evaluator.points());
    let mut mean = [0.0; 6];
    for roll in Roll::ALL {
        let mut best = (f32::NEG_INFINITY, position);
        for &result in legal_plays(position, roll, &rules).positions() {
            let equity = equity(&flip(evaluator.evaluate(result.swapped())), &points);
            if equity > best.0 {
                best = (equity, result);
            }
        }
        let next = best.1.swapped();
        let outcomes = flip(plain(evaluator, next, if next.is_over() { 0 } else { depth - 1 }));
        mean.iter_mut().zip(outcomes).for_each(|(sum, chance)| *sum += roll.weight() as f32 / 36.0 * chance);
    }
    mean
}

/// Positions from random play, with a roll each.
fn positions(rules: &Rules, number: usize) -> Vec<(Position, Roll)> {
    let (mut all, mut position, mut state) = (Vec::new(), Position::start(rules.game), 99u64);
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    while all.len() < number {
        for _ in 0..7 {
            let plays = legal_plays(position, Roll::ALL[next(21)], rules);
            position = plays.positions()[next(plays.len())].swapped();
            if position.is_over() {
                position = Position::start(rules.game);
            }
        }
        all.push((position, Roll::ALL[next(21)]));
    }
    all
}

fn close(a: &Outcomes, b: &Outcomes) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-5)
}

#[test]
fn every_ply_is_valued_by_its_definition() {
    for rules in [Rules::SHORT, Rules::LONG] {
        let mut searcher = searcher(rules, false, wide(usize::MAX));
        let mut evaluator = Evaluator::new(model(rules, 1), rules).unwrap();
        for (position, roll) in positions(&rules, 6) {
            assert!(close(&searcher.evaluate(position, 1), &plain(&mut evaluator, position, 1)), "{position:?}");
            let plays = legal_plays(position, roll, &rules);
            let ranking = searcher.rank(position, &plays, &Limits::depth(1));
            assert_eq!(ranking.plays.len(), plays.len());
            for ranked in ranking.plays.iter().take(5) {
                let after = plays.positions()[ranked.index].swapped();
                assert_eq!(ranked.depth, u32::from(plays.len() > 1));
                let depth = if after.is_over() { 0 } else { ranked.depth };
                assert!(close(&ranked.outcomes, &flip(plain(&mut evaluator, after, depth))), "{after:?}");
            }
            assert!(ranking.plays.windows(2).all(|pair| pair[0].equity >= pair[1].equity));
        }
        let (position, _) = positions(&rules, 3)[2];
        assert!(close(&searcher.evaluate(position, 2), &plain(&mut evaluator, position, 2)));
    }
}

#[test]
fn three_plies_are_valued_by_their_definition_where_little_is_left() {
    let position = Position {
        us: crate::position::Checkers::from_points(&[(6, 2), (4, 1)]),
        them: crate::position::Checkers::from_points(&[(5, 2), (3, 2)]),
    };
    for rules in [Rules::SHORT, Rules::LONG] {
        let mut evaluator = Evaluator::new(model(rules, 1), rules).unwrap();
        let mut searcher = searcher(rules, false, wide(usize::MAX));
        assert!(close(&searcher.evaluate(position, 3), &plain(&mut evaluator, position, 3)));
        let roll = Roll::new(2, 1).unwrap();
        let plays = legal_plays(position, roll, &rules);
        let ranking = searcher.rank(position, &plays, &Limits::depth(3));
        assert_eq!(ranking.depth, 3);
        for ranked in &ranking.plays {
            let after = plays.positions()[ranked.index].swapped();
            assert!(close(&ranked.outcomes, &flip(plain(&mut evaluator, after, 3))), "{after:?}");
        }
    }
}

#[test]
fn rankings_depend_neither_on_threads_nor_on_the_cache_nor_on_what_was_searched_before() {
    let depth = |filtered: bool| if filtered { 2 } else { 1 };
    for filtered in [false, true] {
        let settings = |threads, cache| SearchSettings { threads, cache, ..SearchSettings::default() };
        let mut searchers =
            [(1, 1), (1, 1 << 16), (3, 1 << 10)].map(|(t, c)| searcher(Rules::SHORT, filtered, settings(t, c)));
        for (position, roll) in positions(&Rules::SHORT, 5) {
            let plays = legal_plays(position, roll, &Rules::SHORT);
            let rankings =
                searchers.each_mut().map(|searcher| searcher.rank(position, &plays, &Limits::depth(depth(filtered))));
            for other in &rankings[1..] {
                // To the last bit.
                assert_eq!(rankings[0].plays, other.plays);
                assert_eq!((rankings[0].depth, rankings[0].nodes), (other.depth, other.nodes));
            }
        }
    }
}

#[test]
fn a_filter_that_lets_everything_through_changes_nothing() {
    let mut plain = searcher(Rules::SHORT, false, SearchSettings { tree: wide(usize::MAX).tree, ..wide(4) });
    let mut filtered = searcher(Rules::SHORT, true, SearchSettings { tree: wide(usize::MAX).tree, ..wide(4) });
    let mut narrow = searcher(Rules::SHORT, true, SearchSettings { tree: Keep { most: 1, within: 0.0 }, ..wide(4) });
    let mut differences = 0;
    for (position, roll) in positions(&Rules::SHORT, 4) {
        let plays = legal_plays(position, roll, &Rules::SHORT);
        let rankings = [&mut plain, &mut filtered, &mut narrow].map(|s| s.rank(position, &plays, &Limits::depth(1)));
        assert_eq!(rankings[0].plays, rankings[1].plays);
        assert!(rankings[2].nodes <= rankings[0].nodes);
        differences += usize::from(rankings[0].plays != rankings[2].plays);
    }
    assert!(differences > 0, "the filter has chosen no reply");
}

#[test]
fn plays_left_early_come_last_and_lose_no_less_than_those_before() {
    let settings = SearchSettings {
        plies: [Keep { most: 5, within: 9.0 }, Keep { most: 2, within: 9.0 }, wide(2).plies[0]],
        ..wide(1)
    };
    let mut searcher = searcher(Rules::SHORT, true, settings);
    let plays = legal_plays(Position::SHORT_START, Roll::new(4, 1).unwrap(), &Rules::SHORT);
    let ranking = searcher.rank(Position::SHORT_START, &plays, &Limits::depth(2));
    let depths: Vec<u32> = ranking.plays.iter().map(|play| play.depth).collect();
    assert_eq!(depths[..6], [2, 2, 1, 1, 1, 0]);
    assert!(depths[6..].iter().all(|&depth| depth == 0));
    assert_eq!((ranking.plays[0].loss, ranking.depth, ranking.stopped), (0.0, 2, false));
    assert!(ranking.plays.windows(2).all(|pair| pair[0].loss <= pair[1].loss));
    let mut indices: Vec<usize> = ranking.plays.iter().map(|play| play.index).collect();
    indices.sort_unstable();
    assert_eq!(indices, (0..plays.len()).collect::<Vec<_>>());
}

/// A position with many plays of about equal value to a random net.
fn busy() -> (Position, PlayList) {
    (Position::SHORT_START, legal_plays(Position::SHORT_START, Roll::new(2, 2).unwrap(), &Rules::SHORT))
}

#[test]
fn a_search_can_be_stopped_and_keeps_what_it_knows() {
    let (position, plays) = busy();
    let mut searcher = searcher(Rules::SHORT, false, SearchSettings { threads: 2, ..wide(16) });
    let asked = Cell::new(0);
    let stopped = || {
        asked.set(asked.get() + 1);
        asked.get() > 40
    };
    let started = Instant::now();
    let ranking = searcher.rank(position, &plays, &Limits { stopped: Some(&stopped), ..Limits::depth(3) });
    assert!(ranking.stopped && ranking.depth >= 1 && ranking.plays.len() == plays.len(), "{}", ranking.depth);
    // In full, this search takes minutes.
    assert!(started.elapsed() < Duration::from_secs(20));

    let at_once = searcher.rank(position, &plays, &Limits { deadline: Some(Instant::now()), ..Limits::depth(3) });
    assert_eq!((at_once.depth, at_once.stopped), (0, true));
    let few = searcher.rank(position, &plays, &Limits { nodes: Some(plays.len() as u64 + 1), ..Limits::depth(3) });
    assert_eq!((few.depth, few.stopped), (0, true));
    assert_eq!(few.plays, searcher.rank(position, &plays, &Limits::depth(0)).plays);
}

#[test]
fn a_win_at_once_is_certain_at_every_depth() {
    let position = Position {
        us: crate::position::Checkers::from_points(&[(1, 1), (3, 1)]),
        them: crate::position::Checkers::from_points(&[(24, 1), (6, 14)]),
    };
    let plays = legal_plays(position, Roll::new(6, 5).unwrap(), &Rules::SHORT);
    let mut searcher = searcher(Rules::SHORT, false, wide(usize::MAX));
    for depth in 0..=3 {
        let ranking = searcher.rank(position, &plays, &Limits::depth(depth));
        assert_eq!((ranking.plays[0].outcomes, ranking.plays[0].equity), ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 3.0));
    }
    // After 2-1 it still wins whenever the opponent does not, which needs more than one turn.
    let plays = legal_plays(position, Roll::new(2, 1).unwrap(), &Rules::SHORT);
    let ranking = searcher.rank(position, &plays, &Limits::depth(2));
    assert!((ranking.plays[0].outcomes[..3].iter().sum::<f32>() - 1.0).abs() < 1e-5, "{:?}", ranking.plays[0]);
}

#[test]
fn what_outcomes_are_worth_decides_which_play_is_best() {
    let (position, plays) = busy();
    let mut searcher = searcher(Rules::SHORT, false, wide(4));
    let wins_only = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let ranking = searcher.rank_worth(position, &plays, &wins_only, &Limits::depth(1));
    for ranked in &ranking.plays {
        assert!((ranked.equity - ranked.outcomes[..3].iter().sum::<f32>()).abs() < 1e-6);
    }
    let money = searcher.rank(position, &plays, &Limits::depth(1));
    assert_ne!(money.plays[0].outcomes, ranking.plays[0].outcomes);
}
