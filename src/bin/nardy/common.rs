//! Arguments that several sub-commands share.

use anyhow::{Context, Result};
use clap::ValueEnum;
use nardy::net::write_atomically;
use nardy::notation::Numbers;
use nardy::position::Position;
use nardy::position::text::{DrawOptions, ParsedPosition, PointNumbers, View, parse_position};
use nardy::rules::Rules;
use std::path::Path;

/// How positions are given, for the help text.
pub const POSITION_HELP: &str = "\
A POSITION is `start`, a literal such as `own 24:9 21:6 | opp 24:15` (each side in its own numbers, 24 to 1; `own` is on
roll), a GNU Position ID, or for short nardy an XGID or a FIBS board; which one it is is found out. Put it in quotes.";

/// Writes a file as a whole: nobody ever sees half of it. What is no plain file, such as a pipe, is written to as it is.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    let written = match is_special(path) {
        true => std::fs::write(path, text),
        false => write_atomically(path, text.as_bytes()),
    };
    written.with_context(|| format!("can't write {}", path.display()))
}

/// Something that must not be replaced by a file: a pipe, a device, a link.
fn is_special(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Finds out whether [`write_file`] will work, before hours of work for that file.
///
/// # Errors
/// Why not.
pub fn check_writable(path: &Path) -> Result<()> {
    if is_special(path) {
        return Ok(());
    }
    let failed = || format!("can't write {}", path.display());
    let name =
        path.file_name().filter(|_| !path.is_dir()).with_context(|| failed() + ": expected the name of a file")?;
    let probe = path.with_file_name(format!(".{}.{}.probe", name.to_string_lossy(), std::process::id()));
    std::fs::File::create(&probe).with_context(failed)?;
    std::fs::remove_file(probe).with_context(failed)
}

/// How many threads to use: so many, or one for each core.
pub fn threads(wanted: Option<u16>) -> usize {
    wanted.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// The rules to play by.
#[derive(Debug, clap::Args)]
pub struct RulesArg {
    /// Rule set, with single options changed if wanted: `long`, `short-site`, `long,head=needed_any,block=home`.
    #[arg(long, value_name = "RULES", default_value = "long")]
    pub rules: Rules,
}

impl RulesArg {
    /// Reads a position of the rules' game.
    pub fn position(&self, text: &str) -> Result<ParsedPosition> {
        let game = self.rules.game;
        parse_position(text, game).with_context(|| format!("can't read this position of {game} nardy"))
    }
}

/// Whose numbers points have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum NumbersArg {
    /// Those of the side that moves or looks.
    #[default]
    Own,
    /// White's, as printed on boards.
    Board,
}

/// Who looks at the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// The side on roll.
    #[default]
    Own,
    /// Its opponent.
    Opp,
}

/// How positions and plays are shown.
#[derive(Debug, clap::Args)]
pub struct DisplayArgs {
    /// Draw with plain ASCII characters.
    #[arg(long)]
    pub ascii: bool,
    /// Whose numbers the points have.
    #[arg(long, value_enum, default_value_t)]
    pub numbers: NumbersArg,
    /// Who looks at the board.
    #[arg(long, value_enum, default_value_t)]
    pub view: ViewArg,
    /// The side on roll is Black (for colours and board numbers).
    #[arg(long)]
    pub black: bool,
}

impl DisplayArgs {
    /// The numbering of plays of the side on roll.
    pub fn play_numbers(&self) -> Numbers {
        match self.numbers {
            NumbersArg::Own => Numbers::Own,
            NumbersArg::Board => Numbers::board(!self.black),
        }
    }

    /// The board as text.
    pub fn draw(&self, position: Position, rules: &Rules) -> String {
        let options = DrawOptions {
            ascii: self.ascii,
            view: if self.view == ViewArg::Own { View::OnRoll } else { View::Opponent },
            numbers: if self.numbers == NumbersArg::Own { PointNumbers::Viewer } else { PointNumbers::Board },
            white_on_roll: !self.black,
        };
        nardy::position::text::draw(position, rules.game, options)
    }
}
