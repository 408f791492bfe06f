use crate::positions::{Positions, every_long_rules, every_short_rules};
use nardy::movegen::{Play, legal_plays, naive};
use nardy::position::{Checkers, Position, other_side};
use nardy::rules::{BlockPath, Game, PRESETS, Rules};
use nardy::types::Roll;

/// What the fast generator gets wrong, line by line; `None` if it agrees with the slow one.
fn difference(position: Position, roll: Roll, rules: &Rules) -> Option<String> {
    let mut fast: Vec<Play> = legal_plays(position, roll, rules).iter().collect();
    fast.sort_by_key(|play| play.position);
    let slow = naive::legal_plays(position, roll, rules);
    if fast == slow {
        return None;
    }
    let mut text = format!("{position} roll {roll} rules {rules}: {} plays, should be {}\n", fast.len(), slow.len());
    for play in &slow {
        match fast.iter().find(|p| p.position == play.position) {
            None => text += &format!("  missing {} -> {}\n", play.steps, play.position),
            Some(p) if p.steps != play.steps => text += &format!("  steps {} should be {}\n", p.steps, play.steps),
            Some(_) => {}
        }
    }
    for (i, play) in fast.iter().enumerate() {
        if !slow.iter().any(|p| p.position == play.position) {
            text += &format!("  extra {} -> {}\n", play.steps, play.position);
        }
        if i > 0 && fast[i - 1].position == play.position {
            text += &format!("  twice {} -> {}\n", play.steps, play.position);
        }
    }
    Some(text)
}

/// Compares both generators on that many pairs of position and roll, half of them from games, half placed.
fn compare(all_rules: &[Rules], pairs: u64, seed: u64) {
    let mut positions = Positions::new(all_rules[0].game, seed);
    let (mut plays, mut passes) = (0, 0);
    for i in 0..pairs {
        let rules = &all_rules[i as usize / 2 % all_rules.len()];
        let position = if i % 2 == 0 { positions.next_of_walk(rules) } else { positions.placed() };
        assert_eq!(position.validate(rules.game), Ok(()), "{position:?}");
        let roll = positions.roll();
        if let Some(text) = difference(position, roll, rules) {
            panic!("pair {i} of seed {seed}\n{text}");
        }
        let list = legal_plays(position, roll, rules);
        plays += list.len();
        passes += usize::from(list.is_pass());
    }
    println!(
        "{} rule sets of {} nardy from {}: {pairs} pairs, {plays} plays, {passes} passes",
        all_rules.len(),
        all_rules[0].game,
        all_rules[0]
    );
    assert!(plays as u64 > 3 * pairs && passes > 0, "the positions are too poor to show anything");
}

fn presets_of(game: Game) -> impl Iterator<Item = Rules> {
    PRESETS.iter().map(|preset| preset.rules).filter(move |rules| rules.game == game)
}

#[test]
fn both_generators_agree_on_every_preset() {
    for game in [Game::Long, Game::Short] {
        for (seed, rules) in (1..).zip(presets_of(game)) {
            compare(&[rules], 2_000, seed);
        }
    }
}

#[test]
fn both_generators_agree_under_every_combination_of_options() {
    compare(&every_long_rules(), 126 * 40, 11);
    compare(&every_short_rules(), 20 * 200, 12);
}

#[test]
fn both_generators_agree_on_all_rolls_of_the_openings() {
    for rules in every_long_rules().iter().chain(&every_short_rules()) {
        let start = Position::start(rules.game);
        for roll in Roll::ALL {
            assert_eq!(difference(start, roll, rules), None);
        }
    }
}

/// One step short of a row of that length, anywhere on the ring; the opponent is past it if he can be.
fn nearly_a_long_row(start: usize, length: usize) -> Option<Position> {
    let point = |i: usize| (start + i) % 24 + 1;
    let mut us = [0; 26];
    (0..length).for_each(|i| us[point(i)] = 1);
    // The checker of one point inside stands one pip behind it, and the rest there too.
    let gap = (1..length - 1).find(|&i| point(i) < point(i + 1))?;
    us[point(gap)] = 0;
    us[point(gap + 1)] += 16 - length as u8;
    let mut them = [0; 26];
    them[(1..=24u8).find(|&q| us[usize::from(other_side(Game::Long, q))] == 0).map(usize::from)?] = 15;
    Some(Position { us: Checkers::from_counts(&us)?, them: Checkers::from_counts(&them)? })
}

#[test]
fn both_generators_agree_on_rows_up_to_fifteen_with_every_cap() {
    let mut capped = 0;
    for &block_path in BlockPath::ALL {
        for (length, start) in (7..=15).flat_map(|length| (0..24).map(move |start| (length, start))) {
            let position = nearly_a_long_row(start, length).unwrap();
            let open = Rules { block_path, ..Rules::LONG };
            let cap = Rules { block_cap: length as u8 - 1, ..open };
            for roll in [Roll::new(2, 1).unwrap(), Roll::new(1, 1).unwrap()] {
                assert_eq!(difference(position, roll, &cap), None);
                capped +=
                    usize::from(legal_plays(position, roll, &cap).len() < legal_plays(position, roll, &open).len());
            }
        }
    }
    assert!(capped > 500, "only {capped} of 1296 positions were touched by the cap");
}

/// A million pairs of one game: its presets and the combinations of options share them alike.
fn compare_a_million(game: Game, combinations: Vec<Rules>, seed: u64) {
    // Presets that differ only in what the generator never sees count as one.
    let seen = |rules: Rules| {
        let base = Rules::default_of(game);
        Rules { opening: base.opening, next_game: base.next_game, score: base.score, ..rules }
    };
    let mut groups: Vec<Vec<Rules>> = Vec::new();
    for rules in presets_of(game) {
        if !groups.iter().any(|group| seen(group[0]) == seen(rules)) {
            groups.push(vec![rules]);
        }
    }
    groups.push(combinations);
    let pairs = 1_000_000_u64.div_ceil(groups.len() as u64);
    for (seed, group) in (seed..).zip(groups) {
        compare(&group, pairs, seed);
    }
}

#[test]
#[ignore = "a million pairs take a minute or two; run with --release"]
fn both_generators_agree_on_a_million_pairs_of_long_nardy() {
    compare_a_million(Game::Long, every_long_rules(), 101);
}

#[test]
#[ignore = "a million pairs take a minute or two; run with --release"]
fn both_generators_agree_on_a_million_pairs_of_short_nardy() {
    compare_a_million(Game::Short, every_short_rules(), 201);
}
