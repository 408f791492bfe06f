//! Plays pairs of games, or of matches, between players that may fail.

use super::fault::{Fault, SeatError};
use super::seat::{Clock, GameContext, Guard, Seat};
use crate::game::{
    ByColor, Color, DiceSource, GameRecord, GameState, Goal, Match, PlayError, Seats, SeededDice, SwappedDice, WinKind,
    play_out, possible_outcomes, seed_for_game,
};
use crate::rules::Rules;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;

/// What happens to a game in which a player fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFault {
    /// The player has given the game up, as the dearest loss that is still possible: failing never pays.
    #[default]
    Lose,
    /// The pair does not count.
    Void,
}

/// A failure and when it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFault {
    /// Who failed: 0 for White (player A), 1 for Black.
    pub player: usize,
    /// Seed of the game.
    pub seed: u64,
    /// The game had swapped dice: it was the second one of its pair.
    pub swapped: bool,
    /// Which turn of the game, counted from 1; 0 before the first.
    pub turn: usize,
    /// What happened.
    pub fault: Fault,
}

/// One half of a pair: a game, or a match.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// Its games. A game in which a player failed ends as given up by that player.
    pub games: Vec<GameRecord>,
    /// What went wrong.
    pub faults: Vec<GameFault>,
    /// Time of White and Black.
    pub clocks: ByColor<Clock>,
}

/// Why nothing was played.
#[derive(Debug, thiserror::Error)]
pub enum RefereeError {
    /// The tournament is being stopped.
    #[error("interrupted")]
    Interrupted,
    /// A player of this process chose what isn't there, or the dice ran out.
    #[error(transparent)]
    Play(#[from] PlayError),
}

/// How pairs are played.
#[derive(Clone, Copy, Debug)]
pub struct Referee<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// Points to win a match; `None` plays single games.
    pub length: Option<u32>,
    /// Set from outside to stop in the middle of a game.
    pub stop: &'a AtomicBool,
}

impl Referee<'_> {
    /// Two games, or two matches, with duplicate dice; the players keep their colours, player 0 White.
    ///
    /// # Errors
    /// If it was stopped, or a player of this process made no legal choice.
    pub fn pair(
        &self,
        seats: &mut ByColor<&mut dyn Seat>,
        names: &ByColor<String>,
        seed: u64,
    ) -> Result<[Half; 2], RefereeError> {
        Ok([self.half(seats, names, seed, false)?, self.half(seats, names, seed, true)?])
    }

    fn half(
        &self,
        seats: &mut ByColor<&mut dyn Seat>,
        names: &ByColor<String>,
        seed: u64,
        swapped: bool,
    ) -> Result<Half, RefereeError> {
        let mut half = Half::default();
        let Some(length) = self.length else {
            let series = Match::new(self.rules, Goal::Money { ante: 1 }).map_err(PlayError::from)?;
            self.game(&series, seats, names, (seed, swapped), &mut half)?;
            return Ok(half);
        };
        let mut series = Match::new(self.rules, Goal::Points(length)).map_err(PlayError::from)?;
        while series.winner().is_none() {
            let seed = seed_for_game(seed, u64::from(series.games()));
            self.game(&series, seats, names, (seed, swapped), &mut half)?;
            if let Some(game) = half.games.last()
                && let Some(result) = game.result
            {
                series.count(game.starter, result).map_err(PlayError::from)?;
            }
        }
        Ok(half)
    }

    /// Plays the next game of a series and adds it to `half`.
    fn game(
        &self,
        series: &Match,
        seats: &mut ByColor<&mut dyn Seat>,
        names: &ByColor<String>,
        (seed, swapped): (u64, bool),
        half: &mut Half,
    ) -> Result<(), RefereeError> {
        let dice = SeededDice::new(seed);
        let mut white = Guard::new(seats.white, self.stop);
        let mut black = Guard::new(seats.black, self.stop);
        let mut guards = ByColor::new(&mut white, &mut black);
        let length = match series.goal() {
            Goal::Points(length) => length,
            Goal::Money { .. } => 0,
        };
        let context = |color| GameContext {
            seed: seed_for_game(seed, u64::from(color == Color::Black)),
            rules: self.rules,
            length,
            score: series.points(),
            is_white: color == Color::White,
        };
        // Both players are told of the game, so that the sound one is not left in the old one.
        let began = Color::ALL.map(|color| guards[color].begin(&context(color))) == [true; 2];
        let mut record = if swapped {
            play(series, &mut guards, &mut SwappedDice(dice), names, began)
        } else {
            play(series, &mut guards, &mut { dice }, names, began)
        }?;
        (record.0.seed, record.0.swapped) = (Some(seed), swapped);
        for color in Color::ALL {
            half.clocks[color].merge(&guards[color].clock);
            if let Some(fault) = guards[color].fault() {
                let turn = if began { record.0.turns.len() + 1 } else { 0 };
                let player = usize::from(color == Color::Black);
                half.faults.push(GameFault { player, seed, swapped, turn, fault });
                if record.0.result.is_none() {
                    record.0.result = Some(give_up(&mut record.1, color)?);
                }
            } else if guards[color].error == Some(SeatError::Interrupted) {
                return Err(RefereeError::Interrupted);
            }
        }
        half.games.push(record.0);
        Ok(())
    }
}

/// Plays a game to its end, or to where a player fails; a failure is left in its guard.
fn play(
    series: &Match,
    guards: &mut ByColor<&mut Guard>,
    dice: &mut impl DiceSource,
    names: &ByColor<String>,
    began: bool,
) -> Result<(GameRecord, GameState), PlayError> {
    let mut game = series.start_game(dice)?;
    let mut record = GameRecord::new(*series.rules(), names.clone(), game.starter());
    if began {
        let mut seats: Seats = ByColor { white: &mut *guards.white, black: &mut *guards.black };
        match play_out(&mut game, &mut seats, dice, |turn| record.turns.push(turn)) {
            Ok(result) => record.result = Some(result),
            Err(PlayError::BadChoice { turn, error, .. }) => {
                if guards.iter().all(|(_, guard)| guard.error.is_none()) {
                    let player = names[game.turn()].clone();
                    return Err(PlayError::BadChoice { player, turn, error });
                }
            }
            Err(other) => return Err(other),
        }
    }
    Ok((record, game))
}

/// Ends a game as given up by `loser`, as the dearest loss that is still possible.
fn give_up(game: &mut GameState, loser: Color) -> Result<crate::game::GameResult, PlayError> {
    let possible = possible_outcomes(game.position_of(loser), game.rules()) >> 3;
    let kind = match possible {
        mask if mask & 0b100 != 0 => WinKind::Koks,
        mask if mask & 0b010 != 0 => WinKind::Mars,
        _ => WinKind::Oin,
    };
    Ok(game.resign(loser, kind)?)
}
