//! The doubling cube of backgammon: decisions from the six chances of a position.
//!
//! # The rule
//! With a *dead* cube nobody will double again; the equity is that of the chances alone. With a *live* cube the sides
//! double exactly at each other's take points, and the equity is piecewise linear in the winning chance: it passes
//! through the loss of an average lost game at 0, the points at which one side cashes, and an average won game at 1
//! (R. Janowski, "Take points in money games", 1993). The truth lies between; it is taken to be the mixture
//! `(1 − x) · dead + x · live` with [`CONTACT_EFFICIENCY`] or [`RACE_EFFICIENCY`] for `x`.
//!
//! * double if doubling is worth more than waiting both when it is taken and when it is dropped;
//! * take if the doubler would get no more than the drop gives him.
//!
//! In a match, points become winning chances of the match ([`match_chance`]), and whether a side can still use the cube
//! follows from the score: the live points are computed from the highest useful cube downwards.

use super::ProtocolError;
use crate::eval::Outcomes;
use crate::position::text::{CubeOwner, FibsBoard, FibsDialect, Xgid};
use crate::position::{Position, in_contact};

/// How much of the live cube's advantage is real while checkers can still be hit.
pub const CONTACT_EFFICIENCY: f32 = 0.68;
/// The same in a race.
pub const RACE_EFFICIENCY: f32 = 0.62;

/// Share of mars among the wins of an even game, for [`match_chance`].
const MARS_RATE: f32 = 0.26;
/// Scores farther away than this are treated as this far.
const MOST_AWAY: u32 = 64;

/// Who may double.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Both: the cube is in the middle.
    Both,
    /// The side on roll owns it.
    OnRoll,
    /// The opponent owns it.
    Opponent,
    /// Nobody: the Crawford game.
    Nobody,
}

/// What is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stakes {
    /// Points.
    Money {
        /// Mars and koks count only once the cube has been turned.
        jacoby: bool,
    },
    /// A match.
    Match {
        /// Points that the side on roll and its opponent still need.
        away: [u32; 2],
        /// This is the Crawford game or one after it.
        crawford_reached: bool,
    },
}

/// Everything about the cube that the position does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CubeSituation {
    /// The number on the cube, before a double that waits for its answer.
    pub cube: u32,
    /// Who may double.
    pub access: Access,
    /// What is played for.
    pub stakes: Stakes,
    /// Checkers of the sides can still meet.
    pub contact: bool,
}

/// Equities of the three ways to go on, for the side on roll that doubles or not: in points of the cube in money play,
/// in a match from -1 (lost) to 1 (won).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeVerdict {
    /// It does not double.
    pub no_double: f32,
    /// It doubles and the opponent takes.
    pub double_take: f32,
    /// It doubles and the opponent drops.
    pub double_drop: f32,
    /// It may double at all.
    pub may_double: bool,
}

impl CubeVerdict {
    /// The side on roll should double.
    pub fn double(&self) -> bool {
        self.may_double && self.double_take.min(self.double_drop) > self.no_double
    }

    /// The opponent should take the double.
    pub fn take(&self) -> bool {
        self.double_take <= self.double_drop
    }
}

impl CubeSituation {
    /// What an XGID says.
    ///
    /// # Errors
    /// A score at which the match is over.
    pub fn of_xgid(xgid: &Xgid) -> Result<CubeSituation, ProtocolError> {
        let [upper, lower] = xgid.score;
        let (mine, theirs) = if xgid.upper_to_move { (upper, lower) } else { (lower, upper) };
        let crawford = xgid.match_length > 0 && xgid.crawford_jacoby == 1;
        let access = match (xgid.cube_owner, xgid.upper_to_move) {
            _ if crawford => Access::Nobody,
            (CubeOwner::Nobody, _) => Access::Both,
            (CubeOwner::Upper, true) | (CubeOwner::Lower, false) => Access::OnRoll,
            _ => Access::Opponent,
        };
        let stakes = match xgid.match_length {
            0 => Stakes::Money { jacoby: xgid.crawford_jacoby & 1 == 1 },
            length => match_stakes(length, mine, theirs)?,
        };
        Ok(CubeSituation { cube: 1 << xgid.cube_log2.min(12), access, stakes, contact: contact(xgid.position) })
    }

    /// What a FIBS board says, its scores in the order of a dialect.
    ///
    /// # Errors
    /// A score at which the match is over, an impossible position.
    pub fn of_fibs(board: &FibsBoard, dialect: FibsDialect, jacoby: bool) -> Result<CubeSituation, ProtocolError> {
        let position = board.position().map_err(ProtocolError::argument)?;
        let [you_may, opponent_may] = board.may_double;
        let yours = board.turn == board.colour;
        let access = match if yours { (you_may, opponent_may) } else { (opponent_may, you_may) } {
            (true, true) => Access::Both,
            (true, false) => Access::OnRoll,
            (false, true) => Access::Opponent,
            (false, false) => Access::Nobody,
        };
        let [first, second] = board.scores.map(|points| u32::try_from(points).unwrap_or(0));
        let (mine, theirs) = if board.index_on_roll(dialect) == 0 { (first, second) } else { (second, first) };
        let stakes = match u32::try_from(board.match_length).unwrap_or(0) {
            // FIBS writes 9999 for a match without end.
            0 | 9999 => Stakes::Money { jacoby },
            length => match_stakes(length, mine, theirs)?,
        };
        // GNU Backgammon: neither the flag of a later game nor that of an earlier one.
        let is_crawford = dialect == FibsDialect::GnubgExternal
            && (board.did_crawford, board.redoubles) == (0, 0)
            && matches!(stakes, Stakes::Match { crawford_reached: true, .. });
        let access = if is_crawford { Access::Nobody } else { access };
        let cube = u32::try_from(board.cube).unwrap_or(1).clamp(1, 4096);
        Ok(CubeSituation { cube, access, stakes, contact: contact(position) })
    }

    /// What the six outcomes are worth to the side on roll with the cube as it stands.
    pub fn worth(&self) -> Outcomes {
        let cube = self.cube as i32;
        [1, 2, 3, -1, -2, -3].map(|points| self.stakes.value(0, points * cube))
    }
}

fn contact(position: Position) -> bool {
    in_contact(position.us, position.them)
}

fn match_stakes(length: u32, mine: u32, theirs: u32) -> Result<Stakes, ProtocolError> {
    let away = |points: u32| length.checked_sub(points).filter(|&away| away > 0).map(|away| away.min(MOST_AWAY));
    match (away(mine), away(theirs)) {
        (Some(mine), Some(theirs)) => {
            Ok(Stakes::Match { away: [mine, theirs], crawford_reached: mine == 1 || theirs == 1 })
        }
        _ => Err(ProtocolError::argument(format!("at {mine}:{theirs} a match to {length} is over"))),
    }
}

/// The chance, 0 to 1, to win a match at a score, given the points that each side still needs.
///
/// With both sides two points away or more by Janowski's formula `50 % + 85 % · lead / (trailer's points to go + 6)`, but
/// for the trailer never less than if the leader needed one point. With a side one point away: from the chances of the games to come, in which the trailer doubles at once after the Crawford game,
/// and `MARS_RATE` of the won games are mars.
pub fn match_chance(mine: u32, theirs: u32, after_crawford: bool) -> f32 {
    let (mine, theirs) = (mine.min(MOST_AWAY), theirs.min(MOST_AWAY));
    match (mine, theirs) {
        (0, _) => 1.0,
        (_, 0) => 0.0,
        (1, 1) => 0.5,
        (1, n) => 1.0 - trailer_chance(n, after_crawford),
        (n, 1) => trailer_chance(n, after_crawford),
        (mine, theirs) if mine < theirs => 1.0 - behind(theirs, mine),
        (mine, theirs) => behind(mine, theirs),
    }
}

/// Chance of the trailer, or at an even score, with both sides two points away or more.
fn behind(mine: u32, theirs: u32) -> f32 {
    let lead = mine as f32 - theirs as f32;
    (0.5 - 0.85 * lead / (mine as f32 + 6.0)).max(trailer_chance(mine, true))
}

/// Chance of the side that needs `n` points against one that needs one.
fn trailer_chance(n: u32, after_crawford: bool) -> f32 {
    // After the Crawford game, by points needed; a game won is worth 2 points, a mars 4.
    let mut later = vec![1.0, 0.5, 0.5];
    let at = |later: &[f32], n: u32, won: u32| later.get(n.saturating_sub(won) as usize).copied().unwrap_or(0.5);
    let win =
        |later: &[f32], n, cube| 0.5 * ((1.0 - MARS_RATE) * at(later, n, cube) + MARS_RATE * at(later, n, 2 * cube));
    for needed in 3..=n {
        let chance = win(&later, needed, 2);
        later.push(chance);
    }
    if after_crawford { at(&later, n, 0) } else { win(&later, n, 1) }
}

impl Stakes {
    /// The value for a side (0 = on roll, 1 = opponent) of gaining that many points; the other side's is its negative.
    fn value(&self, side: usize, gain: i32) -> f32 {
        let sign = if side == 0 { 1 } else { -1 };
        let gain = gain * sign;
        let value = match *self {
            Stakes::Money { .. } => gain as f32,
            Stakes::Match { away: [mine, theirs], crawford_reached } => {
                let points = gain.unsigned_abs();
                let (mine, theirs) = match gain {
                    0.. => (mine.saturating_sub(points), theirs),
                    _ => (mine, theirs.saturating_sub(points)),
                };
                2.0 * match_chance(mine, theirs, crawford_reached) - 1.0
            }
        };
        value * sign as f32
    }

    /// Points that a side still needs; none in money play.
    fn away(&self, side: usize) -> Option<u32> {
        match self {
            Stakes::Money { .. } => None,
            Stakes::Match { away: [mine, theirs], .. } => Some(if side == 0 { *mine } else { *theirs }),
        }
    }
}

/// Points of a piecewise linear function, by rising winning chance.
struct Line(Vec<(f32, f32)>);

impl Line {
    /// A line through the points, those that do not rise in both coordinates left out.
    fn new(points: impl IntoIterator<Item = (f32, f32)>) -> Line {
        let mut kept: Vec<(f32, f32)> = Vec::new();
        for (x, y) in points {
            if kept.last().is_none_or(|&(before, low)| x > before && y >= low) {
                kept.push((x, y));
            }
        }
        Line(kept)
    }

    fn at(&self, x: f32) -> f32 {
        let above = self.0.iter().position(|&(to, _)| to >= x).unwrap_or(self.0.len().saturating_sub(1));
        match (above.checked_sub(1).and_then(|i| self.0.get(i)), self.0.get(above)) {
            (Some(&(x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
            (None, Some(&(_, y))) => y,
            _ => 0.0,
        }
    }

    /// The lowest chance at which the line reaches a value; 1 if it never does.
    fn reaches(&self, value: f32) -> f32 {
        let Some(above) = self.0.iter().position(|&(_, y)| y >= value) else {
            return 1.0;
        };
        match (above.checked_sub(1).and_then(|i| self.0.get(i)), self.0.get(above)) {
            (Some(&(x0, y0)), Some(&(x1, y1))) => x0 + (x1 - x0) * (value - y0) / (y1 - y0),
            (None, Some(&(x, _))) => x,
            _ => 1.0,
        }
    }
}

/// The distribution of won and lost games with what is played for.
struct Live<'a> {
    stakes: &'a Stakes,
    /// Shares of oin, mars and koks among the games that a side wins.
    wins: [[f32; 3]; 2],
}

impl Live<'_> {
    /// Average value for `side` of a game that `winner` wins with the cube at `cube`.
    fn average(&self, side: usize, winner: usize, cube: u32, single: bool) -> f32 {
        let sign = if side == winner { 1 } else { -1 };
        let shares = if winner == 0 { self.wins[0] } else { self.wins[1] };
        let value = |points: i32| self.stakes.value(side, sign * points * cube as i32);
        match single {
            true => value(1),
            false => shares.iter().zip([1, 2, 3]).map(|(share, points)| share * value(points)).sum(),
        }
    }

    /// The winning chance of `side` from which it cashes by doubling `cube`, and what it gets; `None` if doubling is of
    /// no use to it.
    fn cash(&self, side: usize, cube: u32) -> Option<(f32, f32)> {
        let other = 1 - side;
        let value = self.stakes.value(side, cube as i32);
        match self.stakes.away(side) {
            None => {
                let won = self.average(side, side, 1, false);
                let lost = -self.average(side, other, 1, false);
                Some(((lost + 1.0) / (won + lost + 0.5), value))
            }
            Some(away) if cube >= away => None,
            Some(_) => {
                let taken = self.owned(other, 2 * cube);
                let take_point = taken.reaches(self.stakes.value(other, -(cube as i32)));
                Some((1.0 - take_point, value))
            }
        }
    }

    /// Value for the cube's owner by his winning chance.
    fn owned(&self, owner: usize, cube: u32) -> Line {
        let ends = [self.average(owner, 1 - owner, cube, false), self.average(owner, owner, cube, false)];
        let cash = self.cash(owner, cube);
        Line::new([Some((0.0, ends[0])), cash, Some((1.0, ends[1]))].into_iter().flatten())
    }

    /// Value for the side on roll with the cube in the middle.
    fn centred(&self, cube: u32, single: bool) -> Line {
        let ends = [self.average(0, 1, cube, single), self.average(0, 0, cube, single)];
        let theirs = self.cash(1, cube).map(|(chance, value)| (1.0 - chance, -value));
        Line::new([Some((0.0, ends[0])), theirs, self.cash(0, cube), Some((1.0, ends[1]))].into_iter().flatten())
    }

    fn dead(&self, win: f32, cube: u32, single: bool) -> f32 {
        win * self.average(0, 0, cube, single) + (1.0 - win) * self.average(0, 1, cube, single)
    }
}

fn shares(classes: [f32; 3]) -> [f32; 3] {
    let sum: f32 = classes.iter().sum();
    if sum > 0.0 { classes.map(|chance| chance / sum) } else { [1.0, 0.0, 0.0] }
}

/// What doubling and waiting are worth to the side on roll, given its chances before the throw.
///
/// # Examples
/// ```
/// use nardy::protocol::cube::{Access, CubeSituation, Stakes, judge};
///
/// let money = CubeSituation { cube: 1, access: Access::Both, stakes: Stakes::Money { jacoby: true }, contact: true };
/// let verdict = judge(&[0.75, 0.0, 0.0, 0.25, 0.0, 0.0], &money);
/// assert!(verdict.double() && verdict.take());
/// let verdict = judge(&[0.85, 0.0, 0.0, 0.15, 0.0, 0.0], &money);
/// assert!(verdict.double() && !verdict.take());
/// ```
pub fn judge(outcomes: &Outcomes, situation: &CubeSituation) -> CubeVerdict {
    let [a, b, c, d, e, f] = *outcomes;
    let live = Live { stakes: &situation.stakes, wins: [shares([a, b, c]), shares([d, e, f])] };
    let win = (a + b + c).clamp(0.0, 1.0);
    let cube = situation.cube;
    let x = if situation.contact { CONTACT_EFFICIENCY } else { RACE_EFFICIENCY };
    let mix = |dead: f32, live: f32| (1.0 - x) * dead + x * live;
    let no_double = match situation.access {
        Access::Both => {
            let single = situation.stakes == Stakes::Money { jacoby: true };
            mix(live.dead(win, cube, single), live.centred(cube, single).at(win))
        }
        Access::OnRoll => mix(live.dead(win, cube, false), live.owned(0, cube).at(win)),
        Access::Opponent => mix(live.dead(win, cube, false), -live.owned(1, cube).at(1.0 - win)),
        Access::Nobody => live.dead(win, cube, false),
    };
    let double_take = mix(live.dead(win, 2 * cube, false), -live.owned(1, 2 * cube).at(1.0 - win));
    CubeVerdict {
        no_double,
        double_take,
        double_drop: situation.stakes.value(0, cube as i32),
        // A cube that already wins the match for the side on roll is of no use to it.
        may_double: matches!(situation.access, Access::Both | Access::OnRoll)
            && situation.stakes.away(0).is_none_or(|away| cube < away),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(access: Access) -> CubeSituation {
        CubeSituation { cube: 1, access, stakes: Stakes::Money { jacoby: true }, contact: true }
    }

    fn at_score(mine: u32, theirs: u32, cube: u32, access: Access) -> CubeSituation {
        let stakes = Stakes::Match { away: [mine, theirs], crawford_reached: mine == 1 || theirs == 1 };
        CubeSituation { cube, access, stakes, contact: true }
    }

    fn singles(win: f32) -> Outcomes {
        [win, 0.0, 0.0, 1.0 - win, 0.0, 0.0]
    }

    /// The lowest winning chance, in thousandths, at which `holds`.
    fn from(holds: impl Fn(f32) -> bool) -> usize {
        (0..=1000).find(|&i| holds(i as f32 / 1000.0)).unwrap_or(1001)
    }

    #[test]
    fn without_mars_the_money_points_lie_where_janowski_puts_them() {
        // Live 20 %, dead 25 %; a share of 0.68 is 25 % / (1 + 0.68 / 4) from there: 1 / (4 + 0.68) of the games.
        let drop = from(|win| !judge(&singles(win), &money(Access::Both)).take());
        assert!((785..=789).contains(&drop), "{drop}");
        let double = from(|win| judge(&singles(win), &money(Access::Both)).double());
        let redouble = from(|win| judge(&singles(win), &money(Access::OnRoll)).double());
        assert!(double < redouble && (690..=760).contains(&double) && redouble < drop, "{double} {redouble}");
    }

    #[test]
    fn nobody_doubles_without_access_or_when_it_is_useless() {
        for situation in [
            money(Access::Opponent),
            money(Access::Nobody),
            at_score(2, 5, 2, Access::Both),
            at_score(1, 3, 1, Access::Both),
        ] {
            assert_eq!(from(|win| judge(&singles(win), &situation).double()), 1001, "{situation:?}");
        }
    }

    #[test]
    fn too_good_positions_are_played_on_for_mars_unless_it_does_not_count() {
        let outcomes = [0.1, 0.85, 0.0, 0.05, 0.0, 0.0];
        let without_jacoby = CubeSituation { stakes: Stakes::Money { jacoby: false }, ..money(Access::Both) };
        assert!(!judge(&outcomes, &without_jacoby).double());
        let verdict = judge(&outcomes, &money(Access::Both));
        assert!(verdict.double() && !verdict.take());
    }

    #[test]
    fn after_the_crawford_game_the_trailer_doubles_even_when_worse() {
        let trailing = at_score(4, 1, 1, Access::Both);
        for win in [0.3, 0.45, 0.6] {
            assert!(judge(&singles(win), &trailing).double(), "{win}");
        }
    }

    #[test]
    fn the_last_double_of_a_match_is_taken_from_the_dead_take_point() {
        // 2 away each: the doubled game decides the match; a drop leaves the Crawford score 2 away to 1.
        let even = at_score(2, 2, 1, Access::Both);
        let drop = from(|win| !judge(&singles(win), &even).take());
        let left = match_chance(2, 1, false);
        assert!((drop as f32 / 1000.0 - (1.0 - left)).abs() < 0.002, "{drop} against {left}");
    }

    #[test]
    fn chances_of_a_match_are_fair_rise_with_the_score_and_are_near_the_known_ones() {
        for mine in 1..=15 {
            for theirs in 1..=15 {
                for after in [false, true] {
                    let (one, other) = (match_chance(mine, theirs, after), match_chance(theirs, mine, after));
                    assert!((one + other - 1.0).abs() < 1e-6);
                    assert!(match_chance(mine, theirs + 1, after) >= one - 1e-6, "{mine} {theirs} {after}");
                }
            }
        }
        // Published tables have 0.32, 0.25 (Crawford), 0.31 (after it, 4 away), 0.60, 0.67, 0.65.
        for (mine, theirs, after, known) in
            [(2, 1, false, 0.32), (3, 1, false, 0.25), (4, 1, true, 0.31), (2, 3, false, 0.6), (2, 4, false, 0.67)]
        {
            assert!((match_chance(mine, theirs, after) - known).abs() < 0.015, "{mine} {theirs}");
        }
    }
}
