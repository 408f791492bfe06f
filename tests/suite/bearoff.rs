//! The ending tables beside GNU Backgammon's. Needs the Debian package gnubg:
//! `cargo test --no-default-features --test suite -- --ignored bearoff`.

use nardy::bearoff::{Bearoff, NUM_HOME};
use nardy::position::text::parse_position;
use nardy::position::{Checkers, Position};
use nardy::rules::{Game, Rules};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A database of GNU Backgammon, made anew in the directory for temporary files unless it is there.
fn database(name: &str, args: &[&str]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("nardy-{name}.bd"));
    if !path.exists() {
        let made = Command::new("/usr/games/makebearoff").args(args).arg("-f").arg(&path).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    path
}

/// What GNU Backgammon tells of the position with that number: the position, and the lines after it.
fn dump(database: &Path, number: usize) -> (Position, Vec<String>) {
    let output = Command::new("/usr/games/bearoffdump").args(["-n", &number.to_string()]).arg(database).output();
    let text = String::from_utf8_lossy(&output.unwrap().stdout).into_owned();
    let (_, rest) = text.split_once("Position ID: ").unwrap_or_else(|| panic!("no position in {text}"));
    let (id, rest) = rest.split_once('\n').unwrap();
    (parse_position(id.trim(), Game::Short).unwrap().position, rest.lines().map(String::from).collect())
}

/// The numbers of the dump's column, per roll: bearing off or the first checker off.
fn column(lines: &[String], column: usize) -> Vec<f32> {
    let rows = lines.iter().skip_while(|line| !line.starts_with("Rolls")).skip(1);
    let cells = rows.map_while(|line| {
        let cells: Vec<f32> = line.split_whitespace().map_while(|cell| cell.parse().ok()).collect();
        (!cells.is_empty()).then(|| cells.get(column).copied().unwrap_or(0.0) / 100.0)
    });
    cells.collect()
}

fn greatest_difference(ours: &[f32], theirs: &[f32]) -> f32 {
    let get = |list: &[f32], n| list.get(n).copied().unwrap_or(0.0);
    (0..ours.len().max(theirs.len())).map(|n| (get(ours, n) - get(theirs, n)).abs()).fold(0.0, f32::max)
}

#[test]
#[ignore = "needs GNU Backgammon; half a minute"]
fn distributions_agree_with_those_of_gnu_backgammon() {
    let database = database("one-sided", &["-o", "6"]);
    let tables = Bearoff::of(&Rules::SHORT).unwrap();
    let (mut greatest, mut greatest_first, mut number) = (0.0f32, 0.0f32, 0);
    for index in (1..NUM_HOME).step_by(53) {
        let (position, lines) = dump(&database, index);
        let off_all = |side: Checkers| side.off() == 15;
        let side = if off_all(position.us) { position.them } else { position.us };
        let finish = tables.rolls_to_finish(side).unwrap();
        greatest = greatest.max(greatest_difference(&finish, &column(&lines, 2)));
        if side.off() == 0 {
            let first = tables.rolls_to_first(side).unwrap();
            greatest_first = greatest_first.max(greatest_difference(&first, &column(&lines, 4)));
        }
        number += 1;
    }
    println!("{number} sides: greatest difference {greatest}, of the first checker {greatest_first}");
    assert!(number > 1000 && greatest < 1e-3 && greatest_first < 1e-3, "{number} {greatest} {greatest_first}");
}

#[test]
#[ignore = "needs GNU Backgammon; two minutes"]
fn exact_chances_agree_with_those_of_gnu_backgammon() {
    let database = database("two-sided", &["-t", "6x6"]);
    let tables = Bearoff::of(&Rules::SHORT).unwrap();
    let (mut greatest, mut number) = (0.0f32, 0);
    for index in (925..924 * 924).step_by(811) {
        let (position, lines) = dump(&database, index);
        if position.is_over() {
            continue;
        }
        let equity = lines.iter().find_map(|line| line.strip_prefix("Cubeless equity")).unwrap();
        let equity: f32 = equity.trim_start_matches([' ', ':']).trim().parse().unwrap();
        let [win, .., lose, _, _] = tables.outcomes(position, &Rules::SHORT).unwrap();
        greatest = greatest.max((win - lose - equity).abs());
        number += 1;
    }
    println!("{number} positions: greatest difference {greatest} points");
    assert!(number > 1000 && greatest < 1e-3, "{number} {greatest}");
}
