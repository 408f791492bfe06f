//! The player that races.

use crate::game::Player;
use crate::movegen::{Play, PlayList};
use crate::position::Position;
use crate::rules::{Game, Rules};
use crate::types::Roll;

/// Chooses the play after which its lead in pips is largest: it hits whatever it can and wastes no pip, but sees neither
/// safety nor blocking nor timing.
///
/// Most plays of a roll move the same number of pips, so what decides between them belongs to the player:
/// 1. the larger lead in pips (opponent's pips minus own);
/// 2. more checkers borne off;
/// 3. long nardy: fewer checkers left on the head; short nardy: fewer own points with a single checker;
/// 4. the greater list of steps, that is, the rearmost checkers first.
///
/// No two plays are equal in all four, so the choice does not depend on their order in the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct PipsPlayer;

impl PipsPlayer {
    fn key(play: Play, game: Game) -> impl Ord {
        let Position { us, them } = play.position;
        let lead = i64::from(them.pip_count()) - i64::from(us.pip_count());
        let loose = match game {
            Game::Long => u32::from(us.count(24)),
            Game::Short => us.occupied().len() - us.held().len(),
        };
        (lead, us.off(), std::cmp::Reverse(loose), play.steps)
    }
}

impl Player for PipsPlayer {
    fn name(&self) -> String {
        "pips".into()
    }

    fn choose(&mut self, _: Position, _: Roll, rules: &Rules, plays: &PlayList) -> usize {
        let best = plays.iter().enumerate().max_by_key(|&(_, play)| PipsPlayer::key(play, rules.game));
        best.map_or(0, |(index, _)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;
    use crate::position::Checkers;

    fn choice(us: &[(u8, u8)], them: &[(u8, u8)], dice: (u8, u8), rules: &Rules) -> String {
        let position = Position { us: Checkers::from_points(us), them: Checkers::from_points(them) };
        let roll = Roll::new(dice.0, dice.1).unwrap();
        let plays = legal_plays(position, roll, rules);
        plays.steps(PipsPlayer.choose(position, roll, rules, &plays)).to_string()
    }

    #[test]
    fn a_hit_gains_more_than_anything_else() {
        // The far blot (own 4, his 21) costs him 4 pips, the near one (own 18, his 7) 18.
        let hit = choice(&[(24, 1), (8, 1), (6, 13)], &[(21, 1), (7, 1), (1, 13)], (6, 4), &Rules::SHORT);
        assert!(hit.contains("24/18"), "{hit}");
    }

    #[test]
    fn dice_are_not_wasted_when_bearing_off() {
        // 6/5/off moves 6 pips as well as 6/off with the six and 2/1; two checkers off come first.
        assert_eq!(choice(&[(6, 1), (1, 1), (3, 1)], &[(6, 15)], (6, 1), &Rules::SHORT), "6/off 1/off");
    }

    #[test]
    fn among_equal_leads_single_checkers_are_covered_and_the_head_is_left() {
        assert_eq!(
            choice(&[(24, 2), (13, 5), (8, 3), (6, 5)], &[(24, 2), (13, 5), (8, 3), (6, 5)], (3, 1), &Rules::SHORT),
            "8/5 6/5"
        );
        let long = choice(&[(24, 14), (20, 1)], &[(24, 15)], (2, 1), &Rules::LONG);
        assert!(long.contains("24/"), "{long}");
    }
}
