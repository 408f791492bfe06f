//! Rolls out the plays of sampled decisions on several threads.

use super::phase::Phase;
use super::sample::Sample;
use super::set::{BenchmarkSettings, Decision, JudgedPlay, rounded};
use super::{BenchmarkError, rollout_seed};
use crate::arena::fault::{Fault, SeatError};
use crate::arena::parallel::in_order;
use crate::arena::players::{LoadedModel, Roster};
use crate::arena::seat::{GameContext, Seat};
use crate::game::ByColor;
use crate::movegen::{PlayList, legal_plays_into};
use crate::rollout::{Roller, Rollout};
use crate::rules::Rules;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes a benchmark.
#[derive(Debug)]
pub struct Maker<'a> {
    /// How.
    pub settings: &'a BenchmarkSettings,
    /// Plays the rollouts.
    pub model: &'a LoadedModel,
    /// Players whose choices are rolled out in any case.
    pub roster: &'a Roster,
    /// Threads.
    pub threads: usize,
    /// Set from outside to stop; decisions at work are given up.
    pub stop: &'a AtomicBool,
}

impl Maker<'_> {
    /// Judges the samples from number `first` on. `take` gets the decisions in their order, each as soon as all before it are
    /// there.
    ///
    /// # Errors
    /// The first thing that goes wrong, or what `take` returns.
    pub fn run(
        &self,
        samples: &[Sample],
        first: usize,
        mut take: impl FnMut(Decision) -> Result<(), BenchmarkError>,
    ) -> Result<(), BenchmarkError> {
        in_order(
            (first, samples.len()),
            (self.threads, self.stop),
            || Worker::new(self),
            |worker, number| worker.judge(number, samples[number]),
            |_, decision| take(decision),
        )
    }
}

/// What a thread needs.
struct Worker<'a> {
    maker: &'a Maker<'a>,
    roller: Roller,
    seats: Vec<Box<dyn Seat>>,
    plays: PlayList,
}

impl<'a> Worker<'a> {
    fn new(maker: &'a Maker<'a>) -> Result<Worker<'a>, BenchmarkError> {
        let Maker { settings, model, roster, .. } = *maker;
        let roller = model.roller(&settings.model, settings.rules, settings.rollout())?;
        Ok(Worker { maker, roller, seats: seats(roster)?, plays: PlayList::new() })
    }

    /// `None` if it was stopped.
    fn judge(&mut self, number: usize, sample: Sample) -> Result<Option<Decision>, BenchmarkError> {
        let Maker { settings, roster, stop, .. } = *self.maker;
        let Sample { position, roll, turn, .. } = sample;
        legal_plays_into(position, roll, &settings.rules, &mut self.plays);
        let mut numbers = self.roller.choose(position, &self.plays, 2, settings.candidates, settings.within);
        for (seat, player) in self.seats.iter_mut().zip(roster.names()) {
            match ask(seat.as_mut(), number, &sample, &settings.rules, &self.plays, stop) {
                Ok(None) => return Ok(None),
                Ok(Some(choice)) => {
                    if !numbers.contains(&choice) {
                        numbers.push(choice);
                    }
                }
                Err(fault) => {
                    let (player, detail) = (player.clone(), fault.to_string());
                    return Err(BenchmarkError::Failed { player, decision: number + 1, detail });
                }
            }
        }
        let phase = Phase::of(settings.rules.game, position, turn);
        if let [only] = numbers[..] {
            return Ok(Some(Decision { sample, phase, plays: vec![judged(&self.plays, only, &[])] }));
        }
        let Some(rollout) =
            roll_out(&mut self.roller, &self.plays, &numbers, rollout_seed(settings.seed, number), stop)
        else {
            return Ok(None);
        };
        let plays = rollout.candidates.iter().map(|play| judged(&self.plays, play.index, &play.blocks)).collect();
        Ok(Some(Decision { sample, phase, plays }))
    }
}

/// Players for one thread.
pub(super) fn seats(roster: &Roster) -> Result<Vec<Box<dyn Seat>>, BenchmarkError> {
    (0..roster.names().len()).map(|player| Ok(roster.seat(player)?)).collect()
}

/// A player's choice, `None` if it was stopped; what it draws by lot depends on the number of the decision only.
pub(super) fn ask(
    seat: &mut dyn Seat,
    number: usize,
    sample: &Sample,
    rules: &Rules,
    plays: &PlayList,
    stop: &AtomicBool,
) -> Result<Option<usize>, Box<Fault>> {
    let score = ByColor::new(0, 0);
    let game = GameContext { seed: number as u64, rules, length: 0, score, is_white: true };
    let asked = seat.new_game(&game).and_then(|()| seat.choose(sample.position, sample.roll, rules, plays));
    match asked {
        Ok(choice) => {
            assert!(choice < plays.len(), "a player of this process chose play {choice} of {}", plays.len());
            Ok(Some(choice))
        }
        Err(SeatError::Interrupted) => Ok(None),
        // Ctrl-C ends foreign programs, too.
        Err(SeatError::Fault(_)) if stop.load(Ordering::SeqCst) => Ok(None),
        Err(SeatError::Fault(fault)) => Err(fault),
    }
}

pub(super) fn judged(plays: &PlayList, index: usize, blocks: &[f64]) -> JudgedPlay {
    let blocks = blocks.iter().map(|&points| rounded(points)).collect();
    JudgedPlay { result: plays.positions()[index], steps: plays.steps(index), blocks }
}

/// Rolls plays out with these dice; `None` if it was stopped.
pub(super) fn roll_out(
    roller: &mut Roller,
    plays: &PlayList,
    numbers: &[usize],
    seed: u64,
    stop: &AtomicBool,
) -> Option<Rollout> {
    roller.settings_mut().seed = seed;
    let stopped = || stop.load(Ordering::Relaxed);
    let rollout = roller.plays_until(plays, numbers, &stopped, &mut |_| ControlFlow::Continue(()));
    rollout.finished.then_some(rollout)
}
