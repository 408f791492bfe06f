//! Players' choices in the decisions of a benchmark.

use super::make::{ask, judged, roll_out, seats};
use super::set::{Decision, JudgedPlay};
use super::{Benchmark, BenchmarkError, rollout_seed};
use crate::arena::fault::Fault;
use crate::arena::parallel::in_order;
use crate::arena::players::{LoadedModel, Roster};
use crate::arena::seat::Seat;
use crate::movegen::{PlayList, legal_plays_into};
use crate::rollout::{BLOCK, Roller};
use std::sync::atomic::AtomicBool;

/// What a player did in a decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// It chose the play with this number in the decision.
    Play(usize),
    /// It chose a play that is not rolled out.
    Unknown,
    /// It failed.
    Failed(Box<Fault>),
}

/// The decisions, and what each player chose.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedSet {
    /// The decisions, with plays added that players chose and nobody had thought of.
    pub decisions: Vec<Decision>,
    /// The choices of all players for each decision.
    pub choices: Vec<Vec<Choice>>,
    /// How many choices of each player had to be rolled out.
    pub added: Vec<u64>,
}

/// Asks players.
#[derive(Debug)]
pub struct Judge<'a> {
    /// The decisions.
    pub benchmark: &'a Benchmark,
    /// The players.
    pub roster: &'a Roster,
    /// The model of the benchmark, if choices that are not in it are to be rolled out.
    pub model: Option<&'a LoadedModel>,
    /// Threads.
    pub threads: usize,
    /// Set from outside to stop.
    pub stop: &'a AtomicBool,
}

impl Judge<'_> {
    /// Asks all players for all decisions; `watch` is told the number of each decision that is done. If it is stopped, the
    /// decisions until then are there.
    ///
    /// # Errors
    /// If a player or the model can't be used.
    pub fn run(&self, mut watch: impl FnMut(usize)) -> Result<JudgedSet, BenchmarkError> {
        let players = self.roster.names().len();
        let mut set = JudgedSet { decisions: Vec::new(), choices: Vec::new(), added: vec![0; players] };
        in_order(
            (0, self.benchmark.decisions.len()),
            (self.threads, self.stop),
            || Worker::new(self),
            |worker, number| worker.judge(number),
            |number, Judged { decision, choices, added }| {
                set.added.iter_mut().zip(added).for_each(|(sum, added)| *sum += u64::from(added));
                set.decisions.push(decision);
                set.choices.push(choices);
                watch(number);
                Ok(())
            },
        )?;
        Ok(set)
    }
}

/// One decision.
struct Judged {
    decision: Decision,
    choices: Vec<Choice>,
    /// Whose choices were not in the benchmark.
    added: Vec<bool>,
}

struct Worker<'a> {
    judge: &'a Judge<'a>,
    roller: Option<Roller>,
    seats: Vec<Box<dyn Seat>>,
    plays: PlayList,
}

impl<'a> Worker<'a> {
    fn new(judge: &'a Judge<'a>) -> Result<Worker<'a>, BenchmarkError> {
        let settings = &judge.benchmark.settings;
        let roller = |model: &LoadedModel| model.roller(&settings.model, settings.rules, settings.rollout());
        let roller = judge.model.map(roller).transpose()?;
        Ok(Worker { judge, roller, seats: seats(judge.roster)?, plays: PlayList::new() })
    }

    /// `None` if it was stopped.
    fn judge(&mut self, number: usize) -> Result<Option<Judged>, BenchmarkError> {
        let Benchmark { settings, decisions } = self.judge.benchmark;
        let mut decision = decisions[number].clone();
        let sample = decision.sample;
        legal_plays_into(sample.position, sample.roll, &settings.rules, &mut self.plays);
        let mut chosen = Vec::with_capacity(self.seats.len());
        for seat in &mut self.seats {
            let choice = ask(seat.as_mut(), number, &sample, &settings.rules, &self.plays, self.judge.stop).transpose();
            let Some(choice) = choice else { return Ok(None) };
            chosen.push(choice);
        }
        let place = |decision: &Decision, plays: &PlayList, choice: usize| {
            decision.plays.iter().position(|play| play.result == plays.positions()[choice])
        };
        let mut missing: Vec<usize> = Vec::new();
        let mut added = vec![false; chosen.len()];
        for (added, choice) in added.iter_mut().zip(&chosen) {
            if let Ok(choice) = choice
                && place(&decision, &self.plays, *choice).is_none()
                && self.roller.is_some()
            {
                *added = true;
                if !missing.contains(choice) {
                    missing.push(*choice);
                }
            }
        }
        if !missing.is_empty() && !self.add(number, &mut decision, &missing) {
            return Ok(None);
        }
        let choice = |chosen: Result<usize, Box<Fault>>| match chosen {
            Ok(choice) => place(&decision, &self.plays, choice).map_or(Choice::Unknown, Choice::Play),
            Err(fault) => Choice::Failed(fault),
        };
        let choices = chosen.into_iter().map(choice).collect();
        Ok(Some(Judged { decision, choices, added }))
    }

    /// Rolls out plays with the dice of those that the decision has; false if it was stopped.
    fn add(&mut self, number: usize, decision: &mut Decision, missing: &[usize]) -> bool {
        let settings = &self.judge.benchmark.settings;
        let Some(roller) = &mut self.roller else { return true };
        let most = decision.plays.iter().map(|play| play.blocks.len()).max().unwrap_or(0) as u64;
        let mut numbers = missing.to_vec();
        if most == 0 {
            // The only play in question has not been rolled out yet.
            let only = decision.plays[0].result;
            numbers.extend(self.plays.positions().iter().position(|&result| result == only));
        }
        let rollout = roller.settings_mut();
        (rollout.trials, rollout.clear, rollout.enough) = match most {
            0 => (settings.trials, settings.rollout().clear, settings.enough),
            // As many trials as the best play has, so that either may turn out to be the better one.
            blocks => (blocks * BLOCK, f64::INFINITY, 0.0),
        };
        let seed = rollout_seed(settings.seed, number);
        let Some(rolled) = roll_out(roller, &self.plays, &numbers, seed, self.judge.stop) else { return false };
        let rolled: Vec<JudgedPlay> =
            rolled.candidates.iter().map(|play| judged(&self.plays, play.index, &play.blocks)).collect();
        if most == 0 {
            decision.plays.clear();
        }
        decision.plays.extend(rolled);
        true
    }
}
