//! Two players in this process against each other: duplicate dice, every pair from its own seed.

use super::luck::LuckMeter;
use super::stats::{Ending, GameResult, MatchStats, PairResult, StatsError};
use crate::eval::{Evaluator, Model, ModelError};
use crate::game::{self, ByColor, Color, GameRecord, PlayError, Player, RecordError, play_pair, seed_for_game};
use crate::rules::Rules;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Why a duel could not be played.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// A player made no legal choice.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A model plays another game.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A game could not be replayed for its luck.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A number out of range.
    #[error(transparent)]
    Stats(#[from] StatsError),
}

/// What a duel is played by.
#[derive(Clone, Debug)]
pub struct Duel {
    /// The rules.
    pub rules: Rules,
    /// Base seed: pair `n` has the seed `seed_for_game(seed, n)`.
    pub seed: u64,
    /// Pairs of games.
    pub pairs: u64,
    /// Threads.
    pub threads: usize,
    /// Reference model for luck adjustment.
    pub reference: Option<Arc<Model>>,
}

/// The two players of one thread, A and B.
pub type Players = [Box<dyn Player + Send>; 2];

impl Duel {
    /// Plays all pairs and counts them from A's point of view, in the order of their numbers, so that the result does
    /// not depend on the number of threads. `make` gives each thread its players; `keep` sees every pair of records.
    ///
    /// # Errors
    /// The first thing that went wrong; the other pairs are broken off.
    pub fn play(
        &self,
        make: impl Fn() -> Players + Sync,
        keep: impl Fn(u64, &[GameRecord; 2]) + Sync,
    ) -> Result<MatchStats, DuelError> {
        let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let done = Mutex::new(Vec::with_capacity(self.pairs as usize));
        let run = || -> Result<(), DuelError> {
            let mut players = make();
            let mut meter = match &self.reference {
                Some(model) => Some(LuckMeter::new(Evaluator::new(model.clone(), self.rules)?)),
                None => None,
            };
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.pairs || stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let [a, b] = &mut players;
                let mut seats = ByColor { white: a.as_mut() as &mut dyn Player, black: b.as_mut() };
                let records = play_pair(&mut seats, &self.rules, seed_for_game(self.seed, number))?;
                keep(number, &records);
                let pair = PairResult::new(result_of(&records[0], &mut meter)?, result_of(&records[1], &mut meter)?);
                done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((number, pair));
            }
        };
        let results: Vec<Result<(), DuelError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads.max(1))
                .map(|_| {
                    scope.spawn(|| {
                        let result = run();
                        stop.fetch_or(result.is_err(), Ordering::Relaxed);
                        result
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(Ok(()))).collect()
        });
        results.into_iter().collect::<Result<Vec<()>, _>>()?;
        let mut pairs = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        pairs.sort_unstable_by_key(|(number, _)| *number);
        let mut stats = MatchStats::new(None)?;
        pairs.iter().for_each(|(_, pair)| stats.push(pair));
        Ok(stats)
    }
}

/// A game as White (player A) sees it.
fn result_of(record: &GameRecord, meter: &mut Option<LuckMeter>) -> Result<GameResult, DuelError> {
    let luck = meter.as_mut().map(|meter| meter.of_game(record)).transpose()?;
    // `play_pair` plays games to their end.
    let result = record.result.unwrap_or(game::GameResult::Draw);
    Ok(seen_by_white(result, &record.rules, luck)?)
}

/// A finished game in numbers, as White (player A) sees it.
///
/// # Errors
/// If the luck is not a finite number.
pub fn seen_by_white(result: game::GameResult, rules: &Rules, luck: Option<f64>) -> Result<GameResult, StatsError> {
    let ending = match result {
        game::GameResult::Win { winner, kind, .. } => {
            let won = Ending::ALL[kind.class(rules.score)];
            if winner == Color::White { won } else { won.flip() }
        }
        game::GameResult::Draw => Ending::Draw,
    };
    GameResult::new(result.points_of(Color::White) as f64, ending, luck)
}
