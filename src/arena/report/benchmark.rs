//! What players lost in the decisions of a benchmark.

use super::html::{decision_svg, escape, page};
use super::table::Table;
use crate::arena::analysis::{LossStats, UnitLoss};
use crate::arena::benchmark::{BenchmarkSettings, Choice, Decision, JudgedSet, Phase};
use crate::arena::stats::{Estimate, Level};
use crate::notation::{Numbers, format_play};
use crate::position::text::{DrawOptions, draw, gnu_id};
use serde::Serialize;
use std::fmt::Write;

/// A player's figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchmarkPlayer {
    /// Its name.
    pub name: String,
    /// The player as it was given.
    pub player: String,
    /// Over all decisions.
    pub all: BenchmarkRow,
    /// In each phase that the benchmark has.
    pub phases: Vec<BenchmarkRow>,
    /// Choices that were not in the benchmark and have been rolled out.
    pub added: u64,
    /// Choices that are not rolled out and not counted.
    pub unknown: u64,
    /// Decisions without an answer.
    pub failures: u64,
    /// The first failure, in words.
    pub first_failure: Option<String>,
    /// Its worst choices, worst first.
    pub worst: Vec<Mistake>,
}

/// Figures of a phase, or of all. Intervals are over games.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BenchmarkRow {
    /// The phase; `None` for all.
    pub phase: Option<Phase>,
    /// Decisions that count.
    pub decisions: u64,
    /// Points lost per decision against the play that came out best.
    pub loss: Option<Estimate>,
    /// The same against a best play found with other dice than it is valued with.
    pub held_out: Option<Estimate>,
    /// Points lost per decision more than by the first player, over the decisions that count for both.
    pub more_than_first: Option<Estimate>,
    /// Choices other than the best play.
    pub differs: u64,
    /// Choices that lost 0.02 points or more.
    pub errors: u64,
    /// Choices that lost 0.08 points or more.
    pub blunders: u64,
}

/// A choice that cost something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mistake {
    /// Which decision of the benchmark, counted from 1.
    pub decision: usize,
    /// The part of the game.
    pub phase: Phase,
    /// The position, seen by the side on roll, as a GNU Position ID.
    pub position: String,
    /// The dice, such as `63`.
    pub dice: String,
    /// What was chosen.
    pub chosen: String,
    /// The best play.
    pub best: String,
    /// What the best play is worth, in points.
    pub equity: f64,
    /// What the choice lost, in points.
    pub loss: f64,
    /// Half the width of the 95 % interval of the loss.
    pub half_width: f64,
}

/// All figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchmarkReport {
    /// The benchmark.
    pub settings: BenchmarkSettings,
    /// Decisions that were asked.
    pub decisions: usize,
    /// Level of every interval.
    pub level: Level,
    /// The players, in the order in which they were given.
    pub players: Vec<BenchmarkPlayer>,
    #[serde(skip)]
    boards: Vec<Decision>,
}

/// Sums of one row.
#[derive(Default)]
struct Sums {
    loss: LossStats,
    held_out: LossStats,
    more: LossStats,
    differs: u64,
}

/// The same of one game.
#[derive(Default)]
struct GameSums {
    loss: UnitLoss,
    held_out: UnitLoss,
    more: UnitLoss,
}

impl Sums {
    fn close(&mut self, game: GameSums) {
        let close = |sum: &mut LossStats, unit: &UnitLoss| {
            if unit.decisions > 0 {
                sum.push(unit);
            }
        };
        close(&mut self.loss, &game.loss);
        close(&mut self.held_out, &game.held_out);
        close(&mut self.more, &game.more);
    }
}

impl BenchmarkReport {
    /// The figures of players, given with their names; `keep` of each one's worst choices are kept.
    pub fn of(
        settings: &BenchmarkSettings,
        set: &JudgedSet,
        players: &[(String, String)],
        keep: usize,
        level: Level,
    ) -> BenchmarkReport {
        let phases: Vec<Phase> =
            Phase::ALL.into_iter().filter(|phase| set.decisions.iter().any(|d| d.phase == *phase)).collect();
        let of_player = |(number, (name, player)): (usize, &(String, String))| {
            let count = |what: fn(&Choice) -> bool| set.choices.iter().filter(|row| what(&row[number])).count() as u64;
            let failure = set.choices.iter().find_map(|row| match &row[number] {
                Choice::Failed(fault) => Some(fault.to_string()),
                _ => None,
            });
            BenchmarkPlayer {
                name: name.clone(),
                player: player.clone(),
                all: row(set, number, None, level),
                phases: phases.iter().map(|&phase| row(set, number, Some(phase), level)).collect(),
                added: set.added[number],
                unknown: count(|choice| matches!(choice, Choice::Unknown)),
                failures: count(|choice| matches!(choice, Choice::Failed(_))),
                first_failure: failure,
                worst: worst(settings, set, number, keep),
            }
        };
        BenchmarkReport {
            settings: settings.clone(),
            decisions: set.decisions.len(),
            level,
            players: players.iter().enumerate().map(of_player).collect(),
            boards: set.decisions.clone(),
        }
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// None that a report can get into.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    fn headline(&self) -> String {
        let BenchmarkSettings { rules, model, seed, trials, truncate, ply, .. } = &self.settings;
        let end = truncate.map_or("played to the end".to_string(), |plies| format!("cut off after {plies} plies"));
        format!(
            "{} decisions, rules {rules}, seed {seed}; at most {trials} games a play by {model} at {ply}-ply, {end}",
            self.decisions
        )
    }

    fn table(&self) -> Table {
        let head = [
            "player",
            "loss/decision",
            "held out",
            "more than first",
            "other play %",
            "errors %",
            "blunders %",
            "decisions",
        ];
        let mut table = Table::new(&head);
        for (number, BenchmarkPlayer { name, all, .. }) in self.players.iter().enumerate() {
            let share = |count: u64| format!("{:.2}", 100.0 * count as f64 / all.decisions.max(1) as f64);
            table.row(vec![
                name.clone(),
                estimate(all.loss, false),
                estimate(all.held_out, false),
                if number == 0 { String::new() } else { estimate(all.more_than_first, true) },
                share(all.differs),
                share(all.errors),
                share(all.blunders),
                all.decisions.to_string(),
            ]);
        }
        table.without_empty_columns()
    }

    fn phase_table(&self) -> Table {
        let phases: Vec<Phase> =
            self.players.iter().flat_map(|player| &player.phases).filter_map(|row| row.phase).collect();
        let phases = &phases[..self.players.first().map_or(0, |player| player.phases.len())];
        let mut head = vec!["loss/decision"];
        head.extend(phases.iter().map(|phase| phase.as_str()));
        let mut table = Table::new(&head);
        let mut counts = vec!["decisions".to_string()];
        counts.extend(
            phases
                .iter()
                .map(|phase| self.boards.iter().filter(|decision| decision.phase == *phase).count().to_string()),
        );
        table.row(counts);
        for player in &self.players {
            let mut cells = vec![player.name.clone()];
            cells.extend(player.phases.iter().map(|row| estimate(row.loss, false)));
            table.row(cells);
        }
        table
    }

    /// What has to be said besides the tables.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let asked = self.decisions as u64;
        if asked < self.settings.decisions {
            notes.push(format!("{asked} of the {} decisions of the benchmark were asked", self.settings.decisions));
        }
        for BenchmarkPlayer { name, added, unknown, failures, first_failure, .. } in &self.players {
            if *added > 0 {
                notes.push(format!("{name}: {added} choices were not in the benchmark and have been rolled out"));
            }
            if *unknown > 0 {
                notes.push(format!("{name}: {unknown} choices are not rolled out and don't count"));
            }
            if let Some(failure) = first_failure {
                notes.push(format!("{name}: no answer in {failures} decisions, which don't count; first {failure}"));
            }
        }
        notes
    }

    fn lines(&self) -> String {
        self.notes().iter().fold(String::new(), |text, note| text + note + "\n")
    }

    /// The tables and the worst choices with drawn boards, for a terminal.
    pub fn terminal(&self, ascii: bool) -> String {
        let mut text = format!("{}\n\n{}", self.headline(), self.table().terminal());
        let _ = write!(text, "\n{}", self.phase_table().terminal());
        let notes = self.lines();
        if !notes.is_empty() {
            let _ = write!(text, "\n{notes}");
        }
        for player in &self.players {
            for (number, mistake) in (1..).zip(&player.worst) {
                let _ = writeln!(text, "\n{}: worst {number}, {}", player.name, mistake.words());
                text += &self.drawn(mistake, ascii);
            }
        }
        text
    }

    fn drawn(&self, mistake: &Mistake, ascii: bool) -> String {
        let decision = &self.boards[mistake.decision - 1];
        let options = DrawOptions { ascii, ..DrawOptions::default() };
        let board = draw(decision.sample.position, self.settings.rules.game, options);
        format!("{}  {}  decision {}\n", board, mistake.position, mistake.decision)
    }

    /// The same as Markdown.
    pub fn markdown(&self) -> String {
        let mut text =
            format!("{}.\n\n{}\n{}", self.headline(), self.table().markdown(), self.phase_table().markdown());
        for note in self.notes() {
            let _ = write!(text, "\n{note}.\n");
        }
        for player in &self.players {
            for (number, mistake) in (1..).zip(&player.worst) {
                let _ = write!(
                    text,
                    "\n**{}**, worst {number}: {}\n\n```text\n{}```\n",
                    player.name,
                    mistake.words(),
                    self.drawn(mistake, false)
                );
            }
        }
        text
    }

    /// The same as a page of HTML that needs nothing else, with the best play in green and the choice in red.
    pub fn html(&self) -> String {
        let mut body = format!("<p>{}</p>\n", escape(&self.headline()));
        for table in [self.table(), self.phase_table()] {
            let _ = writeln!(body, "<div class=\"scroll\">{}</div>", table.html());
        }
        for note in self.notes() {
            let _ = writeln!(body, "<p class=\"note\">{}</p>", escape(&note));
        }
        for player in self.players.iter().filter(|player| !player.worst.is_empty()) {
            let _ = writeln!(body, "<h2>{}</h2>\n<div class=\"boards\">", escape(&player.name));
            for mistake in &player.worst {
                let sample = self.boards[mistake.decision - 1].sample;
                let plays = (mistake.best.as_str(), mistake.chosen.as_str());
                let _ = writeln!(
                    body,
                    "<figure>{}<figcaption>{}<br><span class=\"small\">{}; decision {}</span></figcaption></figure>",
                    decision_svg(sample.position, sample.roll, &self.settings.rules, plays),
                    escape(&mistake.words()),
                    escape(&mistake.position),
                    mistake.decision
                );
            }
            body += "</div>\n";
        }
        page("Benchmark of decisions", &body)
    }
}

impl Mistake {
    fn words(&self) -> String {
        let Mistake { phase, dice, chosen, best, equity, loss, half_width, .. } = self;
        format!("{dice} in the {phase}: {chosen} loses {loss:.3} ± {half_width:.3}, best {best} ({equity:+.3})")
    }
}

fn estimate(estimate: Option<Estimate>, sign: bool) -> String {
    let Some(Estimate { mean, interval, .. }) = estimate else { return "–".into() };
    let half = interval.map(|interval| format!(" ± {:.5}", interval.half_width())).unwrap_or_default();
    if sign { format!("{mean:+.5}{half}") } else { format!("{mean:.5}{half}") }
}

/// What a choice lost; `None` where it doesn't count.
fn loss(decision: &Decision, choice: &Choice) -> Option<f64> {
    match choice {
        Choice::Play(play) if decision.plays.len() > 1 => Some(decision.loss(*play).mean),
        Choice::Play(_) => Some(0.0),
        Choice::Unknown | Choice::Failed(_) => None,
    }
}

fn row(set: &JudgedSet, player: usize, phase: Option<Phase>, level: Level) -> BenchmarkRow {
    let mut sums = Sums::default();
    let mut game = (u64::MAX, GameSums::default());
    for (decision, choices) in set.decisions.iter().zip(&set.choices) {
        if phase.is_some_and(|phase| phase != decision.phase) {
            continue;
        }
        if decision.sample.game != game.0 {
            sums.close(std::mem::take(&mut game.1));
            game.0 = decision.sample.game;
        }
        let (Some(lost), Choice::Play(play)) = (loss(decision, &choices[player]), &choices[player]) else { continue };
        game.1.loss.add(lost);
        game.1.held_out.add(decision.held_out_loss(*play).unwrap_or(lost));
        sums.differs += u64::from(decision.plays.len() > 1 && decision.best() != *play);
        if let Some(by_first) = loss(decision, &choices[0]) {
            game.1.more.add(lost - by_first);
        }
    }
    sums.close(game.1);
    BenchmarkRow {
        phase,
        decisions: sums.loss.decisions(),
        loss: sums.loss.estimate(level),
        held_out: sums.held_out.estimate(level),
        more_than_first: sums.more.estimate(level).filter(|_| player > 0),
        differs: sums.differs,
        errors: sums.loss.errors(),
        blunders: sums.loss.blunders(),
    }
}

/// Worst first; equal ones in the order of the benchmark.
fn worst(settings: &BenchmarkSettings, set: &JudgedSet, player: usize, keep: usize) -> Vec<Mistake> {
    let mut lost: Vec<(f64, usize, usize)> = Vec::new();
    for (number, (decision, choices)) in set.decisions.iter().zip(&set.choices).enumerate() {
        if let (Some(loss), Choice::Play(play)) = (loss(decision, &choices[player]), &choices[player])
            && loss > 0.0
        {
            lost.push((loss, number, *play));
        }
    }
    lost.sort_by(|a, b| b.0.total_cmp(&a.0));
    lost.truncate(keep);
    let mistake = |(loss, number, play): (f64, usize, usize)| {
        let decision = &set.decisions[number];
        let (position, roll) = (decision.sample.position, decision.sample.roll);
        let best = decision.best();
        let text = |play: usize| format_play(position, decision.plays[play].steps, settings.rules.game, Numbers::Own);
        Mistake {
            decision: number + 1,
            phase: decision.phase,
            position: gnu_id(position),
            dice: roll.digits(),
            chosen: text(play),
            best: text(best),
            equity: decision.plays[best].equity().mean,
            loss,
            half_width: decision.loss(play).half_width(),
        }
    };
    lost.into_iter().map(mistake).collect()
}
