use nardy::movegen::{PlayList, legal_plays_into};
use nardy::position::{Checkers, Position, other_side};
use nardy::rules::{Block, BlockPath, BlockWhen, Game, Head, Overshoot, Rules};
use nardy::types::Roll;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A position from short literals; checkers missing to 15 are off.
pub fn position(own: &[(u8, u8)], opp: &[(u8, u8)]) -> Position {
    Position { us: Checkers::from_points(own), them: Checkers::from_points(opp) }
}

/// Rules from their text.
pub fn rules(text: &str) -> Rules {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Seeded positions of one game, of many kinds, all of them valid and not over.
pub struct Positions {
    rng: ChaCha8Rng,
    game: Game,
    walk: Position,
    list: PlayList,
}

impl Positions {
    pub fn new(game: Game, seed: u64) -> Positions {
        Positions { rng: ChaCha8Rng::seed_from_u64(seed), game, walk: Position::start(game), list: PlayList::new() }
    }

    /// One of the 21 rolls, each as likely as the others: doubles are where most can go wrong.
    pub fn roll(&mut self) -> Roll {
        Roll::ALL[self.rng.random_range(0..21)]
    }

    /// The next position of a game under these rules, in which plays are chosen at random or to build rows.
    pub fn next_of_walk(&mut self, rules: &Rules) -> Position {
        let here = self.walk;
        let roll = self.throw();
        legal_plays_into(here, roll, rules, &mut self.list);
        let tries = [1, 1, 4][self.rng.random_range(0..3)];
        let candidates = (0..tries).map(|_| self.list.positions()[self.rng.random_range(0..self.list.len())]);
        let next = candidates.max_by_key(|p| longest_row(p.us)).expect("there is at least one try");
        self.walk = if next.is_over() { Position::start(self.game) } else { next.swapped() };
        here
    }

    fn throw(&mut self) -> Roll {
        Roll::new(self.rng.random_range(1..=6), self.rng.random_range(1..=6)).expect("dice")
    }

    /// A position placed by hand, of one of the kinds where rules meet.
    pub fn placed(&mut self) -> Position {
        loop {
            let us = match (self.rng.random_range(0..6), self.game) {
                (0, _) => self.scattered(),
                (1, _) => self.bearing_in(),
                (2, Game::Long) => self.early(),
                (_, Game::Long) => self.nearly_a_row(),
                (2, Game::Short) => self.on_the_bar(),
                (3, Game::Short) => self.nearly_a_row(),
                (_, Game::Short) => self.scattered(),
            };
            let them = self.opponent_of(&us);
            let (us, them) = (Checkers::from_counts(&us).expect("15"), Checkers::from_counts(&them).expect("15"));
            let position = Position { us, them };
            if !position.is_over() {
                return position;
            }
        }
    }

    /// Puts checkers on these points until there are `total` in all.
    fn put(&mut self, counts: &mut [u8; 26], total: u8, points: std::ops::RangeInclusive<u8>) {
        while counts.iter().sum::<u8>() < total {
            counts[usize::from(self.rng.random_range(points.clone()))] += 1;
        }
    }

    fn some_off(&mut self) -> u8 {
        if self.rng.random_bool(0.6) { 0 } else { self.rng.random_range(0..15) }
    }

    fn scattered(&mut self) -> [u8; 26] {
        let mut us = [0; 26];
        us[0] = self.some_off();
        let top = self.rng.random_range(4..=24);
        self.put(&mut us, 15, 1..=top);
        us
    }

    fn bearing_in(&mut self) -> [u8; 26] {
        let mut us = [0; 26];
        us[0] = self.some_off();
        let off_and_outside = (us[0] + self.rng.random_range(0..=2)).min(15);
        self.put(&mut us, off_and_outside, 7..=12);
        let top = self.rng.random_range(2..=6);
        self.put(&mut us, 15, 1..=top);
        us
    }

    fn on_the_bar(&mut self) -> [u8; 26] {
        let mut us = self.scattered();
        for _ in 0..self.rng.random_range(1..=4) {
            if let Some(point) = (1..=24).rev().find(|&p| us[p] > 0) {
                us[point] -= 1;
                us[25] += 1;
            }
        }
        us
    }

    fn early(&mut self) -> [u8; 26] {
        let mut us = [0; 26];
        us[24] = self.rng.random_range(12..=15);
        self.put(&mut us, 15, 9..=23);
        us
    }

    /// Six to eight (rarely up to 15) neighbours of the ring with up to two gaps, and most other checkers a few pips behind them.
    fn nearly_a_row(&mut self) -> [u8; 26] {
        let mut us = [0; 26];
        let lengths = if self.rng.random_bool(0.9) { 6..=8 } else { 9..=15 };
        let (start, length) = (self.rng.random_range(0..24), self.rng.random_range(lengths));
        let gaps = [self.rng.random_range(0..length), self.rng.random_range(0..length)];
        let gaps = &gaps[..[0, 1, 1, 1, 2, 2][self.rng.random_range(0..6)]];
        for i in (0..length).filter(|i| !gaps.contains(i)) {
            us[1 + (start + i) % 24] = 1;
        }
        let behind = (start + length) as u8;
        let near = if behind > 20 { 19..=24 } else { behind + 1..=(behind + 7).min(24) };
        while us.iter().sum::<u8>() < 15 {
            let points = if self.rng.random_bool(0.7) { near.clone() } else { 0..=24 };
            let point = if self.rng.random_bool(0.3) { start as u8 + 1..=behind.min(24) } else { points };
            let point = self.rng.random_range(point);
            us[usize::from(point)] += 1;
        }
        us
    }

    /// Checkers for the other side on points that `us` leaves free: anywhere, behind everything, or a few ahead.
    fn opponent_of(&mut self, us: &[u8; 26]) -> [u8; 26] {
        let free: Vec<u8> = (1..=24).filter(|&q| us[usize::from(other_side(self.game, q))] == 0).collect();
        let mut them = [0; 26];
        them[0] = if self.rng.random_bool(0.8) { 0 } else { self.rng.random_range(0..15) };
        if self.game == Game::Short && self.rng.random_bool(0.15) {
            them[25] = self.rng.random_range(1..=15 - them[0]);
        }
        let (from, to) = (self.rng.random_range(0..free.len()), self.rng.random_range(0..free.len()));
        let ahead = if self.rng.random_bool(0.5) { 0 } else { self.rng.random_range(0..=2) };
        let few_points = self.rng.random_range(1..=8);
        for i in 0..15 - them[0] - them[25] {
            let range = if i < ahead { 0..=from.min(to) } else { from.max(to)..=free.len() - 1 };
            let range = if range.end() - range.start() > few_points && i >= ahead {
                range.end() - few_points..=*range.end()
            } else {
                range
            };
            them[usize::from(free[self.rng.random_range(range)])] += 1;
        }
        them
    }
}

/// Length of the longest run of own points.
fn longest_row(side: Checkers) -> u32 {
    let occupied = side.occupied().0 & 0x01FF_FFFE;
    let mut run = occupied;
    (0..24)
        .take_while(|_| {
            let some = run != 0;
            run &= run << 1;
            some
        })
        .count() as u32
}

/// Every combination of the options of long nardy that the generator sees; the rarer ones in turn.
pub fn every_long_rules() -> Vec<Rules> {
    let mut all = Vec::new();
    for &head in Head::ALL {
        for &block in Block::ALL {
            for &block_path in BlockPath::ALL {
                for &block_when in BlockWhen::ALL {
                    let n = all.len();
                    let block_cap = if block == Block::None { 0 } else { [0, 6, 0, 7, 0, 9, 13, 8, 12, 0, 14][n % 11] };
                    let overshoot = Overshoot::ALL[n % 2];
                    let must_off = n % 3 == 1;
                    all.push(Rules {
                        head,
                        block,
                        block_path,
                        block_when,
                        block_cap,
                        overshoot,
                        must_off,
                        ..Rules::LONG
                    });
                }
            }
        }
    }
    all
}

/// The options of short nardy that the generator sees, combined.
pub fn every_short_rules() -> Vec<Rules> {
    let mut all = Vec::new();
    for &overshoot in Overshoot::ALL {
        for must_off in [false, true] {
            for max_point in [0, 5, 6, 9, 14] {
                all.push(Rules { overshoot, must_off, max_point, ..Rules::SHORT });
            }
        }
    }
    all
}
