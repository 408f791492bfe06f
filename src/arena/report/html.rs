//! The report as one page of HTML that needs nothing else: no scripts, no other files.

use super::board::{Arrows, board_svg};
use super::plots::{self, PlotError};
use super::review::rolled;
use super::text::{cross_value, headline, notes, pairing_table, players};
use super::{BlunderRow, Report, with_sign};
use crate::notation::parse_play;
use crate::position::Position;
use crate::position::text::parse_literal;
use crate::rules::Rules;
use crate::types::{Roll, Steps};
use std::fmt::Write;

const STYLE: &str = "\
body{font:15px/1.45 system-ui,sans-serif;color:#222;background:#fff;max-width:1320px;margin:24px auto;padding:0 20px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:19px;margin:34px 0 10px}p{margin:6px 0}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13.5px;white-space:nowrap}
th,td{padding:5px 10px;border-bottom:1px solid #ddd;text-align:right}th{border-bottom:2px solid #888;font-weight:600}
th:first-child,td:first-child{text-align:left}table.cross td{text-align:center}table.cross td:first-child{text-align:left}
svg.plot,.plot svg{max-width:100%;height:auto}.boards{display:grid;grid-template-columns:repeat(auto-fill,minmax(330px,1fr));gap:22px}
.boards figure{margin:0;border:1px solid #ddd;border-radius:6px;padding:10px}svg.board{width:100%;height:auto}
figcaption{font-size:13.5px}.best{color:#1b7a2f}.played{color:#b3261e}.small{color:#666;font-size:12.5px;overflow-wrap:anywhere}
.note{background:#fff6dd;border-left:4px solid #e0b040;padding:8px 12px;white-space:pre-wrap}
details{margin:6px 0}pre{background:#f5f5f5;padding:8px 10px;white-space:pre-wrap;word-break:break-all;font-size:12.5px}";

/// Colours of the best play and of the one played.
const BEST: &str = "#1b7a2f";
const PLAYED: &str = "#d03a2f";

/// Text with the characters that mean something in HTML replaced.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A whole page.
pub(super) fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title}</title><style>\n{STYLE}\n</style></head><body>\n<h1>{title}</h1>\n\
         {body}</body></html>\n"
    )
}

/// The report of a tournament.
///
/// # Errors
/// If a plot can't be drawn.
pub fn html(report: &Report) -> Result<String, PlotError> {
    let mut body = format!("<p>{}</p>\n", escape(&headline(report)));
    let percent = 100.0 * report.level.get();
    let _ =
        writeln!(body, "<p class=\"small\">Intervals: {percent:.0} %, over pairs of games with duplicate dice.</p>");
    for note in notes(report) {
        let _ = writeln!(body, "<p class=\"note\">{}</p>", escape(&note));
    }
    if let Some(plot) = plots::ratings(report)? {
        let _ = writeln!(body, "<h2>Ratings</h2>\n<div class=\"plot\">{plot}</div>");
    }
    if let Some(plot) = plots::ladder(report)? {
        let _ = writeln!(body, "<h2>Over the checkpoints</h2>\n<div class=\"plot\">{plot}</div>");
    }
    let _ = writeln!(body, "<h2>Players</h2>\n<div class=\"scroll\">{}</div>", players(report).html());
    if report.players.len() > 2 {
        let _ = writeln!(body, "<h2>Cross table</h2>\n<p>Points per game of the row's player.</p>\n{}", cross(report));
    }
    let _ = writeln!(body, "<h2>Pairings</h2>\n<div class=\"scroll\">{}</div>", pairing_table(report).html());
    if !report.faults.is_empty() {
        body += &faults(report);
    }
    if !report.blunders.is_empty() {
        body += "<h2>Worst decisions</h2>\n";
        body += &boards(&report.blunders, &report.rules);
    }
    Ok(page("Tournament", &body))
}

/// Points of the row's player against the column's, coloured.
fn cross(report: &Report) -> String {
    let name = |player: usize| escape(&report.players[player].name);
    let mut text = String::from("<div class=\"scroll\"><table class=\"cross\"><tr><th></th>");
    for &player in &report.ranking {
        let _ = write!(text, "<th>{}</th>", name(player));
    }
    let most = report.pairings.iter().map(|row| row.best_points().mean.abs()).fold(0.1, f64::max);
    for &player in &report.ranking {
        let _ = write!(text, "</tr>\n<tr><td>{}</td>", name(player));
        for &other in &report.ranking {
            match cross_value(report, player, other) {
                Some((mean, half)) => {
                    // The root shows small differences, too.
                    let strength = 0.55 * (mean.abs() / most).min(1.0).sqrt();
                    let colour = if mean >= 0.0 { "46,125,50" } else { "198,64,52" };
                    let _ = write!(
                        text,
                        "<td style=\"background:rgba({colour},{strength:.2})\">{}<br><span class=\"small\">± \
                         {half:.3}</span></td>",
                        with_sign(mean, 3)
                    );
                }
                None => text += "<td>–</td>",
            }
        }
    }
    text + "</tr></table></div>"
}

fn faults(report: &Report) -> String {
    let mut text = String::from("<h2>Failures</h2>\n");
    for row in &report.faults {
        let (fault, half) = (&row.fault.fault, if row.fault.swapped { ", second game" } else { "" });
        let _ = writeln!(
            text,
            "<details><summary>{} against {}: <b>{}</b> (seed {}{half}, turn {})</summary><p>{}</p><pre>asked:\n{}</pre>\
             <pre>answered:\n{}</pre></details>",
            escape(&row.player),
            escape(&row.opponent),
            fault.kind,
            row.fault.seed,
            row.fault.turn,
            escape(&fault.detail),
            escape(&fault.request),
            escape(&fault.answer)
        );
    }
    text
}

/// A board with the best play in green and the one that was made in red.
pub(super) fn decision_svg(position: Position, roll: Roll, rules: &Rules, (best, played): (&str, &str)) -> String {
    let steps = |play: &str| -> Option<Steps> { Some(parse_play(play, position, roll, rules).ok()?.steps) };
    let arrow = |play: &str, colour, dashed, shift| steps(play).map(|steps| Arrows { steps, colour, dashed, shift });
    let arrows = [arrow(best, BEST, false, -4.0), arrow(played, PLAYED, true, 4.0)];
    let arrows: Vec<Arrows> = arrows.into_iter().flatten().collect();
    board_svg(position, rules.game, &arrows)
}

/// Boards of bad decisions, the best play in green, the one played in red.
pub(super) fn boards(blunders: &[BlunderRow], rules: &Rules) -> String {
    let mut text = String::from("<div class=\"boards\">\n");
    for row in blunders {
        let blunder = &row.blunder;
        let Ok(position) = parse_literal(&blunder.position, rules.game) else { continue };
        let Ok(roll) = blunder.dice.parse() else { continue };
        let half = if blunder.swapped { ", second game" } else { "" };
        let _ = writeln!(
            text,
            "<figure>{}<figcaption><b>{}</b> (light) to play <b>{}</b> against {}<br><span class=\"played\">played {}, \
             loses {:.3}{}</span><br><span class=\"best\">best {} ({:+.3})</span><br><span class=\"small\">{}; seed {}{half}, turn \
             {}</span></figcaption></figure>",
            decision_svg(position, roll, rules, (&blunder.best, &blunder.played)),
            escape(&row.player),
            blunder.dice,
            escape(&row.opponent),
            escape(&blunder.played),
            blunder.loss,
            rolled(blunder),
            escape(&blunder.best),
            blunder.equity,
            escape(&blunder.position),
            blunder.seed,
            blunder.turn
        );
    }
    text + "</div>\n"
}
