//! Move generation: ours against the crate `bkgm` on its own benchmark positions, and long nardy against short nardy on
//! positions from self-play. What is timed is checked first: the same sets of results as `bkgm` finds.

use bkgm::codecs::gnuid;
use bkgm::dice::{ALL_21, Dice};
use bkgm::{ClassicRules, State, legal_positions_with};
use cpu_time::ThreadTime;
use criterion::{Criterion, Throughput};
use nardy::eval::PipsPlayer;
use nardy::game::{DiceSource, Player, SeededDice};
use nardy::movegen::{PlayList, legal_plays_into};
use nardy::position::{Checkers, Position};
use nardy::rules::Rules;
use nardy::types::Roll;
use std::collections::HashSet;
use std::hint::black_box;

type Theirs = bkgm::Position<15>;

const CONTACT: &str = include_str!("../tests/data/bkgm/contact.csv");
const RACE: &str = include_str!("../tests/data/bkgm/race.csv");

fn convert(theirs: &Theirs) -> Position {
    let (mut us, mut them) = ([0u8; 26], [0u8; 26]);
    for point in 1..=24 {
        match theirs.pip(point) {
            n if n > 0 => us[point] = n as u8,
            n => them[25 - point] = n.unsigned_abs(),
        }
    }
    (us[0], us[25], them[0], them[25]) = (theirs.x_off(), theirs.x_bar(), theirs.o_off(), theirs.o_bar());
    Position { us: Checkers::from_counts(&us).unwrap(), them: Checkers::from_counts(&them).unwrap() }
}

fn roll_of(dice: &Dice) -> Roll {
    match dice {
        Dice::Double(die) => Roll::new(*die as u8, *die as u8).unwrap(),
        Dice::Mixed(m) => Roll::new(m.big() as u8, m.small() as u8).unwrap(),
    }
}

fn load(csv: &str) -> Vec<Theirs> {
    csv.lines().map(|id| gnuid::decode_position::<15>(id).unwrap()).collect()
}

fn count_ours(positions: &[Position], rules: &Rules, list: &mut PlayList) -> usize {
    let mut total = 0;
    for &position in positions {
        for roll in Roll::ALL {
            legal_plays_into(position, roll, rules, list);
            total += black_box(&*list).len();
        }
    }
    total
}

fn count_theirs(positions: &[Theirs]) -> usize {
    let count = |p: &Theirs| {
        ALL_21
            .iter()
            .map(|(dice, _)| black_box(legal_positions_with::<ClassicRules, 15>(*p, dice)).len())
            .sum::<usize>()
    };
    positions.iter().map(count).sum()
}

/// Distinct results of `bkgm`; asserts that ours are the same, each listed once.
fn distinct_plays(theirs: &[Theirs]) -> usize {
    let (mut list, mut total) = (PlayList::new(), 0);
    for position in theirs {
        for (dice, _) in ALL_21.iter() {
            let expected: HashSet<Position> = legal_positions_with::<ClassicRules, 15>(*position, dice)
                .iter()
                .map(|p| convert(p).swapped())
                .collect();
            legal_plays_into(convert(position), roll_of(dice), &Rules::SHORT, &mut list);
            let ours: HashSet<Position> = list.positions().iter().copied().collect();
            assert_eq!(ours, expected, "{:?} {dice:?}", convert(position));
            assert_eq!(ours.len(), list.len(), "listed twice: {:?} {dice:?}", convert(position));
            total += list.len();
        }
    }
    total
}

/// Positions of games of a player that races and hits against itself, with seeded dice: one in three plies.
fn positions_from_self_play(rules: &Rules, number: usize) -> Vec<Position> {
    let mut dice = SeededDice::new(1);
    let (mut list, mut out, mut position, mut ply) = (PlayList::new(), Vec::new(), Position::start(rules.game), 0);
    while out.len() < number {
        let roll = dice.roll().unwrap();
        legal_plays_into(position, roll, rules, &mut list);
        position = list.positions()[PipsPlayer.choose(position, roll, rules, &list)].swapped();
        ply += 1;
        if position.is_over() {
            position = Position::start(rules.game);
        } else if ply % 3 == 0 {
            out.push(position);
        }
    }
    out
}

/// Parts in which the positions are timed, and how often each part.
const PARTS: usize = 20;
const ROUNDS: usize = 100;

/// Time of this thread's processor clock that each of two functions takes for all parts, in seconds: of each part the
/// least of many alternating runs, since other programs can only make it longer.
fn side_by_side(mut a: impl FnMut(usize), mut b: impl FnMut(usize)) -> (f64, f64) {
    let mut best = [(f64::MAX, f64::MAX); PARTS];
    for _ in 0..ROUNDS {
        for (part, best) in best.iter_mut().enumerate() {
            let start = ThreadTime::now();
            a(part);
            let middle = ThreadTime::now();
            b(part);
            best.1 = best.1.min(middle.elapsed().as_secs_f64());
            best.0 = best.0.min(middle.duration_since(start).as_secs_f64());
        }
    }
    best.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
}

fn part<T>(all: &[T], part: usize) -> &[T] {
    &all[part * all.len() / PARTS..(part + 1) * all.len() / PARTS]
}

fn main() {
    let mut list = PlayList::new();
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    for (name, csv) in [("contact", CONTACT), ("race", RACE)] {
        let theirs = load(csv);
        let ours: Vec<Position> = theirs.iter().map(convert).collect();
        let plays = distinct_plays(&theirs);
        assert_eq!(count_ours(&ours, &Rules::SHORT, &mut list), plays);
        let (a, b) = side_by_side(
            |i| _ = count_ours(part(&ours, i), &Rules::SHORT, &mut list),
            |i| _ = count_theirs(part(&theirs, i)),
        );
        println!(
            "{name}: {plays} distinct plays; ours {:.2} ns a play, bkgm {:.2} ns a play, ratio {:.2}",
            a * 1e9 / plays as f64,
            b * 1e9 / plays as f64,
            b / a
        );
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(plays as u64));
        group.bench_function("nardy", |b| b.iter(|| count_ours(&ours, &Rules::SHORT, &mut list)));
        group.bench_function("bkgm", |b| b.iter(|| count_theirs(&theirs)));
        group.finish();
    }

    let (short, long) = (positions_from_self_play(&Rules::SHORT, 2000), positions_from_self_play(&Rules::LONG, 2000));
    let short_plays = count_ours(&short, &Rules::SHORT, &mut list);
    let long_plays = count_ours(&long, &Rules::LONG, &mut list);
    let mut other = PlayList::new();
    let (a, b) = side_by_side(
        |i| _ = count_ours(part(&short, i), &Rules::SHORT, &mut list),
        |i| _ = count_ours(part(&long, i), &Rules::LONG, &mut other),
    );
    let (a, b) = (a * 1e9 / short_plays as f64, b * 1e9 / long_plays as f64);
    println!(
        "self-play: short {a:.2} ns a play ({short_plays}), long {b:.2} ns a play ({long_plays}), ratio {:.2}",
        b / a
    );
    let mut group = criterion.benchmark_group("self-play");
    group.throughput(Throughput::Elements(short_plays as u64));
    group.bench_function("short", |b| b.iter(|| count_ours(&short, &Rules::SHORT, &mut list)));
    group.throughput(Throughput::Elements(long_plays as u64));
    group.bench_function("long", |b| b.iter(|| count_ours(&long, &Rules::LONG, &mut list)));
    group.finish();
    criterion.final_summary();
}
