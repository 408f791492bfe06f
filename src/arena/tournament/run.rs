//! Plays what is left of a tournament on several threads.

use super::TournamentError;
use super::settings::Settings;
use super::state::State;
use super::total::{Blunder, PairOutcome, keep_worst};
use crate::arena::analysis::{Analyst, BLUNDER};
use crate::arena::duel::seen_by_white;
use crate::arena::parallel::each;
use crate::arena::players::{LoadedModel, Roster};
use crate::arena::referee::{Half, OnFault, Referee};
use crate::arena::seat::Seat;
use crate::arena::stats::{Ending, GameResult as Outcome, PairResult};
use crate::game::{ByColor, Color, GameResult};
use crate::notation::{Numbers, format_play};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Worst decisions of either player reported of one pair.
const BLUNDERS_OF_PAIR: usize = 3;

/// A tournament that is being played.
#[derive(Debug)]
pub struct Tournament<'a> {
    /// The players.
    pub roster: &'a Roster,
    /// Judges luck and decisions.
    pub reference: Option<LoadedModel>,
    /// Threads.
    pub threads: usize,
    /// Set from outside to stop; games in play are given up and will be played again.
    pub stop: Arc<AtomicBool>,
}

/// Which pairs are to be played next.
struct Queue {
    /// Next pair of each pairing; `None` when it needs no more.
    next: Vec<Option<u64>>,
    /// Pairs whose results are here although earlier ones are not, from before an interruption.
    known: Vec<Vec<u64>>,
    pairs: u64,
}

impl Queue {
    fn new(state: &State) -> Queue {
        let next = |i: usize| (!state.is_finished(i)).then(|| state.pairings[i].next());
        let count = state.pairings.len();
        Queue {
            next: (0..count).map(next).collect(),
            known: state.pairings.iter().map(|pairing| pairing.waiting().collect()).collect(),
            pairs: state.settings.pairs,
        }
    }

    /// The pairing that is furthest behind, and its next pair.
    fn take(&mut self) -> Option<(usize, u64)> {
        loop {
            let open = self.next.iter().enumerate().filter_map(|(i, next)| Some((next.as_ref()?, i)));
            let (&pair, pairing) = open.min()?;
            self.next[pairing] = Some(pair + 1).filter(|&next| next < self.pairs);
            if pair < self.pairs && !self.known[pairing].contains(&pair) {
                return Some((pairing, pair));
            }
        }
    }
}

impl Tournament<'_> {
    /// Plays on until everything is decided or it is stopped. After each pair `watch` sees the state.
    ///
    /// # Errors
    /// The first thing that went wrong in a player of this process, or what `watch` returns.
    pub fn run(
        &self,
        state: &mut State,
        mut watch: impl FnMut(&mut State) -> Result<(), TournamentError>,
    ) -> Result<(), TournamentError> {
        if !state.is_complete() {
            self.roster.prepare();
        }
        let queue = Mutex::new(Queue::new(state));
        let settings = state.settings.clone();
        let queue = || queue.lock().unwrap_or_else(PoisonError::into_inner);
        each(
            (self.threads, &self.stop),
            || queue().take(),
            || Worker::new(self, &settings),
            |worker, (pairing, pair)| Ok(worker.play(pairing, pair)?.map(|outcome| (pairing, pair, outcome))),
            |(pairing, pair, outcome)| {
                state.pairings[pairing].add(pair, outcome)?;
                if state.total(pairing).is_closed() {
                    queue().next[pairing] = None;
                }
                watch(state)
            },
        )
    }
}

/// What a thread needs to play.
struct Worker<'a> {
    tournament: &'a Tournament<'a>,
    settings: &'a Settings,
    pairings: Vec<(usize, usize)>,
    /// Players made so far; engines go on from pair to pair.
    seats: Vec<Option<Box<dyn Seat>>>,
    analyst: Option<Analyst>,
}

impl<'a> Worker<'a> {
    fn new(tournament: &'a Tournament<'a>, settings: &'a Settings) -> Result<Worker<'a>, TournamentError> {
        let judge = |model: &LoadedModel| model.analyst("the reference", settings.rules);
        let analyst = tournament.reference.as_ref().map(judge).transpose()?;
        let seats = settings.names.iter().map(|_| None).collect();
        Ok(Worker { tournament, settings, pairings: settings.pairings(), seats, analyst })
    }

    fn seat(&mut self, player: usize) -> Result<Box<dyn Seat>, TournamentError> {
        match self.seats[player].take() {
            Some(seat) => Ok(seat),
            None => Ok(self.tournament.roster.seat(player)?),
        }
    }

    /// Plays a pair; `None` if it was interrupted.
    fn play(&mut self, pairing: usize, pair: u64) -> Result<Option<PairOutcome>, TournamentError> {
        let (a, b) = self.pairings[pairing];
        let names = ByColor::new(self.settings.names[a].clone(), self.settings.names[b].clone());
        let (mut white, mut black) = (self.seat(a)?, self.seat(b)?);
        let (rules, length) = (&self.settings.rules, self.settings.length);
        let referee = Referee { rules, length, stop: &self.tournament.stop };
        let mut seats = ByColor { white: white.as_mut() as &mut dyn Seat, black: black.as_mut() };
        let played = referee.pair(&mut seats, &names, self.settings.pair_seed(pairing, pair));
        (self.seats[a], self.seats[b]) = (Some(white), Some(black));
        match played {
            Ok(halves) => self.outcome(halves).map(Some),
            Err(error) => TournamentError::of(error).map_or(Ok(None), Err),
        }
    }

    fn outcome(&mut self, halves: [Half; 2]) -> Result<PairOutcome, TournamentError> {
        let mut outcome = PairOutcome::default();
        let mut results = Vec::with_capacity(2);
        for half in halves {
            let luck = self.judge(&half, &mut outcome)?;
            // The last game of a match decides it; a single game is its own last one. No game ends without a result.
            let last = half.games.last().and_then(|game| game.result).unwrap_or(GameResult::Draw);
            results.push(match self.settings.length {
                None => seen_by_white(last, &self.settings.rules, luck)?,
                Some(_) => match_result(last)?,
            });
            outcome.games += half.games.len() as u64;
            outcome.turns += half.games.iter().map(|game| game.turns.len() as u64).sum::<u64>();
            outcome.clocks.white.merge(&half.clocks.white);
            outcome.clocks.black.merge(&half.clocks.black);
            outcome.faults.extend(half.faults);
            if self.settings.keep_games {
                outcome.records.extend(half.games.iter().map(|game| game.to_json()));
            }
        }
        keep_worst(&mut outcome.blunders, BLUNDERS_OF_PAIR);
        let counts = outcome.faults.is_empty() || self.settings.on_fault == OnFault::Lose;
        if let (true, [first, second]) = (counts, &results[..]) {
            outcome.result = Some(PairResult::new(*first, *second));
        }
        Ok(outcome)
    }

    /// Has the reference judge the games of a half; returns the luck of a single game.
    fn judge(&mut self, half: &Half, outcome: &mut PairOutcome) -> Result<Option<f64>, TournamentError> {
        let Some(analyst) = &mut self.analyst else { return Ok(None) };
        let with_luck = self.settings.length.is_none();
        let mut losses = outcome.losses.unwrap_or_default();
        let mut luck = 0.0;
        for game in &half.games {
            luck += analyst.game(game, with_luck, |decision| {
                losses[decision.color].add(decision.loss);
                if decision.loss >= BLUNDER {
                    let text = |steps| format_play(decision.position, steps, game.rules.game, Numbers::Own);
                    outcome.blunders.push(Blunder {
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
                    });
                }
            })?;
        }
        outcome.losses = Some(losses);
        Ok(with_luck.then_some(luck))
    }
}

/// A match as White sees it: one point for the winner of its last game.
fn match_result(last: GameResult) -> Result<Outcome, TournamentError> {
    let won = last.winner() == Some(Color::White);
    let (points, ending) = if won { (1.0, Ending::WinOin) } else { (-1.0, Ending::LoseOin) };
    Ok(Outcome::new(points, ending, None)?)
}
