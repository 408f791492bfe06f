//! From the bytes of a line to a [`Command`]: every dialect, no state.

use super::ProtocolError;
use crate::game::{Color, WinKind};
use crate::types::Roll;
use std::str::FromStr;

/// Longest line that is read, in bytes: above it a line is refused without being looked at.
pub const LONGEST_LINE: usize = 1 << 16;

/// What a `go` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// A play for the dice.
    #[default]
    Chequer,
    /// A decision about the cube.
    Cube,
    /// Both.
    Turn,
}

/// How long and how deep to think; what is not given is left to the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Most plies to look ahead; 0 = the plays themselves.
    pub depth: Option<u32>,
    /// Most milliseconds.
    pub movetime: Option<u64>,
    /// Most positions to evaluate.
    pub nodes: Option<u64>,
}

/// A line that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `ubgi`: the greeting.
    Ubgi,
    /// `isready`.
    IsReady,
    /// `stop`: an answer, now.
    Stop,
    /// `quit`.
    Quit,
    /// `help`: the commands in a line each.
    Help,
    /// `keys`: the options.
    Keys,
    /// `get KEY`.
    Get(String),
    /// `set KEY VALUE`, `setoption name KEY value VALUE`.
    Set {
        /// The option.
        key: String,
        /// Its value.
        value: String,
    },
    /// `newgame`.
    NewGame,
    /// `newsession type money|match [length N] …`: 0 for money.
    NewSession {
        /// Points to win.
        length: u32,
    },
    /// `match [length N] [seed S]`: a refereed match; 0 for money.
    Match {
        /// Points to win.
        length: u32,
        /// Seed of the match's dice.
        seed: Option<u64>,
    },
    /// `setscore WHITE BLACK`.
    SetScore(u32, u32),
    /// `setturn p0|p1`.
    SetTurn(Color),
    /// `setcube …`.
    SetCube,
    /// `position …`: the words after it.
    Position(String),
    /// `dice A B`.
    Dice(Roll),
    /// `go …`.
    Go {
        /// What is asked.
        role: Role,
        /// How long.
        limits: Limits,
    },
    /// Draft 0.01: a board line by itself.
    Board01(String),
    /// `roll`: dice from the seeded source.
    Roll,
    /// `legal`: every legal play.
    Legal,
    /// `moves`: which checkers may move now.
    Moves,
    /// `step FROM/TO`.
    Step(String),
    /// `play [TEXT]`; without text, the steps made so far.
    Play(String),
    /// `undo`: the last step, or the last play.
    Undo,
    /// `board`: the position drawn.
    Board,
    /// `state`: whose turn, dice, score.
    State,
    /// `hint [N] [rollout [TRIALS]]`: the best plays.
    Hint {
        /// How many.
        count: usize,
        /// Games played out for each, if they are to be rolled out.
        trials: Option<u64>,
    },
    /// `eval`: chances of the side on roll.
    Eval,
    /// `resign [oin|mars|koks]`: the side on roll gives up.
    Resign(WinKind),
    /// `dicelog`: the throws so far and the hash of their seed.
    DiceLog,
    /// `reveal`: the seed, once the game is over.
    Reveal,
    /// `save`: everything as one line of JSON.
    Save,
    /// `resume JSON`.
    Resume(String),
}

/// The words of `help`, in the order in which they are told.
pub(super) const HELP: &[&str] = &[
    "ubgi | isready | stop | quit | keys | get KEY | set KEY VALUE | setoption name KEY value VALUE",
    "newgame | newsession type money|match [length N] | setscore A B | setturn p0|p1 | setcube value N owner center|p0|p1",
    "position gnubgid ID | position xgid X | position fibs BOARD | position literal own … | opp … | position start",
    "dice A B | go [chequer | role chequer|cube|turn] [depth N] [movetime MS] [nodes N]",
    "match [length N] [seed S] | roll | legal | moves | step FROM/TO | play [TEXT] | undo | resign [oin|mars|koks]",
    "state | board | hint [N] [rollout [TRIALS]] | eval | dicelog | reveal | save | resume JSON",
];

/// Reads a line; `None` for one that says nothing (blank, or a remark after `#`).
///
/// # Errors
/// Not text, no command, or something wrong after it.
///
/// # Examples
/// ```
/// use nardy::protocol::{Command, parse_command};
///
/// assert_eq!(parse_command(b"isready\r\n").unwrap(), Some(Command::IsReady));
/// let error = parse_command(b"dice 3 7").unwrap_err();
/// assert!(error.to_string().starts_with("error bad_argument expected two dice"));
/// ```
pub fn parse_command(line: &[u8]) -> Result<Option<Command>, ProtocolError> {
    if line.len() > LONGEST_LINE {
        return Err(too_long());
    }
    let text = std::str::from_utf8(line).map_err(|_| ProtocolError::argument("the line is not UTF-8 text"))?;
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0' || c == '\u{feff}');
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    if is_board_line(text) {
        return Ok(Some(Command::Board01(text.into())));
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    read(word, rest.trim()).map(Some)
}

/// What is said about a line above [`LONGEST_LINE`].
pub(super) fn too_long() -> ProtocolError {
    ProtocolError::argument(format!("the line is longer than {LONGEST_LINE} bytes"))
}

/// Draft 0.01 sends boards without a command.
fn is_board_line(text: &str) -> bool {
    let starts = |prefix: &str| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    starts("xgid=") || starts("board:")
}

fn read(word: &str, rest: &str) -> Result<Command, ProtocolError> {
    let command = match word {
        "position" => return Ok(Command::Position(rest.into())),
        "play" => return Ok(Command::Play(rest.into())),
        "step" => return Ok(Command::Step(rest.into())),
        "resume" => return Ok(Command::Resume(rest.into())),
        "get" => return Ok(Command::Get(one_word("get", "a key", rest)?.into())),
        "set" => return set(rest),
        "setoption" => return set_option(rest),
        "newsession" => return new_session(rest),
        "match" => return new_match(rest),
        "setscore" => return set_score(rest),
        "setturn" => return set_turn(rest),
        "setcube" => return Ok(Command::SetCube),
        "dice" => return Ok(Command::Dice(dice(rest)?)),
        "go" => return go(rest),
        "hint" => return hint(rest),
        "resign" => return resign(rest),
        "ubgi" => Command::Ubgi,
        "isready" => Command::IsReady,
        "stop" => Command::Stop,
        "quit" => Command::Quit,
        "help" => Command::Help,
        "keys" => Command::Keys,
        "newgame" => Command::NewGame,
        "roll" => Command::Roll,
        "legal" => Command::Legal,
        "moves" => Command::Moves,
        "undo" => Command::Undo,
        "board" => Command::Board,
        "state" => Command::State,
        "eval" => Command::Eval,
        "dicelog" => Command::DiceLog,
        "reveal" => Command::Reveal,
        "save" => Command::Save,
        _ => return Err(unknown(word)),
    };
    match rest {
        "" => Ok(command),
        _ => Err(ProtocolError::argument(format!("{word} stands alone, found {:?} after it", clip(rest)))),
    }
}

fn unknown(word: &str) -> ProtocolError {
    let message = format!("{:?} is no command; `help` lists them", clip(word));
    ProtocolError::new(super::ErrorCode::UnknownCommand, message)
}

fn clip(text: &str) -> String {
    text.chars().take(60).collect()
}

fn number<T: FromStr>(of: &str, text: &str) -> Result<T, ProtocolError> {
    text.parse().map_err(|_| ProtocolError::argument(format!("{of} needs a whole number, found {:?}", clip(text))))
}

fn one_word<'a>(command: &str, what: &str, rest: &'a str) -> Result<&'a str, ProtocolError> {
    match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [word] => Ok(word),
        _ => Err(ProtocolError::argument(format!("{command} needs {what}, found {:?}", clip(rest)))),
    }
}

fn set(rest: &str) -> Result<Command, ProtocolError> {
    match rest.split_once(char::is_whitespace) {
        Some((key, value)) => Ok(Command::Set { key: key.into(), value: value.trim().into() }),
        None => Err(ProtocolError::argument(format!("expected `set KEY VALUE`, found {:?}", clip(rest)))),
    }
}

fn set_option(rest: &str) -> Result<Command, ProtocolError> {
    let read = || {
        let (key, value) = rest.strip_prefix("name ")?.split_once(" value ")?;
        Some(Command::Set { key: key.trim().into(), value: value.trim().into() })
    };
    let refuse =
        || ProtocolError::argument(format!("expected `setoption name KEY value VALUE`, found {:?}", clip(rest)));
    read().ok_or_else(refuse)
}

/// The words after a command as pairs of a name and a value.
fn pairs<'a>(of: &str, rest: &'a str) -> Result<Vec<(&'a str, &'a str)>, ProtocolError> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let pair = |two: &[&'a str]| match *two {
        [name, value] => Ok((name, value)),
        _ => Err(ProtocolError::argument(format!("{of}: {:?} has no value", clip(&two.concat())))),
    };
    words.chunks(2).map(pair).collect()
}

fn new_session(rest: &str) -> Result<Command, ProtocolError> {
    let (mut is_match, mut length) = (None, 0);
    for (name, value) in pairs("newsession", rest)? {
        match (name, value) {
            ("type", "money") => is_match = Some(false),
            ("type", "match") => is_match = Some(true),
            ("length", _) => length = number("length", value)?,
            // The cube stays in the middle, so they change nothing.
            ("jacoby" | "crawford" | "beavers", "on" | "off") => {}
            _ => return Err(ProtocolError::argument(format!("newsession: can't read `{name} {}`", clip(value)))),
        }
    }
    match (is_match, length) {
        (Some(true), 1..) => Ok(Command::NewSession { length }),
        (Some(true), 0) => Err(ProtocolError::context("newsession type match needs `length N`, at least 1")),
        _ => Ok(Command::NewSession { length: 0 }),
    }
}

fn new_match(rest: &str) -> Result<Command, ProtocolError> {
    let (mut length, mut seed) = (0, None);
    for (name, value) in pairs("match", rest)? {
        match name {
            "length" => length = number("length", value)?,
            "seed" => seed = Some(number("seed", value)?),
            _ => {
                let message = format!("expected `match [length N] [seed S]`, found `{}`", clip(name));
                return Err(ProtocolError::argument(message));
            }
        }
    }
    Ok(Command::Match { length, seed })
}

fn set_score(rest: &str) -> Result<Command, ProtocolError> {
    match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [white, black] => Ok(Command::SetScore(number("setscore", white)?, number("setscore", black)?)),
        _ => Err(ProtocolError::argument(format!("expected `setscore A B`, found {:?}", clip(rest)))),
    }
}

fn set_turn(rest: &str) -> Result<Command, ProtocolError> {
    match rest {
        "p0" | "white" => Ok(Command::SetTurn(Color::White)),
        "p1" | "black" => Ok(Command::SetTurn(Color::Black)),
        _ => Err(ProtocolError::argument(format!("expected `setturn p0` or `setturn p1`, found {:?}", clip(rest)))),
    }
}

fn dice(rest: &str) -> Result<Roll, ProtocolError> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    words.join(" ").parse().map_err(ProtocolError::argument)
}

/// Most games that a rollout may be asked for.
const MOST_TRIALS: u64 = 1_000_000;
/// Games of a rollout unless given.
const USUAL_TRIALS: u64 = 432;

fn hint(rest: &str) -> Result<Command, ProtocolError> {
    let mut words = rest.split_whitespace().peekable();
    let count = match words.next_if(|word| *word != "rollout") {
        Some(word) => number("hint", word)?,
        None => 3,
    };
    let trials = match words.next() {
        None => None,
        Some("rollout") => Some(words.next().map_or(Ok(USUAL_TRIALS), |word| number("hint rollout", word))?),
        Some(word) => {
            let message = format!("expected `hint [N] [rollout [TRIALS]]`, found `{}`", clip(word));
            return Err(ProtocolError::argument(message));
        }
    };
    if let Some(trials) = trials.filter(|trials| !(1..=MOST_TRIALS).contains(trials)) {
        let message = format!("hint rollout needs 1 to {MOST_TRIALS} games, found {trials}");
        return Err(ProtocolError::argument(message));
    }
    match words.next() {
        None => Ok(Command::Hint { count, trials }),
        Some(word) => Err(ProtocolError::argument(format!("hint: can't read `{}`", clip(word)))),
    }
}

fn resign(rest: &str) -> Result<Command, ProtocolError> {
    Ok(Command::Resign(match rest {
        "" | "oin" => WinKind::Oin,
        "mars" => WinKind::Mars,
        "koks" => WinKind::Koks,
        _ => {
            return Err(ProtocolError::argument(format!("expected `resign oin|mars|koks`, found {:?}", clip(rest))));
        }
    }))
}

fn go(rest: &str) -> Result<Command, ProtocolError> {
    let (mut role, mut limits) = (Role::Chequer, Limits::default());
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| ProtocolError::argument(format!("go: `{word}` has no value")));
        match word {
            "chequer" | "cube" | "turn" => role = role_of(word)?,
            "role" => role = role_of(value()?)?,
            "depth" => limits.depth = Some(number("depth", value()?)?),
            "movetime" => limits.movetime = Some(number("movetime", value()?)?),
            "nodes" => limits.nodes = Some(number("nodes", value()?)?),
            "trials" => return Err(ProtocolError::unsupported("go trials: `hint N rollout TRIALS` rolls plays out")),
            _ => return Err(ProtocolError::argument(format!("go: can't read `{}`", clip(word)))),
        }
    }
    Ok(Command::Go { role, limits })
}

fn role_of(word: &str) -> Result<Role, ProtocolError> {
    match word {
        "chequer" => Ok(Role::Chequer),
        "cube" => Ok(Role::Cube),
        "turn" => Ok(Role::Turn),
        _ => Err(ProtocolError::argument(format!("role is chequer, cube or turn, found {:?}", clip(word)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Command {
        parse_command(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}")).unwrap()
    }

    fn refusal(line: &[u8]) -> String {
        parse_command(line).unwrap_err().to_string()
    }

    #[test]
    fn each_dialect_says_the_same_in_its_own_words() {
        let set = Command::Set { key: "engine.level".into(), value: "club".into() };
        assert_eq!(command("set engine.level club"), set);
        assert_eq!(command("setoption name engine.level value club"), set);
        let go = Command::Go { role: Role::Chequer, limits: Limits::default() };
        for text in ["go", "go chequer", "go role chequer", " go  role chequer\r\n"] {
            assert_eq!(command(text), go);
        }
        let limits = Limits { depth: Some(2), movetime: Some(50), nodes: Some(1000) };
        let all = command("go role cube movetime 50 depth 2 nodes 1000");
        assert_eq!(all, Command::Go { role: Role::Cube, limits });
        assert_eq!(command("newsession type match length 7 crawford on"), Command::NewSession { length: 7 });
        assert_eq!(command("XGID=-b----E-C---eE"), Command::Board01("XGID=-b----E-C---eE".into()));
    }

    #[test]
    fn hints_may_be_rolled_out() {
        let hint = |count, trials| Command::Hint { count, trials };
        assert_eq!((command("hint"), command("hint 7")), (hint(3, None), hint(7, None)));
        assert_eq!(command("hint rollout"), hint(3, Some(USUAL_TRIALS)));
        assert_eq!(command("hint 2  rollout 1296"), hint(2, Some(1296)));
        for (line, told) in [
            ("hint 2 3", "expected `hint [N] [rollout [TRIALS]]`, found `3`"),
            ("hint 2 rollout many", "hint rollout needs a whole number, found \"many\""),
            ("hint 2 rollout 0", "hint rollout needs 1 to 1000000 games, found 0"),
            ("hint 2 rollout 72 x", "hint: can't read `x`"),
        ] {
            assert_eq!(refusal(line.as_bytes()), format!("error bad_argument {told}"));
        }
    }

    #[test]
    fn dice_are_read_in_the_usual_spellings() {
        for text in ["dice 3 1", "dice 31", "dice 1-3", "dice  3   1"] {
            assert_eq!(command(text), Command::Dice(Roll::new(3, 1).unwrap()));
        }
    }

    #[test]
    fn nothing_is_said_by_blank_lines_remarks_and_nuls() {
        for line in [&b""[..], b"\n", b"\0\0\r\n", b"  \t ", b"# a remark"] {
            assert_eq!(parse_command(line), Ok(None));
        }
        assert_eq!(parse_command(b"\0isready\0\n"), Ok(Some(Command::IsReady)));
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_code() {
        assert!(refusal(b"\xff\xfe").starts_with("error bad_argument"));
        assert!(refusal(&vec![b'x'; LONGEST_LINE + 1]).starts_with("error bad_argument the line is longer"));
        assert!(refusal(b"castle").starts_with("error unknown_command \"castle\""));
        assert!(refusal(b"go trials 1296").starts_with("error unsupported"));
        assert!(refusal(b"newsession type match").starts_with("error missing_context"));
        for line in ["dice 7 1", "dice", "go depth", "go depth x", "isready now", "set x", "setoption x", "match 5"] {
            assert!(refusal(line.as_bytes()).starts_with("error bad_argument"), "{line}");
        }
    }
}
