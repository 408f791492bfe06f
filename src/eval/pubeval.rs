//! Pubeval, the public benchmark player of short nardy: G. Tesauro's two linear evaluators of 1993.

use super::UnsuitableGame;
use crate::game::Player;
use crate::movegen::PlayList;
use crate::position::{Checkers, Position, in_contact};
use crate::rules::{Game, Rules};
use crate::types::{BAR, NUM_CHECKERS, Roll};
use serde::Deserialize;
use std::sync::LazyLock;

/// Inputs of a position: five for each point, the opponent's bar, the own checkers off.
const NUM_INPUTS: usize = 122;

#[derive(Deserialize)]
struct WeightsFile {
    contact: Vec<f32>,
    race: Vec<f32>,
}

static WEIGHTS: LazyLock<WeightsFile> = LazyLock::new(|| {
    let file: WeightsFile =
        serde_json::from_str(include_str!("pubeval.json")).expect("the weights are part of the program");
    assert!(file.contact.len() == NUM_INPUTS && file.race.len() == NUM_INPUTS, "the weights are complete");
    file
});

/// Plays as pubeval: each resulting position is scored as the side that has just moved sees it, with the race weights
/// if there was no contact before the move, otherwise with the contact weights; the highest score is played, of equal
/// scores the first. It counts neither mars nor koks and knows nothing of long nardy.
#[derive(Clone, Copy, Debug)]
pub struct Pubeval(());

impl Pubeval {
    /// The player, for short nardy.
    ///
    /// # Errors
    /// [`UnsuitableGame`] for long nardy.
    pub fn new(game: Game) -> Result<Pubeval, UnsuitableGame> {
        match game {
            Game::Short => Ok(Pubeval(())),
            Game::Long => Err(UnsuitableGame { player: "pubeval", plays: Game::Short, asked: game }),
        }
    }

    /// The score of a position for `us`, who has just moved: higher is better, without unit.
    pub fn score(position: Position, race: bool) -> f32 {
        let Position { us, them } = position;
        if us.off() == NUM_CHECKERS {
            return f32::INFINITY;
        }
        let weights = if race { &WEIGHTS.race } else { &WEIGHTS.contact };
        weights.iter().zip(inputs(us, them)).map(|(w, x)| w * x).sum()
    }
}

/// The inputs as `us`, who has just moved, sees the board.
fn inputs(us: Checkers, them: Checkers) -> [f32; NUM_INPUTS] {
    let mut inputs = [0.0; NUM_INPUTS];
    for (x, point) in inputs.chunks_exact_mut(5).zip((1..=24).rev()) {
        let own = us.count(point);
        let flags = [them.count(25 - point) == 1, own == 1, own >= 2, own == 3];
        for (value, flag) in x.iter_mut().zip(flags) {
            *value = f32::from(u8::from(flag));
        }
        if own >= 4 {
            x[4] = (f32::from(own) - 3.0) / 2.0;
        }
    }
    inputs[120] = f32::from(them.count(BAR)) / 2.0;
    inputs[121] = f32::from(us.off()) / 15.0;
    inputs
}

impl Player for Pubeval {
    fn name(&self) -> String {
        "pubeval".into()
    }

    fn choose(&mut self, position: Position, _: Roll, _: &Rules, plays: &PlayList) -> usize {
        let race = !in_contact(position.us, position.them);
        let mut best = (0, f32::NEG_INFINITY);
        for (index, &after) in plays.positions().iter().enumerate() {
            let score = Pubeval::score(after, race);
            if score > best.1 {
                best = (index, score);
            }
        }
        best.0
    }
}
