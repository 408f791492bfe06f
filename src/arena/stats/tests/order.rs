//! The same results give the same bits, in whatever order and with whatever interruptions.

use rand::seq::SliceRandom;

use super::super::*;
use super::{rng, toy_pair};

/// Pairs with a luck of many digits, so that sums depend on their order.
fn pairs(count: usize, seed: u64) -> Vec<PairResult> {
    use rand::RngExt;
    let mut rng = rng(seed);
    let mut lucky = |g: &GameResult| {
        let luck = g.points() * rng.random::<f64>();
        GameResult::new(g.points() / 3.0, g.ending(), Some(luck)).unwrap()
    };
    let mut toy = super::rng(seed + 1);
    (0..count)
        .map(|_| {
            let pair = toy_pair(&mut toy, 0.53, 0.5);
            PairResult::new(lucky(&pair.games()[0]), lucky(&pair.games()[1]))
        })
        .collect()
}

fn tested() -> MatchStats {
    let hypotheses = Hypotheses::Points { h0: 0.0, h1: 0.02 };
    MatchStats::new(Some(SprtSpec::new(hypotheses))).unwrap()
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

#[test]
fn any_order_of_arrival_gives_the_same_bits() {
    let pairs = pairs(500, 1);
    let mut straight = tested();
    for pair in &pairs {
        straight.push(pair);
    }
    for seed in 0..20 {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.shuffle(&mut rng(seed));
        let mut total = InOrder::new(tested());
        for index in order {
            total.add(index as u64, pairs[index]).unwrap();
        }
        assert_eq!(json(total.get()), json(&straight));
    }
}

#[test]
fn the_order_matters_without_the_fixed_order() {
    // Otherwise the test above would prove nothing.
    let mut pairs = pairs(500, 1);
    let fold = |pairs: &[PairResult]| {
        let mut luck = LuckStats::default();
        pairs.iter().for_each(|pair| luck.fold(*pair));
        luck
    };
    let straight = fold(&pairs);
    pairs.reverse();
    assert_ne!(json(&fold(&pairs)), json(&straight));
}

#[test]
fn blocks_merged_in_order_give_the_same_bits_with_any_threads() {
    let pairs = pairs(1000, 2);
    let blocks: Vec<PairStats> = pairs
        .chunks(64)
        .map(|chunk| {
            let mut block = PairStats::default();
            chunk.iter().for_each(|pair| block.push(pair));
            block
        })
        .collect();
    let with_threads = |threads: usize| {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut total: InOrder<PairStats, PairStats> = InOrder::default();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (sender, blocks) = (sender.clone(), &blocks);
                scope.spawn(move || {
                    for index in (thread..blocks.len()).step_by(threads).rev() {
                        sender.send((index as u64, blocks[index])).unwrap();
                    }
                });
            }
            drop(sender);
            for (index, block) in receiver {
                total.add(index, block).unwrap();
            }
        });
        assert_eq!(total.next(), blocks.len() as u64);
        json(total.get())
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(4));
    assert_eq!(one, with_threads(7));
}

#[test]
fn merging_agrees_with_adding_one_by_one() {
    let pairs = pairs(301, 3);
    let (mut whole, mut first, mut second) = (
        (PairStats::default(), LuckStats::default()),
        (PairStats::default(), LuckStats::default()),
        (PairStats::default(), LuckStats::default()),
    );
    for (i, pair) in pairs.iter().enumerate() {
        let part = if i < 100 { &mut first } else { &mut second };
        for stats in [&mut whole, part] {
            stats.0.push(pair);
            stats.1.push_pair(pair);
        }
    }
    first.0.merge(&second.0);
    first.1.merge(&second.1);
    first.0.merge(&PairStats::default());
    let near = |a: &Moments, b: &Moments| {
        assert_eq!(a.count(), b.count());
        super::close(a.mean(), b.mean(), 1e-12);
        super::close(a.sum_squares(), b.sum_squares(), 1e-9);
    };
    near(first.0.pairs(), whole.0.pairs());
    near(first.0.games(), whole.0.games());
    near(first.1.adjusted(), whole.1.adjusted());
    assert_eq!(first.0.scores(), whole.0.scores());
    for ending in Ending::ALL {
        let rate = |stats: &PairStats| stats.rate(ending, Level::P95);
        assert_eq!(rate(&first.0), rate(&whole.0));
    }
}

#[test]
fn a_resumed_match_is_bitwise_the_unbroken_one() {
    let pairs = pairs(400, 4);
    let mut unbroken = InOrder::new(tested());
    let mut resumed = InOrder::new(tested());
    // Pairs arrive in blocks of eight, each block from its end, so that some always wait.
    for (count, block) in (0..400u64).collect::<Vec<_>>().chunks(8).enumerate() {
        for &index in block.iter().rev() {
            unbroken.add(index, pairs[index as usize]).unwrap();
            resumed.add(index, pairs[index as usize]).unwrap();
            if (index + count as u64).is_multiple_of(5) {
                resumed = serde_json::from_str(&json(&resumed)).unwrap();
            }
        }
    }
    assert_eq!(unbroken, resumed);
    assert_eq!(json(&unbroken), json(&resumed));
    let report = unbroken.get().report(Level::P95);
    let back: MatchReport = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(back, report);
}

#[test]
fn results_wait_for_earlier_ones_and_come_only_once() {
    let mut total: InOrder<Moments, f64> = InOrder::default();
    total.add(2, 1.0).unwrap();
    total.add(1, 1.0).unwrap();
    assert_eq!(total.get().count(), 0);
    assert_eq!(total.waiting().collect::<Vec<_>>(), [1, 2]);
    assert!(total.has(2) && !total.has(0) && !total.has(3));
    let twice = StatsError::Repeated { index: 2, next: 0 };
    assert_eq!(total.add(2, 9.0), Err(twice));
    total.skip(0).unwrap();
    assert_eq!((total.next(), total.get().count()), (3, 2));
    let twice = StatsError::Repeated { index: 0, next: 3 };
    assert_eq!(total.skip(0), Err(twice));
    assert_eq!(total.into_inner().count(), 2);
}

#[test]
fn a_decided_match_ignores_pairs_that_were_still_in_play() {
    let pairs = pairs(20_000, 5);
    let mut stats = tested();
    let decided = pairs.iter().position(|pair| {
        stats.push(pair);
        stats.is_decided()
    });
    let at = decided.expect("an edge of 0.026 points must be found") as u64 + 1;
    let decision = stats.sprt().unwrap().decision().unwrap();
    assert_eq!(decision.verdict, Verdict::AcceptH1);
    assert_eq!((decision.pairs, stats.pairs().pairs().count()), (at, at));
    let before = stats.clone();
    stats.push(&pairs[at as usize]);
    assert_eq!(stats, before);
}
