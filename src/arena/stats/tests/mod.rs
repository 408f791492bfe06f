//! Worked numbers first, then simulations with fixed seeds.
//!
//! The simulations play two games that have nothing to do with nardy but the numbers they yield: a
//! **toy game** decided by one draw, and a **race** of dice sums whose expectation is known exactly
//! and whose rolls have a luck.

mod coverage;
mod luck;
mod order;
mod rating;
mod sprt;
mod worked;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Ending, GameResult, PairResult};

/// Points of a toy game per unit of `2p − 1`: 0.72·1 + 0.26·2 + 0.02·3.
const TOY_POINTS: f64 = 1.30;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn close(got: f64, expected: f64, tolerance: f64) {
    let off = (got - expected).abs();
    assert!(off <= tolerance, "got {got}, expected {expected}");
}

fn game(points: f64, ending: Ending) -> GameResult {
    GameResult::new(points, ending, None).unwrap()
}

/// The toy game with the draw `u` (0 to 1): A wins if it is below `p`, the more luckily the lower it
/// is. Of the wins 2 % are backgammons, 26 % gammons and 72 % single, likewise the losses.
fn toy_game(u: f64, p: f64) -> GameResult {
    let (sign, clearness, endings) =
        if u < p { (1.0, 1.0 - u / p, &Ending::ALL[..3]) } else { (-1.0, (u - p) / (1.0 - p), &Ending::ALL[3..6]) };
    let kind = match clearness {
        c if c < 0.72 => 0,
        c if c < 0.98 => 1,
        _ => 2,
    };
    game(sign * (kind as f64 + 1.0), endings[kind])
}

/// Two toy games that A wins with chance `p` each. In `mirrored` of all pairs the second game turns
/// the first one's draw round, as duplicate dice do with players that play alike.
fn toy_pair(rng: &mut impl Rng, p: f64, mirrored: f64) -> PairResult {
    let first: f64 = rng.random();
    let second = if rng.random::<f64>() < mirrored { 1.0 - first } else { rng.random() };
    PairResult::new(toy_game(first, p), toy_game(second, p))
}
