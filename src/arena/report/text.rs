//! The report for terminals and as Markdown.

use super::table::Table;
use super::{LossRow, PairingRow, Report, signed, with_sign};
use crate::arena::fault::FaultKind;
use crate::arena::referee::OnFault;
use crate::arena::stats::Rate;
use std::fmt::Write;

/// The report for a terminal: players from best to worst, pairings, failures.
pub fn terminal(report: &Report) -> String {
    let mut text = format!("{}\n\n{}", headline(report), players(report).terminal());
    let more = |row: &PairingRow| {
        row.result.sprt.is_some() || row.result.luck.is_some() || row.withdrawn.is_some() || row.void_pairs > 0
    };
    if report.pairings.len() > 1 || report.pairings.iter().any(more) {
        let _ = write!(text, "\n{}", pairing_table(report).terminal());
    }
    for note in notes(report) {
        let _ = write!(text, "\n{note}\n");
    }
    text
}

/// The report as Markdown, with the cross table and the failures' words.
pub fn markdown(report: &Report) -> String {
    let mut text = format!("# Tournament\n\n{}\n\n## Players\n\n{}", headline(report), players(report).markdown());
    if report.players.len() > 2 {
        let _ = write!(text, "\n## Cross table\n\nPoints of the row's player.\n\n{}", cross_table(report).markdown());
    }
    let _ = write!(text, "\n## Pairings\n\n{}", pairing_table(report).markdown());
    for note in notes(report) {
        let _ = write!(text, "\n{note}\n");
    }
    if !report.faults.is_empty() {
        let _ = write!(text, "\n## Failures\n\n{}", fault_table(report).markdown());
    }
    if !report.blunders.is_empty() {
        let _ = write!(text, "\n## Worst decisions\n\n{}", blunder_table(report).markdown());
    }
    text
}

/// What was played, in a sentence.
pub(super) fn headline(report: &Report) -> String {
    let players = report.players.len();
    let format = match report.format {
        _ if players == 2 => "match of 2 players".to_string(),
        format => format!("{format} of {players} players"),
    };
    let state = if report.complete { "" } else { " (not finished)" };
    let (games, unit) = (2 * report.pairs, report.unit(true));
    format!("{format}, rules {}, {games} {unit} a pairing, seed {}{state}", report.rules, report.seed)
}

fn percent(rate: &Rate) -> String {
    format!("{:.1}", 100.0 * rate.value)
}

/// A time in the unit that suits it.
fn seconds(time: f64) -> String {
    match time {
        t if t < 1e-3 => format!("{:.1} µs", t * 1e6),
        t if t < 1.0 => format!("{:.2} ms", t * 1e3),
        t => format!("{t:.2} s"),
    }
}

fn loss(row: &Option<LossRow>) -> String {
    let shown = |row: &LossRow| match row.per_decision.interval {
        Some(interval) => format!("{:.4} ± {:.4}", row.per_decision.mean, interval.half_width()),
        None => format!("{:.4}", row.per_decision.mean),
    };
    row.as_ref().map(shown).unwrap_or_default()
}

/// Players from best to worst.
pub(super) fn players(report: &Report) -> Table {
    let mut table = Table::new(&[
        "player",
        "rating",
        "Elo",
        "points/game",
        "games",
        "wins %",
        "mars %",
        "koks %",
        "loses mars %",
        "loses koks %",
        "loss/decision",
        "errors %",
        "blunders %",
        "time",
        "longest",
        "failures",
    ]);
    let is_match = report.length.is_some();
    for &player in &report.ranking {
        let row = &report.players[player];
        let rating = report.best_rating().and_then(|table| table.ratings[player]);
        let elo = report.elo.as_ref().and_then(|table| table.ratings[player]);
        let points = &row.points;
        let kind = |rate: &Rate| if is_match || row.games == 0 { String::new() } else { percent(rate) };
        let share = |count: fn(&LossRow) -> u64| {
            let of = |loss: &LossRow| format!("{:.2}", 100.0 * count(loss) as f64 / loss.decisions.max(1) as f64);
            row.loss.as_ref().map(of).unwrap_or_default()
        };
        table.row(vec![
            row.name.clone(),
            rating.map(|r| format!("{} ± {:.3}", with_sign(r.value, 3), r.interval.half_width())).unwrap_or_default(),
            elo.map(|r| format!("{} ± {:.0}", with_sign(r.value, 0), r.interval.half_width())).unwrap_or_default(),
            if row.games > 0 { signed(points.mean.mean, points.mean.interval) } else { String::new() },
            row.games.to_string(),
            if row.games > 0 { percent(&points.win) } else { String::new() },
            kind(&points.win_mars),
            kind(&points.win_koks),
            kind(&points.lose_mars),
            kind(&points.lose_koks),
            loss(&row.loss),
            share(|loss| loss.errors),
            share(|loss| loss.blunders),
            row.time.mean_seconds.map(seconds).unwrap_or_default(),
            row.time.mean_seconds.map(|_| seconds(row.time.longest_seconds)).unwrap_or_default(),
            if row.faults > 0 { row.faults.to_string() } else { String::new() },
        ]);
    }
    table.without_empty_columns()
}

/// Points of the row's player against the column's.
fn cross_table(report: &Report) -> Table {
    let names: Vec<&str> = report.ranking.iter().map(|&player| report.players[player].name.as_str()).collect();
    let head: Vec<&str> = std::iter::once("").chain(names.iter().copied()).collect();
    let mut table = Table::new(&head);
    for &player in &report.ranking {
        let cell = |&other: &usize| cross_cell(report, player, other).unwrap_or_default();
        let cells = report.ranking.iter().map(cell);
        table.row(std::iter::once(report.players[player].name.clone()).chain(cells).collect());
    }
    table
}

/// The points of a player against another one, with their interval.
pub(super) fn cross_value(report: &Report, player: usize, other: usize) -> Option<(f64, f64)> {
    report.pairings.iter().find_map(|row| {
        let sign = match (row.a, row.b) {
            pair if pair == (player, other) => 1.0,
            pair if pair == (other, player) => -1.0,
            _ => return None,
        };
        let points = row.best_points();
        Some((sign * points.mean, points.interval?.half_width()))
    })
}

fn cross_cell(report: &Report, player: usize, other: usize) -> Option<String> {
    cross_value(report, player, other).map(|(mean, half)| format!("{} ± {half:.3}", with_sign(mean, 3)))
}

pub(super) fn pairing_table(report: &Report) -> Table {
    let mut table = Table::new(&[
        "pairing",
        "points/game",
        "luck-adjusted",
        "variance",
        "luck",
        "wins %",
        "Elo",
        "games",
        "plies",
        "test",
        "llr",
        "state",
    ]);
    for row in &report.pairings {
        let name = |player: usize| &report.players[player].name;
        let (pairs, luck) = (&row.result.pairs, &row.result.luck);
        let elo = pairs.elo.and_then(|elo| elo.elo.map(|value| (value, elo.low, elo.high)));
        let interval = |(value, low, high): (f64, Option<f64>, Option<f64>)| match low.zip(high) {
            Some((low, high)) => format!("{} ({} to {})", with_sign(value, 0), with_sign(low, 0), with_sign(high, 0)),
            None => with_sign(value, 0),
        };
        table.row(vec![
            format!("{} – {}", name(row.a), name(row.b)),
            signed(pairs.mean.mean, pairs.mean.interval),
            luck.map(|luck| signed(luck.adjusted.mean, luck.adjusted.interval)).unwrap_or_default(),
            luck.and_then(|luck| luck.variance_ratio).map(|ratio| format!("× {ratio:.3}")).unwrap_or_default(),
            luck.map(|luck| signed(luck.luck.mean, luck.luck.interval)).unwrap_or_default(),
            percent(&pairs.win),
            elo.map(interval).unwrap_or_default(),
            (2 * pairs.mean.units).to_string(),
            format!("{:.1}", row.plies_per_game),
            row.verdict().map(String::from).unwrap_or_default(),
            row.result.sprt.map(|test| format!("{:+.2}", test.llr)).unwrap_or_default(),
            state_of(report, row),
        ]);
    }
    table.without_empty_columns()
}

fn state_of(report: &Report, row: &PairingRow) -> String {
    let mut parts = Vec::new();
    if let Some(player) = row.withdrawn {
        parts.push(format!("does not count, {} withdrawn", report.players[player].name));
    }
    if row.void_pairs > 0 {
        parts.push(format!("{} void pairs", row.void_pairs));
    }
    parts.join(", ")
}

/// What has to be known to read the tables, a sentence each.
pub(super) fn notes(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(rating) = report.best_rating() {
        let rated = |group: &&Vec<usize>| group.iter().any(|&player| rating.ratings[player].is_some());
        if rating.groups.iter().filter(rated).count() > 1 {
            notes.push("Some players have no chain of pairings between them: their ratings can't be compared.".into());
        }
        if rating.fit.p_value.is_some_and(|p| p < 0.01) {
            let note = "One rating per player does not explain all results (chi-squared test, p < 0.01): look at the \
                        single pairings.";
            notes.push(note.into());
        }
    }
    for row in &report.pairings {
        let off = row.result.luck.and_then(|luck| Some(luck.luck.mean / luck.luck.std_error?));
        if off.is_some_and(|errors| errors.abs() > 4.0) {
            let name = |player: usize| &report.players[player].name;
            notes.push(format!(
                "{} – {}: the mean luck is more than four standard errors from 0, so the luck-adjusted figures are wrong.",
                name(row.a),
                name(row.b)
            ));
        }
    }
    if report.players.iter().any(|row| row.faults > 0) {
        notes.push(fault_note(report));
    }
    notes
}

/// Failures of each player by kind, and what they cost.
fn fault_note(report: &Report) -> String {
    let mut text = String::from(match report.on_fault {
        OnFault::Lose => "Failures (each costs the game, as the dearest loss still possible):",
        OnFault::Void => "Failures (each makes its pair void):",
    });
    for player in report.players.iter().filter(|player| player.faults > 0) {
        let count =
            |kind| report.faults.iter().filter(|f| f.player == player.name && f.fault.fault.kind == kind).count();
        let kinds: Vec<String> = FaultKind::ALL
            .into_iter()
            .filter(|&kind| count(kind) > 0)
            .map(|kind| format!("{kind} {}", count(kind)))
            .collect();
        let _ = write!(text, "\n  {}: {} ({})", player.name, player.faults, kinds.join(", "));
        if let Some(first) = report.faults.iter().find(|fault| fault.player == player.name) {
            let fault = &first.fault;
            let _ = write!(text, "\n    first: seed {}, turn {}: {}", fault.seed, fault.turn, fault.fault);
        }
    }
    text
}

fn fault_table(report: &Report) -> Table {
    let mut table = Table::new(&["player", "failure", "against", "seed", "turn", "asked", "answered", "detail"]);
    for row in &report.faults {
        let fault = &row.fault;
        let code = |text: &str| format!("`{}`", text.replace('\n', " ⏎ ").replace('`', "'"));
        table.row(vec![
            row.player.clone(),
            fault.fault.kind.to_string(),
            row.opponent.clone(),
            format!("{}{}", fault.seed, if fault.swapped { " swapped" } else { "" }),
            fault.turn.to_string(),
            code(&fault.fault.request),
            code(&fault.fault.answer),
            fault.fault.detail.clone(),
        ]);
    }
    table
}

fn blunder_table(report: &Report) -> Table {
    let mut table = Table::new(&["player", "position", "dice", "played", "best", "loss"]);
    for row in &report.blunders {
        let blunder = &row.blunder;
        table.row(vec![
            row.player.clone(),
            format!("`{}`", blunder.position),
            blunder.dice.clone(),
            blunder.played.clone(),
            blunder.best.clone(),
            format!("{:.3}", blunder.loss),
        ]);
    }
    table
}
