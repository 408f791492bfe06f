//! Checking the generator against files of test vectors made by other programs.
//!
//! The format is told in tests/data/conformance/README.md: JSON lines, gzipped or not; the first line gives the rule
//! options, each later line a position, a roll and all distinct resulting positions.

use super::{Play, PlayList, legal_plays_into};
use crate::position::{Checkers, Position, PositionError};
use crate::rules::{Game, ParseRulesError, Rules};
use crate::types::{NUM_CHECKERS, Roll};
use flate2::bufread::MultiGzDecoder;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// What came of checking one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The rules the file names.
    pub rules: Rules,
    /// Pairs of position and roll that were checked.
    pub positions: usize,
    /// Those in which the generator and the file differ.
    pub mismatches: Vec<Mismatch>,
}

/// A position and roll for which the generator does not give the listed results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Line in the file, from 1.
    pub line: usize,
    /// The position, seen by the side on roll.
    pub position: Position,
    /// The roll.
    pub roll: Roll,
    /// Listed results that the generator lacks, seen by the side that played.
    pub missing: Vec<Position>,
    /// Plays of the generator that are not listed.
    pub extra: Vec<Play>,
}

impl fmt::Display for Mismatch {
    /// A line for the position and one for each missing or extra result.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}, roll {}", self.line, self.position, self.roll)?;
        for position in &self.missing {
            write!(f, "\n  missing {position}")?;
        }
        for play in &self.extra {
            write!(f, "\n  extra   {} ({})", play.position, play.steps)?;
        }
        Ok(())
    }
}

/// Why a file can't be checked.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The file can't be opened.
    #[error("can't open the file")]
    Open(#[source] io::Error),
    /// Reading or unpacking failed.
    #[error("line {line}: can't be read; the file is damaged or cut off")]
    Read {
        /// Line from 1.
        line: usize,
        /// What went wrong.
        #[source]
        source: io::Error,
    },
    /// Nothing in it.
    #[error("the file has no {missing}")]
    Empty {
        /// What is missing.
        missing: &'static str,
    },
    /// Not the JSON that belongs there.
    #[error("line {line}: expected {expected}")]
    Json {
        /// Line from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// What the parser says.
        #[source]
        source: serde_json::Error,
    },
    /// An option that the rules don't have.
    #[error("line 1: the options are no rule set")]
    Options(#[from] ParseRulesError),
    /// A number or name that can't be.
    #[error("line {line}: expected {expected}, found {found}")]
    BadValue {
        /// Line from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A position that can't be.
    #[error("line {line}: impossible {which}")]
    Position {
        /// Line from 1.
        line: usize,
        /// `position` or `result`.
        which: &'static str,
        /// What is wrong with it.
        #[source]
        source: PositionError,
    },
}

#[derive(Deserialize)]
struct Header {
    options: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Vector {
    game: Option<String>,
    mine: [u8; 26],
    opp: [u8; 26],
    dice: [u8; 2],
    results: Vec<[[u8; 26]; 2]>,
}

/// Checks a file, gzipped or plain.
///
/// # Errors
/// If the file can't be read or is not in the format; the line is named.
pub fn verify_file(path: &Path) -> Result<Report, VerifyError> {
    let mut file = BufReader::new(File::open(path).map_err(VerifyError::Open)?);
    let start = file.fill_buf().map_err(|source| VerifyError::Read { line: 1, source })?;
    if start.starts_with(&[0x1F, 0x8B]) {
        verify_lines(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        verify_lines(file)
    }
}

/// Checks unpacked lines.
///
/// # Errors
/// If the lines can't be read or are not in the format; the line is named.
pub fn verify_lines(reader: impl BufRead) -> Result<Report, VerifyError> {
    let mut lines = (1..).zip(reader.lines()).map(|(line, text)| match text {
        Ok(text) => Ok((line, text)),
        Err(source) => Err(VerifyError::Read { line, source }),
    });
    let (line, text) = lines.next().unwrap_or(Err(VerifyError::Empty { missing: "line of options" }))?;
    let expected = "a line of options such as {\"options\": {\"game\": \"long\"}}";
    let header: Header = serde_json::from_str(&text).map_err(|source| VerifyError::Json { line, expected, source })?;
    let rules = rules_of(&header.options)?;
    let mut report = Report { rules, positions: 0, mismatches: Vec::new() };
    let mut plays = PlayList::new();
    for numbered in lines {
        let (line, text) = numbered?;
        if text.trim().is_empty() {
            continue;
        }
        let expected = "a position with the fields mine, opp, dice and results";
        let vector: Vector =
            serde_json::from_str(&text).map_err(|source| VerifyError::Json { line, expected, source })?;
        report.positions += 1;
        report.mismatches.extend(check(line, &vector, &rules, &mut plays)?);
    }
    if report.positions == 0 {
        return Err(VerifyError::Empty { missing: "positions" });
    }
    Ok(report)
}

/// The rules that the first line names: the game's defaults and its options; `score` has no say in plays, and options
/// of long nardy have none in short.
fn rules_of(options: &BTreeMap<String, Value>) -> Result<Rules, VerifyError> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let found = options.get("game").map_or_else(|| "nothing".into(), text);
    let game = Game::ALL.iter().find(|game| game.as_str() == found).ok_or(VerifyError::BadValue {
        line: 1,
        expected: "the option game to be long or short",
        found,
    })?;
    let mut rules = Rules::default_of(*game);
    for (name, value) in options {
        match (name.as_str(), game) {
            ("game" | "score", _) => {}
            ("head" | "block" | "block_path" | "block_when" | "block_cap", Game::Short) => {}
            (name, _) => rules.set(name, &text(value))?,
        }
    }
    // Files may name row options beside `block=none`, where they mean nothing.
    if rules.block == crate::rules::Block::None {
        rules.block_cap = 0;
    }
    rules.check()?;
    Ok(rules)
}

/// The difference, if any, between one line and the generator.
fn check(line: usize, vector: &Vector, rules: &Rules, plays: &mut PlayList) -> Result<Option<Mismatch>, VerifyError> {
    if let Some(game) = vector.game.as_deref().filter(|game| *game != rules.game.as_str()) {
        return Err(VerifyError::BadValue { line, expected: "the game of line 1", found: game.into() });
    }
    let [a, b] = vector.dice;
    let roll = Roll::new(a, b).ok_or_else(|| VerifyError::BadValue {
        line,
        expected: "two dice from 1 to 6",
        found: format!("{a} and {b}"),
    })?;
    let position = position_of(line, "position", &vector.mine, &vector.opp, rules.game)?;
    if position.us.off() == NUM_CHECKERS {
        return Err(VerifyError::BadValue {
            line,
            expected: "a position in which the side on roll is not off",
            found: position.to_string(),
        });
    }
    let mut listed = HashSet::new();
    for [mine, opp] in &vector.results {
        let result = position_of(line, "result", mine, opp, rules.game)?;
        if !listed.insert(result) {
            return Err(VerifyError::BadValue { line, expected: "distinct results", found: format!("{result} twice") });
        }
    }
    legal_plays_into(position, roll, rules, plays);
    let extra: Vec<Play> = plays.iter().filter(|play| !listed.remove(&play.position)).collect();
    let mut missing: Vec<Position> = listed.into_iter().collect();
    missing.sort();
    let differs = !extra.is_empty() || !missing.is_empty();
    Ok(differs.then_some(Mismatch { line, position, roll, missing, extra }))
}

fn position_of(
    line: usize,
    which: &'static str,
    mine: &[u8; 26],
    opp: &[u8; 26],
    game: Game,
) -> Result<Position, VerifyError> {
    let side = |side, counts: &[u8; 26]| {
        let found = counts.iter().map(|&n| u32::from(n)).sum();
        Checkers::from_counts(counts).ok_or(PositionError::CheckerCount { side, found })
    };
    let position = side("own", mine)
        .and_then(|us| Ok(Position { us, them: side("opp", opp)? }))
        .and_then(|position| position.validate(game).map(|()| position));
    position.map_err(|source| VerifyError::Position { line, which, source })
}
