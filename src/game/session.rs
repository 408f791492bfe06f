//! Games in a row: matches to a number of points and money sessions.

use super::{ByColor, Color, DiceSource, GameError, GameResult, GameState};
use crate::rules::{NextGame, Rules};
use serde::{Deserialize, Serialize};

/// What a row of games is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// The first to have that many points wins.
    Points(u32),
    /// No end; each point is worth the ante.
    Money {
        /// Stake per point.
        ante: u32,
    },
}

/// Why no game can start or be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// A match to no points.
    #[error("a match must go to at least 1 point")]
    NoPoints,
    /// The match is decided.
    #[error("the match is over: {winner} has {points} points")]
    Over {
        /// Who won.
        winner: Color,
        /// His points.
        points: u32,
    },
    /// The dice ended during the throw for the start.
    #[error("the dice ran out before it was clear who starts")]
    OutOfDice,
    /// The game can't start.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// The score of a match or money session, and who starts next. The cube is off: a game counts its points times the
/// multiplier that it was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    rules: Rules,
    goal: Goal,
    points: ByColor<u32>,
    games: u32,
    last: Option<(Color, Option<Color>)>,
}

impl Match {
    /// A match or session at 0:0.
    ///
    /// # Errors
    /// [`MatchError::NoPoints`] for a match to 0 points.
    pub fn new(rules: &Rules, goal: Goal) -> Result<Match, MatchError> {
        if goal == Goal::Points(0) {
            return Err(MatchError::NoPoints);
        }
        Ok(Match { rules: *rules, goal, points: ByColor::default(), games: 0, last: None })
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What is played for.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Points won by each player so far.
    pub fn points(&self) -> ByColor<u32> {
        self.points
    }

    /// Games finished so far.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// What a player has gained in a money session (negative: lost), in units of the ante; in a match, his lead.
    pub fn balance(&self, color: Color) -> i64 {
        let ante = match self.goal {
            Goal::Points(_) => 1,
            Goal::Money { ante } => i64::from(ante),
        };
        ante * (i64::from(self.points[color]) - i64::from(self.points[color.other()]))
    }

    /// Who has won the match; `None` while it goes on, and always in a money session.
    pub fn winner(&self) -> Option<Color> {
        match self.goal {
            Goal::Points(length) => Color::ALL.into_iter().find(|&c| self.points[c] >= length),
            Goal::Money { .. } => None,
        }
    }

    /// Who starts the next game without a throw (`next_game`); `None` if the players throw for it: in the first game,
    /// under `roll`, and under `winner` after a draw.
    pub fn next_starter(&self) -> Option<Color> {
        let (starter, winner) = self.last?;
        match self.rules.next_game {
            NextGame::Roll => None,
            NextGame::Winner => winner,
            NextGame::Alternate => Some(starter.other()),
        }
    }

    /// Starts the next game, throwing for the start if need be.
    ///
    /// # Errors
    /// If the match is over or the dice run out.
    pub fn start_game(&self, dice: &mut impl DiceSource) -> Result<GameState, MatchError> {
        if let Some(winner) = self.winner() {
            return Err(MatchError::Over { winner, points: self.points[winner] });
        }
        match self.next_starter() {
            Some(starter) => Ok(GameState::start(&self.rules, starter, None)?),
            None => {
                let (starter, roll) = dice.opening().ok_or(MatchError::OutOfDice)?;
                Ok(GameState::start(&self.rules, starter, Some(roll))?)
            }
        }
    }

    /// Counts a finished game.
    ///
    /// # Errors
    /// If the match is over already.
    pub fn count(&mut self, starter: Color, result: GameResult) -> Result<(), MatchError> {
        if let Some(winner) = self.winner() {
            return Err(MatchError::Over { winner, points: self.points[winner] });
        }
        if let GameResult::Win { winner, points, .. } = result {
            self.points[winner] = self.points[winner].saturating_add(points);
        }
        self.games += 1;
        self.last = Some((starter, result.winner()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{ScriptedDice, WinKind};
    use crate::types::Roll;

    fn win(winner: Color, points: u32) -> GameResult {
        GameResult::Win { winner, kind: WinKind::Oin, points, resigned: false }
    }

    #[test]
    fn a_match_ends_at_its_length() {
        let mut series = Match::new(&Rules::SHORT, Goal::Points(3)).unwrap();
        series.count(Color::White, win(Color::White, 2)).unwrap();
        series.count(Color::White, win(Color::Black, 1)).unwrap();
        assert_eq!((series.winner(), series.balance(Color::Black)), (None, -1));
        series.count(Color::White, win(Color::White, 2)).unwrap();
        let over = MatchError::Over { winner: Color::White, points: 4 };
        assert_eq!(series.count(Color::White, GameResult::Draw), Err(over.clone()));
        assert_eq!(series.start_game(&mut ScriptedDice::default()).unwrap_err(), over);
        assert_eq!(Match::new(&Rules::SHORT, Goal::Points(0)), Err(MatchError::NoPoints));
    }

    #[test]
    fn a_money_session_pays_the_ante_for_each_point_and_never_ends() {
        let mut series = Match::new(&Rules::LONG, Goal::Money { ante: 5 }).unwrap();
        for points in [1, 2, 200] {
            series.count(Color::White, win(Color::Black, points)).unwrap();
        }
        series.count(Color::Black, GameResult::Draw).unwrap();
        assert_eq!((series.winner(), series.games()), (None, 4));
        assert_eq!((series.balance(Color::Black), series.balance(Color::White)), (1015, -1015));
    }

    #[test]
    fn the_next_game_is_started_as_the_rules_say() {
        let starter = |next_game: &str, last: Option<(Color, GameResult)>| {
            let rules: Rules = format!("long,next_game={next_game}").parse().unwrap();
            let mut series = Match::new(&rules, Goal::Money { ante: 1 }).unwrap();
            if let Some((starter, result)) = last {
                series.count(starter, result).unwrap();
            }
            series.next_starter()
        };
        let white_started_black_won = Some((Color::White, win(Color::Black, 1)));
        let white_started_and_won = Some((Color::White, win(Color::White, 1)));
        let drawn = Some((Color::White, GameResult::Draw));
        assert_eq!(starter("roll", white_started_black_won), None);
        assert_eq!(starter("winner", white_started_black_won), Some(Color::Black));
        assert_eq!(starter("winner", white_started_and_won), Some(Color::White));
        assert_eq!(starter("winner", drawn), None);
        assert_eq!(starter("alternate", white_started_and_won), Some(Color::Black));
        assert_eq!(starter("alternate", drawn), Some(Color::Black));
        for next_game in ["roll", "winner", "alternate"] {
            assert_eq!(starter(next_game, None), None);
        }
    }

    #[test]
    fn who_starts_without_a_throw_throws_both_dice_afresh() {
        let rules: Rules = "short-site".parse().unwrap();
        let mut series = Match::new(&rules, Goal::Points(5)).unwrap();
        let mut dice: ScriptedDice = "44 26 55".parse().unwrap();
        let first = series.start_game(&mut dice).unwrap();
        assert_eq!((first.starter(), first.dice()), (Color::Black, Roll::new(6, 2)));
        series.count(Color::Black, win(Color::White, 1)).unwrap();
        let mut second = series.start_game(&mut dice).unwrap();
        assert_eq!((second.starter(), second.dice()), (Color::White, None));
        assert!(second.roll(dice.roll().unwrap()).is_ok());
        let dry = Match::new(&rules, Goal::Points(5)).unwrap().start_game(&mut dice);
        assert_eq!(dry.unwrap_err(), MatchError::OutOfDice);
    }
}
