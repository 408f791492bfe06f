//! Players in the same process, and playing games and matches out.

use super::{ByColor, Color, DiceSource, GameError, GameRecord, GameResult, GameState, Goal, Match, MatchError};
use super::{MatchRecord, SeededDice, SwappedDice, Turn, seed_for_game};
use crate::movegen::PlayList;
use crate::position::Position;
use crate::rules::Rules;
use crate::types::Roll;

/// Something that chooses plays.
pub trait Player {
    /// What it is called in records and tables.
    fn name(&self) -> String;

    /// Called before each game. A player that makes random choices draws them from this seed, so that a game does not
    /// depend on the games before it.
    fn new_game(&mut self, _seed: u64) {}

    /// The number of the chosen play in `plays`, which has at least two; `position` is seen by the mover.
    fn choose(&mut self, position: Position, roll: Roll, rules: &Rules, plays: &PlayList) -> usize;
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn new_game(&mut self, seed: u64) {
        (**self).new_game(seed);
    }

    fn choose(&mut self, position: Position, roll: Roll, rules: &Rules, plays: &PlayList) -> usize {
        (**self).choose(position, roll, rules, plays)
    }
}

/// The two players of a game.
pub type Seats<'a> = ByColor<&'a mut dyn Player>;

/// Why a game could not be played to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// No dice left.
    #[error("the dice ran out in turn {turn}")]
    OutOfDice {
        /// Which turn, counted from 1.
        turn: usize,
    },
    /// A player chose what isn't there.
    #[error("player {player} made no legal choice in turn {turn}: {error}")]
    BadChoice {
        /// The player's name.
        player: String,
        /// Which turn, counted from 1.
        turn: usize,
        /// What is wrong.
        error: GameError,
    },
    /// The game refused to start or to take the dice.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The match refused.
    #[error(transparent)]
    Match(#[from] MatchError),
}

/// Plays a game on to its end; each turn is handed to `on_turn`. Players are asked only where they have a choice.
///
/// # Errors
/// If the dice run out or a player chooses a play that does not exist.
pub fn play_out(
    game: &mut GameState,
    seats: &mut Seats,
    dice: &mut impl DiceSource,
    mut on_turn: impl FnMut(Turn),
) -> Result<GameResult, PlayError> {
    let mut turn = 0;
    loop {
        if let Some(result) = game.result() {
            return Ok(result);
        }
        turn += 1;
        let roll = match game.dice() {
            Some(roll) => roll,
            None => {
                let roll = dice.roll().ok_or(PlayError::OutOfDice { turn })?;
                game.roll(roll)?;
                roll
            }
        };
        let plays = game.plays();
        let seat = &mut seats[game.turn()];
        let index = if plays.len() == 1 { 0 } else { seat.choose(game.position(), roll, game.rules(), plays) };
        let steps = (index < plays.len()).then(|| plays.steps(index));
        let made = game.play_index(index);
        made.map_err(|error| PlayError::BadChoice { player: seats[game.turn()].name(), turn, error })?;
        if let Some(steps) = steps {
            on_turn(Turn { roll, steps });
        }
    }
}

/// A game with the dice of a seed, which also seeds the players (White with output 0, Black with output 1 of
/// [`seed_for_game`]). With `swapped`, the other player wins the throw for the start and both get each other's rolls.
///
/// # Errors
/// If a player chooses a play that does not exist.
pub fn play_game(seats: &mut Seats, rules: &Rules, seed: u64, swapped: bool) -> Result<GameRecord, PlayError> {
    let mut dice = SeededDice::new(seed);
    let series = Match::new(rules, Goal::Money { ante: 1 })?;
    let mut record = if swapped {
        play_next(&series, seats, &mut SwappedDice(&mut dice), seed)
    } else {
        play_next(&series, seats, &mut dice, seed)
    }?;
    (record.seed, record.swapped) = (Some(seed), swapped);
    Ok(record)
}

/// Two games with duplicate dice and swapped seats; colours stay with the players.
///
/// # Errors
/// If a player chooses a play that does not exist.
pub fn play_pair(seats: &mut Seats, rules: &Rules, seed: u64) -> Result<[GameRecord; 2], PlayError> {
    Ok([play_game(seats, rules, seed, false)?, play_game(seats, rules, seed, true)?])
}

/// A match to `length` points; game `n` (from 0) has the seed `seed_for_game(seed, n)`. With `swapped`, all its games
/// have swapped dice.
///
/// # Errors
/// If a player chooses a play that does not exist or `length` is 0.
pub fn play_match(
    seats: &mut Seats,
    rules: &Rules,
    length: u32,
    seed: u64,
    swapped: bool,
) -> Result<MatchRecord, PlayError> {
    let goal = Goal::Points(length);
    let mut series = Match::new(rules, goal)?;
    let players = ByColor::new(seats.white.name(), seats.black.name());
    let mut games = Vec::new();
    while series.winner().is_none() {
        let seed = seed_for_game(seed, u64::from(series.games()));
        let dice = SeededDice::new(seed);
        let mut record = if swapped {
            play_next(&series, seats, &mut SwappedDice(dice), seed)
        } else {
            play_next(&series, seats, &mut { dice }, seed)
        }?;
        (record.seed, record.swapped) = (Some(seed), swapped);
        if let Some(result) = record.result {
            series.count(record.starter, result)?;
        }
        games.push(record);
    }
    Ok(MatchRecord { rules: *rules, players, goal, games })
}

/// The next game of a match.
fn play_next(
    series: &Match,
    seats: &mut Seats,
    dice: &mut impl DiceSource,
    seed: u64,
) -> Result<GameRecord, PlayError> {
    for (number, color) in (0..).zip(Color::ALL) {
        seats[color].new_game(seed_for_game(seed, number));
    }
    let mut game = series.start_game(dice)?;
    let players = ByColor::new(seats.white.name(), seats.black.name());
    let mut record = GameRecord::new(*series.rules(), players, game.starter());
    record.result = Some(play_out(&mut game, seats, dice, |turn| record.turns.push(turn))?);
    Ok(record)
}
