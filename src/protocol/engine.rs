//! What thinks: a trait, so that the session needs to know nothing of networks or search.

use super::Limits;
use crate::bearoff::Bearoff;
use crate::eval::{Model, ModelError, Outcomes};
use crate::movegen::{Play, legal_plays};
use crate::position::Position;
use crate::rollout::{BLOCK, Rolled, Roller, RolloutSettings};
use crate::rules::{Game, Rules};
use crate::search::{self, MAX_DEPTH, SearchSettings, Searcher};
use crate::types::Roll;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A roll to be played.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position before the play, seen by the side on roll.
    pub position: Position,
    /// Its dice.
    pub roll: Roll,
    /// The rules.
    pub rules: Rules,
    /// What each of the six outcomes is worth to the side on roll: points in money play, winning chances in a match.
    pub worth: Outcomes,
    /// How long and how deep.
    pub limits: Limits,
}

/// A legal play with what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The play.
    pub play: Play,
    /// Chances of the mover after it.
    pub outcomes: Outcomes,
    /// The chances weighted by [`Task::worth`].
    pub equity: f32,
    /// What it loses against the best play; not less than any play before it.
    pub loss: f32,
    /// Plies that were looked ahead for it.
    pub depth: u32,
}

/// The result of thinking.
#[derive(Clone, Debug)]
pub struct Thought {
    /// Every legal play, those looked at deepest first and among these the best first; never empty.
    pub candidates: Vec<Candidate>,
    /// Plies that were looked ahead for the best; 0 = each play was valued as it stands.
    pub depth: u32,
    /// Positions evaluated.
    pub nodes: u64,
}

/// How to roll plays out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RolloutTask {
    /// How many plays: the best at 2-ply.
    pub plays: usize,
    /// Games for each.
    pub trials: u64,
    /// Seed of their dice.
    pub seed: u64,
}

/// A play that has been rolled out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolledPlay {
    /// The play, with what its games came to.
    pub candidate: Candidate,
    /// Games played.
    pub trials: u64,
    /// Half the widths of the 95 % intervals of equity and loss, in points.
    pub half_widths: [f64; 2],
}

/// Why an engine can't answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It has nothing for that game.
    #[error("no model for {game} nardy is loaded")]
    NoModel {
        /// The game.
        game: Game,
    },
    /// The model can't be used.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// An evaluator of plays and positions.
pub trait Engine: Send {
    /// Values all legal plays. `stopped` is asked from time to time; once it says so, the answer is what is known by then.
    ///
    /// # Errors
    /// If the game can't be played.
    fn think(&mut self, task: &Task, stopped: &dyn Fn() -> bool) -> Result<Thought, EngineError>;

    /// Chances of the side on roll before it throws, `depth` plies looked ahead, at most [`Engine::max_depth`].
    ///
    /// # Errors
    /// If the game can't be played.
    fn evaluate(&mut self, position: Position, rules: &Rules, depth: u32) -> Result<Outcomes, EngineError>;

    /// Rolls plays out for the points of the rules, the best first. Empty if it was stopped before anything was known, or if the
    /// engine has no rollouts.
    ///
    /// # Errors
    /// If the game can't be played.
    fn roll_out(
        &mut self,
        _task: &Task,
        _rollout: RolloutTask,
        _stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<RolledPlay>, EngineError> {
        Ok(Vec::new())
    }

    /// Most plies it can look ahead.
    fn max_depth(&self) -> u32;
}

/// Rollouts for people who wait: cut off after so many plies, with a look at the results after every two blocks of games.
const ROLLOUT: RolloutSettings = RolloutSettings {
    trials: 0,
    truncate: Some(10),
    depth: 0,
    luck_adjusted: true,
    clear: 4.0,
    enough: 0.0,
    batch: 2 * BLOCK,
    seed: 0,
};

/// Pips of both sides below which the tables of endings are made ready. Where both sides are at home, they have 180 together at
/// most; some eight plays lie between. Where one is and the other has three checkers outside, it can be 234, but seldom is.
const ENDING_IS_NEAR: u32 = 240;

/// A model with the small one that sorts replies for it.
#[derive(Clone, Debug)]
struct Pair {
    model: Arc<Model>,
    filter: Option<Arc<Model>>,
}

/// Trained models that look ahead, one for each game.
#[derive(Debug, Default)]
pub struct ModelEngine {
    short: Option<Pair>,
    long: Option<Pair>,
    settings: SearchSettings,
    /// Of the rules asked for last.
    searcher: Option<Searcher>,
}

impl ModelEngine {
    /// An engine without models.
    pub fn new() -> ModelEngine {
        ModelEngine::default()
    }

    /// Takes a model for the game that it was trained for, and a small one of the same game that chooses which replies it is
    /// shown when it looks ahead, instead of those taken before.
    ///
    /// # Errors
    /// If the filter plays another game.
    pub fn with(mut self, model: Model, filter: Option<Model>) -> Result<ModelEngine, ModelError> {
        let rules = *model.rules();
        if let Some(filter) = &filter {
            filter.check_game(&rules)?;
        }
        let pair = Some(Pair { model: Arc::new(model), filter: filter.map(Arc::new) });
        match rules.game {
            Game::Long => self.long = pair,
            Game::Short => self.short = pair,
        }
        Ok(ModelEngine { searcher: None, ..self })
    }

    /// Searches with other settings.
    #[must_use]
    pub fn with_settings(self, settings: SearchSettings) -> ModelEngine {
        ModelEngine { settings, searcher: None, ..self }
    }

    /// Another engine with the same models, for another thread.
    #[must_use]
    pub fn share(&self) -> ModelEngine {
        ModelEngine { short: self.short.clone(), long: self.long.clone(), settings: self.settings, searcher: None }
    }

    fn searcher(&mut self, rules: &Rules) -> Result<&mut Searcher, EngineError> {
        let fits = self.searcher.as_ref().is_some_and(|searcher| searcher.rules() == rules);
        if !fits {
            let pair = match rules.game {
                Game::Long => &self.long,
                Game::Short => &self.short,
            };
            let Pair { model, filter } = pair.clone().ok_or(EngineError::NoModel { game: rules.game })?;
            self.searcher = Some(Searcher::new(model, filter, *rules, self.settings)?);
        }
        self.searcher.as_mut().ok_or(EngineError::NoModel { game: rules.game })
    }
}

impl Engine for ModelEngine {
    fn think(&mut self, task: &Task, stopped: &dyn Fn() -> bool) -> Result<Thought, EngineError> {
        let Limits { depth, movetime, nodes } = task.limits;
        let deadline = movetime.map(|time| Instant::now() + Duration::from_millis(time));
        let exact_endings = self.settings.exact_endings;
        let searcher = self.searcher(&task.rules)?;
        let Position { us, them } = task.position;
        if exact_endings
            && us.pip_count() + them.pip_count() < ENDING_IS_NEAR
            && let Some(tables) = Bearoff::of(&task.rules)
        {
            tables.prepare();
        }
        let plays = legal_plays(task.position, task.roll, &task.rules);
        let limits = search::Limits { depth: depth.unwrap_or(0), deadline, nodes, stopped: Some(stopped) };
        let ranking = searcher.rank_worth(task.position, &plays, &task.worth, &limits);
        let candidates = ranking.plays.into_iter().map(|ranked| Candidate {
            play: plays.get(ranked.index),
            outcomes: ranked.outcomes,
            equity: ranked.equity,
            loss: ranked.loss,
            depth: ranked.depth,
        });
        Ok(Thought { candidates: candidates.collect(), depth: ranking.depth, nodes: ranking.nodes })
    }

    fn evaluate(&mut self, position: Position, rules: &Rules, depth: u32) -> Result<Outcomes, EngineError> {
        Ok(self.searcher(rules)?.evaluate(position, depth))
    }

    fn roll_out(
        &mut self,
        task: &Task,
        rollout: RolloutTask,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<RolledPlay>, EngineError> {
        let searcher = self.searcher(&task.rules)?;
        // One block alone has no standard error.
        let trials = rollout.trials.max(ROLLOUT.batch);
        let mut roller = Roller::new(searcher, RolloutSettings { trials, seed: rollout.seed, ..ROLLOUT })?;
        let plays = legal_plays(task.position, task.roll, &task.rules);
        let limits = search::Limits { stopped: Some(stopped), ..search::Limits::depth(2) };
        let ranking = searcher.rank(task.position, &plays, &limits);
        let numbers: Vec<usize> = ranking.plays.iter().take(rollout.plays.max(1)).map(|play| play.index).collect();
        let found = roller.plays_until(&plays, &numbers, stopped, &mut |_| ControlFlow::Continue(()));
        let rolled = |rolled: &Rolled| RolledPlay {
            candidate: Candidate {
                play: plays.get(rolled.index),
                // Without luck, chances may be a little below 0.
                outcomes: rolled.outcomes.map(|chance| chance.clamp(0.0, 1.0)),
                equity: rolled.equity.mean as f32,
                loss: rolled.loss.mean as f32,
                depth: 0,
            },
            trials: rolled.trials,
            half_widths: [rolled.equity.half_width(), rolled.loss.half_width()],
        };
        Ok(found.candidates.iter().map(rolled).collect())
    }

    fn max_depth(&self) -> u32 {
        MAX_DEPTH
    }
}
