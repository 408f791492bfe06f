//! Records of games and matches: what was thrown and played, checked by playing it again.

use super::{ByColor, Color, DiceSource, GameError, GameResult, GameState, Goal, Match, SeededDice, SwappedDice};
use crate::rules::{NextGame, Opening, Rules};
use crate::types::{Roll, Steps};

/// One turn of a record: dice and steps, none for a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// The dice.
    pub roll: Roll,
    /// The canonical steps of the play.
    pub steps: Steps,
}

/// A game from the start position, with all that is needed to play it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The rules.
    pub rules: Rules,
    /// The players' names.
    pub players: ByColor<String>,
    /// The seed of the dice, if they came from [`SeededDice`].
    pub seed: Option<u64>,
    /// The two dice of each throw were exchanged ([`SwappedDice`]).
    pub swapped: bool,
    /// Who had the first turn.
    pub starter: Color,
    /// How many times the game counts.
    pub multiplier: u32,
    /// The turns, the starter's first; colours alternate.
    pub turns: Vec<Turn>,
    /// How it ended; `None` if it was broken off.
    pub result: Option<GameResult>,
}

/// A match or money session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRecord {
    /// The rules of every game.
    pub rules: Rules,
    /// The players' names.
    pub players: ByColor<String>,
    /// What is played for.
    pub goal: Goal,
    /// The games in order.
    pub games: Vec<GameRecord>,
}

/// Why a record can't be read. Games and turns are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The text can't be read from its source.
    #[error("can't read the record: {0}")]
    Io(#[from] std::io::Error),
    /// Not JSON, or not of the right form.
    #[error("game {game}: {why}")]
    Form {
        /// Which game (line of a file of games).
        game: usize,
        /// What is wrong.
        why: String,
    },
    /// Another version of the format.
    #[error("game {game}: this is version {found} of the record format, expected {}", super::json::VERSION)]
    Version {
        /// Which game (line of a file of games).
        game: usize,
        /// The version found.
        found: u32,
    },
    /// A turn breaks the rules.
    #[error("game {game}, turn {turn} ({color}): {why}")]
    Turn {
        /// Which game.
        game: usize,
        /// Which turn of the game.
        turn: usize,
        /// Whose turn.
        color: Color,
        /// What is wrong.
        why: String,
    },
    /// The result does not fit the turns or the match.
    #[error("game {game}: {why}")]
    Result {
        /// Which game.
        game: usize,
        /// What is wrong.
        why: String,
    },
    /// A line of a `.mat` file can't be read.
    #[error("line {line}: {why}")]
    Line {
        /// Which line.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

impl RecordError {
    /// The same fault found in game number `game`.
    pub(super) fn in_game(self, number: usize) -> RecordError {
        match self {
            RecordError::Form { why, .. } => RecordError::Form { game: number, why },
            RecordError::Version { found, .. } => RecordError::Version { game: number, found },
            RecordError::Turn { turn, color, why, .. } => RecordError::Turn { game: number, turn, color, why },
            RecordError::Result { why, .. } => RecordError::Result { game: number, why },
            other => other,
        }
    }
}

impl GameRecord {
    /// A record without turns.
    pub fn new(rules: Rules, players: ByColor<String>, starter: Color) -> GameRecord {
        GameRecord {
            rules,
            players,
            seed: None,
            swapped: false,
            starter,
            multiplier: 1,
            turns: Vec::new(),
            result: None,
        }
    }

    /// Plays the game again and hands each turn to `visit` before it is played: the game with its dice on the board,
    /// and the turn. Returns the game as it stands after the last turn, or after the loser has given up.
    ///
    /// # Errors
    /// [`RecordError`] (as of game 1) if a turn is illegal or the result is not what the turns lead to.
    pub fn replay_with(&self, mut visit: impl FnMut(&GameState, Turn)) -> Result<GameState, RecordError> {
        let mut game = self.before_first_turn();
        for (i, turn) in self.turns.iter().enumerate() {
            let color = game.turn();
            let refuse = |error: GameError| RecordError::Turn { game: 1, turn: i + 1, color, why: error.to_string() };
            let thrown = self.starter_threw_opening();
            if i == 0 && thrown && turn.roll.is_double() {
                return Err(refuse(GameError::OpeningDouble(turn.roll)));
            }
            game.roll(turn.roll).map_err(refuse)?;
            visit(&game, *turn);
            game.play(turn.steps).map_err(refuse)?;
        }
        self.check_result(&mut game)?;
        Ok(game)
    }

    /// Plays the game again.
    ///
    /// # Errors
    /// As [`GameRecord::replay_with`].
    pub fn replay(&self) -> Result<GameState, RecordError> {
        self.replay_with(|_, _| {})
    }

    /// The game before its first dice.
    pub(super) fn before_first_turn(&self) -> GameState {
        GameState::start(&self.rules, self.starter, None)
            .expect("only opening dice can be refused")
            .with_multiplier(self.multiplier)
    }

    /// The first turn was played with the two different dice that decided who starts.
    pub(super) fn starter_threw_opening(&self) -> bool {
        self.rules.opening == Opening::UseOpeningDice && self.rules.next_game == NextGame::Roll
    }

    fn check_result(&self, game: &mut GameState) -> Result<(), RecordError> {
        let wrong = |why: String| Err(RecordError::Result { game: 1, why });
        match (game.result(), self.result) {
            (found, expected) if found == expected => Ok(()),
            (Some(found), Some(told)) => wrong(format!("the turns lead to `{found}`, the record says `{told}`")),
            (Some(found), None) => wrong(format!("the turns lead to `{found}`, the record has no result")),
            (None, Some(GameResult::Win { winner, kind, points, resigned: true })) => {
                match game.resign(winner.other(), kind) {
                    Ok(result) if result.points_of(winner) == i64::from(points) => Ok(()),
                    Ok(result) => wrong(format!("a resigned {kind} is `{result}`, the record says {points} points")),
                    Err(error) => wrong(error.to_string()),
                }
            }
            (None, Some(told)) => wrong(format!("the record says `{told}`, but the turns don't end the game")),
            (None, None) => Ok(()),
        }
    }

    /// Whether all dice, and the starter if he was thrown for, are those of the record's seed; `None` without a seed.
    pub fn dice_are_of_the_seed(&self) -> Option<bool> {
        let dice = SeededDice::new(self.seed?);
        let from = |throw_for_start| match self.swapped {
            false => self.dice_are(&mut dice.clone(), throw_for_start),
            true => self.dice_are(&mut SwappedDice(dice.clone()), throw_for_start),
        };
        // Without a throw for the start only where an earlier game decides who starts.
        Some(from(true) || (self.rules.next_game != NextGame::Roll && from(false)))
    }

    fn dice_are(&self, dice: &mut impl DiceSource, throw_for_start: bool) -> bool {
        let mut rolls = self.turns.iter().map(|turn| turn.roll);
        if throw_for_start {
            match dice.opening() {
                Some((starter, roll)) if starter == self.starter => {
                    if self.rules.opening == Opening::UseOpeningDice && rolls.next().is_some_and(|first| first != roll)
                    {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        rolls.all(|roll| dice.roll() == Some(roll))
    }
}

impl MatchRecord {
    /// Plays all games again and counts them. Who starts is checked in matches to points; the games of a money session
    /// may come from anywhere.
    ///
    /// # Errors
    /// [`RecordError`] with the number of the first game that is wrong.
    pub fn replay(&self) -> Result<Match, RecordError> {
        let refuse = |why: String| RecordError::Result { game: 1, why };
        let mut series = Match::new(&self.rules, self.goal).map_err(|e| refuse(e.to_string()))?;
        for (i, game) in self.games.iter().enumerate() {
            self.count(&mut series, game, i + 1 == self.games.len()).map_err(|e| e.in_game(i + 1))?;
        }
        Ok(series)
    }

    fn count(&self, series: &mut Match, game: &GameRecord, is_last: bool) -> Result<(), RecordError> {
        let wrong = |why: String| Err(RecordError::Result { game: 1, why });
        if game.rules != self.rules || game.players != self.players {
            return wrong("rules and players must be those of the match".into());
        }
        if let Some(winner) = series.winner() {
            return wrong(format!("the match was over: {winner} had {} points", series.points()[winner]));
        }
        match (self.goal, series.next_starter()) {
            (Goal::Points(_), Some(starter)) if starter != game.starter => {
                let rule = self.rules.next_game;
                return wrong(format!("under next_game={rule} {starter} starts, not {}", game.starter));
            }
            _ => {}
        }
        game.replay()?;
        match game.result {
            Some(result) => series.count(game.starter, result).or_else(|e| wrong(e.to_string())),
            None if is_last => Ok(()),
            None => wrong("only the last game may be unfinished".into()),
        }
    }
}
