//! Rollouts: a position played out many times, with luck taken out, to find out what it is worth and which play is best.
//!
//! A **trial** plays a candidate's result on, both sides by the model, to the end of the game or for a number of plies after
//! which the model's chances stand for the rest; where both sides bear off, exact tables do.
//!
//! - **Luck adjustment**: after each throw, the difference between the chances that it gave and their mean over all 21 rolls is
//!   taken off the result. These differences are 0 on average, so the result stays unbiased whatever the model is worth, and
//!   the better the model, the less is left to chance.
//! - **Stratified dice**: of each 36 trials, every one begins with another of the 36 throws, and of 1,296 with another
//!   pair of throws.
//! - **Common dice**: trial `n` of every candidate has the same dice, so candidates are compared trial by trial.
//! - **Clear candidates are dropped**: after each batch, a candidate that is behind the best one by more standard errors of
//!   their difference than [`RolloutSettings::clear`] is not rolled out further; when one is left, or what the others lose is
//!   known well enough ([`RolloutSettings::enough`]), the rollout ends.
//!
//! Standard errors are those of the means of 36 trials each, so that they know of the stratified dice. Results do not
//! depend on the number of threads.

mod settings;
mod statistics;
mod trial;

pub use settings::{BLOCK, RolloutSettings};
pub use statistics::Estimate;

use crate::eval::{ModelError, Outcomes, flip};
use crate::movegen::PlayList;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::{Limits, Searcher};
use statistics::Tally;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use trial::Trials;

/// A candidate with what its trials came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Rolled {
    /// Its number in the list of plays; 0 for a position without dice.
    pub index: usize,
    /// Trials played.
    pub trials: u64,
    /// The mover's chances, means over the trials.
    pub outcomes: Outcomes,
    /// Points for the mover, with the standard error of the mean.
    pub equity: Estimate,
    /// Points given away against the best candidate, with the standard error of the difference; 0 ± 0 for the best.
    pub loss: Estimate,
    /// It was dropped because the best one was clearly better.
    pub dropped: bool,
    /// Mean points of each [`BLOCK`] of trials, for the mover. Block `n` of every candidate has the same dice.
    pub blocks: Vec<f64>,
}

/// What a rollout has found so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Rollout {
    /// The candidates: those still in question first, and among these the best first. None if the rollout was stopped before
    /// its first batch of trials was complete.
    pub candidates: Vec<Rolled>,
    /// Trials played, of all candidates.
    pub trials: u64,
    /// All trials have been played, or the best candidate is clear.
    pub finished: bool,
}

/// Told after each batch of trials; `Break` ends the rollout with what is known.
pub type Progress<'a> = &'a mut dyn FnMut(&Rollout) -> ControlFlow<()>;

/// Asked after each trial on the calling thread; once it says so, the rollout ends with what complete batches have shown.
pub type Stopped<'a> = &'a dyn Fn() -> bool;

/// Rolls out with the model of a searcher.
#[derive(Debug)]
pub struct Roller {
    settings: RolloutSettings,
    /// One for each thread.
    searchers: Vec<Searcher>,
}

/// Fewer blocks say too little about their scatter to drop a candidate, or to end.
const LEAST_BLOCKS: usize = 4;

/// A candidate at work.
struct Candidate {
    index: usize,
    result: Position,
    tally: Tally,
    dropped: bool,
}

impl Roller {
    /// A roller that plays as `searcher` does, on as many threads.
    ///
    /// # Errors
    /// None that making the searcher did not have.
    pub fn new(searcher: &Searcher, settings: RolloutSettings) -> Result<Roller, ModelError> {
        let threads = searcher.settings().thread_count();
        let searchers = (0..threads).map(|_| searcher.fork()).collect::<Result<_, _>>()?;
        Ok(Roller { settings, searchers })
    }

    /// The settings.
    pub fn settings(&self) -> &RolloutSettings {
        &self.settings
    }

    /// The rules that it plays by.
    pub fn rules(&self) -> &Rules {
        self.searchers[0].rules()
    }

    /// The settings, to be changed for the rollouts to come.
    pub fn settings_mut(&mut self) -> &mut RolloutSettings {
        &mut self.settings
    }

    /// Rolls out the plays with these numbers.
    ///
    /// # Panics
    /// If there are none, or no play has such a number.
    pub fn plays(&mut self, plays: &PlayList, numbers: &[usize], progress: Progress) -> Rollout {
        self.plays_until(plays, numbers, &|| false, progress)
    }

    /// The same with a question that can stop it in the middle of a batch, which is then lost.
    ///
    /// # Panics
    /// If there are no numbers, or no play has such a number.
    pub fn plays_until(
        &mut self,
        plays: &PlayList,
        numbers: &[usize],
        stopped: Stopped,
        progress: Progress,
    ) -> Rollout {
        let candidates = numbers.iter().map(|&index| (index, plays.positions()[index])).collect();
        self.run(candidates, stopped, progress)
    }

    /// The plays worth rolling out: the best at `depth` plies and those that lose no more than `within` points there, at
    /// most `most`.
    pub fn choose(&mut self, position: Position, plays: &PlayList, depth: u32, most: usize, within: f32) -> Vec<usize> {
        let ranking = self.searchers[0].rank(position, plays, &Limits::depth(depth));
        let kept = ranking.plays.iter().take(most.max(1)).take_while(|play| play.loss <= within);
        kept.map(|play| play.index).collect()
    }

    /// Rolls out a position before the throw, seen by the side on roll.
    pub fn position(&mut self, position: Position, progress: Progress) -> Rollout {
        let mut seen_by_side_on_roll = |rollout: &Rollout| progress(&turned(rollout.clone()));
        turned(self.run(vec![(0, position.swapped())], &|| false, &mut seen_by_side_on_roll))
    }

    fn run(&mut self, candidates: Vec<(usize, Position)>, stopped: Stopped, progress: Progress) -> Rollout {
        assert!(!candidates.is_empty(), "a rollout needs a candidate");
        let start = |(index, result)| Candidate { index, result, tally: Tally::default(), dropped: false };
        let mut candidates: Vec<Candidate> = candidates.into_iter().map(start).collect();
        let several = candidates.len() > 1;
        let blocks = self.settings.trials.div_ceil(BLOCK);
        let mut done = 0;
        loop {
            let batch = self.settings.batch_blocks().min(blocks - done);
            if !self.roll_out(&mut candidates, done..done + batch, stopped) {
                return match done {
                    0 => Rollout { candidates: Vec::new(), trials: 0, finished: false },
                    _ => self.summary(&candidates, false),
                };
            }
            done += batch;
            if several {
                self.drop_clear(&mut candidates);
            }
            let clear = several && candidates.iter().filter(|candidate| !candidate.dropped).count() == 1;
            let enough = clear || several && self.sharp(&candidates);
            let rollout = self.summary(&candidates, enough || done >= blocks);
            if progress(&rollout).is_break() || rollout.finished {
                return rollout;
            }
        }
    }

    /// Plays these blocks of trials with every candidate that is not dropped; false if it was stopped, and nothing counts.
    fn roll_out(&mut self, candidates: &mut [Candidate], blocks: std::ops::Range<u64>, stopped: Stopped) -> bool {
        let points = *self.searchers[0].evaluator().points();
        let active: Vec<usize> = (0..candidates.len()).filter(|&i| !candidates[i].dropped).collect();
        let per_candidate = (blocks.end - blocks.start) * BLOCK;
        let jobs = active.len() * per_candidate as usize;
        let job = |number: usize| {
            let (candidate, trial) = (number / per_candidate as usize, number as u64 % per_candidate);
            (candidates[active[candidate]].result, blocks.start * BLOCK + trial)
        };
        let Some(outcomes) = self.play_jobs(jobs, &job, stopped) else { return false };
        for (results, &candidate) in outcomes.chunks(per_candidate as usize).zip(&active) {
            results.chunks(BLOCK as usize).for_each(|block| candidates[candidate].tally.add(block, &points));
        }
        true
    }

    /// Plays trials `0..jobs` on all threads, the calling one included; `None` if it was stopped.
    fn play_jobs(
        &mut self,
        jobs: usize,
        job: &(impl Fn(usize) -> (Position, u64) + Sync),
        stopped: Stopped,
    ) -> Option<Vec<Outcomes>> {
        let (next, stop, settings) = (AtomicUsize::new(0), AtomicBool::new(false), &self.settings);
        let work = |searcher: &mut Searcher, asked: &dyn Fn() -> bool| {
            let mut trials = Trials::new(searcher, settings);
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= jobs || stop.load(Ordering::Relaxed) {
                    return done;
                }
                let (result, trial) = job(number);
                done.push((number, flip(trials.play(result.swapped(), trial))));
                if asked() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        };
        let mut outcomes = vec![[0.0f32; 6]; jobs];
        let mut store = |done: Vec<(usize, Outcomes)>| done.into_iter().for_each(|(i, result)| outcomes[i] = result);
        let (own, others) = self.searchers.split_first_mut()?;
        std::thread::scope(|scope| {
            let work = &work;
            let others: Vec<_> =
                others.iter_mut().map(|searcher| scope.spawn(move || work(searcher, &|| false))).collect();
            store(work(own, stopped));
            for thread in others {
                match thread.join() {
                    Ok(done) => store(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        (!stop.into_inner()).then_some(outcomes)
    }

    /// Drops candidates that are clearly behind.
    fn drop_clear(&self, candidates: &mut [Candidate]) {
        let best = best(candidates);
        let tally = candidates[best].tally.clone();
        for candidate in candidates.iter_mut().filter(|candidate| !candidate.dropped) {
            let Estimate { mean, standard_error } = tally.ahead_of(&candidate.tally);
            candidate.dropped =
                tally.block_means().len() >= LEAST_BLOCKS && mean > self.settings.clear * standard_error;
        }
        candidates[best].dropped = false;
    }

    /// What the candidates still in question lose is known well enough.
    fn sharp(&self, candidates: &[Candidate]) -> bool {
        let best = &candidates[best(candidates)].tally;
        let mut in_question = candidates.iter().filter(|candidate| !candidate.dropped);
        let known = |other: &Candidate| best.ahead_of(&other.tally).half_width() <= self.settings.enough;
        self.settings.enough > 0.0 && best.block_means().len() >= LEAST_BLOCKS && in_question.all(known)
    }

    fn summary(&self, candidates: &[Candidate], finished: bool) -> Rollout {
        let best = &candidates[best(candidates)];
        let rolled = |candidate: &Candidate| Rolled {
            index: candidate.index,
            trials: candidate.tally.block_means().len() as u64 * BLOCK,
            outcomes: candidate.tally.outcomes(),
            equity: candidate.tally.equity(),
            loss: best.tally.ahead_of(&candidate.tally),
            dropped: candidate.dropped,
            blocks: candidate.tally.block_means().to_vec(),
        };
        let mut rolled: Vec<Rolled> = candidates.iter().map(rolled).collect();
        rolled.sort_by(|a, b| {
            let by_equity = b.equity.mean.total_cmp(&a.equity.mean).then(a.index.cmp(&b.index));
            a.dropped.cmp(&b.dropped).then(b.trials.cmp(&a.trials)).then(by_equity)
        });
        let trials = rolled.iter().map(|candidate| candidate.trials).sum();
        Rollout { candidates: rolled, trials, finished }
    }
}

/// The number of the best candidate of those that are not dropped.
fn best(candidates: &[Candidate]) -> usize {
    let in_question = (0..candidates.len()).filter(|&i| !candidates[i].dropped);
    let equity = |i: &usize| candidates[*i].tally.equity().mean;
    // The first of equals.
    in_question.rev().max_by(|a, b| equity(a).total_cmp(&equity(b))).unwrap_or(0)
}

/// Seen by the other side.
fn turned(mut rollout: Rollout) -> Rollout {
    for candidate in &mut rollout.candidates {
        candidate.outcomes = flip(candidate.outcomes);
        candidate.equity.mean = -candidate.equity.mean;
        candidate.blocks.iter_mut().for_each(|points| *points = -*points);
    }
    rollout
}

#[cfg(test)]
mod tests;
