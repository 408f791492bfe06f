//! One game in progress: whose turn, dice, legal plays, end.

use super::{Color, Outcome, WinKind};
use crate::movegen::{PlayList, legal_plays_into};
use crate::position::{Position, other_side};
use crate::rules::{Game, Opening, Rules};
use crate::types::{BAR, NUM_CHECKERS, OFF, Roll, Steps};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum GameResult {
    /// Both sides bore off everything (`last_turn`).
    Draw,
    /// One side won.
    Win {
        /// Who.
        winner: Color,
        /// How high.
        kind: WinKind,
        /// Points, the game's multiplier included.
        points: u32,
        /// The loser gave up.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        resigned: bool,
    },
}

impl GameResult {
    /// Who won; `None` for a draw.
    pub const fn winner(self) -> Option<Color> {
        match self {
            GameResult::Draw => None,
            GameResult::Win { winner, .. } => Some(winner),
        }
    }

    /// Points of a player: positive if he won, negative if he lost.
    pub fn points_of(self, color: Color) -> i64 {
        match self {
            GameResult::Draw => 0,
            GameResult::Win { winner, points, .. } if winner == color => i64::from(points),
            GameResult::Win { points, .. } => -i64::from(points),
        }
    }
}

impl fmt::Display for GameResult {
    /// `white wins 2 points (mars)`, `draw`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            GameResult::Draw => f.write_str("draw"),
            GameResult::Win { winner, kind, points, resigned } => {
                let s = if *points == 1 { "" } else { "s" };
                write!(f, "{winner} wins {points} point{s} ({kind}{})", if *resigned { ", resigned" } else { "" })
            }
        }
    }
}

/// Why a game refuses what it is told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The game has ended.
    #[error("the game is over: {0}")]
    Over(GameResult),
    /// A play before the dice.
    #[error("{0} has not thrown the dice of this turn yet")]
    NoDice(Color),
    /// Dice twice.
    #[error("{color} has already thrown {roll} this turn")]
    DiceThrown {
        /// Whose turn.
        color: Color,
        /// The dice of the turn.
        roll: Roll,
    },
    /// A double where the first turn is played with the dice of the opening throw.
    #[error("the first turn is played with the two different dice of the opening throw, found {0}")]
    OpeningDouble(Roll),
    /// A number that names no play.
    #[error("there is no play number {index}: {roll} has {count} plays, counted from 0")]
    NoSuchPlay {
        /// The number.
        index: usize,
        /// The dice of the turn.
        roll: Roll,
        /// How many plays there are.
        count: usize,
    },
    /// Not a legal play.
    #[error("{color} can't play {play} with {roll}{}", if *.must_pass { ": no play is possible, only a pass" } else { "" })]
    Illegal {
        /// Whose turn.
        color: Color,
        /// The dice of the turn.
        roll: Roll,
        /// What should have been played.
        play: String,
        /// Passing is the only thing that can be done.
        must_pass: bool,
    },
    /// The position to start from is impossible or finished.
    #[error("a game can't start from this position: {0}")]
    BadStart(String),
}

/// A game in progress. The list of legal plays is reused from turn to turn.
#[derive(Clone, Debug)]
pub struct GameState {
    rules: Rules,
    starter: Color,
    turn: Color,
    position: Position,
    roll: Option<Roll>,
    plays: PlayList,
    /// The starter has finished and the other side has the last turn.
    in_last_turn: bool,
    multiplier: u32,
    result: Option<GameResult>,
}

impl GameState {
    /// A game from the start position. `opening` is the roll that decided who starts, if there was one; the starter
    /// plays it if the rules say so, otherwise he throws afresh, as he does if he starts without a throw
    /// (`next_game`).
    ///
    /// # Errors
    /// [`GameError::OpeningDouble`] if the rules let him play an opening roll and it is a double.
    pub fn start(rules: &Rules, starter: Color, opening: Option<Roll>) -> Result<GameState, GameError> {
        let mut game = GameState {
            rules: *rules,
            starter,
            turn: starter,
            position: Position::start(rules.game),
            roll: None,
            plays: PlayList::new(),
            in_last_turn: false,
            multiplier: 1,
            result: None,
        };
        if let (Opening::UseOpeningDice, Some(roll)) = (rules.opening, opening) {
            if roll.is_double() {
                return Err(GameError::OpeningDouble(roll));
            }
            game.roll(roll)?;
        }
        Ok(game)
    }

    /// A game from any position, `turn` to throw the dice; that side counts as the starter.
    ///
    /// # Errors
    /// [`GameError::BadStart`] if the position is not valid or a side has finished.
    pub fn from_position(rules: &Rules, position: Position, turn: Color) -> Result<GameState, GameError> {
        position.validate(rules.game).map_err(|e| GameError::BadStart(e.to_string()))?;
        if position.is_over() {
            return Err(GameError::BadStart("a side has already borne off everything".into()));
        }
        let game = GameState::start(rules, turn, None)?;
        Ok(GameState { position, ..game })
    }

    /// The game counted so many times: what a doubling cube or an agreement makes of it. 1 unless it is set.
    #[must_use]
    pub fn with_multiplier(self, multiplier: u32) -> GameState {
        GameState { multiplier, ..self }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Who had the first turn.
    pub fn starter(&self) -> Color {
        self.starter
    }

    /// Whose turn it is; after the end, who would be next.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The position as the side whose turn it is sees it.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The position as a player sees it.
    pub fn position_of(&self, color: Color) -> Position {
        if color == self.turn { self.position } else { self.position.swapped() }
    }

    /// The dice of this turn, if they have been thrown.
    pub fn dice(&self) -> Option<Roll> {
        self.roll
    }

    /// The legal plays of this turn; empty before the dice are thrown. A pass is one play with no steps.
    pub fn plays(&self) -> &PlayList {
        &self.plays
    }

    /// How many times the game counts.
    pub fn multiplier(&self) -> u32 {
        self.multiplier
    }

    /// How the game ended; `None` while it goes on.
    pub fn result(&self) -> Option<GameResult> {
        self.result
    }

    /// Takes the dice of this turn and returns the legal plays.
    ///
    /// # Errors
    /// If the game is over or the dice have already been thrown.
    pub fn roll(&mut self, roll: Roll) -> Result<&PlayList, GameError> {
        if let Some(result) = self.result {
            return Err(GameError::Over(result));
        }
        if let Some(roll) = self.roll {
            return Err(GameError::DiceThrown { color: self.turn, roll });
        }
        self.roll = Some(roll);
        legal_plays_into(self.position, roll, &self.rules, &mut self.plays);
        Ok(&self.plays)
    }

    /// Makes the play with that number in [`GameState::plays`] and passes the turn on; returns the result if the game
    /// ends.
    ///
    /// # Errors
    /// If the game is over, there are no dice or no such play.
    pub fn play_index(&mut self, index: usize) -> Result<Option<GameResult>, GameError> {
        let roll = self.needs_dice()?;
        let count = self.plays.len();
        let Some(&next) = self.plays.positions().get(index) else {
            return Err(GameError::NoSuchPlay { index, roll, count });
        };
        Ok(self.advance(next))
    }

    /// Makes the play that leads to a position, given as the mover sees it.
    ///
    /// # Errors
    /// If the game is over, there are no dice or no legal play leads there.
    pub fn play_to(&mut self, position: Position) -> Result<Option<GameResult>, GameError> {
        self.needs_dice()?;
        match self.plays.positions().contains(&position) {
            true => Ok(self.advance(position)),
            false => Err(self.illegal(format!("to {position:?}"))),
        }
    }

    /// Makes the play with these steps. Their order is free as long as each can be made in its turn: a play is what it
    /// leads to.
    ///
    /// # Errors
    /// If the game is over, there are no dice or the steps are no legal play.
    pub fn play(&mut self, steps: Steps) -> Result<Option<GameResult>, GameError> {
        let roll = self.needs_dice()?;
        let next = uses(roll, steps).then(|| after_steps(self.position, steps, self.rules.game)).flatten();
        match next.filter(|p| self.plays.positions().contains(p)) {
            Some(next) => Ok(self.advance(next)),
            None => Err(self.illegal(steps.to_string())),
        }
    }

    /// Passes, which is legal only if nothing can be played.
    ///
    /// # Errors
    /// If the game is over, there are no dice or something can be played.
    pub fn pass(&mut self) -> Result<Option<GameResult>, GameError> {
        self.play(Steps::NONE)
    }

    /// A player gives up and loses that much, whoever's turn it is.
    ///
    /// # Errors
    /// If the game is over.
    pub fn resign(&mut self, loser: Color, kind: WinKind) -> Result<GameResult, GameError> {
        match self.result {
            Some(result) => Err(GameError::Over(result)),
            None => Ok(self.finish(loser.other(), kind, true)),
        }
    }

    fn needs_dice(&self) -> Result<Roll, GameError> {
        match (self.result, self.roll) {
            (Some(result), _) => Err(GameError::Over(result)),
            (None, None) => Err(GameError::NoDice(self.turn)),
            (None, Some(roll)) => Ok(roll),
        }
    }

    fn illegal(&self, play: String) -> GameError {
        // Reached only with dice on the board, so the plays are those of this turn.
        let roll = self.roll.unwrap_or(Roll::ALL[0]);
        GameError::Illegal { color: self.turn, roll, play, must_pass: self.plays.is_pass() }
    }

    /// Ends the turn in a position seen by the mover.
    fn advance(&mut self, position: Position) -> Option<GameResult> {
        let mover = self.turn;
        self.position = position.swapped();
        self.turn = mover.other();
        self.roll = None;
        self.plays.clear();
        let finished = position.us.off() == NUM_CHECKERS;
        if finished && self.rules.last_turn && mover == self.starter {
            self.in_last_turn = true;
            return None;
        }
        if !finished && !self.in_last_turn {
            return None;
        }
        match Outcome::of(position, self.rules.game)? {
            Outcome::Win(kind) => Some(self.finish(mover, kind, false)),
            Outcome::Loss(kind) => Some(self.finish(mover.other(), kind, false)),
            Outcome::Draw => {
                self.result = Some(GameResult::Draw);
                self.result
            }
        }
    }

    fn finish(&mut self, winner: Color, kind: WinKind, resigned: bool) -> GameResult {
        let points = u32::from(kind.points(self.rules.score)).saturating_mul(self.multiplier);
        let result = GameResult::Win { winner, kind, points, resigned };
        self.result = Some(result);
        self.roll = None;
        self.plays.clear();
        result
    }
}

/// The steps use each die of the roll at most as often as it was thrown.
fn uses(roll: Roll, steps: Steps) -> bool {
    (1..=6).all(|die| steps.iter().filter(|s| s.die == die).count() <= roll.dice().filter(|&d| d == die).count())
        && steps.iter().all(|s| (1..=6).contains(&s.die))
}

/// The position after some steps in their order, seen by the mover; `None` if there is no checker to move or the
/// opponent holds the landing point. All other rules are left to the list of legal plays.
pub(crate) fn after_steps(position: Position, steps: Steps, game: Game) -> Option<Position> {
    let Position { mut us, mut them } = position;
    for step in steps.iter() {
        let (from, to) = (step.from, step.to());
        if !(1..=BAR).contains(&from) || us.count(from) == 0 {
            return None;
        }
        if to != OFF {
            let there = other_side(game, to);
            match (game, them.count(there)) {
                (_, 0) => {}
                (Game::Short, 1) => them = them.moved(there, BAR),
                _ => return None,
            }
        }
        us = us.moved(from, to);
    }
    Some(Position { us, them })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Checkers;
    use crate::types::Step;

    fn roll(a: u8, b: u8) -> Roll {
        Roll::new(a, b).unwrap()
    }

    fn steps(list: &[(u8, u8)]) -> Steps {
        list.iter().map(|&(from, die)| Step { from, die }).collect()
    }

    /// A game from a position of few checkers.
    fn game(rules: &str, us: &[(u8, u8)], them: &[(u8, u8)]) -> GameState {
        let position = Position { us: Checkers::from_points(us), them: Checkers::from_points(them) };
        GameState::from_position(&rules.parse().unwrap(), position, Color::White).unwrap()
    }

    #[test]
    fn a_turn_is_dice_then_a_legal_play_then_the_other_side() {
        let mut game = GameState::start(&Rules::SHORT, Color::Black, Some(roll(3, 1))).unwrap();
        assert_eq!((game.turn(), game.dice()), (Color::Black, Some(roll(3, 1))));
        assert_eq!(game.roll(roll(2, 1)).unwrap_err(), GameError::DiceThrown { color: Color::Black, roll: roll(3, 1) });
        assert_eq!(game.play(steps(&[(6, 1), (8, 3)])), Ok(None));
        assert_eq!(game.turn(), Color::White);
        assert_eq!(game.position_of(Color::Black).us.count(5), 2);
        assert_eq!(game.play(steps(&[(24, 1)])), Err(GameError::NoDice(Color::White)));
        game.roll(roll(5, 5)).unwrap();
        let error = game.play(steps(&[(24, 5)])).unwrap_err();
        assert_eq!(error.to_string(), "white can't play 24/19 with 5-5");
        assert!(game.plays().len() > 1);
        assert_eq!(game.pass().unwrap_err().to_string(), "white can't play pass with 5-5");
        let count = game.plays().len();
        assert_eq!(game.play_index(count), Err(GameError::NoSuchPlay { index: count, roll: roll(5, 5), count }));
        assert_eq!(game.play_index(0), Ok(None));
    }

    #[test]
    fn the_opening_dice_are_played_or_thrown_again_as_the_rules_say() {
        let mut long = GameState::start(&Rules::LONG, Color::White, Some(roll(6, 5))).unwrap();
        assert_eq!(long.dice(), None);
        assert!(long.roll(roll(6, 6)).is_ok());
        let official: Rules = "long-official".parse().unwrap();
        assert_eq!(GameState::start(&official, Color::White, Some(roll(6, 5))).unwrap().dice(), Some(roll(6, 5)));
        let double = GameState::start(&official, Color::White, Some(roll(5, 5)));
        assert_eq!(double.unwrap_err(), GameError::OpeningDouble(roll(5, 5)));
    }

    #[test]
    fn only_dice_of_the_roll_may_be_used() {
        let mut game = GameState::start(&Rules::SHORT, Color::White, Some(roll(2, 1))).unwrap();
        assert!(game.play(steps(&[(13, 3)])).is_err(), "one step of three is not a 2 and a 1");
        assert!(game.play(steps(&[(13, 2), (13, 2)])).is_err());
        assert_eq!(game.play(steps(&[(13, 2), (11, 1)])), Ok(None));
    }

    #[test]
    fn the_first_to_bear_off_all_wins_at_once() {
        let mut over = game("short", &[(2, 1)], &[(20, 15)]);
        over.roll(roll(6, 2)).unwrap();
        let result = over.play_index(0).unwrap().unwrap();
        assert_eq!(result.to_string(), "white wins 3 points (koks)");
        assert_eq!((result.points_of(Color::White), result.points_of(Color::Black)), (3, -3));
        assert_eq!(over.roll(roll(1, 2)).unwrap_err(), GameError::Over(result));
        assert_eq!(over.resign(Color::White, WinKind::Oin), Err(GameError::Over(result)));
    }

    #[test]
    fn with_last_turn_the_second_side_may_still_draw() {
        let last_turn = "long,last_turn=true";
        let mut drawn = game(last_turn, &[(1, 1)], &[(2, 1)]);
        drawn.roll(roll(2, 1)).unwrap();
        assert_eq!(drawn.play_index(0), Ok(None));
        drawn.roll(roll(4, 3)).unwrap();
        assert_eq!(drawn.play_index(0), Ok(Some(GameResult::Draw)));
        assert_eq!(drawn.result().map(|r| (r.winner(), r.points_of(Color::White))), Some((None, 0)));

        let mut missed = game(last_turn, &[(1, 1)], &[(6, 2)]);
        missed.roll(roll(2, 1)).unwrap();
        missed.play_index(0).unwrap();
        missed.roll(roll(6, 3)).unwrap();
        let result = missed.play_index(0).unwrap().unwrap();
        assert_eq!((result.winner(), result.points_of(Color::Black)), (Some(Color::White), -1));
    }

    #[test]
    fn with_last_turn_it_is_over_when_the_second_side_finishes_first() {
        let mut game = game("long,last_turn=true", &[(6, 2)], &[(1, 1)]);
        game.roll(roll(2, 1)).unwrap();
        game.play_index(0).unwrap();
        game.roll(roll(2, 1)).unwrap();
        assert_eq!(game.play_index(0).unwrap().and_then(GameResult::winner), Some(Color::Black));
    }

    #[test]
    fn who_resigns_loses_the_kind_agreed_times_the_multiplier() {
        let mut game = GameState::start(&Rules::SHORT, Color::White, None).unwrap().with_multiplier(4);
        let result = game.resign(Color::White, WinKind::Mars).unwrap();
        assert_eq!(result.to_string(), "black wins 8 points (mars, resigned)");
        assert_eq!(game.result(), Some(result));
    }

    #[test]
    fn a_blocked_side_can_only_pass() {
        let closed = [(6, 2), (5, 2), (4, 2), (3, 2), (2, 2), (1, 2), (7, 3)];
        let mut game = game("short", &[(25, 1), (6, 14)], &closed);
        game.roll(roll(6, 5)).unwrap();
        assert_eq!(
            game.play(steps(&[(6, 5)])).unwrap_err().to_string(),
            "white can't play 6/1 with 6-5: no play is possible, only a pass"
        );
        assert_eq!(game.pass(), Ok(None));
    }

    #[test]
    fn games_start_only_from_possible_unfinished_positions() {
        let start = |us: &[(u8, u8)], them: &[(u8, u8)]| {
            let position = Position { us: Checkers::from_points(us), them: Checkers::from_points(them) };
            GameState::from_position(&Rules::LONG, position, Color::White).map(|_| ())
        };
        assert_eq!(start(&[(24, 15)], &[(24, 15)]), Ok(()));
        assert!(matches!(start(&[], &[(24, 15)]), Err(GameError::BadStart(_))));
        assert!(matches!(start(&[(24, 15)], &[(12, 15)]), Err(GameError::BadStart(_))));
    }
}
