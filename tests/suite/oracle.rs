use crate::positions::{Positions, every_long_rules, every_short_rules};
use nardy::movegen::{Play, legal_plays, naive};
use nardy::position::Position;
use nardy::rules::{Game, PRESETS, Rules};
use nardy::types::Roll;

/// What the fast generator gets wrong, line by line; `None` if it agrees with the slow one.
fn difference(position: Position, roll: Roll, rules: &Rules) -> Option<String> {
    let mut fast: Vec<Play> = legal_plays(position, roll, rules).iter().collect();
    fast.sort_by_key(|play| play.position);
    let slow = naive::legal_plays(position, roll, rules);
    if fast == slow {
        return None;
    }
    let mut text = format!("{position:?} roll {roll} rules {rules}: {} plays, should be {}\n", fast.len(), slow.len());
    for play in &slow {
        match fast.iter().find(|p| p.position == play.position) {
            None => text += &format!("  missing {} -> {:?}\n", play.steps, play.position),
            Some(p) if p.steps != play.steps => text += &format!("  steps {} should be {}\n", p.steps, play.steps),
            Some(_) => {}
        }
    }
    for (i, play) in fast.iter().enumerate() {
        if !slow.iter().any(|p| p.position == play.position) {
            text += &format!("  extra {} -> {:?}\n", play.steps, play.position);
        }
        if i > 0 && fast[i - 1].position == play.position {
            text += &format!("  twice {} -> {:?}\n", play.steps, play.position);
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

#[test]
#[ignore = "millions of pairs, half an hour; run with --release"]
fn both_generators_agree_on_a_million_pairs_of_each_game_and_preset() {
    const PAIRS: u64 = 1_000_000;
    for game in [Game::Long, Game::Short] {
        for (seed, rules) in (101..).zip(presets_of(game)) {
            compare(&[rules], PAIRS, seed);
        }
    }
    compare(&every_long_rules(), PAIRS, 201);
    compare(&every_short_rules(), PAIRS, 202);
}
