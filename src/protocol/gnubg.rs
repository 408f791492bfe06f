//! GNU Backgammon's external player: a request line in, the answer out.
//!
//! The requests are FIBS boards in GNU Backgammon's own reading ([`FibsDialect::GnubgExternal`]): points are numbered for
//! player 1 whoever is asked, and a board that asks whether to take a double shows the *doubler* on roll. What has to be
//! known about the connection itself is told in docs/protocol.md.

use super::cube::{CubeSituation, judge};
use super::{Engine, Level, Limits, ProtocolError, Task};
use crate::notation::{Numbers, format_steps};
use crate::position::text::{FibsBoard, FibsDialect};
use crate::rules::{Game, Rules};
use crate::types::Steps;

/// How requests are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GnubgOptions {
    /// Money games are played with the Jacoby rule, which a request does not tell; GNU Backgammon's default.
    pub jacoby: bool,
    /// Most plies to look ahead.
    pub ply: u32,
    /// Strength of the plays; the cube is always handled at full strength.
    pub level: Level,
    /// Which mistakes a weaker level makes.
    pub seed: u64,
}

impl Default for GnubgOptions {
    fn default() -> GnubgOptions {
        GnubgOptions { jacoby: true, ply: 0, level: Level::Full, seed: 0 }
    }
}

/// The answer to a request, without the end of line: a play, empty if nothing can be played, `roll`, `double`, `take` or
/// `drop`; `Error: …` if the request can't be read.
///
/// # Examples
/// ```
/// use nardy::protocol::{ModelEngine, gnubg::{GnubgOptions, answer}};
///
/// let reply = answer(b"board:too:short\n\0", &mut ModelEngine::new(), &GnubgOptions::default());
/// assert_eq!(reply, "Error: FIBS board: expected 52 fields after `board:`, found 2");
/// ```
pub fn answer(request: &[u8], engine: &mut dyn Engine, options: &GnubgOptions) -> String {
    decide(request, engine, options).unwrap_or_else(|error| format!("Error: {}", error.message()))
}

fn decide(request: &[u8], engine: &mut dyn Engine, options: &GnubgOptions) -> Result<String, ProtocolError> {
    let text = std::str::from_utf8(request).map_err(|_| ProtocolError::argument("the request is not UTF-8 text"))?;
    let board: FibsBoard = text.parse().map_err(ProtocolError::argument)?;
    let situation = CubeSituation::of_fibs(&board, FibsDialect::GnubgExternal, options.jacoby)?;
    let position = board.position().map_err(ProtocolError::argument)?;
    if position.is_over() || board.turn == 0 {
        return Err(ProtocolError::state("the game is over"));
    }
    let depth = options.ply.min(engine.max_depth());
    if !board.was_doubled
        && let Some(roll) = board.roll()
    {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let task = Task { position, roll, rules: Rules::SHORT, worth: situation.worth(), limits };
        let thought = engine.think(&task, &|| false)?;
        let chosen = options.level.pick(&thought.candidates, options.seed, position, roll);
        let steps = thought.candidates.get(chosen).map_or(Steps::NONE, |candidate| candidate.play.steps);
        return Ok(if steps.is_empty() { String::new() } else { format_steps(steps, Game::Short, Numbers::Own) });
    }
    let verdict = judge(&engine.evaluate(position, &Rules::SHORT, depth)?, &situation);
    Ok(match (board.was_doubled, verdict.take(), verdict.double()) {
        (true, true, _) => "take",
        (true, false, _) => "drop",
        (false, _, true) => "double",
        (false, _, false) => "roll",
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Outcomes;
    use crate::movegen::legal_plays;
    use crate::notation::parse_play;
    use crate::position::Position;
    use crate::protocol::{Candidate, EngineError, Thought};
    use crate::types::Roll;

    /// Chances that are given, every play worth the same; keeps what it was asked.
    struct Scripted {
        outcomes: Outcomes,
        asked: Vec<(Position, Option<Roll>, Outcomes)>,
    }

    impl Engine for Scripted {
        fn think(&mut self, task: &Task, _: &dyn Fn() -> bool) -> Result<Thought, EngineError> {
            self.asked.push((task.position, Some(task.roll), task.worth));
            let plays = legal_plays(task.position, task.roll, &task.rules);
            let value = |play| Candidate { play, outcomes: self.outcomes, equity: 0.0, loss: 0.0, depth: 0 };
            Ok(Thought { candidates: plays.iter().map(value).collect(), depth: 0, nodes: 0 })
        }

        fn evaluate(&mut self, position: Position, _: &Rules, _: u32) -> Result<Outcomes, EngineError> {
            self.asked.push((position, None, [0.0; 6]));
            Ok(self.outcomes)
        }

        fn max_depth(&self) -> u32 {
            0
        }
    }

    fn ask(request: &str, win: f32) -> (String, Scripted) {
        let mut engine = Scripted { outcomes: [win, 0.0, 0.0, 1.0 - win, 0.0, 0.0], asked: Vec::new() };
        let reply = answer(format!("{request}\n\0").as_bytes(), &mut engine, &GnubgOptions::default());
        (reply, engine)
    }

    // Requests of a GNU Backgammon 1.07.001, the bot in seat 1 and in seat 0.
    const SEAT_1_CUBE: &str = "board:gnubg:root:5:0:0:0:-1:-1:0:0:0:5:0:3:0:0:0:-4:5:-1:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    const SEAT_1_PLAY: &str = "board:gnubg:root:5:0:0:0:-1:-1:-1:0:0:5:1:3:0:0:0:-3:4:-2:0:0:-2:0:-4:-1:0:0:1:0:1:1:3:2:3:2:2:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    const SEAT_1_TAKE: &str = "board:root:gnubg:5:0:0:0:0:0:0:0:0:5:1:3:-1:2:1:-2:2:-3:0:1:-1:-1:-3:-2:0:-2:0:0:0:-1:0:0:0:0:2:0:1:1:1:-1:0:25:0:0:0:0:0:0:0:1";
    const SEAT_0_CUBE: &str = "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:1:1:0:-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    const SEAT_0_PLAY: &str = "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:1:1:0:-1:5:2:5:2:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";

    #[test]
    fn a_play_is_legal_from_the_side_asked_in_either_seat() {
        for request in [SEAT_1_PLAY, SEAT_0_PLAY] {
            let (reply, engine) = ask(request, 0.5);
            let (position, roll, _) = engine.asked[0];
            assert!(parse_play(&reply, position, roll.unwrap(), &Rules::SHORT).is_ok(), "{reply}");
        }
        // The checker of player 1 on its bar must enter; player 0 sees the start with one enemy checker moved.
        assert!(ask(SEAT_1_PLAY, 0.5).0.starts_with("bar/"));
        let (_, engine) = ask(SEAT_0_PLAY, 0.5);
        assert_eq!(engine.asked[0].0.us, Position::SHORT_START.us);
        assert_eq!(engine.asked[0].0.them.count(11), 1);
    }

    #[test]
    fn before_the_throw_it_doubles_in_the_window_only() {
        for request in [SEAT_1_CUBE, SEAT_0_CUBE] {
            assert_eq!(ask(request, 0.5).0, "roll");
            assert_eq!(ask(request, 0.77).0, "double");
        }
        let owned_by_player_0 = SEAT_1_CUBE.replace(":1:1:1:0:1:-1:0:25", ":2:0:1:0:1:-1:0:25");
        assert_eq!(ask(&owned_by_player_0, 0.77).0, "roll");
        // Player 0 needs one point, the flags call it the Crawford game or one after it.
        let trailing = SEAT_1_CUBE.replace("root:5:0:0", "root:4:3:0");
        let crawford = format!("{}0", trailing.strip_suffix('1').unwrap());
        assert_eq!((ask(&crawford, 0.5).0, ask(&trailing, 0.5).0), ("roll".into(), "double".into()));
    }

    #[test]
    fn a_double_is_judged_from_the_doublers_chances() {
        assert_eq!(ask(SEAT_1_TAKE, 0.70).0, "take");
        let (reply, engine) = ask(SEAT_1_TAKE, 0.95);
        assert_eq!(reply, "drop");
        // Player 0 has doubled: it is the side on roll.
        assert_eq!((engine.asked[0].0.us.count(16), engine.asked[0].0.us.count(13)), (1, 2));
    }

    #[test]
    fn the_score_that_a_play_is_worth_belongs_to_the_side_asked() {
        // Player 1 leads 4:0 of 5: for seat 1 a win ends the match, for seat 0 a loss does.
        let seat_1 = SEAT_1_PLAY.replace("root:5:0:0", "root:5:0:4");
        assert_eq!(ask(&seat_1, 0.5).1.asked[0].2[0], 1.0);
        let seat_0 = SEAT_0_PLAY.replace("root:3:0:0", "root:3:0:2");
        assert_eq!(ask(&seat_0, 0.5).1.asked[0].2[3], -1.0);
    }

    #[test]
    fn nothing_to_play_is_an_empty_line() {
        // Player 0 has closed its home, player 1 waits on the bar.
        let closed = "board:a:b:0:0:0:0:0:0:0:0:0:5:0:3:0:0:0:0:5:0:0:0:0:-3:-2:-2:-2:-2:-2:-2:1:1:6:6:6:6:1:1:1:0:1:-1:0:25:1:0:0:0:0:0:0:0";
        let (reply, _) = ask(closed, 0.5);
        assert_eq!(reply, "", "{reply}");
    }

    #[test]
    fn what_is_no_board_is_an_error_in_words() {
        for request in [&b"hello"[..], b"", b"\xff", b"board:a:b:0", b"\0\n"] {
            let mut engine = Scripted { outcomes: [0.5, 0.0, 0.0, 0.5, 0.0, 0.0], asked: Vec::new() };
            let reply = answer(request, &mut engine, &GnubgOptions::default());
            assert!(reply.starts_with("Error: "), "{reply}");
        }
    }
}
