//! `nardy play`: a person against the bot in the terminal. What is legal, whose turn it is and who wins is decided by the
//! bot's session ([`nardy::protocol::Session`]), asked in the words of its protocol.

mod words;

use crate::models;
use anyhow::{Context, bail};
use nardy::game::Color;
use nardy::net::write_atomically;
use nardy::protocol::{Level, Session, UntimedHost};
use nardy::search::MAX_DEPTH;
use std::hash::{BuildHasher, Hasher};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// Play long or short nardy against the bot.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Rules: a preset, options after it, such as `long`, `short-site`, `long,head=needed_any`.
    #[arg(long, default_value = "long", value_name = "RULES")]
    rules: String,
    /// Play Black instead of White.
    #[arg(long)]
    black: bool,
    /// Strength of the bot: full, expert, club, casual, beginner.
    #[arg(long, default_value_t = Level::Full, value_name = "LEVEL")]
    level: Level,
    /// Plies that the bot looks ahead, also for hints: 0, the network alone, to 3.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    ply: u32,
    /// Play a match to that many points instead of single games.
    #[arg(long, default_value_t = 0, value_name = "POINTS")]
    length: u32,
    /// Go on with a saved game.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Seed of the dice; different at every start unless given.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Draw boards without Unicode.
    #[arg(long)]
    ascii: bool,
    /// Number the points for both sides as White does, as printed on boards.
    #[arg(long)]
    board_numbers: bool,
    /// Play against this model instead of the built-in one.
    #[arg(long, value_name = "FILE")]
    model: Vec<PathBuf>,
}

const HELP: &str = "\
Type a play in any spelling: 24/18 13/11, 24-18 13-11, bar/22*, 8/5(2), pass. Or one step at a time, such as 24/18;
Enter ends a turn made of steps.
  undo         take back a step, or your last play and the bot's answer
  hint [N]     the best plays, and what their figures mean
  hint [N] rollout [GAMES]  the same after playing each of them out many times
  moves        what may be played now
  board        draw the board again
  eval         the chances of the side on roll
  save FILE    save the game (go on with: nardy play --resume FILE)
  resign [oin|mars|koks]
  quit";

/// Plays with the person at standard input.
///
/// # Errors
/// If a model or a saved game can't be read, or the terminal is gone.
pub fn run(args: Args, mut out: &mut dyn Write) -> anyhow::Result<()> {
    let human = if args.black { Color::Black } else { Color::White };
    let seed = args.seed.unwrap_or_else(|| std::hash::RandomState::new().build_hasher().finish());
    let engine = models::engine(&args.model, &[])?;
    let mut table = Talk { session: Session::new(Box::new(engine), Box::new(UntimedHost), seed), human };
    table.ask(&format!("set engine.level {}", args.level))?;
    table.ask(&format!("set engine.ply {}", args.ply))?;
    table.ask(&format!("set engine.seed {seed}"))?;
    table.ask(&format!("set board.ascii {}", args.ascii))?;
    table.ask(&format!("set board.numbers {}", if args.board_numbers { "board" } else { "own" }))?;
    match &args.resume {
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            table.ask(&format!("resume {}", text.trim()))?;
        }
        None => {
            table.ask(&format!("set game.rules {}", args.rules))?;
            table.ask(&format!("match length {}", args.length))?;
            table.ask("newgame")?;
        }
    }
    table.play(&mut std::io::stdin().lock(), &mut out)
}

/// A person at a session.
struct Talk {
    session: Session,
    human: Color,
}

/// How an input line was taken.
enum Taken {
    /// The turn goes on.
    Again,
    /// The position has changed.
    Done,
    /// The person has had enough.
    Quit,
}

impl Talk {
    /// The reply of the session; its refusal as an error in words.
    fn ask(&mut self, command: &str) -> anyhow::Result<Vec<String>> {
        let lines = self.session.handle(command.as_bytes()).lines;
        match lines.first().and_then(|line| line.strip_prefix("error ")) {
            Some(error) => bail!("{}", error.split_once(' ').map_or(error, |(_, message)| message)),
            None => Ok(lines),
        }
    }

    fn play(&mut self, input: &mut impl BufRead, out: &mut impl Write) -> anyhow::Result<()> {
        writeln!(out, "You are {}. `help` lists what you can type.", self.human)?;
        loop {
            let game = self.session.table().game();
            if let Some(result) = game.result() {
                let score = self.session.score()?;
                let points = score.points();
                writeln!(out, "{result}. Score: white {}, black {}.", points.white, points.black)?;
                if let Some(winner) = score.winner() {
                    writeln!(out, "{winner} wins the match.")?;
                    return Ok(());
                }
                write!(out, "Enter begins the next game, `quit` ends: ")?;
                match read(input, out)?.as_deref() {
                    None | Some("quit" | "q") => return Ok(()),
                    Some(_) => drop(self.ask("newgame")?),
                }
                continue;
            }
            let mover = game.turn();
            if game.dice().is_none() {
                self.ask("roll")?;
            }
            if mover == self.human {
                if !self.human_turn(input, out)? {
                    return Ok(());
                }
            } else {
                self.bot_turn(out)?;
            }
        }
    }

    fn bot_turn(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        let best = self.ask("go")?.pop().unwrap_or_default();
        let played = self.ask(&format!("play {}", best.trim_start_matches("bestmove ")))?;
        writeln!(out, "{}", told(&played))?;
        Ok(())
    }

    /// False if the person has had enough.
    fn human_turn(&mut self, input: &mut impl BufRead, out: &mut impl Write) -> anyhow::Result<bool> {
        writeln!(out, "{}", self.marked_board()?)?;
        loop {
            let head = self.ask("moves")?.first().cloned().unwrap_or_default();
            let complete = head.contains(" complete yes ");
            if complete && head.contains(" made 0 ") {
                let played = self.ask("play pass")?;
                writeln!(out, "Nothing can be played. {}", told(&played))?;
                return Ok(true);
            }
            let roll = self.session.table().game().dice().map(|roll| roll.to_string()).unwrap_or_default();
            let left = if complete { "Enter ends the turn, `undo` takes a step back".into() } else { roll };
            write!(out, "{} ({left}): ", self.human)?;
            let Some(line) = read(input, out)? else { return Ok(false) };
            match self.take(&line, out) {
                Ok(Taken::Again) => {}
                Ok(Taken::Done) => return Ok(true),
                Ok(Taken::Quit) => return Ok(false),
                Err(error) => writeln!(out, "{error}")?,
            }
        }
    }

    fn take(&mut self, line: &str, out: &mut impl Write) -> anyhow::Result<Taken> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "quit" | "q" => return Ok(Taken::Quit),
            "help" | "?" => writeln!(out, "{HELP}")?,
            "board" => writeln!(out, "{}", self.marked_board()?)?,
            "hint" => write!(out, "{}", words::hints(&self.ask(line)?))?,
            "eval" => write!(out, "{}", words::chances(&self.ask(line)?))?,
            "moves" => writeln!(out, "{}", self.ask(line)?.join("\n"))?,
            "save" => self.save(Path::new(rest.trim()), out)?,
            "undo" => return self.undo(out),
            "resign" => {
                writeln!(out, "{}", told(&self.ask(line)?))?;
                return Ok(Taken::Done);
            }
            _ => return self.move_checkers(line, out),
        }
        Ok(Taken::Again)
    }

    /// A whole play, one step, or the end of a turn made of steps.
    fn move_checkers(&mut self, line: &str, out: &mut impl Write) -> anyhow::Result<Taken> {
        if !line.is_empty() && self.ask(&format!("step {line}")).is_ok() {
            let steps = self.ask("moves")?;
            // A step that is the whole turn ends it; others wait for more, or for Enter.
            if steps.first().is_some_and(|head| head.contains(" made 1 ") && head.contains(" complete yes ")) {
                writeln!(out, "{}", told(&self.ask("play")?))?;
                return Ok(Taken::Done);
            }
            writeln!(out, "{}", self.marked_board()?)?;
            return Ok(Taken::Again);
        }
        let played = self.ask(format!("play {line}").trim_end())?;
        writeln!(out, "{}", told(&played))?;
        Ok(Taken::Done)
    }

    /// A step of this turn, or the bot's last play together with the person's before it.
    fn undo(&mut self, out: &mut impl Write) -> anyhow::Result<Taken> {
        loop {
            let undone = self.ask("undo")?;
            let is_step = undone.first().is_some_and(|line| line == "undone step");
            if is_step || self.session.table().game().turn() == self.human {
                writeln!(out, "{}", self.marked_board()?)?;
                return Ok(Taken::Again);
            }
            if self.session.table().turns().is_empty() {
                return Ok(Taken::Done);
            }
        }
    }

    fn save(&mut self, path: &Path, out: &mut impl Write) -> anyhow::Result<()> {
        if path.as_os_str().is_empty() {
            bail!("save needs the name of a file");
        }
        let saved = self.ask("save")?.concat();
        write_atomically(path, saved.trim_start_matches("saved ").as_bytes())
            .with_context(|| path.display().to_string())?;
        writeln!(out, "saved in {}", path.display())?;
        Ok(())
    }

    /// The board, under and over its numbers marks: `^` a checker that may move, `+` a point that one may reach.
    fn marked_board(&mut self) -> anyhow::Result<String> {
        let moves = self.ask("moves")?;
        let steps: Vec<(&str, &str)> =
            moves.iter().filter_map(|line| line.strip_prefix("move ")?.split(' ').next()?.split_once('/')).collect();
        let drawn = self.session.draw_board();
        let mut text = String::new();
        for line in drawn.lines() {
            text += line;
            text.push('\n');
            if let Some(marks) = marks(line, &steps) {
                text += &marks;
                text.push('\n');
            }
        }
        let names: Vec<String> = steps.iter().map(|(from, to)| format!("{from}/{to}")).collect();
        text += &format!("  may move: {}", if names.is_empty() { "-".into() } else { names.join(" ") });
        Ok(text)
    }
}

/// Marks for a line that consists of numbers; `None` for other lines.
fn marks(line: &str, steps: &[(&str, &str)]) -> Option<String> {
    if line.trim().is_empty() || !line.chars().all(|c| c.is_ascii_digit() || c == ' ') {
        return None;
    }
    let mut marks = String::new();
    for number in line.split(' ') {
        let from = steps.iter().any(|(from, _)| *from == number);
        let to = steps.iter().any(|(_, to)| *to == number);
        let mark = match (from, to) {
            (true, true) => "^+",
            (true, false) => "^",
            (false, true) => "+",
            _ => "",
        };
        marks += &format!("{mark:>width$} ", width = number.len());
    }
    Some(marks.trim_end().into())
}

/// `played white 3 1 8/5 6/5` in words, with the end of the game if it is one.
fn told(reply: &[String]) -> String {
    let played = reply.first().map(String::as_str).unwrap_or_default();
    match played.split(' ').collect::<Vec<_>>()[..] {
        ["played", color, high, low, ref play @ ..] => format!("{color} ({high}-{low}): {}", play.join(" ")),
        _ => played.into(),
    }
}

/// The next line without blanks around it; `None` at the end of the input.
fn read(input: &mut impl BufRead, out: &mut impl Write) -> anyhow::Result<Option<String>> {
    out.flush()?;
    let mut line = String::new();
    Ok((input.read_line(&mut line)? > 0).then(|| line.trim().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(rules: &str, seed: u64) -> Talk {
        let engine = models::engine(&[], &[]).unwrap();
        let mut talk =
            Talk { session: Session::new(Box::new(engine), Box::new(UntimedHost), seed), human: Color::White };
        for command in [&format!("set game.rules {rules}"), "match length 1", "newgame"] {
            talk.ask(command).unwrap();
        }
        talk
    }

    fn typed(talk: &mut Talk, text: &str) -> String {
        let mut out = Vec::new();
        talk.play(&mut text.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_game_saved_in_the_middle_of_a_turn_goes_on_there() {
        let path = std::env::temp_dir().join(format!("nardy-play-{}.json", std::process::id()));
        let mut first = talk("long", 3);
        typed(&mut first, "help\nnonsense\nhint 2\n");
        first.ask("moves").unwrap();
        let said = typed(&mut first, &format!("save {}\nquit\n", path.display()));
        assert!(said.contains("saved in"), "{said}");
        let mut second = talk("short", 9);
        let json = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        second.ask(&format!("resume {json}")).unwrap();
        assert_eq!(second.ask("state").unwrap(), first.ask("state").unwrap());
    }

    #[test]
    fn what_is_wrong_is_said_and_the_turn_goes_on() {
        let said = typed(&mut talk("long", 3), "24/1\nfoo\nundo\n");
        assert!(said.matches("white (").count() >= 2, "{said}");
        assert!(said.contains("expected"), "{said}");
    }

    #[test]
    fn hints_are_told_in_words() {
        let mut talk = talk("short", 3);
        talk.ask("set engine.ply 0").unwrap();
        for command in ["newgame", "position start", "dice 3 1"] {
            talk.ask(command).unwrap();
        }
        let said = typed(&mut talk, "hint 2\nhint 1 rollout 72\neval\nhint many\nquit\n");
        for part in [
            "  1. 8/5 6/5 ",
            "\nAfter 8/5 6/5 you win about ",
            "of 100 games",
            "\nThe next best, ",
            "72 games",
            "Before the throw you win about ",
            "hint needs a whole number, found \"many\"",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    #[test]
    fn marks_stand_under_their_numbers() {
        let line = "  13 14 15 16 17 18        19 20 21 22 23 24";
        let marks = marks(line, &[("24", "18"), ("18", "13")]).unwrap();
        assert_eq!(marks, format!("{:>4}{:>15}{:>25}", "+", "^+", "^"));
        assert_eq!(super::marks("  ○ opponent", &[]), None);
    }
}
