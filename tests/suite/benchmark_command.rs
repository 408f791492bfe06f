//! The command `nardy benchmark`.

use super::tournament_command::{TempDir, nardy, text};
use nardy::arena::benchmark::Benchmark;
use sha2::{Digest, Sha256};
use std::fs;

/// Few games that are cut off early, with a small model.
fn make(file: &str, decisions: u32, more: &str) -> String {
    let model = super::SHORT_MODEL;
    format!(
        "benchmark make {file} --model {model} --decisions {decisions} --trials 144 --batch 72 --truncate 2 --seed 5 \
         --player pips --player {model} {more}"
    )
    .trim_end()
    .into()
}

#[test]
fn threads_and_interruptions_do_not_change_a_benchmark() {
    let dir = TempDir::new("benchmark-make");
    let told = text(&dir.0, &make("a.jsonl", 16, "--threads 1"));
    assert!(told.starts_with("16 of 16 decisions\n") && told.contains("\ncontact "), "{told}");
    let whole = dir.read("a.jsonl");
    assert_eq!(whole.lines().count(), 17);
    text(&dir.0, &make("b.jsonl", 16, "--threads 2"));
    assert_eq!(dir.read("b.jsonl"), whole);
    // Ended in the middle of a line, and then asked for more.
    let cut = whole.match_indices('\n').nth(9).unwrap().0 + 25;
    fs::write(dir.0.join("c.jsonl"), &whole[..cut]).unwrap();
    text(&dir.0, &make("c.jsonl", 16, ""));
    assert_eq!(dir.read("c.jsonl"), whole);
    text(&dir.0, &make("c.jsonl", 18, ""));
    let longer = dir.read("c.jsonl");
    assert_eq!(longer.lines().count(), 19);
    assert!(longer.lines().skip(1).take(16).eq(whole.lines().skip(1)));
    // Every line is about another decision.
    let decisions: std::collections::BTreeSet<_> = longer
        .lines()
        .skip(1)
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            (line["position"].to_string(), line["dice"].to_string())
        })
        .collect();
    assert_eq!(decisions.len(), 18);
}

#[test]
fn players_are_measured_and_unknown_choices_rolled_out() {
    let dir = TempDir::new("benchmark-run");
    let model = super::SHORT_MODEL;
    text(&dir.0, &make("a.jsonl", 16, ""));
    let command = format!("benchmark run a.jsonl net={model} pips random --worst 1 --ascii");
    let shown = text(&dir.0, &format!("{command} --json r.json --markdown r.md --html r.html"));
    assert!(shown.starts_with("16 decisions, rules short, seed 5; at most 144 games a play by "), "{shown}");
    assert!(shown.contains("\nnet ") && shown.contains("\nrandom: worst 1, "), "{shown}");
    assert_eq!(text(&dir.0, &format!("{command} --threads 1")), shown);
    let report = dir.json("r.json");
    let of = |player: usize, name: &str| report["players"][player]["all"][name].clone();
    let loss = |player: usize| of(player, "loss")["mean"].as_f64().unwrap();
    assert!(loss(0) < loss(1) && loss(1) < loss(2), "{shown}");
    let more = of(2, "more_than_first")["mean"].as_f64().unwrap();
    assert!((more - (loss(2) - loss(0))).abs() < 1e-9 && of(0, "more_than_first").is_null());
    assert!(report["players"][2]["added"].as_u64().unwrap() > 3 && report["players"][1]["added"] == 0);
    let phases = report["players"][0]["phases"].as_array().unwrap();
    assert_eq!(phases.iter().map(|phase| phase["decisions"].as_u64().unwrap()).sum::<u64>(), 16);
    let page = dir.read("r.html");
    assert!(page.matches("<svg class=\"board\"").count() >= 2);
    assert!(dir.read("r.md").contains("\n| player | loss/decision | held out |"));
    // Without rollouts, such choices are counted apart.
    let apart = text(&dir.0, &format!("{command} --no-rollouts"));
    assert!(apart.contains("choices are not rolled out and don't count"), "{apart}");
    // Once they are in the file, nothing is left to roll out, and the figures are the same.
    text(&dir.0, &format!("{command} --add"));
    let again = text(&dir.0, &command);
    let table = |text: &str| text.lines().take(11).map(String::from).collect::<Vec<_>>();
    assert_eq!(table(&again), table(&shown));
    assert!(!again.contains("have been rolled out"), "{again}");
    // With other plays in it, the same command still makes what is missing.
    let before = dir.read("a.jsonl");
    text(&dir.0, &make("a.jsonl", 17, ""));
    assert!(dir.read("a.jsonl").lines().skip(1).take(16).eq(before.lines().skip(1)));
}

#[test]
fn what_is_wrong_with_a_benchmark_is_said() {
    let dir = TempDir::new("benchmark-bad");
    text(&dir.0, &make("a.jsonl", 3, ""));
    let whole = dir.read("a.jsonl");
    fs::write(dir.0.join("damaged.jsonl"), whole.replacen("\"blocks\":[", "\"blocks\":[x", 1)).unwrap();
    fs::write(dir.0.join("other.jsonl"), whole.replacen("\"nardy_benchmark\":1", "\"nardy_benchmark\":9", 1)).unwrap();
    fs::write(dir.0.join("text.jsonl"), "hello\n").unwrap();
    fs::write(dir.0.join("empty.jsonl"), whole.lines().next().unwrap().to_string() + "\n").unwrap();
    let model = super::SHORT_MODEL;
    for (args, message) in [
        (make("a.jsonl", 2, ""), "already has 3 decisions, more than the 2 asked for".to_string()),
        (make("a.jsonl", 3, "").replace("--seed 5", "--seed 6"), "another benchmark: seed 5 is not 6".into()),
        (make("a.jsonl", 3, "--within -1"), "unexpected argument".into()),
        (make("a.jsonl", 3, "--within=-1"), "--within needs a number of points, 0 or more, found -1".into()),
        (make("n.jsonl", 3, "").replace(model, "pips"), "--model needs a model file, `short` or `long`".into()),
        (make("n.jsonl", 3, "--rules long"), "the model plays short nardy, but long nardy is to be played".into()),
        (make("n/n.jsonl", 3, ""), "n/n.jsonl: No such file".into()),
        ("benchmark make n.jsonl --model short,plies=1".into(), "--model takes no plies".into()),
        ("benchmark run a.jsonl".into(), "required arguments".into()),
        ("benchmark run a.jsonl nobody".into(), "unknown player \"nobody\"".into()),
        ("benchmark run a.jsonl long --no-rollouts".into(), "the model plays long nardy".into()),
        (
            "benchmark run a.jsonl pips --model short".into(),
            "short is not the model that the benchmark was made".into(),
        ),
        ("benchmark run b.jsonl pips".into(), "b.jsonl: No such file".into()),
        ("benchmark run damaged.jsonl pips".into(), "damaged.jsonl, line 2: expected value".into()),
        ("benchmark run other.jsonl pips".into(), "line 1: its version is 9, expected 1".into()),
        ("benchmark run text.jsonl pips".into(), "line 1: expected the settings of a benchmark".into()),
        ("benchmark run empty.jsonl pips".into(), "empty.jsonl has no decisions yet".into()),
    ] {
        let output = nardy(&dir.0, &args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(&message), "{args}: {error}");
    }
    assert_eq!(dir.read("a.jsonl"), whole);
}

#[test]
fn the_benchmarks_in_docs_can_be_read_and_their_judges_are_here() {
    for (file, judge) in [("short", "docs/benchmarks/short-judge.safetensors"), ("long", "models/long.safetensors")] {
        let set = Benchmark::load(format!("docs/benchmarks/{file}.jsonl").as_ref()).unwrap();
        assert_eq!(set.decisions.len(), set.settings.decisions as usize, "{file}");
        assert!(set.decisions.iter().all(|decision| !decision.plays.is_empty()), "{file}");
        let hash: String = Sha256::digest(fs::read(judge).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(set.settings.model_sha256.starts_with(&hash), "{file}: {judge}");
    }
}
