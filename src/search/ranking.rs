//! Ranking the plays of a roll, ply by ply.

use super::cache::Cache;
use super::control::{Control, Limits, Progress};
use super::settings::{MAX_DEPTH, SearchSettings};
use super::tree::{Explorer, Replies, Reply, flip_worth, mean_over_rolls};
use crate::eval::{Evaluator, Keep, Model, ModelError, Outcomes, equity, flip};
use crate::movegen::PlayList;
use crate::position::Position;
use crate::rules::Rules;
use crate::types::Roll;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A play with what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its number in the list of plays.
    pub index: usize,
    /// The mover's chances after it, [`Ranked::depth`] plies looked ahead.
    pub outcomes: Outcomes,
    /// The chances weighted by what the outcomes are worth to the mover.
    pub equity: f32,
    /// Equity given away against the best play. Of a play that was not looked at as deep as the best one: the difference
    /// at the depth where it was left, but no less than any play before it loses.
    pub loss: f32,
    /// Plies looked ahead.
    pub depth: u32,
}

/// All plays of a roll: those that were looked at deepest first, and among these the best first.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// Every play; never empty.
    pub plays: Vec<Ranked>,
    /// Plies looked ahead for the best play. Less than what was asked for if only one play was left in question, or if
    /// the search was stopped.
    pub depth: u32,
    /// Positions valued, those found in the cache included.
    pub nodes: u64,
    /// The search was stopped by a limit other than the depth.
    pub stopped: bool,
}

/// Ranks plays and values positions with a model. Keeps its buffers and its cache from call to call.
#[derive(Debug)]
pub struct Searcher {
    settings: SearchSettings,
    /// One for each thread.
    explorers: Vec<Explorer>,
    cache: Arc<Cache>,
}

impl Searcher {
    /// A searcher for games under `rules`. `filter` is a small model of the same game that sorts replies for `model`.
    ///
    /// # Errors
    /// If a model plays another game.
    pub fn new(
        model: Arc<Model>,
        filter: Option<Arc<Model>>,
        rules: Rules,
        settings: SearchSettings,
    ) -> Result<Searcher, ModelError> {
        let explorer = || {
            let evaluator = Evaluator::new(model.clone(), rules)?;
            let evaluator = if settings.exact_endings { evaluator.with_exact_endings() } else { evaluator };
            let filter = filter.clone().map(|filter| Evaluator::new(filter, rules)).transpose()?;
            Ok(Explorer::new(evaluator, filter, settings.tree))
        };
        let explorers = (0..settings.thread_count()).map(|_| explorer()).collect::<Result<_, ModelError>>()?;
        Ok(Searcher { settings, explorers, cache: Arc::new(Cache::new(settings.cache)) })
    }

    /// The settings.
    pub fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        self.explorers[0].evaluator.rules()
    }

    /// The evaluator that it values positions with at 0-ply.
    pub fn evaluator(&mut self) -> &mut Evaluator {
        &mut self.explorers[0].evaluator
    }

    /// Ranks the plays of a roll from `position`, with the points of the rules.
    ///
    /// # Panics
    /// If the list of plays is empty.
    pub fn rank(&mut self, position: Position, plays: &PlayList, limits: &Limits) -> Ranking {
        let points = *self.evaluator().points();
        self.rank_worth(position, plays, &points, limits)
    }

    /// The same where the outcomes are worth something else to the mover, such as chances to win a match.
    ///
    /// # Panics
    /// If the list of plays is empty.
    pub fn rank_worth(&mut self, position: Position, plays: &PlayList, worth: &Outcomes, limits: &Limits) -> Ranking {
        assert!(!plays.is_empty(), "there is always a play, if only to pass");
        let progress = Progress::default();
        let control = Control::new(&progress, limits);
        let outcomes = self.evaluator().evaluate_results(position, plays.positions());
        let value = |(index, outcomes): (usize, &Outcomes)| {
            let equity = equity(outcomes, worth);
            Ranked { index, outcomes: *outcomes, equity, loss: 0.0, depth: 0 }
        };
        let mut ranked: Vec<Ranked> = outcomes.iter().enumerate().map(value).collect();
        sort_group(&mut ranked, plays);
        let mut group = ranked.len();
        let mut depth = 0;
        let _ = control.count(ranked.len() as u64);
        while depth < limits.depth.min(MAX_DEPTH) && !progress.is_stopped() {
            let keep: Keep = self.settings.plies[depth as usize];
            group = keep.count(ranked[..group].iter().map(|r| r.equity)).max(1);
            if group == 1 {
                break;
            }
            let results: Vec<Position> = ranked[..group].iter().map(|r| plays.positions()[r.index]).collect();
            let deeper = self.look_ahead(&results, depth + 1, worth, &control);
            // In the order of the plays, so that what was best before is among them. One alone says nothing.
            let known = deeper.iter().take_while(|outcomes| outcomes.is_some()).count();
            if known < 2 {
                break;
            }
            depth += 1;
            for (ranked, outcomes) in ranked.iter_mut().zip(deeper.iter().take(known).flatten()) {
                *ranked = Ranked { outcomes: *outcomes, equity: equity(outcomes, worth), depth, ..*ranked };
            }
            group = known;
            sort_group(&mut ranked[..group], plays);
        }
        level_losses(&mut ranked);
        Ranking { depth, nodes: progress.nodes(), stopped: progress.is_stopped(), plays: ranked }
    }

    /// Chances of the side on roll before it throws, `depth` plies looked ahead; exact for a finished game.
    pub fn evaluate(&mut self, position: Position, depth: u32) -> Outcomes {
        if depth == 0 || position.is_over() {
            return self.evaluator().evaluate(position);
        }
        let progress = Progress::default();
        let control = Control::new(&progress, &Limits::depth(depth));
        let points = flip_worth(self.evaluator().points());
        match self.look_ahead(&[position.swapped()], depth.min(MAX_DEPTH), &points, &control)[..] {
            [Some(outcomes)] => flip(outcomes),
            _ => unreachable!("without limits nothing stops a search"),
        }
    }

    /// The best play of each roll at 0-ply for the side on roll, all valued in one go; the position must not be over.
    pub fn replies(&mut self, position: Position) -> Replies {
        let progress = Progress::default();
        let control = Control::new(&progress, &Limits::depth(0));
        let explorer = &mut self.explorers[0];
        let points = *explorer.evaluator.points();
        match explorer.replies(position, &points, &self.cache, &control) {
            Some(replies) => replies,
            None => unreachable!("without limits nothing stops a search"),
        }
    }

    /// A searcher for another thread that does all by itself and shares this one's cache.
    ///
    /// # Errors
    /// None that making this one did not have.
    pub fn fork(&self) -> Result<Searcher, ModelError> {
        let explorer = self.explorers[0].fork()?;
        Ok(Searcher {
            settings: self.settings.single_thread(),
            explorers: vec![explorer],
            cache: Arc::clone(&self.cache),
        })
    }

    /// The mover's chances after each of these results of its play, `depth` plies looked ahead; `None` for those that the
    /// search was stopped at.
    fn look_ahead(
        &mut self,
        results: &[Position],
        depth: u32,
        worth: &Outcomes,
        control: &Control,
    ) -> Vec<Option<Outcomes>> {
        let cache = &*self.cache;
        let (explorers, opponent_worth) = (&mut self.explorers[..], flip_worth(worth));
        let finished = |explorer: &mut Explorer, result: Position| explorer.evaluator.evaluate_each(&[result])[0];
        if depth == 1 {
            return parallel(explorers, control, results.len(), |explorer, control, i| {
                if results[i].is_over() {
                    return Some(finished(explorer, results[i]));
                }
                explorer.look_ahead(results[i].swapped(), 1, &opponent_worth, cache, control).map(flip)
            });
        }
        let replies: Vec<Option<Replies>> = parallel(explorers, control, results.len(), |explorer, control, i| {
            if results[i].is_over() {
                let outcomes = flip(finished(explorer, results[i]));
                return Some([Reply { result: results[i].swapped(), outcomes }; Roll::ALL.len()]);
            }
            explorer.replies(results[i].swapped(), &opponent_worth, cache, control)
        });
        let tasks = results.len() * Roll::ALL.len();
        let values: Vec<Option<Outcomes>> = parallel(explorers, control, tasks, |explorer, control, task| {
            let replies = replies[task / Roll::ALL.len()].as_ref()?;
            let Reply { result, outcomes } = replies[task % Roll::ALL.len()];
            if result.is_over() {
                return Some(flip(outcomes));
            }
            explorer.look_ahead(result.swapped(), depth - 1, worth, cache, control)
        });
        values.chunks(Roll::ALL.len()).map(|values| mean_over_rolls(|roll| values[roll])).collect()
    }
}

/// Sorts plays of the same depth, best first, and tells what each loses. Equal plays come in the order of their steps, so that
/// the order never depends on how plays were generated.
fn sort_group(group: &mut [Ranked], plays: &PlayList) {
    group.sort_by(|a, b| b.equity.total_cmp(&a.equity).then_with(|| plays.steps(b.index).cmp(&plays.steps(a.index))));
    let best = group[0].equity;
    group.iter_mut().for_each(|play| play.loss = best - play.equity);
}

/// Lets no play lose less than one before it, which was looked at deeper.
fn level_losses(ranked: &mut [Ranked]) {
    let mut least = 0.0f32;
    for play in ranked {
        least = least.max(play.loss);
        play.loss = least;
    }
}

/// Does jobs `0..number` on all threads, the calling one included; the results are in the order of the numbers.
fn parallel<T: Send>(
    explorers: &mut [Explorer],
    control: &Control,
    number: usize,
    job: impl Fn(&mut Explorer, &Control, usize) -> Option<T> + Sync,
) -> Vec<Option<T>> {
    let next = AtomicUsize::new(0);
    let work = |explorer: &mut Explorer, control: &Control| {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= number || control.is_stopped() {
                return done;
            }
            done.push((i, job(explorer, control, i)));
        }
    };
    let mut results: Vec<Option<T>> = (0..number).map(|_| None).collect();
    let mut store = |done: Vec<(usize, Option<T>)>| done.into_iter().for_each(|(i, result)| results[i] = result);
    let used = explorers.len().min(number);
    let Some((own, others)) = explorers[..used].split_first_mut() else {
        return results;
    };
    std::thread::scope(|scope| {
        let remote = control.remote();
        let work = &work;
        let others: Vec<_> =
            others.iter_mut().map(|explorer| scope.spawn(move || work(explorer, &remote.control()))).collect();
        store(work(own, control));
        for other in others {
            match other.join() {
                Ok(done) => store(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    results
}
