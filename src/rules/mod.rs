//! Rule sets: which game, and the value of every option in which sources differ.
//!
//! The options, their sources and what they change are told in docs/rules.md; numbers such as "1.4" refer to it.

mod text;

pub use text::{PRESETS, ParseRulesError, Preset};

/// Declares an option whose values have names: enum, `ALL`, `NAME`, `as_str` and parsing by name.
macro_rules! named_option {
    ($(#[$doc:meta])* $type:ident $option:literal { $($(#[$vdoc:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$vdoc])* $variant),+ }

        impl $type {
            /// Every value.
            pub const ALL: &'static [$type] = &[$($type::$variant),+];
            /// The option's name in rule texts.
            pub const NAME: &'static str = $option;

            /// The value's name in rule texts.
            pub const fn as_str(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

named_option! {
    /// Which game is played.
    Game "game" {
        /// Long nardy (длинные нарды): one direction, no hitting, head and block rules.
        Long = "long",
        /// Short nardy (короткие нарды), that is backgammon.
        Short = "short",
    }
}

named_option! {
    /// With which dice the starter plays his first turn (1.2).
    Opening "opening" {
        /// The starter throws both dice afresh, doubles possible.
        Reroll = "reroll",
        /// The starter plays the two different dice that decided who starts.
        UseOpeningDice = "use_opening_dice",
    }
}

named_option! {
    /// Who starts the next game of a match (1.2).
    NextGame "next_game" {
        /// Thrown for again.
        Roll = "roll",
        /// The winner of the previous game.
        Winner = "winner",
        /// The side that did not start the previous game.
        Alternate = "alternate",
    }
}

named_option! {
    /// When a second checker may leave the head in one turn of long nardy (1.4).
    Head "head" {
        /// Own first turn and 3-3, 4-4 or 6-6.
        Official = "official",
        /// Own first turn and 4-4 or 6-6.
        Az46 = "az46",
        /// Own first turn and a double that one head checker can't complete.
        NeededDoubles = "needed_doubles",
        /// Own first turn and any roll that one head checker can't complete.
        NeededAny = "needed_any",
        /// Own first turn and any double.
        DoublesFirst = "doubles_first",
        /// Any double on any turn.
        DoublesAlways = "doubles_always",
        /// Never.
        None = "none",
    }
}

named_option! {
    /// When six points in a row are permitted in long nardy (1.6).
    Block "block" {
        /// An enemy checker on the board is past the row.
        Ahead = "ahead",
        /// An enemy checker is in the enemy's own home.
        Home = "home",
        /// Always.
        None = "none",
    }
}

named_option! {
    /// Along which line six points are a row (1.6).
    BlockPath "block_path" {
        /// The opponent's path, 24 to 1.
        Opp = "opp",
        /// The mover's path, 24 to 1.
        Own = "own",
        /// The closed ring of the board.
        Ring = "ring",
    }
}

named_option! {
    /// When the block rule is tested (1.6).
    BlockWhen "block_when" {
        /// After every step.
        Step = "step",
        /// At the end of the turn.
        Turn = "turn",
    }
}

named_option! {
    /// From where a die larger than the point bears off (1.7).
    Overshoot "overshoot" {
        /// From the highest occupied point.
        Highest = "highest",
        /// From any point, if every occupied point is below the die.
        Any = "any",
    }
}

/// Points the winner gets, by what the loser has left (1.8, 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Score {
    /// The loser has borne off at least one checker.
    pub oin: u8,
    /// Long nardy: none off, but all 15 in the home. Short nardy does not tell it from mars.
    pub home_mars: u8,
    /// The loser has borne off none.
    pub mars: u8,
    /// Long nardy: none off and none in the home. Short nardy: none off and at least one on the bar or in the winner's
    /// home.
    pub koks: u8,
}

/// A complete rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Which game.
    pub game: Game,
    /// Dice of the first turn; a matter of the game driver.
    pub opening: Opening,
    /// Who starts the next game; a matter of the match driver.
    pub next_game: NextGame,
    /// Second head checker (long nardy).
    pub head: Head,
    /// Six-block rule (long nardy).
    pub block: Block,
    /// What counts as a row.
    pub block_path: BlockPath,
    /// When rows are tested.
    pub block_when: BlockWhen,
    /// Longest row that can ever be permitted, 6 to 23; 0 = no limit.
    pub block_cap: u8,
    /// Bearing off with a die larger than the point.
    pub overshoot: Overshoot,
    /// A die that can bear off must, while the opponent has nothing on the bar or in the mover's home.
    pub must_off: bool,
    /// Most own checkers a step may find on the point it lands on, plus one: 5 to 14; 0 = no limit (short nardy).
    pub max_point: u8,
    /// The side that did not start has one more turn when the starter finishes first.
    pub last_turn: bool,
    /// Points for the winner.
    pub score: Score,
}

impl Rules {
    /// The preset `long`.
    pub const LONG: Rules = Rules {
        game: Game::Long,
        opening: Opening::Reroll,
        next_game: NextGame::Roll,
        head: Head::Official,
        block: Block::Ahead,
        block_path: BlockPath::Opp,
        block_when: BlockWhen::Step,
        block_cap: 0,
        overshoot: Overshoot::Highest,
        must_off: false,
        max_point: 0,
        last_turn: false,
        score: Score { oin: 1, home_mars: 2, mars: 2, koks: 2 },
    };

    /// The preset `short`.
    pub const SHORT: Rules = Rules {
        game: Game::Short,
        opening: Opening::UseOpeningDice,
        head: Head::None,
        block: Block::None,
        score: Score { oin: 1, home_mars: 2, mars: 2, koks: 3 },
        ..Rules::LONG
    };

    /// The default rules of a game.
    pub const fn default_of(game: Game) -> Rules {
        match game {
            Game::Long => Rules::LONG,
            Game::Short => Rules::SHORT,
        }
    }
}
