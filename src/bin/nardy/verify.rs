//! `nardy verify`: checks the move generator against files of test vectors.

use anyhow::{Context, Result};
use nardy::movegen::verify::verify_file;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `nardy verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of JSON lines, gzipped or plain.
    #[arg(required = true, value_name = "FILE.jsonl.gz")]
    files: Vec<PathBuf>,
    /// Print at most this many mismatches of each file.
    #[arg(long, default_value_t = 20, value_name = "N")]
    show: usize,
}

/// Prints positions and mismatches of each file; fails if there is any mismatch.
///
/// # Errors
/// If a file can't be read or is damaged.
pub fn run(args: Args, out: &mut dyn Write) -> Result<ExitCode> {
    let (mut positions, mut mismatches) = (0, 0);
    for path in &args.files {
        let report = verify_file(path).with_context(|| path.display().to_string())?;
        writeln!(
            out,
            "{}: rules {}, {} positions checked, {} mismatches",
            path.display(),
            report.rules,
            report.positions,
            report.mismatches.len()
        )?;
        for mismatch in report.mismatches.iter().take(args.show) {
            writeln!(out, "{mismatch}")?;
        }
        if report.mismatches.len() > args.show {
            writeln!(out, "… and {} more", report.mismatches.len() - args.show)?;
        }
        positions += report.positions;
        mismatches += report.mismatches.len();
    }
    if args.files.len() > 1 {
        writeln!(out, "{} files, {positions} positions checked, {mismatches} mismatches", args.files.len())?;
    }
    Ok(if mismatches == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
