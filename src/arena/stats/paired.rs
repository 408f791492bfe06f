//! Results of duplicate pairs: points per game, rates of every kind of ending, Elo.

use serde::{Deserialize, Serialize};

use super::moments::check;
use super::{Estimate, Fold, Interval, Level, Moments, StatsError, elo_of_score, wilson};

/// How a game ended, from A's point of view. The first six are in the order used everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A won a single game (oin). A won match to N points also counts here.
    WinOin,
    /// A won a gammon (mars).
    WinMars,
    /// A won a backgammon (koks).
    WinKoks,
    /// A lost a single game.
    LoseOin,
    /// A lost a gammon.
    LoseMars,
    /// A lost a backgammon.
    LoseKoks,
    /// Nobody won (only some rule presets know this).
    Draw,
}

impl Ending {
    /// Every ending, each at its own [`index`](Self::index).
    pub const ALL: [Ending; 7] = [
        Ending::WinOin,
        Ending::WinMars,
        Ending::WinKoks,
        Ending::LoseOin,
        Ending::LoseMars,
        Ending::LoseKoks,
        Ending::Draw,
    ];

    /// Its place in [`Ending::ALL`], 0 to 6.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The same game from the other player's point of view.
    pub fn flip(self) -> Ending {
        match self {
            Ending::WinOin => Ending::LoseOin,
            Ending::WinMars => Ending::LoseMars,
            Ending::WinKoks => Ending::LoseKoks,
            Ending::LoseOin => Ending::WinOin,
            Ending::LoseMars => Ending::WinMars,
            Ending::LoseKoks => Ending::WinKoks,
            Ending::Draw => Ending::Draw,
        }
    }

    /// Half wins for A: 2 for a win, 1 for a draw, 0 for a loss.
    pub fn half_wins(self) -> usize {
        match self {
            Ending::WinOin | Ending::WinMars | Ending::WinKoks => 2,
            Ending::Draw => 1,
            Ending::LoseOin | Ending::LoseMars | Ending::LoseKoks => 0,
        }
    }
}

/// One finished game, from A's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    points: f64,
    ending: Ending,
    luck: Option<f64>,
}

impl GameResult {
    /// A game that brought A `points` (negative if lost) and, where a reference evaluator has
    /// measured it, `luck`: the points that A's rolls brought above their mean, less the same for
    /// the opponent's rolls.
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`] if a number is not finite or above 10¹² in size.
    pub fn new(points: f64, ending: Ending, luck: Option<f64>) -> Result<Self, StatsError> {
        check("the points of a game", points)?;
        check("the luck of a game", luck.unwrap_or(0.0))?;
        Ok(GameResult { points, ending, luck })
    }

    /// Points won by A (negative: lost).
    pub fn points(&self) -> f64 {
        self.points
    }

    /// How the game ended for A.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// A's net luck in points, where measured.
    pub fn luck(&self) -> Option<f64> {
        self.luck
    }

    /// The same game from the opponent's point of view.
    pub fn flip(&self) -> GameResult {
        GameResult { points: -self.points, ending: self.ending.flip(), luck: self.luck.map(|l| -l) }
    }
}

/// Two games on the same dice with the seats swapped: the independent unit of all statistics.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairResult {
    games: [GameResult; 2],
}

impl PairResult {
    /// The pair of these games, both from A's point of view.
    pub fn new(first: GameResult, second: GameResult) -> Self {
        PairResult { games: [first, second] }
    }

    /// The two games, from A's point of view.
    pub fn games(&self) -> &[GameResult; 2] {
        &self.games
    }

    /// Mean points per game of the pair.
    pub fn points(&self) -> f64 {
        (self.games[0].points + self.games[1].points) / 2.0
    }

    /// Mean luck per game of the pair; `None` unless it was measured in both games.
    pub fn luck(&self) -> Option<f64> {
        let [first, second] = self.games.map(|g| g.luck);
        first.zip(second).map(|(a, b)| (a + b) / 2.0)
    }

    /// Half wins for A in the pair, 0 to 4.
    pub fn half_wins(&self) -> usize {
        self.games[0].ending.half_wins() + self.games[1].ending.half_wins()
    }

    /// The same pair from the opponent's point of view.
    pub fn flip(&self) -> PairResult {
        PairResult { games: self.games.map(|g| g.flip()) }
    }
}

/// In how many pairs something happened in exactly one, and in both games. Together with the
/// number of pairs this holds the frequency and how it goes together within pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tally {
    one: u64,
    two: u64,
}

impl Tally {
    fn push(&mut self, games: usize) {
        self.one += u64::from(games == 1);
        self.two += u64::from(games == 2);
    }

    fn merge(&mut self, other: &Tally) {
        self.one += other.one;
        self.two += other.two;
    }

    fn rate(&self, pairs: u64, level: Level) -> Rate {
        let count = self.one + 2 * self.two;
        let games = 2 * pairs;
        if games == 0 {
            let interval = wilson(0.0, 0.0, level);
            let (value, design_effect) = (0.0, 1.0);
            return Rate { count, games, value, design_effect, interval };
        }
        let value = count as f64 / games as f64;
        let design_effect = self.design_effect(pairs, value);
        let n = games as f64 / design_effect.max(1.0);
        Rate { count, games, value, design_effect, interval: wilson(value, n, level) }
    }

    /// Variance of the rate over pairs, relative to that of as many independent games.
    fn design_effect(&self, pairs: u64, rate: f64) -> f64 {
        let binomial = 2.0 * rate * (1.0 - rate);
        if pairs < 2 || binomial <= 0.0 {
            return 1.0;
        }
        let n = pairs as f64;
        let per_pair = 2.0 * rate;
        let squares = (self.one + 4 * self.two) as f64;
        (squares - n * per_pair * per_pair) / (n - 1.0) / binomial
    }
}

/// How often something happened, per game.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Games in which it happened.
    pub count: u64,
    /// Games in all.
    pub games: u64,
    /// `count / games`, 0 to 1.
    pub value: f64,
    /// Spread over pairs relative to independent games: below 1 the games of a pair tend to differ
    /// in this, above 1 to agree.
    pub design_effect: f64,
    /// Wilson interval, for `games / max(design_effect, 1)` independent games: wider where the games
    /// of a pair agree, never narrower than for independent games.
    pub interval: Interval,
}

/// Accumulates pairs. Merging adds whole numbers exactly; the means as [`Moments`] do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PairStats {
    pairs: Moments,
    games: Moments,
    endings: [Tally; 7],
    wins: Tally,
    /// Pairs by half wins for A, 0 to 4.
    scores: [u64; 5],
}

impl PairStats {
    /// Adds one pair.
    pub fn push(&mut self, pair: &PairResult) {
        self.pairs.push_checked(pair.points());
        for game in pair.games() {
            self.games.push_checked(game.points());
        }
        for ending in Ending::ALL {
            let games = pair.games().iter().filter(|g| g.ending() == ending).count();
            self.endings[ending.index()].push(games);
        }
        let won = |g: &&GameResult| g.ending().half_wins() == 2;
        self.wins.push(pair.games().iter().filter(won).count());
        self.scores[pair.half_wins()] += 1;
    }

    /// Adds all pairs of `other`, as if they had come after what is here.
    pub fn merge(&mut self, other: &PairStats) {
        self.pairs.merge(&other.pairs);
        self.games.merge(&other.games);
        for (here, there) in self.endings.iter_mut().zip(&other.endings) {
            here.merge(there);
        }
        self.wins.merge(&other.wins);
        for (here, there) in self.scores.iter_mut().zip(&other.scores) {
            *here += there;
        }
    }

    /// Mean points per game of each pair.
    pub fn pairs(&self) -> &Moments {
        &self.pairs
    }

    /// Points of single games: their spread says how swingy the game is. The games of a pair are
    /// not independent, so no interval comes from here.
    pub fn games(&self) -> &Moments {
        &self.games
    }

    /// Pairs by half wins for A: both lost, loss and draw, level, win and draw, both won.
    pub fn scores(&self) -> &[u64; 5] {
        &self.scores
    }

    /// Wins of A and of the opponent in games, a draw counting half for each.
    pub fn wins(&self) -> (f64, f64) {
        let halves: u64 = (0u64..).zip(&self.scores).map(|(h, n)| h * n).sum();
        let games = 2 * self.pairs.count();
        (halves as f64 / 2.0, games as f64 - halves as f64 / 2.0)
    }

    /// How often games ended this way.
    pub fn rate(&self, ending: Ending, level: Level) -> Rate {
        self.endings[ending.index()].rate(self.pairs.count(), level)
    }

    /// How often A won, in any way.
    pub fn win_rate(&self, level: Level) -> Rate {
        self.wins.rate(self.pairs.count(), level)
    }

    /// Variance of pair means relative to that of two independent games; below 1 the duplicate dice
    /// have cancelled luck. `None` below two pairs or where all games brought the same points.
    pub fn pairing_ratio(&self) -> Option<f64> {
        let games = self.games.variance().filter(|v| *v > 0.0)?;
        Some(2.0 * self.pairs.variance()? / games)
    }

    /// The distance in Elo that the score (wins and half draws) means. `None` below two pairs.
    pub fn elo(&self, level: Level) -> Option<EloEstimate> {
        let mut score = Moments::default();
        for (quarter, count) in (0u32..).zip(self.scores) {
            let value = f64::from(quarter) / 4.0;
            score.merge(&Moments::constant(value, count));
        }
        let estimate = score.estimate(level);
        let interval = estimate.interval?;
        Some(EloEstimate {
            score: estimate,
            elo: elo_of_score(estimate.mean),
            low: elo_of_score(interval.low),
            high: elo_of_score(interval.high),
        })
    }

    /// All figures at once, ready to print.
    pub fn report(&self, level: Level) -> PairReport {
        let rate = |ending| self.rate(ending, level);
        PairReport {
            level,
            mean: self.pairs.estimate(level),
            pair_std_dev: self.pairs.std_dev(),
            game_std_dev: self.games.std_dev(),
            pairing_ratio: self.pairing_ratio(),
            win: self.win_rate(level),
            win_mars: rate(Ending::WinMars),
            win_koks: rate(Ending::WinKoks),
            lose_mars: rate(Ending::LoseMars),
            lose_koks: rate(Ending::LoseKoks),
            draw: rate(Ending::Draw),
            scores: self.scores,
            elo: self.elo(level),
        }
    }
}

impl Fold<PairResult> for PairStats {
    fn fold(&mut self, pair: PairResult) {
        self.push(&pair);
    }
}

impl Fold<PairStats> for PairStats {
    fn fold(&mut self, block: PairStats) {
        self.merge(&block);
    }
}

/// A distance in Elo, from A's point of view: positive if A is better.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EloEstimate {
    /// Share of games won, draws counting half: 0 to 1, with the interval over pairs.
    pub score: Estimate,
    /// The score in Elo; `None` where it is 0 or 1 (infinite distance).
    pub elo: Option<f64>,
    /// Lower end of the interval; `None`: no lower limit.
    pub low: Option<f64>,
    /// Upper end of the interval; `None`: no upper limit.
    pub high: Option<f64>,
}

/// The figures of a match, from A's point of view. Rates are per game and exclusive: `win` counts
/// every won game, `win_mars` only gammons, `win_koks` only backgammons.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairReport {
    /// Level of every interval here.
    pub level: Level,
    /// Points per game.
    pub mean: Estimate,
    /// Standard deviation of pair means, in points per game; `None` below two pairs.
    pub pair_std_dev: Option<f64>,
    /// Standard deviation of single games, in points; `None` without pairs.
    pub game_std_dev: Option<f64>,
    /// See [`PairStats::pairing_ratio`].
    pub pairing_ratio: Option<f64>,
    /// Games won by A, in any way.
    pub win: Rate,
    /// Gammons won by A.
    pub win_mars: Rate,
    /// Backgammons won by A.
    pub win_koks: Rate,
    /// Gammons lost by A.
    pub lose_mars: Rate,
    /// Backgammons lost by A.
    pub lose_koks: Rate,
    /// Games without a winner.
    pub draw: Rate,
    /// Pairs by half wins for A, 0 to 4.
    pub scores: [u64; 5],
    /// The score in Elo; `None` below two pairs.
    pub elo: Option<EloEstimate>,
}
