//! What thinks: a trait, so that the session needs to know nothing of networks or search.

use super::Limits;
use crate::eval::{Evaluator, Model, ModelError, Outcomes, equity};
use crate::movegen::{Play, legal_plays};
use crate::position::Position;
use crate::rules::{Game, Rules};
use crate::types::Roll;
use std::sync::Arc;

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
}

/// The result of thinking.
#[derive(Clone, Debug)]
pub struct Thought {
    /// Every legal play, best first; never empty.
    pub candidates: Vec<Candidate>,
    /// Plies that were looked ahead; 0 = each play was valued as it stands.
    pub depth: u32,
    /// Positions evaluated.
    pub nodes: u64,
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

    /// Chances of the side on roll before it throws.
    ///
    /// # Errors
    /// If the game can't be played.
    fn evaluate(&mut self, position: Position, rules: &Rules) -> Result<Outcomes, EngineError>;

    /// Most plies it can look ahead.
    fn max_depth(&self) -> u32;
}

/// Trained models at 0-ply, one for each game.
#[derive(Debug, Default)]
pub struct ModelEngine {
    short: Option<Arc<Model>>,
    long: Option<Arc<Model>>,
    /// Of the rules asked for last.
    evaluator: Option<Evaluator>,
}

impl ModelEngine {
    /// An engine without models.
    pub fn new() -> ModelEngine {
        ModelEngine::default()
    }

    /// Takes a model for the game that it was trained for, instead of one taken before.
    #[must_use]
    pub fn with(mut self, model: Model) -> ModelEngine {
        let model = Some(Arc::new(model));
        match model.as_ref().map(|m| m.rules().game) {
            Some(Game::Long) => self.long = model,
            _ => self.short = model,
        }
        ModelEngine { evaluator: None, ..self }
    }

    /// Another engine with the same models, for another thread.
    #[must_use]
    pub fn share(&self) -> ModelEngine {
        ModelEngine { short: self.short.clone(), long: self.long.clone(), evaluator: None }
    }

    fn evaluator(&mut self, rules: &Rules) -> Result<&mut Evaluator, EngineError> {
        let fits = self.evaluator.as_ref().is_some_and(|evaluator| evaluator.rules() == rules);
        if !fits {
            let model = match rules.game {
                Game::Long => &self.long,
                Game::Short => &self.short,
            };
            let model = model.clone().ok_or(EngineError::NoModel { game: rules.game })?;
            self.evaluator = Some(Evaluator::new(model, *rules)?);
        }
        self.evaluator.as_mut().ok_or(EngineError::NoModel { game: rules.game })
    }
}

impl Engine for ModelEngine {
    fn think(&mut self, task: &Task, _stopped: &dyn Fn() -> bool) -> Result<Thought, EngineError> {
        let evaluator = self.evaluator(&task.rules)?;
        let plays = legal_plays(task.position, task.roll, &task.rules);
        let outcomes = evaluator.evaluate_results(task.position, plays.positions());
        let value = |(play, outcomes): (Play, &Outcomes)| Candidate {
            play,
            outcomes: *outcomes,
            equity: equity(outcomes, &task.worth),
        };
        let mut candidates: Vec<Candidate> = plays.iter().zip(outcomes).map(value).collect();
        // Equal plays in the order of their steps, so that the answer never depends on how plays were generated.
        candidates.sort_by(|a, b| b.equity.total_cmp(&a.equity).then(b.play.steps.cmp(&a.play.steps)));
        Ok(Thought { nodes: candidates.len() as u64, candidates, depth: 0 })
    }

    fn evaluate(&mut self, position: Position, rules: &Rules) -> Result<Outcomes, EngineError> {
        Ok(self.evaluator(rules)?.evaluate(position))
    }

    fn max_depth(&self) -> u32 {
        0
    }
}
