//! The command `nardy curve`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const METRICS: &str = "step,points/pips,points_interval/pips,points/pubeval,points_interval/pubeval\n\
                       1000,0.5,0.1,-0.25,0.1\n2000,0.75,0.1,-0.125,0.1\n";

fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("nardy-curve-command-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(path.join("run")).unwrap();
    fs::write(path.join("run/metrics.csv"), METRICS).unwrap();
    path
}

fn curve(directory: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nardy"));
    command.arg("curve").args(args.split(' ')).current_dir(directory).output().unwrap()
}

#[test]
fn curves_of_a_run_and_of_other_results_are_drawn_and_summed_up() {
    let dir = directory("draw");
    fs::write(dir.join("gnu.csv"), "opponent,points,interval,core_minutes\ngnu,-0.1,0.02,30\n").unwrap();
    let output = curve(&dir, "run gnu.csv --opponent pips --opponent gnu --out a.svg --log");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(
        text,
        "run against pips: 2 results, +0.5000 ± 0.1000 after 1000 games, to +0.7500 ± 0.1000 after 2000 games\n\
         run/metrics.csv has no core-minutes: drawn against games only\n\
         gnu against gnu: -0.1000 ± 0.0200 after 30.0 core-minutes\n\
         gnu.csv has no games: drawn against core-minutes only\n\
         plot: a.svg\n"
    );
    let picture = fs::read_to_string(dir.join("a.svg")).unwrap();
    assert!(picture.contains("run against pips") && !picture.contains("pubeval"), "{picture}");
    // Nothing but the plot is left behind.
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 3);
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_can_not_be_drawn_is_said_with_exit_code_one() {
    let dir = directory("wrong");
    fs::create_dir(dir.join("empty")).unwrap();
    fs::write(dir.join("none.csv"), "step,loss\n100,0.5\n").unwrap();
    fs::write(dir.join("broken.csv"), "step,points/pips,points_interval/pips\n100,0.5\n").unwrap();
    for (args, message) in [
        ("no.csv --out a.svg", "can't read no.csv"),
        ("empty --out a.svg", "expected the directory of a training run, found no metrics.csv in empty"),
        ("none.csv --out a.svg", "none.csv: expected results against a fixed opponent, found no evaluation yet"),
        ("broken.csv --out a.svg", "broken.csv, line 2: expected 3 cells, one for each column, found 2"),
        ("run --out a.png", "--out needs a name ending in .svg, found a.png"),
        ("run --out no/a.svg", "can't write no/a.svg"),
        ("run --out a.svg --opponent gnu", "expected one of the opponents pips, pubeval, found \"gnu\""),
    ] {
        let output = curve(&dir, args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && error.contains(message), "{args}: {error}");
    }
    assert!(!dir.join("a.svg").exists());
    fs::remove_dir_all(dir).unwrap();
}
