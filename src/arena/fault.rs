//! What foreign engines do wrong, with the exact words that were exchanged.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The ways in which an engine can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The program could not be started.
    Start,
    /// It speaks none of the known dialects, or left the one that it began with.
    WrongDialect,
    /// A play that can be read but is not legal.
    IllegalPlay,
    /// An answer that can't be read.
    Garbage,
    /// It said itself that it can't answer.
    Refusal,
    /// The program ended.
    Crash,
    /// The program closed its output but runs on.
    ClosedPipe,
    /// No answer at all in the time allowed and a moment longer.
    Stall,
    /// The right answer, but after the time allowed.
    Late,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 9] = [
        FaultKind::Start,
        FaultKind::WrongDialect,
        FaultKind::IllegalPlay,
        FaultKind::Garbage,
        FaultKind::Refusal,
        FaultKind::Crash,
        FaultKind::ClosedPipe,
        FaultKind::Stall,
        FaultKind::Late,
    ];

    /// Its name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            FaultKind::Start => "can't start",
            FaultKind::WrongDialect => "wrong dialect",
            FaultKind::IllegalPlay => "illegal play",
            FaultKind::Garbage => "garbage",
            FaultKind::Refusal => "refusal",
            FaultKind::Crash => "crash",
            FaultKind::ClosedPipe => "closed pipe",
            FaultKind::Stall => "stall",
            FaultKind::Late => "late answer",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One failure of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The lines that the engine was to answer, as they were sent.
    pub request: String,
    /// The lines that came back, as they were received; long ones are cut.
    pub answer: String,
    /// What is wrong with the answer, and what the engine wrote to its standard error last.
    pub detail: String,
}

/// Most characters of a request or an answer that are kept.
const LONGEST: usize = 2_000;

impl Fault {
    /// A failure with the words exchanged.
    pub fn new(kind: FaultKind, request: &str, answer: &str, detail: impl Into<String>) -> Fault {
        let clip = |text: &str| match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_string(),
        };
        Fault { kind, request: clip(request), answer: clip(answer), detail: clip(&detail.into()) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {} (asked {:?}, answered {:?})", self.kind, self.detail, self.request, self.answer)
    }
}

/// Why a player gave no choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatError {
    /// It failed.
    Fault(Box<Fault>),
    /// The tournament is being stopped.
    Interrupted,
}

impl From<Fault> for SeatError {
    fn from(fault: Fault) -> SeatError {
        SeatError::Fault(Box::new(fault))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_cut_between_characters() {
        let fault = Fault::new(FaultKind::Garbage, "go", &"ж".repeat(5_000), "");
        assert_eq!(fault.answer.chars().count(), LONGEST + 1);
        assert!(fault.answer.ends_with("ж…") && fault.request == "go");
    }

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = FaultKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names.len(), FaultKind::ALL.len());
    }
}
