//! The FIBS board: `board:` and 52 fields, as servers and GNU Backgammon send it.
//!
//! The 26 numbers of the board hold positive and negative counts. `colour` says which sign is "you", `direction` -1
//! that you move from point 24 to 1. Programs read the two names and scores in different ways: [`FibsDialect`].

use super::PositionTextError;
use crate::position::{Checkers, Position, PositionError};
use crate::rules::Game;
use crate::types::{NUM_CHECKERS, Roll};
use std::fmt;
use std::str::FromStr;

const FORMAT: &str = "FIBS board";

/// What the order of the two names and scores means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FibsDialect {
    /// The FIBS definition: "you" first.
    Fibs,
    /// GNU Backgammon asking an external player: the side with the negative numbers first, whoever is asked. (When it
    /// asks about a double it sends the names the other way round and leaves the scores.)
    GnubgExternal,
}

/// All fields of a FIBS board in their order. "You" are the side with the sign of `colour`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FibsBoard {
    /// The two names; no colons.
    pub names: [String; 2],
    /// Points to win the match, 0 in money play; 9999 for an unlimited match.
    pub match_length: i32,
    /// Points of the two sides, in the order of [`FibsDialect`].
    pub scores: [i32; 2],
    /// Bar, points 1 to 24, bar; positive counts of one side, negative of the other.
    pub board: [i32; 26],
    /// The sign of the side whose turn it is; 0 when the game is over.
    pub turn: i32,
    /// Your dice, 0 before the throw.
    pub your_dice: [i32; 2],
    /// Your opponent's dice.
    pub opponent_dice: [i32; 2],
    /// The number on the cube.
    pub cube: i32,
    /// You may double, your opponent may double.
    pub may_double: [bool; 2],
    /// Your opponent has just doubled (in GNU Backgammon: a double waits for an answer).
    pub was_doubled: bool,
    /// Your sign, 1 or -1.
    pub colour: i32,
    /// -1 if you move from 24 to 1, 1 if from 1 to 24.
    pub direction: i32,
    /// The number of the point behind your home, 0 or 25.
    pub home: i32,
    /// The number of your bar, 25 or 0.
    pub bar: i32,
    /// Checkers borne off: yours, your opponent's.
    pub off: [i32; 2],
    /// Checkers on the bar: yours, your opponent's. Some programs always send 0.
    pub on_bar: [i32; 2],
    /// Pieces you can move, 0 to 4.
    pub can_move: i32,
    /// Unused by the format's definition, sent back as it came.
    pub forced_move: i32,
    /// The Crawford game has been played (GNU Backgammon: the game is after it).
    pub did_crawford: i32,
    /// Most redoubles (GNU Backgammon: the game is not the Crawford game).
    pub redoubles: i32,
}

impl FibsBoard {
    /// A money game of "you" against "opponent", you on roll and moving from 24 to 1.
    pub fn money(position: Position, roll: Option<Roll>) -> FibsBoard {
        let Position { us, them } = position;
        let mut board = [0; 26];
        for point in 1..=25u8 {
            board[usize::from(point)] += i32::from(us.count(point));
            board[usize::from(25 - point)] -= i32::from(them.count(point));
        }
        let dice = roll.map_or([0, 0], |roll| [i32::from(roll.high()), i32::from(roll.low())]);
        FibsBoard {
            names: ["you".into(), "opponent".into()],
            match_length: 0,
            scores: [0, 0],
            board,
            turn: 1,
            your_dice: dice,
            opponent_dice: [0, 0],
            cube: 1,
            may_double: [true, true],
            was_doubled: false,
            colour: 1,
            direction: -1,
            home: 0,
            bar: 25,
            off: [i32::from(us.off()), i32::from(them.off())],
            on_bar: [i32::from(us.bar()), i32::from(them.bar())],
            can_move: 0,
            forced_move: 0,
            did_crawford: 0,
            redoubles: 0,
        }
    }

    /// The position seen by the side whose turn it is; by "you" when the game is over.
    ///
    /// # Errors
    /// A board that can't stand in short nardy, or that contradicts the numbers borne off.
    pub fn position(&self) -> Result<Position, PositionTextError> {
        let (you, opponent) = (self.side(self.colour), self.side(-self.colour));
        for (side, counts, given) in [("you", &you, self.off[0]), ("opponent", &opponent, self.off[1])] {
            let on_board: i32 = counts[1..].iter().sum();
            let counted = i32::from(NUM_CHECKERS) - on_board;
            if counted < 0 {
                return Err(PositionError::CheckerCount { side, found: on_board as u32 }.into());
            }
            if given != counted {
                return Err(PositionTextError::WrongOff { side, given, counted });
            }
        }
        let checkers = |mut counts: [i32; 26], side| {
            counts[0] = i32::from(NUM_CHECKERS) - counts[1..].iter().sum::<i32>();
            Checkers::from_counts(&counts.map(|n| n as u8)).ok_or(PositionError::CheckerCount { side, found: 0 })
        };
        let position = Position { us: checkers(you, "you")?, them: checkers(opponent, "opponent")? };
        position.validate(Game::Short)?;
        Ok(if self.turn == -self.colour { position.swapped() } else { position })
    }

    /// Checkers of the side with that sign in its own numbers; `[0]` is left 0.
    fn side(&self, sign: i32) -> [i32; 26] {
        let downwards = (self.direction == -1) == (sign == self.colour);
        let mut counts = [0; 26];
        for (i, &n) in self.board.iter().enumerate() {
            let own = if downwards { i } else { 25 - i };
            // The two bars belong to one side each, so some programs send them without sign.
            if own == 25 {
                counts[25] = n.abs();
            } else if own > 0 && n.signum() == sign {
                counts[own] = n.abs();
            }
        }
        counts
    }

    /// The dice of the side whose turn it is, if they have been thrown.
    pub fn roll(&self) -> Option<Roll> {
        let yours = self.turn == self.colour;
        let [a, b] = if yours { self.your_dice } else { self.opponent_dice };
        Roll::new(u8::try_from(a).ok()?, u8::try_from(b).ok()?)
    }

    /// Place in `names` and `scores` of the side whose turn it is.
    pub fn index_on_roll(&self, dialect: FibsDialect) -> usize {
        match dialect {
            FibsDialect::Fibs => usize::from(self.turn != self.colour),
            FibsDialect::GnubgExternal => usize::from(self.turn > 0),
        }
    }
}

/// Takes the fields one after the other.
struct Fields<'a> {
    fields: std::str::Split<'a, char>,
}

impl Fields<'_> {
    fn number(&mut self, name: &str, allowed: impl Fn(i32) -> bool, expected: &'static str) -> FieldResult<i32> {
        let text = self.fields.next().unwrap_or_default();
        text.parse().ok().filter(|&n| allowed(n)).ok_or_else(|| PositionTextError::Field {
            format: FORMAT,
            field: name.into(),
            expected,
            found: text.chars().take(20).collect(),
        })
    }

    fn amount(&mut self, name: &str) -> FieldResult<i32> {
        self.number(name, |n| (0..=1_000_000).contains(&n), "a number from 0 to 1000000")
    }

    fn count(&mut self, name: &str) -> FieldResult<i32> {
        self.number(name, |n| (0..=15).contains(&n), "a number from 0 to 15")
    }

    fn flag(&mut self, name: &str) -> FieldResult<bool> {
        Ok(self.number(name, |n| n == 0 || n == 1, "0 or 1")? == 1)
    }

    fn sign(&mut self, name: &str) -> FieldResult<i32> {
        self.number(name, |n| n == 1 || n == -1, "1 or -1")
    }

    fn end(&mut self, name: &str) -> FieldResult<i32> {
        self.number(name, |n| n == 0 || n == 25, "0 or 25")
    }

    fn dice(&mut self, name: &str) -> FieldResult<[i32; 2]> {
        let mut die = || self.number(name, |n| (0..=6).contains(&n), "a number from 0 to 6");
        Ok([die()?, die()?])
    }

    fn name(&mut self, name: &str) -> FieldResult<String> {
        let text = self.fields.next().unwrap_or_default();
        if text.is_empty() {
            let (field, expected) = (name.into(), "a name");
            return Err(PositionTextError::Field { format: FORMAT, field, expected, found: String::new() });
        }
        Ok(text.into())
    }
}

type FieldResult<T> = Result<T, PositionTextError>;

impl FromStr for FibsBoard {
    type Err = PositionTextError;

    /// Reads the line; what [`FibsBoard::position`] checks is not checked here.
    fn from_str(text: &str) -> Result<FibsBoard, PositionTextError> {
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        let Some(rest) = text.get(..6).filter(|start| start.eq_ignore_ascii_case("board:")).map(|_| &text[6..]) else {
            let found = format!("{:?}", text.chars().take(10).collect::<String>());
            return Err(PositionTextError::Unexpected { format: FORMAT, column: 1, expected: "`board:`", found });
        };
        let found = rest.split(':').count();
        if found != 52 {
            let expected = "52 fields after `board:`";
            return Err(PositionTextError::WrongLength { format: FORMAT, expected, found });
        }
        let mut fields = Fields { fields: rest.split(':') };
        let names = [fields.name("name 1")?, fields.name("name 2")?];
        let match_length = fields.amount("match length")?;
        let scores = [fields.amount("score 1")?, fields.amount("score 2")?];
        let mut board = [0; 26];
        for (i, place) in board.iter_mut().enumerate() {
            *place = fields.number(&format!("board {i}"), |n| (-15..=15).contains(&n), "a number from -15 to 15")?;
        }
        let board = FibsBoard {
            names,
            match_length,
            scores,
            board,
            turn: fields.number("turn", |n| (-1..=1).contains(&n), "1, -1 or 0")?,
            your_dice: fields.dice("dice")?,
            opponent_dice: fields.dice("opponent's dice")?,
            cube: fields.amount("cube")?,
            may_double: [fields.flag("may double")?, fields.flag("opponent may double")?],
            was_doubled: fields.flag("was doubled")?,
            colour: fields.sign("colour")?,
            direction: fields.sign("direction")?,
            home: fields.end("home")?,
            bar: fields.end("bar")?,
            off: [fields.count("off")?, fields.count("opponent's off")?],
            on_bar: [fields.count("on bar")?, fields.count("opponent's on bar")?],
            can_move: fields.count("can move")?,
            forced_move: fields.amount("forced move")?,
            did_crawford: fields.amount("did Crawford")?,
            redoubles: fields.amount("redoubles")?,
        };
        board.check_ends()?;
        Ok(board)
    }
}

impl FibsBoard {
    /// The direction agrees with the numbers of home and bar.
    fn check_ends(&self) -> Result<(), PositionTextError> {
        let (home, bar) = if self.direction == -1 { (0, 25) } else { (25, 0) };
        if (self.home, self.bar) == (home, bar) {
            return Ok(());
        }
        Err(PositionTextError::Field {
            format: FORMAT,
            field: "home:bar".into(),
            expected: if self.direction == -1 { "0:25 with direction -1" } else { "25:0 with direction 1" },
            found: format!("{}:{}", self.home, self.bar),
        })
    }
}

impl fmt::Display for FibsBoard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [first, second] = &self.names;
        write!(f, "board:{first}:{second}:{}:{}:{}", self.match_length, self.scores[0], self.scores[1])?;
        self.board.iter().try_for_each(|n| write!(f, ":{n}"))?;
        let [a, b] = self.your_dice;
        let [c, d] = self.opponent_dice;
        write!(f, ":{}:{a}:{b}:{c}:{d}:{}", self.turn, self.cube)?;
        for flag in [self.may_double[0], self.may_double[1], self.was_doubled] {
            write!(f, ":{}", u8::from(flag))?;
        }
        write!(f, ":{}:{}:{}:{}", self.colour, self.direction, self.home, self.bar)?;
        for pair in [self.off, self.on_bar, [self.can_move, self.forced_move], [self.did_crawford, self.redoubles]] {
            write!(f, ":{}:{}", pair[0], pair[1])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON_BAR: &str = "board:gnubg:root:5:0:0:0:-1:-1:0:0:0:5:0:3:0:0:0:-3:5:-2:0:0:-2:0:-5:-1:0:0:1:0:1:1:5:6:5:6:2:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    const SEAT_0: &str = "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:1:1:0:-1:5:2:5:2:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";

    #[test]
    fn a_board_of_gnubg_for_the_player_in_seat_one_is_read_as_it_stands() {
        let board: FibsBoard = ON_BAR.parse().unwrap();
        assert_eq!(
            board.position().unwrap().to_string(),
            "own bar:1 23:1 13:5 8:3 6:5 | opp 24:1 23:1 13:3 11:2 8:2 6:5 5:1"
        );
        assert_eq!((board.roll(), board.index_on_roll(FibsDialect::GnubgExternal)), (Roll::new(6, 5), 1));
        assert_eq!(board.to_string(), ON_BAR);
    }

    #[test]
    fn a_board_of_gnubg_for_the_player_in_seat_zero_is_turned_round() {
        let board: FibsBoard = SEAT_0.parse().unwrap();
        assert_eq!(board.position().unwrap().to_string(), "own 24:2 13:5 8:3 6:5 | opp 24:1 23:1 13:4 11:1 8:3 6:5");
        assert_eq!((board.roll(), board.index_on_roll(FibsDialect::GnubgExternal)), (Roll::new(5, 2), 0));
        assert_eq!(board.index_on_roll(FibsDialect::Fibs), 1);
    }

    #[test]
    fn you_may_be_the_negative_side_and_move_upwards() {
        // The start with you as the negative side, moving from 1 to 24.
        let text = "board:me:you:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:1:0:0:1:1:1:0:-1:1:25:0:0:0:0:0:2:0:0:0";
        let board: FibsBoard = text.parse().unwrap();
        assert_eq!(board.position(), Ok(Position::SHORT_START));
        assert_eq!((board.roll(), board.index_on_roll(FibsDialect::Fibs)), (Roll::new(3, 1), 0));
    }
}
