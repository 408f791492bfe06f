//! The player that chooses blindly.

use crate::game::Player;
use crate::movegen::PlayList;
use crate::position::Position;
use crate::rules::Rules;
use crate::types::Roll;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Chooses each distinct resulting position with the same chance.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    rng: ChaCha8Rng,
}

impl RandomPlayer {
    /// A player with its own seed; a new one comes with each game.
    pub fn new(seed: u64) -> RandomPlayer {
        RandomPlayer { rng: ChaCha8Rng::seed_from_u64(seed) }
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> String {
        "random".into()
    }

    fn new_game(&mut self, seed: u64) {
        *self = RandomPlayer::new(seed);
    }

    fn choose(&mut self, _: Position, _: Roll, _: &Rules, plays: &PlayList) -> usize {
        self.rng.random_range(0..plays.len() as u32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;

    #[test]
    fn every_play_is_chosen_about_as_often_and_the_seed_repeats_the_choices() {
        let roll = Roll::new(6, 5).unwrap();
        let plays = legal_plays(Position::SHORT_START, roll, &Rules::SHORT);
        let mut player = RandomPlayer::new(1);
        let choose = |player: &mut RandomPlayer| player.choose(Position::SHORT_START, roll, &Rules::SHORT, &plays);
        let mut seen = vec![0; plays.len()];
        for _ in 0..1000 * plays.len() {
            seen[choose(&mut player)] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        let mut run = |seed| {
            player.new_game(seed);
            (0..50).map(|_| choose(&mut player)).collect::<Vec<_>>()
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }
}
