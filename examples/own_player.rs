//! Writes a player of one's own and measures it against random play.
//!
//! `cargo run --release --example own_player`

use nardy::game::{ByColor, Color, Player, play_pair, seed_for_game};
use nardy::movegen::PlayList;
use nardy::position::Position;
use nardy::rules::{Game, Rules};
use nardy::types::Roll;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Holds as many points as it can and bears off when it can.
struct Builder;

impl Player for Builder {
    fn name(&self) -> String {
        "builder".into()
    }

    fn choose(&mut self, _: Position, _: Roll, rules: &Rules, plays: &PlayList) -> usize {
        let value = |after: &Position| {
            // In long nardy one checker holds a point, in short nardy it takes two.
            let points = match rules.game {
                Game::Long => after.us.occupied(),
                Game::Short => after.us.held(),
            };
            points.len() + 2 * u32::from(after.us.off())
        };
        (0..plays.len()).max_by_key(|&index| value(&plays.positions()[index])).unwrap_or(0)
    }
}

/// Any legal play.
struct Random(ChaCha8Rng);

impl Player for Random {
    fn name(&self) -> String {
        "random".into()
    }

    fn new_game(&mut self, seed: u64) {
        self.0 = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, _: Position, _: Roll, _: &Rules, plays: &PlayList) -> usize {
        self.0.random_range(0..plays.len())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut builder, mut random) = (Builder, Random(ChaCha8Rng::seed_from_u64(0)));
    for rules in [Rules::LONG, Rules::SHORT] {
        // Each pair of games has the same dice with the seats swapped, so luck counts less.
        let mut pairs = Vec::new();
        for number in 0..500 {
            let mut seats = ByColor { white: &mut builder as &mut dyn Player, black: &mut random };
            let games = play_pair(&mut seats, &rules, seed_for_game(1, number))?;
            let points = games.iter().filter_map(|game| game.result).map(|result| result.points_of(Color::White));
            pairs.push(points.sum::<i64>() as f64 / 2.0);
        }
        let n = pairs.len() as f64;
        let mean = pairs.iter().sum::<f64>() / n;
        let variance = pairs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let half = 1.96 * (variance / n).sqrt();
        println!("{rules}: {mean:+.3} ± {half:.3} points a game against random ({} games)", 2 * pairs.len());
    }
    Ok(())
}
