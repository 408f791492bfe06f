//! Arguments that several sub-commands share.

use anyhow::{Context, Result};
use clap::ValueEnum;
use nardy::notation::Numbers;
use nardy::position::Position;
use nardy::position::text::{DrawOptions, ParsedPosition, PointNumbers, View, parse_position};
use nardy::rules::Rules;

/// How positions are given, for the help text.
pub const POSITION_HELP: &str = "\
A POSITION is `start`, a literal such as `own 24:9 21:6 | opp 24:15` (each side in its own numbers, 24 to 1; `own` is on
roll), a GNU Position ID, or for short nardy an XGID or a FIBS board; which one it is is found out. Put it in quotes.";

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
