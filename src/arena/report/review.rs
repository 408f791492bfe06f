//! Recorded games judged decision by decision: who lost how much equity, and where.

use super::html::{boards, page};
use super::table::Table;
use super::{BlunderRow, LossRow};
use crate::arena::analysis::{Analyst, Decision, LossStats, RolledDecision, UnitLosses};
use crate::arena::stats::{Level, Moments};
use crate::arena::tournament::Blunder;
use crate::game::{ByColor, Color, GameRecord, RecordError};
use crate::notation::{Numbers, format_play};
use crate::position::text::{DrawOptions, draw, parse_literal};
use crate::rules::Rules;
use serde::Serialize;
use std::fmt::Write;

/// One game's decisions, to be added to a [`Review`] in the order of the games.
#[derive(Clone, Debug)]
pub struct JudgedGame {
    players: ByColor<String>,
    losses: UnitLosses,
    luck: Option<f64>,
    /// The worst of those that are not in question.
    worst: Vec<BlunderRow>,
    open: Vec<Open>,
}

/// Which decisions a rollout is to judge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InQuestion {
    /// Those that lose so many points or more by the reference.
    pub loss: f64,
    /// Those in which the two best plays are no further apart.
    pub close: f64,
}

/// A decision in question.
#[derive(Clone, Debug)]
struct Open {
    decision: Decision,
    row: BlunderRow,
    settled: bool,
}

impl JudgedGame {
    /// Judges a game. `keep` of its worst decisions are kept; with `luck`, the luck of every roll is measured, too, which
    /// takes twenty times as long. Decisions in question, if any are to be, are kept besides.
    ///
    /// # Errors
    /// If the game can't be replayed.
    pub fn new(
        analyst: &mut Analyst,
        game: &GameRecord,
        keep: usize,
        luck: bool,
        question: Option<InQuestion>,
    ) -> Result<JudgedGame, RecordError> {
        let mut losses = UnitLosses::default();
        let (mut worst, mut open) = (Vec::new(), Vec::new());
        let in_question = |decision: &Decision| {
            question.is_some_and(|which| decision.loss >= which.loss || decision.second <= which.close)
        };
        let total = analyst.game(game, luck, |decision| {
            losses[decision.color].add(decision.loss);
            if in_question(decision) {
                open.push(Open { decision: *decision, row: row(game, decision), settled: false });
            } else if decision.loss > 0.0 {
                worst.push(row(game, decision));
                // Sorting for every decision would be waste.
                if worst.len() > 4 * keep + 16 {
                    keep_worst(&mut worst, keep);
                }
            }
        })?;
        keep_worst(&mut worst, keep);
        Ok(JudgedGame { players: game.players.clone(), losses, luck: luck.then_some(total), worst, open })
    }

    /// The decisions in question, in the order of the game.
    pub fn open(&self) -> impl ExactSizeIterator<Item = &Decision> {
        self.open.iter().map(|open| &open.decision)
    }

    /// Settles the decision with that number in [`JudgedGame::open`], once.
    ///
    /// # Panics
    /// If there is no such decision.
    pub fn settle(&mut self, rules: &Rules, number: usize, rolled: &RolledDecision) {
        let Open { decision, row, settled } = &mut self.open[number];
        self.losses[decision.color].replace(row.blunder.loss, rolled.loss.mean);
        row.blunder.best = format_play(decision.position, rolled.best, rules.game, Numbers::Own);
        (row.blunder.equity, row.blunder.loss) = (rolled.equity.mean, rolled.loss.mean);
        row.blunder.half_width = Some(rolled.loss.half_width());
        *settled = true;
    }

    /// The worst decisions, those in question among them, in no order.
    fn bad(&self) -> impl Iterator<Item = &BlunderRow> {
        let open = self.open.iter().map(|open| &open.row).filter(|row| row.blunder.loss > 0.0);
        self.worst.iter().chain(open)
    }
}

fn row(game: &GameRecord, decision: &Decision) -> BlunderRow {
    let text = |steps| format_play(decision.position, steps, game.rules.game, Numbers::Own);
    BlunderRow {
        player: game.players[decision.color].clone(),
        opponent: game.players[decision.color.other()].clone(),
        blunder: Blunder {
            player: usize::from(decision.color == Color::Black),
            seed: game.seed.unwrap_or_default(),
            swapped: game.swapped,
            turn: decision.turn,
            position: decision.position.to_string(),
            dice: decision.roll.digits(),
            played: text(decision.played),
            best: text(decision.best),
            equity: decision.equity,
            loss: decision.loss,
            half_width: None,
        },
    }
}

/// How sharp the loss is, if it comes from a rollout.
pub(super) fn rolled(blunder: &Blunder) -> String {
    blunder.half_width.map(|half| format!(" ± {half:.3} (rolled out)")).unwrap_or_default()
}

/// Worst first; equal ones in the order in which they came.
fn keep_worst(rows: &mut Vec<BlunderRow>, keep: usize) {
    rows.sort_by(|a, b| b.blunder.loss.total_cmp(&a.blunder.loss));
    rows.truncate(keep);
}

/// What a player lost in all its games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedPlayer {
    /// Its name.
    pub name: String,
    /// Its games.
    pub games: u64,
    /// Equity lost; `None` if it never had a choice. The interval is over games.
    pub loss: Option<LossRow>,
    /// Luck per game in points, if it was measured.
    pub luck: Option<f64>,
}

/// All games together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    /// The rules that the games were judged by.
    pub rules: Rules,
    /// The reference, as it was given.
    pub reference: String,
    /// Games judged.
    pub games: u64,
    /// Decisions that were judged by rollouts.
    pub rolled_out: u64,
    /// The players, best first.
    pub players: Vec<ReviewedPlayer>,
    /// The worst decisions, worst first.
    pub worst: Vec<BlunderRow>,
}

impl Review {
    /// Adds up judged games; `keep` of the worst decisions are kept.
    pub fn of(rules: Rules, reference: &str, games: &[JudgedGame], keep: usize, level: Level) -> Review {
        let mut sums: Vec<(String, LossStats, Moments)> = Vec::new();
        let mut worst = Vec::new();
        for game in games {
            for color in Color::ALL {
                let name = &game.players[color];
                let place = sums.iter().position(|(known, ..)| known == name).unwrap_or_else(|| {
                    sums.push((name.clone(), LossStats::default(), Moments::default()));
                    sums.len() - 1
                });
                let (_, losses, luck) = &mut sums[place];
                losses.push(&game.losses[color]);
                let sign = if color == Color::White { 1.0 } else { -1.0 };
                if let Some(total) = game.luck {
                    // The luck of a game is a sum of finite values.
                    let _ = luck.push(sign * total);
                }
            }
            worst.extend(game.bad().cloned());
        }
        keep_worst(&mut worst, keep);
        let player = |(name, losses, luck): (String, LossStats, Moments)| ReviewedPlayer {
            name,
            games: losses.units(),
            loss: LossRow::of(&losses, level),
            luck: (luck.count() > 0).then(|| luck.mean()),
        };
        let mut players: Vec<ReviewedPlayer> = sums.into_iter().map(player).collect();
        let key = |player: &ReviewedPlayer| player.loss.map_or(f64::INFINITY, |loss| loss.per_decision.mean);
        players.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let settled = |game: &JudgedGame| game.open.iter().filter(|open| open.settled).count() as u64;
        let rolled_out = games.iter().map(settled).sum();
        Review { rules, reference: reference.into(), games: games.len() as u64, rolled_out, players, worst }
    }

    fn headline(&self) -> String {
        let rollouts = match self.rolled_out {
            0 => String::new(),
            1 => ", one decision rolled out".into(),
            number => format!(", {number} decisions rolled out"),
        };
        format!("{} games, rules {}, judged by {}{rollouts}", self.games, self.rules, self.reference)
    }

    fn table(&self) -> Table {
        let head =
            ["player", "loss/decision", "loss/game", "errors %", "blunders %", "decisions", "games", "luck/game"];
        let mut table = Table::new(&head);
        for player in &self.players {
            let Some(loss) = &player.loss else { continue };
            let share = |count: u64| format!("{:.2}", 100.0 * count as f64 / loss.decisions.max(1) as f64);
            let mean = loss.per_decision.mean;
            let half = loss.per_decision.interval.map(|i| format!(" ± {:.5}", i.half_width())).unwrap_or_default();
            table.row(vec![
                player.name.clone(),
                format!("{mean:.5}{half}"),
                format!("{:.3}", mean * loss.decisions as f64 / player.games.max(1) as f64),
                share(loss.errors),
                share(loss.blunders),
                loss.decisions.to_string(),
                player.games.to_string(),
                player.luck.map(|luck| format!("{luck:+.4}")).unwrap_or_default(),
            ]);
        }
        table.without_empty_columns()
    }

    /// The table and the worst decisions with drawn boards, for a terminal.
    pub fn terminal(&self, ascii: bool) -> String {
        let mut text = format!("{}\n\n{}", self.headline(), self.table().terminal());
        for (number, row) in (1..).zip(&self.worst) {
            let blunder = &row.blunder;
            let _ = write!(
                text,
                "\n{number}. {} to play {} against {}: {} loses {:.3}{}, best {} ({:+.3})\n",
                row.player,
                blunder.dice,
                row.opponent,
                blunder.played,
                blunder.loss,
                rolled(blunder),
                blunder.best,
                blunder.equity
            );
            if let Ok(position) = parse_literal(&blunder.position, self.rules.game) {
                text += &draw(position, self.rules.game, DrawOptions { ascii, ..DrawOptions::default() });
            }
            let half = if blunder.swapped { ", second game" } else { "" };
            let _ = writeln!(text, "  {}\n  seed {}{half}, turn {}", blunder.position, blunder.seed, blunder.turn);
        }
        text
    }

    /// The same as a page of HTML that needs nothing else.
    pub fn html(&self) -> String {
        let headline = super::html::escape(&self.headline());
        let body = format!(
            "<p>{headline}</p>\n<h2>Players</h2>\n<div class=\"scroll\">{}</div>\n<h2>Worst decisions</h2>\n{}",
            self.table().html(),
            boards(&self.worst, &self.rules)
        );
        page("Analysis", &body)
    }
}
