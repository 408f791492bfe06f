//! How a game ends and what it is worth (docs/rules.md, 1.8 and 2).

use crate::position::{Checkers, Position, in_contact};
use crate::rules::{Game, Rules, Score};
use crate::types::{BAR, NUM_CHECKERS, PointSet};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Number of outcomes that networks tell apart: win oin, win mars, win koks, lose oin, lose mars, lose koks.
pub const NUM_OUTCOMES: usize = 6;

/// How much the winner wins, by what the loser has left; later kinds are never worth less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WinKind {
    /// The loser has borne off at least one checker.
    Oin,
    /// Long nardy: none off, all 15 in the loser's home.
    HomeMars,
    /// None off.
    Mars,
    /// None off and, in long nardy, none in the loser's home; in short nardy, at least one on the bar or in the
    /// winner's home.
    Koks,
}

impl WinKind {
    /// Every kind, cheapest first.
    pub const ALL: [WinKind; 4] = [WinKind::Oin, WinKind::HomeMars, WinKind::Mars, WinKind::Koks];

    /// The kind of win over a side that has these checkers when the winner bears off his last one.
    pub fn against(game: Game, loser: Checkers) -> WinKind {
        let occupied = loser.occupied().0;
        match game {
            _ if loser.off() > 0 => WinKind::Oin,
            Game::Long if occupied & !PointSet::HOME.0 == 0 => WinKind::HomeMars,
            Game::Long if occupied & PointSet::HOME.0 == 0 => WinKind::Koks,
            Game::Short if loser.any_in(19, BAR) => WinKind::Koks,
            _ => WinKind::Mars,
        }
    }

    /// Points for the winner, before any multiplier.
    pub const fn points(self, score: Score) -> u8 {
        match self {
            WinKind::Oin => score.oin,
            WinKind::HomeMars => score.home_mars,
            WinKind::Mars => score.mars,
            WinKind::Koks => score.koks,
        }
    }

    /// Which of the three classes of [`NUM_OUTCOMES`] it counts as: 0 oin, 1 mars, 2 koks. Home mars is oin where the
    /// rules pay the same for both, otherwise mars.
    pub const fn class(self, score: Score) -> usize {
        match self {
            WinKind::Oin => 0,
            WinKind::HomeMars if score.home_mars == score.oin => 0,
            WinKind::HomeMars | WinKind::Mars => 1,
            WinKind::Koks => 2,
        }
    }
}

impl fmt::Display for WinKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            WinKind::Oin => "oin",
            WinKind::HomeMars => "home mars",
            WinKind::Mars => "mars",
            WinKind::Koks => "koks",
        })
    }
}

/// How a game ended for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// That side won.
    Win(WinKind),
    /// The opponent won.
    Loss(WinKind),
    /// Both bore off everything (`last_turn`).
    Draw,
}

impl Outcome {
    /// How a position in which a side has borne off everything ended for `us`; `None` if neither has. Whether the
    /// option `last_turn` still gives the other side a turn can't be seen in a position: that is for the caller.
    pub fn of(position: Position, game: Game) -> Option<Outcome> {
        match (position.us.off() == NUM_CHECKERS, position.them.off() == NUM_CHECKERS) {
            (true, true) => Some(Outcome::Draw),
            (true, false) => Some(Outcome::Win(WinKind::against(game, position.them))),
            (false, true) => Some(Outcome::Loss(WinKind::against(game, position.us))),
            (false, false) => None,
        }
    }

    /// Points that the side gets: positive if it won, negative if it lost.
    pub const fn points(self, rules: &Rules) -> i32 {
        match self {
            Outcome::Win(kind) => kind.points(rules.score) as i32,
            Outcome::Loss(kind) => -(kind.points(rules.score) as i32),
            Outcome::Draw => 0,
        }
    }

    /// Place among the [`NUM_OUTCOMES`], 0 to 5; a draw has none.
    pub const fn index(self, rules: &Rules) -> Option<usize> {
        match self {
            Outcome::Win(kind) => Some(kind.class(rules.score)),
            Outcome::Loss(kind) => Some(3 + kind.class(rules.score)),
            Outcome::Draw => None,
        }
    }
}

/// The place among the six outcomes of a finished position as `us` sees it: 0 win oin, 1 win mars, 2 win koks, 3 lose
/// oin, 4 lose mars, 5 lose koks. `None` while neither side has finished, and for a draw.
///
/// In long nardy with a home mars worth no more than an oin it counts as oin, otherwise as mars.
pub fn outcome_index(position: Position, rules: &Rules) -> Option<usize> {
    Outcome::of(position, rules.game)?.index(rules)
}

/// Points of the six outcomes for the side on roll: their sum weighted by the chances is the equity.
pub const fn outcome_points(rules: &Rules) -> [f32; NUM_OUTCOMES] {
    let (oin, mars, koks) = (rules.score.oin as f32, rules.score.mars as f32, rules.score.koks as f32);
    [oin, mars, koks, -oin, -mars, -koks]
}

/// Which of the six outcomes can still happen, bit `i` for outcome `i` as the side on roll sees it.
///
/// A bit is clear only if a proof rules the outcome out:
/// - a side that has borne off a checker loses no mars and no koks;
/// - long nardy: a side with a checker in its home loses no koks, since checkers don't leave it but by bearing off;
///   and no mars once all are home, where the rules pay a home mars like an oin;
/// - short nardy: a side that has left the enemy home loses no koks once the sides have passed each other, since then
///   nobody can be hit;
/// - the side on roll with one or two checkers left, both on its ace point, wins at once; so does a finished side.
///
/// A mask of 0 means that only a draw is left (`last_turn`).
#[inline(always)]
pub fn possible_outcomes(position: Position, rules: &Rules) -> u8 {
    let Position { us, them } = position;
    if rules.last_turn {
        let may_win = them.off() < NUM_CHECKERS;
        let may_lose = us.off() < NUM_CHECKERS && !finishes_at_once(us);
        let win = if may_win { loss_classes(rules, us, them) } else { 0 };
        let lose = if may_lose { loss_classes(rules, them, us) } else { 0 };
        return win | (lose << 3);
    }
    if let Some(index) = outcome_index(position, rules) {
        return 1 << index;
    }
    if finishes_at_once(us) {
        return 1 << WinKind::against(rules.game, them).class(rules.score);
    }
    loss_classes(rules, us, them) | (loss_classes(rules, them, us) << 3)
}

/// Any roll bears off all that is left.
#[inline(always)]
fn finishes_at_once(side: Checkers) -> bool {
    side.off() + 2 >= NUM_CHECKERS && side.off() + side.count(1) == NUM_CHECKERS
}

/// The classes in which `loser` can still lose to `winner`: bit 0 oin, 1 mars, 2 koks.
#[inline(always)]
fn loss_classes(rules: &Rules, winner: Checkers, loser: Checkers) -> u8 {
    if loser.off() > 0 {
        return 0b001;
    }
    match rules.game {
        Game::Long if !loser.any_in(1, 6) => 0b111,
        Game::Long if rules.score.home_mars == rules.score.oin && !loser.any_in(7, 24) => 0b001,
        Game::Long => 0b011,
        Game::Short if loser.any_in(19, BAR) || in_contact(winner, loser) => 0b111,
        Game::Short => 0b011,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Points = &'static [(u8, u8)];

    const OFF_ALL: Checkers = Checkers::from_points(&[]);

    fn side(points: &[(u8, u8)]) -> Checkers {
        Checkers::from_points(points)
    }

    #[test]
    fn the_kind_of_win_depends_on_what_the_loser_has_left() {
        use WinKind::*;
        let cases: [(Game, Points, WinKind); 11] = [
            (Game::Long, &[(24, 14)], Oin),
            (Game::Long, &[(6, 14), (1, 1)], HomeMars),
            (Game::Long, &[(7, 14), (6, 1)], Mars),
            (Game::Long, &[(24, 1), (7, 14)], Koks),
            (Game::Short, &[(25, 1), (24, 13)], Oin),
            (Game::Short, &[(6, 14), (1, 1)], Mars),
            (Game::Short, &[(18, 1), (6, 14)], Mars),
            (Game::Short, &[(19, 1), (6, 14)], Koks),
            (Game::Short, &[(24, 1), (6, 14)], Koks),
            (Game::Short, &[(25, 1), (6, 14)], Koks),
            (Game::Short, &[(18, 15)], Mars),
        ];
        for (game, loser, kind) in cases {
            assert_eq!(WinKind::against(game, side(loser)), kind, "{game} {loser:?}");
        }
    }

    #[test]
    fn points_follow_the_score_table_and_home_mars_its_price() {
        let home_mars = Position { us: OFF_ALL, them: side(&[(6, 15)]) };
        let priced = |score: &str| format!("long,score={score}").parse::<Rules>().unwrap();
        for (score, points, index) in [("(1,2,2,2)", 2, 1), ("(1,1,2,3)", 1, 0), ("(1,2,3,4)", 2, 1)] {
            let rules = priced(score);
            let outcome = Outcome::of(home_mars, Game::Long).unwrap();
            assert_eq!((outcome.points(&rules), outcome.index(&rules)), (points, Some(index)), "{score}");
            assert_eq!(outcome_index(home_mars.swapped(), &rules), Some(3 + index), "{score}");
        }
        let koks = Position { us: side(&[(24, 15)]), them: OFF_ALL };
        assert_eq!(Outcome::of(koks, Game::Short).unwrap().points(&Rules::SHORT), -3);
        assert_eq!(outcome_index(koks, &Rules::SHORT), Some(5));
        assert_eq!(outcome_points(&Rules::SHORT), [1.0, 2.0, 3.0, -1.0, -2.0, -3.0]);
        assert_eq!(outcome_index(Position::SHORT_START, &Rules::SHORT), None);
    }

    #[test]
    fn both_sides_off_is_a_draw() {
        let both = Position { us: OFF_ALL, them: OFF_ALL };
        assert_eq!(Outcome::of(both, Game::Long), Some(Outcome::Draw));
        assert_eq!(Outcome::Draw.points(&Rules::LONG), 0);
        assert_eq!(outcome_index(both, &Rules::LONG), None);
    }

    #[test]
    fn everything_is_possible_at_the_start() {
        assert_eq!(possible_outcomes(Position::LONG_START, &Rules::LONG), 0b111_111);
        assert_eq!(possible_outcomes(Position::SHORT_START, &Rules::SHORT), 0b111_111);
    }

    #[test]
    fn outcomes_are_ruled_out_only_when_they_are_impossible() {
        let long_site: Rules = "long,score=(1,1,2,3)".parse().unwrap();
        let cases: [(&str, Rules, Points, Points, u8); 12] = [
            ("they have borne off", Rules::LONG, &[(24, 15)], &[(3, 14)], 0b111_001),
            ("one of them is home", Rules::LONG, &[(24, 15)], &[(20, 14), (6, 1)], 0b111_011),
            ("all home, home mars costs two", Rules::LONG, &[(7, 15)], &[(6, 15)], 0b111_011),
            ("all home, home mars costs one", long_site, &[(7, 15)], &[(6, 15)], 0b111_001),
            ("contact, all have left the enemy home", Rules::SHORT, &[(18, 15)], &[(8, 15)], 0b111_111),
            ("passed each other, own 18 and 6", Rules::SHORT, &[(18, 15)], &[(6, 15)], 0b011_011),
            ("passed, one of ours still in their home", Rules::SHORT, &[(19, 1), (6, 14)], &[(5, 15)], 0b111_011),
            ("both bearing off", Rules::SHORT, &[(6, 14)], &[(6, 14)], 0b001_001),
            ("we finish at once, they are at home", Rules::SHORT, &[(1, 2)], &[(6, 15)], 0b000_010),
            ("we finish at once, one of them is far", Rules::LONG, &[(1, 1)], &[(20, 15)], 0b000_100),
            ("a checker on 2 may stay", Rules::LONG, &[(2, 1)], &[(6, 14)], 0b001_001),
            ("three checkers may stay", Rules::LONG, &[(1, 3)], &[(6, 14)], 0b001_001),
        ];
        for (case, rules, us, them, mask) in cases {
            let position = Position { us: side(us), them: side(them) };
            assert_eq!(possible_outcomes(position, &rules), mask, "{case}");
        }
    }

    #[test]
    fn a_finished_game_has_one_outcome_unless_a_last_turn_is_due() {
        let over = Position { us: side(&[(6, 15)]), them: OFF_ALL };
        assert_eq!(possible_outcomes(over, &Rules::LONG), 0b010_000);
        assert_eq!(possible_outcomes(over.swapped(), &Rules::LONG), 0b000_010);
        let last: Rules = "long,last_turn=true".parse().unwrap();
        assert_eq!(possible_outcomes(over, &last), 0b011_000);
        let drawn = Position { us: side(&[(1, 2)]), them: OFF_ALL };
        assert_eq!(possible_outcomes(drawn, &last), 0);
    }
}
