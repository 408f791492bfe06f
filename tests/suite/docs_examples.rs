//! Reads docs/rules.md and checks its examples and tables against the library.
//!
//! The plays of the examples are applied here on plain arrays, so that a slip in the library's own text forms can't hide
//! one in the document.

use nardy::game::WinKind;
use nardy::movegen::{divide, legal_plays, perft};
use nardy::position::{Checkers, Position, other_side};
use nardy::rules::{Block, BlockPath, BlockWhen, Game, Head, NextGame, Opening, Overshoot, PRESETS, Rules};
use nardy::types::{BAR, NUM_CHECKERS, OFF, Roll};
use std::collections::BTreeSet;

const RULES_MD: &str = include_str!("../../docs/rules.md");
/// Larger perft numbers take too long for every test run; `perft` has its own slow tests.
const NODE_LIMIT: u64 = 1_000_000;

/// A line of an example block: roll, verb and what follows.
struct Claim<'a> {
    roll: Roll,
    verb: &'a str,
    rest: &'a str,
}

/// A fenced block: rules, position, claims.
struct Example<'a> {
    rules: Rules,
    position: Position,
    claims: Vec<Claim<'a>>,
    text: &'a str,
}

fn examples() -> Vec<Example<'static>> {
    RULES_MD.split("```nardy\n").skip(1).map(|block| example(block.split("```").next().unwrap())).collect()
}

fn example(text: &str) -> Example<'_> {
    let mut lines = text.lines();
    let rules: Rules = lines.next().and_then(|line| line.strip_prefix("rules ")).expect(text).parse().expect(text);
    let position = position(lines.next().expect(text));
    position.validate(rules.game).expect(text);
    let claims = lines
        .map(|line| {
            let mut words = line.splitn(3, ' ');
            let mut word =
                || words.next().unwrap_or_else(|| panic!("a roll, a verb and plays are expected in {line:?}"));
            Claim { roll: word().parse().expect(line), verb: word(), rest: word() }
        })
        .collect();
    Example { rules, position, claims, text }
}

/// `own 24:9 21:1 | opp 12:15`.
fn position(text: &str) -> Position {
    let (own, opp) = text.split_once(" | ").expect(text);
    let side = |text: &str, name: &str| {
        let points = text.strip_prefix(name).unwrap_or_else(|| panic!("{name:?} is expected before {text:?}"));
        let pairs = points.split_whitespace().map(|pair| {
            let (point, count) = pair.split_once(':').expect(pair);
            (point.parse().expect(pair), count.parse().expect(pair))
        });
        Checkers::from_points(&pairs.collect::<Vec<(u8, u8)>>())
    };
    Position { us: side(own, "own "), them: side(opp, "opp ") }
}

/// Where a play such as `24/18/13 bar/22(2)` leads when its steps are made one after the other, legal or not.
fn after(position: Position, game: Game, play: &str) -> Position {
    let (mut us, mut them) = (position.us.counts(), position.them.counts());
    for part in play.split_whitespace().filter(|&part| part != "pass") {
        let (way, times) = part.strip_suffix(')').and_then(|part| part.split_once('(')).unwrap_or((part, "1"));
        let points: Vec<u8> = way
            .split('/')
            .map(|point| match point {
                "bar" => BAR,
                "off" => OFF,
                point => point.parse().expect(play),
            })
            .collect();
        for _ in 0..times.parse::<u8>().expect(play) {
            for step in points.windows(2) {
                us[usize::from(step[0])] = us[usize::from(step[0])].checked_sub(1).expect(play);
                us[usize::from(step[1])] += 1;
                let met = usize::from(other_side(Game::Short, step[1].clamp(1, 24)));
                if game == Game::Short && step[1] != OFF && them[met] == 1 {
                    them[met] = 0;
                    them[usize::from(BAR)] += 1;
                }
            }
        }
    }
    Position { us: Checkers::from_counts(&us).expect(play), them: Checkers::from_counts(&them).expect(play) }
}

#[test]
fn every_example_of_the_rules_holds() {
    let mut checked = 0;
    for Example { rules, position, claims, text } in examples() {
        assert!(!claims.is_empty(), "nothing is claimed in\n{text}");
        for Claim { roll, verb, rest } in claims {
            let plays = legal_plays(position, roll, &rules);
            let legal: BTreeSet<Position> = plays.positions().iter().copied().collect();
            let named = || rest.split("; ").map(|play| (play, after(position, rules.game, play)));
            match verb {
                "only" => assert_eq!(named().map(|(_, to)| to).collect::<BTreeSet<_>>(), legal, "{roll} in\n{text}"),
                "allows" => named().for_each(|(play, to)| assert!(legal.contains(&to), "{roll} {play} in\n{text}")),
                "refuses" => named().for_each(|(play, to)| assert!(!legal.contains(&to), "{roll} {play} in\n{text}")),
                "counts" => assert_eq!(plays.len(), rest.parse::<usize>().unwrap(), "{roll} in\n{text}"),
                "wins" => {
                    let won = plays.positions().iter().find(|after| after.us.off() == NUM_CHECKERS).expect(text);
                    let kind = WinKind::against(rules.game, won.them);
                    assert_eq!(format!("{kind} {}", kind.points(rules.score)), rest, "{roll} in\n{text}");
                }
                _ => panic!("unknown verb {verb:?} in\n{text}"),
            }
            checked += 1;
        }
    }
    assert!(checked >= 50, "only {checked} claims were found");
}

/// The rows of the table whose header starts with these cells, each row as trimmed cells.
fn table(header: &str) -> Vec<Vec<String>> {
    let mut lines = RULES_MD.lines().skip_while(|line| !line.starts_with(header));
    assert!(lines.next().is_some(), "no table {header:?}");
    let rows: Vec<Vec<String>> = lines
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let line = line.replace(r"\|", "¦");
            line.trim_matches('|').split('|').map(|cell| cell.trim().replace('¦', "|")).collect()
        })
        .collect();
    assert!(!rows.is_empty(), "the table {header:?} is empty");
    rows
}

/// The texts in backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_table_of_presets_is_complete_and_right() {
    let rows = table("| preset | differs");
    assert_eq!(rows.len(), PRESETS.len());
    for (row, preset) in rows.iter().zip(PRESETS) {
        assert_eq!(quoted(&row[0]), [preset.name]);
        let differences: Vec<String> =
            preset.rules.differences().iter().map(|(option, value)| format!("{option}={value}")).collect();
        assert_eq!(quoted(&row[1]), differences, "{}", preset.name);
    }
}

#[test]
fn the_table_of_options_names_every_value_and_the_defaults() {
    fn names<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> Option<Vec<&'static str>> {
        Some(all.iter().map(|&value| name(value)).collect())
    }
    let rows = table("| option | values");
    for row in &rows {
        let option = quoted(&row[0])[0];
        let named = match option {
            "opening" => names(Opening::ALL, Opening::as_str),
            "next_game" => names(NextGame::ALL, NextGame::as_str),
            "head" => names(Head::ALL, Head::as_str),
            "block" => names(Block::ALL, Block::as_str),
            "block_path" => names(BlockPath::ALL, BlockPath::as_str),
            "block_when" => names(BlockWhen::ALL, BlockWhen::as_str),
            "overshoot" => names(Overshoot::ALL, Overshoot::as_str),
            _ => None,
        };
        if let Some(named) = named {
            assert_eq!(quoted(&row[1]), named, "{option}");
        }
        for (game, cell) in [(Game::Long, &row[2]), (Game::Short, &row[3])] {
            let rules = Rules::default_of(game);
            match quoted(cell)[..] {
                [default] => assert_eq!(rules.get(option).unwrap(), default, "{option} in {game}"),
                _ => {
                    // Any other value than the one it has must be refused.
                    let values = Head::ALL.iter().map(|v| v.as_str()).chain(["home", "own", "turn", "6"]);
                    let changed = values.filter(|value| rules.get(option).unwrap() != *value).find_map(|value| {
                        let mut changed = rules;
                        changed.set(option, value).ok().map(|()| changed)
                    });
                    assert!(changed.expect(option).check().is_err(), "{option} in {game}");
                }
            }
        }
        for bounds in quoted(&row[1]).chunks_exact(3).filter(|_| named_is_number(option)) {
            let accepts = |value: u8| {
                let mut rules = Rules::default_of(if option == "max_point" { Game::Short } else { Game::Long });
                rules.set(option, &value.to_string()).is_ok()
            };
            let [low, high] = [bounds[1], bounds[2]].map(|n| n.parse::<u8>().unwrap());
            assert_eq!((0..=30).filter(|&n| accepts(n)).collect::<Vec<_>>()[1..], (low..=high).collect::<Vec<_>>()[..]);
        }
    }
    let mut named: Vec<_> = rows.iter().map(|row| quoted(&row[0])[0].to_string()).collect();
    let error = Rules::LONG.get("?").unwrap_err().to_string();
    let mut known: Vec<_> = error.rsplit_once("one of ").unwrap().1.split(", ").map(str::to_string).collect();
    named.sort();
    known.sort();
    assert_eq!(named, known);
}

fn named_is_number(option: &str) -> bool {
    matches!(option, "block_cap" | "max_point")
}

fn count(cell: &str) -> Option<u64> {
    (!cell.is_empty()).then(|| cell.replace(',', "").parse().expect(cell))
}

fn check_perft(position: Position, rules: &Rules, depth: u32, cell: &str) {
    if let Some(expected) = count(cell).filter(|&n| n <= NODE_LIMIT) {
        assert_eq!(perft(position, rules, depth), expected, "{rules} {position:?} depth {depth}");
    }
}

#[test]
fn the_perft_tables_of_the_rules_hold() {
    for row in table("| start | rules") {
        let game = if row[0] == "long" { Game::Long } else { Game::Short };
        let rules: Rules = quoted(&row[1])[0].parse().unwrap();
        for depth in 1..=3 {
            check_perft(Position::start(game), &rules, depth, &row[1 + depth as usize]);
        }
    }
    for row in table("| rules | position | d1") {
        let rules: Rules = quoted(&row[0])[0].parse().unwrap();
        for depth in 1..=2 {
            check_perft(position(quoted(&row[1])[0]), &rules, depth, &row[1 + depth as usize]);
        }
    }
}

/// The positions B1 to B7 in the order of the table's columns, from the examples of 1.6.
fn block_positions() -> [Position; 8] {
    let first_after = |mark: &str| {
        let block = RULES_MD.split(mark).nth(1).and_then(|text| text.split("```nardy\n").nth(1)).expect(mark);
        example(block.split("```").next().unwrap()).position
    };
    let b1: Vec<Position> = RULES_MD
        .split("**B1.**")
        .nth(1)
        .unwrap()
        .split("**B3.**")
        .next()
        .unwrap()
        .split("```nardy\n")
        .skip(1)
        .map(|block| example(block.split("```").next().unwrap()).position)
        .collect();
    let [b3, b4, b5, b6, b7] = ["**B3.**", "**B4.**", "**B5.**", "**B6.**", "**B7.**"].map(first_after);
    [b1[0], b1[1], b1[3], b3, b4, b5, b6, b7]
}

#[test]
fn the_perft_numbers_of_the_row_positions_hold() {
    let positions = block_positions();
    for row in table("| rules | depth | B1") {
        let rules: Rules = quoted(&row[0])[0].parse().unwrap();
        let depth = row[1].trim_start_matches('d').parse().unwrap();
        for (position, cell) in positions.iter().zip(&row[2..]) {
            check_perft(*position, &rules, depth, cell);
        }
    }
    for row in table("| position | plays") {
        let column =
            ["B1", "B1a", "B1h", "B3", "B4", "B5", "B6", "B7"].iter().position(|name| *name == row[0]).unwrap();
        let expected: Vec<u64> = row[1].split(' ').map(|n| n.parse().unwrap()).collect();
        assert_eq!(divide(positions[column], &Rules::LONG, 1).to_vec(), expected, "{}", row[0]);
    }
}

#[test]
fn two_head_checkers_for_the_second_player_depend_on_the_option_as_listed() {
    // (his first roll, my roll) pairs in which some first play of his makes my plays differ between the two options.
    let differing = |left: &str, right: &str| {
        let (left, right): (Rules, Rules) = (left.parse().unwrap(), right.parse().unwrap());
        let mut pairs = BTreeSet::new();
        for first in Roll::ALL {
            for play in legal_plays(Position::LONG_START, first, &left).iter() {
                for roll in Roll::ALL {
                    let sorted = |rules| {
                        let mut all = legal_plays(play.position.swapped(), roll, rules).positions().to_vec();
                        all.sort();
                        all
                    };
                    if sorted(&left) != sorted(&right) {
                        pairs.insert((roll.to_string(), first.to_string()));
                    }
                }
            }
        }
        pairs
    };
    let pairs =
        |list: &[(&str, &str)]| list.iter().map(|&(a, b)| (a.to_string(), b.to_string())).collect::<BTreeSet<_>>();
    let listed = [
        ("5-5", "2-1"),
        ("5-5", "2-2"),
        ("5-5", "3-3"),
        ("5-5", "4-4"),
        ("5-5", "5-3"),
        ("5-5", "6-2"),
        ("2-2", "5-5"),
    ];
    assert_eq!(differing("long", "long,head=needed_doubles"), pairs(&listed));
    assert_eq!(differing("long,head=needed_doubles", "long,head=needed_any"), pairs(&[("5-3", "5-5"), ("6-2", "5-5")]));
}
