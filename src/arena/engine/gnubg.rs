//! GNU Backgammon as a player: the installed program, asked over its external-player socket.
//!
//! The program listens on a free port of this machine and answers a FIBS board with dice by a play, without the cube and
//! for the equity without it, so that it plays for the same points as everybody else here.

use super::EngineLimits;
use super::process::{Incoming, Lines, Process};
use crate::arena::fault::{Fault, FaultKind, SeatError};
use crate::arena::seat::{GameContext, Seat};
use crate::movegen::PlayList;
use crate::notation::{PlayTextOptions, parse_legs, parse_play_with};
use crate::position::Position;
use crate::position::text::FibsBoard;
use crate::rules::Rules;
use crate::types::Roll;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Where GNU Backgammon is installed: on the path, or where Debian puts games.
pub fn find_gnubg() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games"), PathBuf::from("/usr/local/games")]);
    folders.map(|folder| folder.join("gnubg")).find(|program| program.is_file())
}

/// How long between two attempts to connect.
const KNOCK: Duration = Duration::from_millis(25);

/// GNU Backgammon at a number of plies. It is started for the first game and again for the game after a failure.
#[derive(Debug)]
pub struct Gnubg {
    program: PathBuf,
    plies: u32,
    limits: EngineLimits,
    talk: Option<Talk>,
    /// Length of the match, own and other score.
    score: [u32; 3],
}

#[derive(Debug)]
struct Talk {
    process: Process,
    stream: TcpStream,
    lines: Lines,
}

impl Gnubg {
    /// A player that starts this program when it is needed.
    pub fn new(program: PathBuf, plies: u32, limits: EngineLimits) -> Gnubg {
        Gnubg { program, plies, limits, talk: None, score: [0; 3] }
    }

    /// Commands before it listens: choices by cubeless equity, no noise, gammons count.
    fn commands(&self, port: u16) -> String {
        let evaluation = "set evaluation chequerplay evaluation";
        format!(
            "set cube use off\nset jacoby off\n{evaluation} cubeful off\n{evaluation} noise 0\n{evaluation} plies {}\n\
             external 127.0.0.1:{port}\n",
            self.plies
        )
    }

    fn start(&self) -> Result<Talk, SeatError> {
        let command = [&self.program.to_string_lossy(), "--tty", "--quiet", "--no-rc"].map(String::from);
        let refuse = |detail: String| Fault::new(FaultKind::Start, &command.join(" "), "", detail);
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|error| refuse(format!("no free port: {error}")))?.port();
        let mut process = Process::start(&command).map_err(|error| refuse(error.to_string()))?;
        process.send(&self.commands(port)).map_err(|error| refuse(format!("it takes no commands: {error}")))?;
        let until = Instant::now() + self.limits.start_time;
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port).into();
        loop {
            if let Ok(stream) = TcpStream::connect_timeout(&address, KNOCK) {
                let ready = stream.set_nodelay(true).and_then(|()| stream.try_clone());
                let reader = ready.map_err(|error| refuse(format!("its socket is unusable: {error}")))?;
                return Ok(Talk { process, stream, lines: Lines::of(reader) });
            }
            // What it prints meanwhile is read only to notice that it has ended.
            match process.lines.next(Instant::now() + KNOCK, &self.limits.stop) {
                Incoming::Interrupted => return Err(SeatError::Interrupted),
                Incoming::Closed => {
                    let (_, detail) = process.post_mortem();
                    return Err(refuse(detail + &process.last_words()).into());
                }
                _ if Instant::now() > until => {
                    let seconds = self.limits.start_time.as_secs_f64();
                    return Err(refuse(format!("it did not listen on port {port} in {seconds} s")).into());
                }
                _ => {}
            }
        }
    }

    /// The board that asks for a play.
    fn question(&self, position: Position, roll: Roll) -> String {
        let mut board = FibsBoard::money(position, Some(roll));
        let [length, own, other] = self.score.map(|n| i32::try_from(n).unwrap_or(i32::MAX));
        (board.match_length, board.scores, board.redoubles) = (length, [own, other], i32::from(length > 0));
        let jacoby = if length == 0 { " jacobyrule off" } else { "" };
        format!("{board}{jacoby}\n")
    }
}

impl Seat for Gnubg {
    fn new_game(&mut self, context: &GameContext) -> Result<(), SeatError> {
        let (own, other) = match context.is_white {
            true => (context.score.white, context.score.black),
            false => (context.score.black, context.score.white),
        };
        self.score = [context.length, own, other];
        if self.talk.is_none() {
            self.talk = Some(self.start()?);
        }
        Ok(())
    }

    fn choose(&mut self, position: Position, roll: Roll, rules: &Rules, plays: &PlayList) -> Result<usize, SeatError> {
        let request = self.question(position, roll);
        let Some(mut talk) = self.talk.take() else {
            return Err(Fault::new(FaultKind::Crash, "", "", "the program is not running").into());
        };
        let choice = talk.choose(&request, (position, roll), rules, plays, &self.limits)?;
        self.talk = Some(talk);
        Ok(choice)
    }
}

impl Talk {
    fn choose(
        &mut self,
        request: &str,
        (position, roll): (Position, Roll),
        rules: &Rules,
        plays: &PlayList,
        limits: &EngineLimits,
    ) -> Result<usize, SeatError> {
        // What it prints is of no interest, but must be taken, or it would wait.
        while let Incoming::Line(_) = self.process.lines.next(Instant::now(), &limits.stop) {}
        let start = Instant::now();
        let sent = (&self.stream).write_all(request.as_bytes());
        let until = start + limits.move_time + limits.grace;
        let answer = match sent.map_or(Incoming::Closed, |()| self.lines.next(until, &limits.stop)) {
            Incoming::Line(line) => line.trim().to_string(),
            Incoming::Interrupted => return Err(SeatError::Interrupted),
            Incoming::TooLong => return Err(Fault::new(FaultKind::Garbage, request, "", "an endless line").into()),
            Incoming::TimedOut => {
                let detail = format!("no answer in {:.3} s", limits.move_time.as_secs_f64());
                return Err(Fault::new(FaultKind::Stall, request, "", detail).into());
            }
            Incoming::Closed => {
                let (kind, detail) = self.process.post_mortem();
                return Err(Fault::new(kind, request, "", detail + &self.process.last_words()).into());
            }
        };
        let fault = |kind, detail: String| Err(Fault::new(kind, request, &answer, detail).into());
        if start.elapsed() > limits.move_time {
            return fault(FaultKind::Late, format!("the answer took {:.3} s", start.elapsed().as_secs_f64()));
        }
        if answer.starts_with("Error") {
            return fault(FaultKind::Refusal, "the program can't answer".into());
        }
        let options = PlayTextOptions { empty_is_pass: true, ..PlayTextOptions::default() };
        match parse_play_with(&answer, position, roll, rules, options) {
            Ok(play) => match plays.positions().iter().position(|&p| p == play.position) {
                Some(index) => Ok(index),
                None => fault(FaultKind::IllegalPlay, "the play is not legal".into()),
            },
            Err(error) if parse_legs(&answer).is_ok() => fault(FaultKind::IllegalPlay, error.to_string()),
            Err(error) => fault(FaultKind::Garbage, error.to_string()),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::game::ByColor;
    use crate::movegen::legal_plays;

    fn context<'a>(rules: &'a Rules) -> GameContext<'a> {
        GameContext { seed: 1, rules, length: 0, score: ByColor::new(0, 0), is_white: true }
    }

    #[test]
    fn a_program_that_is_no_gnu_backgammon_can_not_be_started() {
        // It may end before or after it is sent its commands.
        let ended = ["ended with exit status", "it takes no commands"];
        for (program, told) in [("/no/such/gnubg", &["No such file"][..]), ("/bin/false", &ended)] {
            let mut player = Gnubg::new(program.into(), 0, EngineLimits::default());
            let Err(SeatError::Fault(fault)) = player.new_game(&context(&Rules::SHORT)) else { panic!("{program}") };
            assert_eq!(fault.kind, FaultKind::Start, "{program}");
            assert!(told.iter().any(|told| fault.detail.contains(told)), "{program}: {}", fault.detail);
        }
    }

    #[test]
    #[ignore = "needs GNU Backgammon"]
    fn gnu_backgammon_plays_and_starts_again_after_a_failure() {
        let program = find_gnubg().expect("gnubg is installed");
        let mut player = Gnubg::new(program, 1, EngineLimits::default());
        let roll = Roll::new(3, 1).unwrap();
        let plays = legal_plays(Position::SHORT_START, roll, &Rules::SHORT);
        for _ in 0..2 {
            player.new_game(&context(&Rules::SHORT)).unwrap();
            let choice = player.choose(Position::SHORT_START, roll, &Rules::SHORT, &plays).unwrap();
            assert_eq!(plays.steps(choice).to_string(), "8/5 6/5");
            player.talk = None;
        }
    }
}
