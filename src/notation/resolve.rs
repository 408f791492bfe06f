//! From words to the one legal play they mean.

use super::explain::{Obstacle, TurnRules};
use super::legs::{Words, read_words};
use super::{Leg, Numbers, PlayTextError, format_play, point_name};
use crate::movegen::{Play, PlayList, legal_plays};
use crate::position::Position;
use crate::rules::{Game, Rules};
use crate::types::{BAR, PointSet, Roll, Step, Steps};

/// How [`parse_play_with`] reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayTextOptions {
    /// In whose numbering the points are given.
    pub numbers: Numbers,
    /// An empty text means a pass, as in game records and answers of programs.
    pub empty_is_pass: bool,
}

/// The legal play that a text in the mover's own numbers means; an empty text is refused.
///
/// # Errors
/// What is wrong with the text or which rule the play breaks.
///
/// # Examples
/// ```
/// use nardy::{notation::parse_play, position::Position, rules::Rules, types::Roll};
///
/// let roll = Roll::new(3, 1).unwrap();
/// let play = parse_play("8/5, 6-5", Position::SHORT_START, roll, &Rules::SHORT).unwrap();
/// assert_eq!(play.steps.to_string(), "8/5 6/5");
/// let error = parse_play("24/23 13/12", Position::LONG_START, roll, &Rules::LONG).unwrap_err();
/// assert_eq!(error.to_string(), "`13/12`: the mover has no checker on 13 to move");
/// ```
pub fn parse_play(text: &str, position: Position, roll: Roll, rules: &Rules) -> Result<Play, PlayTextError> {
    parse_play_with(text, position, roll, rules, PlayTextOptions::default())
}

/// [`parse_play`] with options. The position must be valid.
///
/// # Errors
/// What is wrong with the text or which rule the play breaks.
pub fn parse_play_with(
    text: &str,
    position: Position,
    roll: Roll,
    rules: &Rules,
    options: PlayTextOptions,
) -> Result<Play, PlayTextError> {
    let plays = legal_plays(position, roll, rules);
    let context = Context { text, position, roll, rules, numbers: options.numbers, plays: &plays };
    match read_words(text, options.numbers, rules.game)? {
        Words::Nothing if !options.empty_is_pass => Err(PlayTextError::Nothing { example: context.example() }),
        Words::Nothing | Words::Pass if plays.is_pass() => Ok(plays.get(0)),
        Words::Nothing | Words::Pass => Err(PlayTextError::MustPlay { roll, example: context.example() }),
        Words::Legs(legs) => context.resolve(&legs),
    }
}

struct Context<'a> {
    text: &'a str,
    position: Position,
    roll: Roll,
    rules: &'a Rules,
    numbers: Numbers,
    plays: &'a PlayList,
}

impl Context<'_> {
    /// The same play whatever order the generator lists them in.
    fn example(&self) -> String {
        self.print(self.plays.iter().map(|play| play.steps).max().unwrap_or(Steps::NONE))
    }

    fn print(&self, steps: Steps) -> String {
        format_play(self.position, steps, self.rules.game, self.numbers)
    }

    fn slice(&self, leg: &Leg) -> String {
        self.text[leg.at.0..leg.at.1].into()
    }

    fn name(&self, point: u8) -> String {
        match point {
            BAR => "the bar".into(),
            _ => point_name(self.numbers.convert(self.rules.game, point)),
        }
    }

    fn whole(&self) -> String {
        self.text.trim().into()
    }

    fn resolve(&self, legs: &[Leg]) -> Result<Play, PlayTextError> {
        self.check_words(legs)?;
        let ways: Vec<Way> = legs.iter().map(|leg| Way { at: leg.from, to: leg.to }).collect();
        let dice: Vec<u8> = self.roll.dice().collect();
        if !feasible(&ways, &dice) {
            let alone = legs.iter().zip(&ways).find(|&(_, &way)| !feasible(&[way], &dice));
            let legs = alone.map_or_else(|| self.whole(), |(leg, _)| self.slice(leg));
            return Err(PlayTextError::NotThoseDice { legs, roll: self.roll });
        }
        let mut search = Search {
            turn: TurnRules::new(self.position, self.roll, self.rules),
            plays: self.plays,
            readings: Vec::new(),
            failure: None,
            unlisted: None,
        };
        search.go(self.position, &ways, &dice, Steps::NONE, PointSet(0));
        match (search.readings.is_empty(), search.unlisted, search.failure) {
            (true, Some(used), _) => Err(self.wrong_dice_use(used)),
            (true, None, Some((_, obstacle, leg))) => {
                let leg = leg.map_or_else(|| self.whole(), |leg| self.slice(&legs[leg]));
                Err(self.explain(obstacle, leg))
            }
            _ => self.choose(legs, &search.readings),
        }
    }

    /// What can be told without trying the legs.
    fn check_words(&self, legs: &[Leg]) -> Result<(), PlayTextError> {
        for leg in legs {
            let long = self.rules.game == Game::Long;
            if long && leg.from > 24 {
                return Err(PlayTextError::NoBar { leg: self.slice(leg) });
            }
            if long && leg.hit {
                return Err(PlayTextError::NoHits { leg: self.slice(leg) });
            }
            let arrives = legs.iter().any(|other| other.to == leg.from);
            if self.position.us.count(leg.from) == 0 && !arrives {
                return Err(PlayTextError::NoChecker { leg: self.slice(leg), point: self.name(leg.from) });
            }
        }
        Ok(())
    }

    /// Every step is allowed, but not to leave it at that (1.5).
    fn wrong_dice_use(&self, used: usize) -> PlayTextError {
        let (legs, roll, example) = (self.whole(), self.roll, self.example());
        let needed = self.plays.steps(0).len();
        if used < needed {
            PlayTextError::UseMoreDice { legs, roll, used, needed, example }
        } else {
            PlayTextError::LargerDie { legs, roll, die: roll.high(), example }
        }
    }

    fn explain(&self, obstacle: Obstacle, leg: String) -> PlayTextError {
        match obstacle {
            Obstacle::Blocked { point } => PlayTextError::Blocked { leg, point: self.name(point) },
            Obstacle::Head { limit } => PlayTextError::Head { leg, limit, point: self.name(24) },
            Obstacle::Row { points } => {
                let row = points.into_iter().map(|point| self.name(point)).collect::<Vec<_>>().join(" ");
                PlayTextError::Block { leg, row }
            }
            Obstacle::Full { point } => {
                PlayTextError::FullPoint { leg, point: self.name(point), limit: self.rules.max_point }
            }
            Obstacle::MustBearOff { die } => PlayTextError::MustBearOff { leg, die },
            Obstacle::Higher { die, point } => PlayTextError::HigherChecker { leg, die, point: self.name(point) },
            Obstacle::NotHome { point } => PlayTextError::NotHome { leg, point: self.name(point) },
            Obstacle::BarFirst => PlayTextError::BarFirst { leg },
            Obstacle::NoChecker { point } => PlayTextError::NoChecker { leg, point: self.name(point) },
        }
    }

    /// Of the legal readings the one that agrees with the hit marks.
    fn choose(&self, legs: &[Leg], readings: &[Reading]) -> Result<Play, PlayTextError> {
        let marked = |leg: &&Leg| leg.hit;
        let marks = legs.iter().filter(marked).fold(0, |set, leg| set | 1u32 << leg.to);
        let possible: Vec<&Reading> = readings.iter().filter(|reading| marks & !reading.hits.0 == 0).collect();
        match possible[..] {
            [] => {
                let hits = readings.iter().fold(0, |set, reading| set | reading.hits.0);
                let false_mark = legs.iter().filter(marked).find(|leg| hits >> leg.to & 1 == 0);
                match false_mark {
                    Some(leg) => Err(PlayTextError::NotAHit { leg: self.slice(leg) }),
                    None => Err(self.ambiguous(readings.iter())),
                }
            }
            [only] => Ok(only.play),
            _ => match possible.iter().find(|reading| marks != 0 && reading.hits.0 == marks) {
                Some(exact) => Ok(exact.play),
                None => Err(self.ambiguous(possible.into_iter())),
            },
        }
    }

    fn ambiguous<'r>(&self, readings: impl Iterator<Item = &'r Reading>) -> PlayTextError {
        let readings = readings.map(|reading| format!("`{}`", self.print(reading.steps))).collect::<Vec<_>>();
        PlayTextError::Ambiguous { text: self.whole(), readings: readings.join(" or ") }
    }
}

/// What is left of a leg.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Way {
    at: u8,
    to: u8,
}

impl Way {
    fn is_done(self) -> bool {
        self.at == self.to
    }

    /// The way after a step by `die`, unless that goes too far.
    fn after(self, die: u8) -> Option<Way> {
        let at = self.at.saturating_sub(die);
        (at >= self.to && !self.is_done()).then_some(Way { at, ..self })
    }
}

/// The dice can make the ways, the board left aside.
fn feasible(ways: &[Way], dice: &[u8]) -> bool {
    let Some(i) = ways.iter().position(|way| !way.is_done()) else { return true };
    (0..dice.len()).any(|d| {
        ways[i].after(dice[d]).is_some_and(|next| {
            let mut ways = ways.to_vec();
            ways[i] = next;
            feasible(&ways, &without(dice, d))
        })
    })
}

fn without(dice: &[u8], index: usize) -> Vec<u8> {
    [&dice[..index], &dice[index + 1..]].concat()
}

struct Reading {
    play: Play,
    /// The steps as the text has them.
    steps: Steps,
    hits: PointSet,
}

/// All orders of the legs' steps with all assignments of dice.
struct Search<'a> {
    turn: TurnRules<'a>,
    plays: &'a PlayList,
    /// Legal readings that lead to different positions.
    readings: Vec<Reading>,
    /// The obstacle met after most steps, with the leg it stopped; no leg if it stopped the turn at its end.
    failure: Option<(usize, Obstacle, Option<usize>)>,
    /// Dice used by a reading whose steps are allowed but which is no legal play.
    unlisted: Option<usize>,
}

impl Search<'_> {
    fn go(&mut self, position: Position, ways: &[Way], dice: &[u8], steps: Steps, hits: PointSet) {
        if ways.iter().all(|way| way.is_done()) {
            return self.finish(position, steps, hits);
        }
        for (i, way) in ways.iter().enumerate() {
            if ways[..i].contains(way) {
                continue;
            }
            for (d, &die) in dice.iter().enumerate() {
                let Some(next) = way.after(die).filter(|_| !dice[..d].contains(&die)) else { continue };
                let mut ways = ways.to_vec();
                ways[i] = next;
                let dice = without(dice, d);
                if !feasible(&ways, &dice) {
                    continue;
                }
                let step = Step { from: way.at, die };
                match self.turn.step(position, step) {
                    Err(obstacle) => self.note(steps.len(), obstacle, Some(i)),
                    Ok(after) => {
                        let hit = u32::from(after.them != position.them) << step.to();
                        self.go(after, &ways, &dice, steps.with(step), PointSet(hits.0 | hit));
                    }
                }
            }
        }
    }

    fn finish(&mut self, position: Position, steps: Steps, hits: PointSet) {
        if let Err(obstacle) = self.turn.end(position) {
            return self.note(steps.len(), obstacle, None);
        }
        match self.plays.find(position) {
            None => self.unlisted = Some(steps.len()),
            Some(play) if self.readings.iter().all(|reading| reading.play != play) => {
                self.readings.push(Reading { play, steps, hits });
            }
            Some(_) => {}
        }
    }

    /// Keeps the failure that came latest, and of those the one most worth telling.
    fn note(&mut self, depth: usize, obstacle: Obstacle, leg: Option<usize>) {
        let better = match &self.failure {
            None => true,
            Some((deepest, known, _)) => depth > *deepest || depth == *deepest && obstacle < *known,
        };
        if better {
            self.failure = Some((depth, obstacle, leg));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Checkers;

    fn position(own: &[(u8, u8)], opp: &[(u8, u8)]) -> Position {
        Position { us: Checkers::from_points(own), them: Checkers::from_points(opp) }
    }

    fn roll(a: u8, b: u8) -> Roll {
        Roll::new(a, b).unwrap()
    }

    fn error(text: &str, position: Position, dice: (u8, u8), rules: &Rules) -> String {
        parse_play(text, position, roll(dice.0, dice.1), rules).unwrap_err().to_string()
    }

    #[test]
    fn every_spelling_of_a_play_is_understood() {
        let start = Position::SHORT_START;
        for text in ["24/18 18/13", "24/18/13", "24/13", "24-13", "18/13 24/18", "24/18,18/13", "24–13"] {
            let play = parse_play(text, start, roll(6, 5), &Rules::SHORT).unwrap();
            assert_eq!(play.steps.to_string(), "24/18 18/13", "{text}");
        }
        for text in ["8/5(2) 6/3(2)", "8/5 6/3 8/5 6/3", "8/5(2)6/3(2)"] {
            let play = parse_play(text, start, roll(3, 3), &Rules::SHORT);
            assert_eq!(play.is_ok(), text.contains(' '), "{text}");
        }
    }

    #[test]
    fn a_collapsed_leg_that_hits_on_one_way_needs_marks() {
        let board = position(&[(24, 2), (6, 13)], &[(5, 1), (13, 14)]);
        let hit = parse_play("24/20*/14", board, roll(6, 4), &Rules::SHORT).unwrap();
        let quiet = parse_play("24/18/14", board, roll(6, 4), &Rules::SHORT).unwrap();
        assert_eq!((hit.position.them.bar(), quiet.position.them.bar()), (1, 0));
        let message = error("24/14", board, (6, 4), &Rules::SHORT);
        assert_eq!(
            message,
            "`24/14` can mean `24/18/14` or `24/20*/14`; name the points between or mark the hits with `*`"
        );
        assert_eq!(parse_play("24/20/14", board, roll(6, 4), &Rules::SHORT), Ok(hit));
    }

    #[test]
    fn marks_choose_between_readings() {
        // Two blots: 24/14* by 20 hits twice, by 18 once.
        let board = position(&[(24, 2), (6, 13)], &[(5, 1), (11, 1), (13, 13)]);
        let once = parse_play("24/14*", board, roll(6, 4), &Rules::SHORT).unwrap();
        assert_eq!(once.position.them.count(BAR), 1);
        let twice = parse_play("24/20*/14*", board, roll(6, 4), &Rules::SHORT).unwrap();
        assert_eq!(twice.position.them.count(BAR), 2);
        assert!(error("24/18*/14", board, (6, 4), &Rules::SHORT).contains("marked as a hit"));
    }

    #[test]
    fn board_numbers_are_read_for_black() {
        let options = PlayTextOptions { numbers: Numbers::board(false), empty_is_pass: false };
        let play = parse_play_with("12/6", Position::LONG_START, roll(4, 2), &Rules::LONG, options).unwrap();
        assert_eq!(play.steps.to_string(), "24/20 20/18");
        let play = parse_play_with("1/7 12/17", Position::SHORT_START, roll(6, 5), &Rules::SHORT, options).unwrap();
        assert_eq!(play.steps.to_string(), "24/18 13/8");
        let refused = parse_play_with("6/12", Position::LONG_START, roll(4, 2), &Rules::LONG, options);
        assert_eq!(
            refused.unwrap_err().to_string(),
            "`6/12` goes backwards: checkers move from higher to lower points of their side's own numbering"
        );
    }

    #[test]
    fn an_empty_text_is_a_pass_only_where_that_is_asked_for() {
        let board = position(&[(25, 1), (3, 14)], &[(6, 3), (5, 3), (4, 3), (3, 2), (2, 2), (1, 2)]);
        let dance = roll(5, 2);
        let options = PlayTextOptions { empty_is_pass: true, ..Default::default() };
        assert!(parse_play_with(" ", board, dance, &Rules::SHORT, options).unwrap().steps.is_empty());
        assert!(parse_play("no move", board, dance, &Rules::SHORT).unwrap().steps.is_empty());
        assert_eq!(error("", board, (5, 2), &Rules::SHORT), "expected a play such as `pass`, found nothing");
    }
}
