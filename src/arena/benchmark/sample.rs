//! Decisions from self-play.

use super::BenchmarkError;
use super::set::BenchmarkSettings;
use crate::arena::players::LoadedModel;
use crate::game::{ByColor, Player, draw_to_front, play_game, seed_for_game};
use crate::position::Position;
use crate::types::Roll;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// A decision to be judged: a roll with two plays or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// Which game of self-play, counted from 0.
    pub game: u64,
    /// Which turn of the game, counted from 1.
    pub turn: usize,
    /// The position, seen by the side on roll.
    pub position: Position,
    /// The dice.
    pub roll: Roll,
}

/// After so many games in a row without a decision that is new, there are no more to be found.
const MOST_BARREN: u64 = 1_000;

/// Distinct decisions in the order of play. The model plays itself without looking ahead, whatever its plies; game `n` has
/// the seed `seed_for_game(seed, n)`. Of each game, [`BenchmarkSettings::per_game`] decisions are drawn by lot; those seen
/// before (the same position and roll) count once.
///
/// # Errors
/// If the model plays another game, or there are too few different decisions.
pub fn sample(settings: &BenchmarkSettings, model: &LoadedModel) -> Result<Vec<Sample>, BenchmarkError> {
    let model = LoadedModel { plies: 0, ..model.clone() };
    let player = || model.player("self", settings.rules);
    let (mut white, mut black) = (player()?, player()?);
    let wanted = settings.decisions as usize;
    let (mut samples, mut seen) = (Vec::new(), HashSet::new());
    let (mut game, mut barren) = (0, 0);
    while samples.len() < wanted {
        if barren > MOST_BARREN {
            let (wanted, found) = (settings.decisions, samples.len() as u64);
            return Err(BenchmarkError::TooFew { wanted, found, games: game });
        }
        let seed = seed_for_game(settings.seed, game);
        let mut seats = ByColor { white: white.as_mut() as &mut dyn Player, black: black.as_mut() };
        let record = play_game(&mut seats, &settings.rules, seed, false)?;
        let (mut decisions, mut turn) = (Vec::new(), 0);
        record.replay_with(|state, played| {
            turn += 1;
            if state.plays().len() > 1 {
                decisions.push(Sample { game, turn, position: state.position(), roll: played.roll });
            }
        })?;
        let before = samples.len();
        let drawn = draw(decisions, settings.per_game as usize, seed);
        samples.extend(drawn.into_iter().filter(|sample| seen.insert((sample.position, sample.roll))));
        barren = if samples.len() > before { 0 } else { barren + 1 };
        game += 1;
    }
    samples.truncate(wanted);
    Ok(samples)
}

/// Draws `count` of the decisions by lot and leaves them in their order.
fn draw(mut decisions: Vec<Sample>, count: usize, seed: u64) -> Vec<Sample> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    draw_to_front(&mut decisions, count, &mut random);
    decisions.truncate(count);
    decisions.sort_by_key(|sample| sample.turn);
    decisions
}
