//! What a benchmark holds: its settings, and decisions with their plays rolled out.

use super::phase::Phase;
use super::sample::Sample;
use crate::game::outcome_points;
use crate::notation::{Numbers, format_steps, parse_play};
use crate::position::Position;
use crate::position::text::{gnu_id, parse_gnu_id};
use crate::rollout::{Estimate, RolloutSettings};
use crate::rules::Rules;
use crate::types::{Roll, Steps};
use serde::{Deserialize, Serialize};

/// How a benchmark is made: the first line of its file. The rest follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkSettings {
    /// Version of the file.
    #[serde(rename = "nardy_benchmark")]
    pub version: u32,
    /// The rules.
    pub rules: Rules,
    /// The model that plays the games and the rollouts, as it was named.
    pub model: String,
    /// SHA-256 of its file, and of its filter's behind it.
    pub model_sha256: String,
    /// Seed of everything.
    pub seed: u64,
    /// Decisions.
    pub decisions: u64,
    /// Most decisions of one game.
    pub per_game: u32,
    /// Most plays that are rolled out because the model proposes them: the best at 2-ply.
    pub candidates: usize,
    /// Plays that lose more points than this at 2-ply are not proposed.
    pub within: f32,
    /// Players whose choices are rolled out in any case, as they were named.
    pub players: Vec<String>,
    /// SHA-256 of their model files; empty for players without.
    pub players_sha256: Vec<String>,
    /// Most trials of each play, a multiple of 36.
    pub trials: u64,
    /// Trials between two looks at the results, a multiple of 36.
    pub batch: u64,
    /// Plies after which the model's chances stand for the rest of the game.
    pub truncate: Option<u32>,
    /// Plies that are looked ahead in the rollouts.
    pub ply: u32,
    /// A play that is behind by so many standard errors is not rolled out further.
    pub clear: Option<f64>,
    /// A rollout ends once the 95 % intervals of what the plays in question lose have no greater half-widths.
    pub enough: f64,
}

impl BenchmarkSettings {
    /// Version of the file; another one is refused.
    pub const VERSION: u32 = 1;

    /// How plays are rolled out; the seed is another one for each decision.
    pub fn rollout(&self) -> RolloutSettings {
        RolloutSettings {
            trials: self.trials,
            truncate: self.truncate,
            depth: self.ply,
            luck_adjusted: true,
            clear: self.clear.unwrap_or(f64::INFINITY),
            enough: self.enough,
            batch: self.batch,
            seed: self.seed,
        }
    }

    /// The first setting in which another benchmark differs; more decisions of the same are no difference.
    pub(super) fn difference(&self, other: &BenchmarkSettings) -> Option<String> {
        let lists = [self, other].map(|settings| serde_json::to_value(settings).unwrap_or_default());
        let [Some(ours), Some(theirs)] = lists.each_ref().map(|list| list.as_object()) else { return None };
        let differs = |(name, value): &(&String, &serde_json::Value)| {
            name.as_str() != "decisions" && theirs.get(name.as_str()) != Some(value)
        };
        let (name, value) = ours.iter().find(differs)?;
        let found = theirs.get(name).cloned().unwrap_or_default();
        Some(format!("{name} {found} is not {value}"))
    }
}

/// A play that has been rolled out.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedPlay {
    /// The position it leads to, seen by the mover.
    pub result: Position,
    /// Its steps.
    pub steps: Steps,
    /// Mean points of each 36 trials; block `n` of each play of a decision has the same dice. Empty if the play was the only
    /// one in question.
    pub blocks: Vec<f64>,
}

impl JudgedPlay {
    /// Points, over the blocks that both plays have, that it is ahead of another.
    pub fn ahead_of(&self, other: &JudgedPlay) -> Estimate {
        Estimate::of(self.blocks.iter().zip(&other.blocks).map(|(a, b)| a - b))
    }

    /// What it is worth, over all its blocks.
    pub fn equity(&self) -> Estimate {
        Estimate::of(self.blocks.iter().copied())
    }
}

/// A decision with its plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Where it comes from.
    pub sample: Sample,
    /// The part of the game.
    pub phase: Phase,
    /// The plays in question: at least one.
    pub plays: Vec<JudgedPlay>,
}

impl Decision {
    /// The number of the best play: of those with the most blocks, the one with the highest mean.
    pub fn best(&self) -> usize {
        self.best_by(|_| true)
    }

    /// The best play by the blocks with these numbers.
    pub(crate) fn best_by(&self, counts: impl Fn(usize) -> bool) -> usize {
        let most = self.plays.iter().map(|play| play.blocks.len()).max().unwrap_or(0);
        let mean = |play: &JudgedPlay| {
            let blocks = play.blocks.iter().enumerate().filter(|(number, _)| counts(*number));
            blocks.map(|(_, points)| points).sum::<f64>()
        };
        let whole = (0..self.plays.len()).filter(|&i| self.plays[i].blocks.len() == most);
        // The first of equals.
        whole.rev().max_by(|&a, &b| mean(&self.plays[a]).total_cmp(&mean(&self.plays[b]))).unwrap_or(0)
    }

    /// What a play loses against the best, in points. The best one, and any other in the set by chance worth as much, 0.
    pub fn loss(&self, play: usize) -> Estimate {
        self.plays[self.best()].ahead_of(&self.plays[play])
    }

    /// What a play loses against a best play that is found with other dice than it is valued with: with the odd blocks and
    /// the even ones, and the other way round. A little too low, as [`Decision::loss`] is a little too high. `None` with fewer
    /// than two blocks.
    pub fn held_out_loss(&self, play: usize) -> Option<f64> {
        let half = |odd: bool| {
            let best = &self.plays[self.best_by(|number| (number % 2 == 1) == odd)];
            let pairs = best.blocks.iter().zip(&self.plays[play].blocks).enumerate();
            let valued: Vec<f64> =
                pairs.filter(|(number, _)| (number % 2 == 1) != odd).map(|(_, (a, b))| a - b).collect();
            (!valued.is_empty()).then(|| valued.iter().sum::<f64>() / valued.len() as f64)
        };
        Some((half(false)? + half(true)?) / 2.0)
    }
}

/// A decision as a line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    game: u64,
    turn: usize,
    phase: Phase,
    position: String,
    dice: String,
    plays: Vec<LinePlay>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinePlay {
    play: String,
    blocks: Vec<f64>,
}

/// No one can tell more digits of a mean of 36 games.
pub(super) fn rounded(points: f64) -> f64 {
    (points * 1e6).round() / 1e6
}

impl Decision {
    /// A line of JSON without its end.
    pub(super) fn to_line(&self, rules: &Rules) -> serde_json::Result<String> {
        let Sample { game, turn, position, roll } = self.sample;
        let play = |play: &JudgedPlay| LinePlay {
            play: if play.steps.is_empty() {
                "pass".into()
            } else {
                format_steps(play.steps, rules.game, Numbers::Own)
            },
            blocks: play.blocks.clone(),
        };
        let plays = self.plays.iter().map(play).collect();
        let dice = roll.digits();
        serde_json::to_string(&Line { game, turn, phase: self.phase, position: gnu_id(position), dice, plays })
    }

    /// Reads a line.
    pub(super) fn of_line(text: &str, rules: &Rules) -> Result<Decision, String> {
        let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let position = parse_gnu_id(&line.position, rules.game).map_err(|error| error.to_string())?;
        let roll: Roll = line.dice.parse().map_err(|error: crate::types::ParseRollError| error.to_string())?;
        let most = outcome_points(rules).iter().fold(0.0f32, |most, points| most.max(points.abs()));
        let play = |line: LinePlay| {
            let play = parse_play(&line.play, position, roll, rules).map_err(|error| error.to_string())?;
            // Without luck, single trials may go beyond what a game can bring, but not means of 36 of them by much.
            if let Some(points) = line.blocks.iter().find(|points| points.abs() > 4.0 * f64::from(most)) {
                return Err(format!("expected points from -{most} to {most}, found {points}"));
            }
            Ok(JudgedPlay { result: play.position, steps: play.steps, blocks: line.blocks })
        };
        let plays = line.plays.into_iter().map(play).collect::<Result<Vec<_>, String>>()?;
        if plays.is_empty() || plays.len() > 1 && plays.iter().any(|play| play.blocks.is_empty()) {
            return Err("expected plays with their results".into());
        }
        let sample = Sample { game: line.game, turn: line.turn, position, roll };
        Ok(Decision { sample, phase: line.phase, plays })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;

    /// The opening 3-1 with these blocks of its first plays.
    fn decision(blocks: &[&[f64]]) -> Decision {
        let (position, roll) = (Position::SHORT_START, Roll::ALL[3]);
        let plays = legal_plays(position, roll, &Rules::SHORT);
        let play = |(i, blocks): (usize, &&[f64])| JudgedPlay {
            result: plays.positions()[i],
            steps: plays.steps(i),
            blocks: blocks.to_vec(),
        };
        let sample = Sample { game: 3, turn: 1, position, roll };
        Decision { sample, phase: Phase::Opening, plays: blocks.iter().enumerate().map(play).collect() }
    }

    #[test]
    fn losses_are_those_of_a_worked_example() {
        // Means 0.25, 0.35, and 0.9 of a play that was dropped after two blocks.
        let decision = decision(&[&[0.1, 0.4, 0.2, 0.3], &[0.5, 0.2, 0.6, 0.1], &[1.0, 0.8]]);
        assert_eq!(decision.best(), 1);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(decision.loss(0).mean, 0.1) && close(decision.loss(1).mean, 0.0));
        // Differences 0.4, -0.2, 0.4, -0.2 around 0.1: squares 0.36, error √(0.36 / 3 / 4).
        assert!(close(decision.loss(0).standard_error, 0.03f64.sqrt()));
        // By the even blocks 0 and 2, play 1 is the best, and loses 0.2 to play 0 in the others; by the odd ones, play 0 is,
        // and loses 0.4 in the even ones.
        assert!(close(decision.held_out_loss(0).unwrap(), (-0.2 + 0.0) / 2.0));
        assert!(close(decision.held_out_loss(1).unwrap(), (0.0 - 0.4) / 2.0));
        // Over the blocks that both have: (0.5 - 1.0 + 0.2 - 0.8) / 2.
        assert!(close(decision.loss(2).mean, -0.55));
        assert_eq!(self::decision(&[&[]]).held_out_loss(0), None);
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_damage_is_named() {
        let decision = decision(&[&[0.125, -0.5], &[0.25, 0.75]]);
        let line = decision.to_line(&Rules::SHORT).unwrap();
        assert_eq!(Decision::of_line(&line, &Rules::SHORT), Ok(decision));
        let error = |from: &str, to: &str| Decision::of_line(&line.replacen(from, to, 1), &Rules::SHORT).unwrap_err();
        assert!(line.contains("4HPwATDgc/ABMA"), "{line}");
        assert!(error("4HPwATDgc/ABMA", "4HPwATDgc/ABM").contains("expected 14 characters"));
        assert!(error("\"opening\"", "\"ending\"").contains("unknown variant `ending`"));
        assert!(error("[0.125,-0.5]", "[]").starts_with("expected plays"));
        assert!(error("0.125", "1e9").starts_with("expected points from -3 to 3, found 1000000000"));
        assert!(error("\"game\"", "\"gam\"").contains("unknown field `gam`"));
    }

    #[test]
    fn a_play_that_is_the_only_one_in_question_needs_no_blocks() {
        let line = decision(&[&[]]).to_line(&Rules::SHORT).unwrap();
        assert_eq!(Decision::of_line(&line, &Rules::SHORT).unwrap().plays.len(), 1);
    }
}
