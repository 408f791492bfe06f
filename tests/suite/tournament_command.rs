//! The commands `nardy tournament` and `nardy analyse`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A directory that is removed in the end.
pub struct TempDir(pub PathBuf);

impl TempDir {
    pub fn new(name: &str) -> TempDir {
        let path = std::env::temp_dir().join(format!("nardy-command-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        TempDir(path)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn nardy(directory: &Path, args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nardy")).args(args.split(' ')).current_dir(directory).output().unwrap()
}

pub fn text(directory: &Path, args: &str) -> String {
    let output = nardy(directory, args);
    assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn all_reports_are_written_and_the_same_command_finds_them_done() {
    let dir = TempDir::new("reports");
    let model = super::SHORT_MODEL;
    let command = format!("tournament random pips pubeval --games 20 --seed 4 --reference {model} --keep-games mat");
    let table = text(&dir.0, &command);
    assert!(table.starts_with("round-robin of 3 players, rules short, 20 games a pairing, seed 4\n"), "{table}");
    let place = |name: &str| table.find(&format!("\n{name} ")).unwrap();
    assert!(place("pubeval") < place("pips") && place("pips") < place("random"), "{table}");
    let out = table.split("reports and state: ").nth(1).unwrap().trim().to_string();
    assert!(out.starts_with("tournament-"));
    let report = dir.json(&format!("{out}/report.json"));
    assert_eq!(report["pairings"].as_array().unwrap().len(), 3);
    assert_eq!((report["seed"].as_u64(), report["complete"].as_bool()), (Some(4), Some(true)));
    for (name, part) in [
        ("report.html", "<svg class=\"board\""),
        ("report.md", "## Cross table"),
        ("report.txt", "luck-adjusted"),
        ("players.csv", "name,player,rank,"),
        ("pairings.csv", "random,pips,20,"),
        ("games/random-vs-pips.mat", "Game 20"),
        ("state.json", "\"settings\""),
    ] {
        assert!(dir.read(&format!("{out}/{name}")).contains(part), "{name}");
    }
    assert_eq!(dir.read(&format!("{out}/games/pips-vs-pubeval.jsonl")).lines().count(), 20);
    assert_eq!(text(&dir.0, &command), table);
    // More games go on from these.
    let longer = text(&dir.0, &command.replace("--games 20", "--games 24"));
    assert!(longer.contains("24 games a pairing") && longer.contains(&out));
    assert_eq!(dir.read(&format!("{out}/games/pips-vs-pubeval.jsonl")).lines().count(), 24);
}

#[test]
fn a_file_names_players_and_settings_and_the_command_line_counts_more() {
    let dir = TempDir::new("config");
    let bot = env!("CARGO_BIN_EXE_nardy-bot");
    let config = format!(
        "rules = \"short\"\nformat = \"gauntlet\"\ngames = 4\nseed = 9\nout = \"o\"\nmax_faults = 2\n\
         sprt = {{ unit = \"elo\", h0 = 0.0, h1 = 50.0 }}\n\
         players = [\"pips\", \"weak=random\", {{ player = \"ubgi:{bot}\", name = \"bot\", options = {{ \
         \"engine.level\" = \"beginner\" }} }}]\n"
    );
    fs::write(dir.0.join("t.toml"), config).unwrap();
    let table = text(&dir.0, "tournament --config t.toml --games 6");
    assert!(table.starts_with("gauntlet of 3 players, rules short, 6 games a pairing, seed 9\n"), "{table}");
    let report = dir.json("o/report.json");
    assert_eq!(report["pairings"].as_array().unwrap().len(), 2);
    assert_eq!(report["players"][2]["name"], "bot");
    assert_eq!(report["pairings"][0]["result"]["sprt"]["spec"]["unit"], "elo");
    let refused = nardy(&dir.0, "tournament --config t.toml --games 6 --seed 1");
    assert!(
        String::from_utf8_lossy(&refused.stderr)
            .contains("o/state.json holds another tournament: its seed is 9, not 1;")
    );
    for (text, message) in [
        ("plyers = []", "unknown field `plyers`"),
        ("games = 0", "games must be from 1 to 1000000000000, found 0"),
        ("length = 0", "length and threads must be 1 or more, found 0"),
        ("out = \"\"", "out must be a directory, found a blank name"),
    ] {
        fs::write(dir.0.join("bad.toml"), format!("{text}\n")).unwrap();
        let refused = nardy(&dir.0, "tournament --config bad.toml pips random");
        let error = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && error.contains(message), "{text}: {error}");
    }
}

#[test]
fn settings_that_exclude_each_other_and_other_tournaments_are_refused() {
    let dir = TempDir::new("refused");
    let refused = |args: &str| {
        let output = nardy(&dir.0, args);
        assert!(!output.status.success(), "{args}");
        String::from_utf8(output.stderr).unwrap()
    };
    for (args, message) in [
        ("pips random --format gauntlet --anchor pubeval", "anchors belong to a ladder, but the format is gauntlet"),
        ("--anchor pips --anchor random --format ladder", "a ladder needs players that are no anchors, found none"),
        ("pips random --sprt luck:0:0.1", "needs a reference model that measures luck, found none"),
        ("pips random --sprt luck:0:0.1 --length 3 --reference long", "needs single games, found matches"),
        ("pips ubgi:no-such-program", "player no-such-program: there is no program \"no-such-program\""),
        ("pips long pubeval", "must play the same game, but long plays long nardy and pubeval short nardy"),
    ] {
        let error = refused(&format!("tournament {args} --games 2 --out new"));
        assert!(error.contains(message), "{args}: {error}");
        assert!(!dir.0.join("new").exists(), "{args}");
    }
    let bot = env!("CARGO_BIN_EXE_nardy-bot");
    let config = |level: &str| {
        let player =
            format!("{{ player = \"ubgi:{bot}\", name = \"bot\", options = {{ \"engine.level\" = \"{level}\" }} }}");
        fs::write(dir.0.join("t.toml"), format!("rules = \"short\"\ngames = 2\nplayers = [\"pips\", {player}]\n"))
            .unwrap();
    };
    fs::copy(super::SHORT_MODEL, dir.0.join("m.safetensors")).unwrap();
    config("beginner");
    text(&dir.0, "tournament --config t.toml --out a");
    text(&dir.0, "tournament pips m.safetensors --games 2 --out b --reference m.safetensors");
    config("club");
    let other = super::SHORT_MODEL.replace("short-quick", "short");
    for (args, message) in [
        ("--config t.toml --out a", "its players is pips, ubgi:"),
        (
            "pips m.safetensors --games 2 --out b --reference m.safetensors,plies=1",
            "its reference model is another one",
        ),
        ("pips m.safetensors --games 2 --out b", "it has a reference model"),
        ("pips m.safetensors --games 2 --out b --length 3", "its length is none, not 3"),
        ("pips m.safetensors --games 2 --out b --keep-games mat --reference m.safetensors", "its games were not kept"),
    ] {
        let error = refused(&format!("tournament {args}"));
        assert!(error.contains("holds another tournament: ") && error.contains(message), "{args}: {error}");
    }
    fs::copy(other, dir.0.join("m.safetensors")).unwrap();
    let error = refused("tournament pips m.safetensors --games 2 --out b");
    assert!(error.contains("the model file of m was another one"), "{error}");
    fs::write(dir.0.join("b/state.json"), "{}").unwrap();
    let error = refused("tournament pips m.safetensors --games 2 --out b");
    assert!(error.contains("expected the saved state of a tournament, found something else"), "{error}");
}

#[test]
fn a_ladder_climbs_over_the_models_of_a_directory() {
    let dir = TempDir::new("ladder");
    fs::create_dir(dir.0.join("run")).unwrap();
    for name in ["m10", "m2", "m1"] {
        fs::copy(super::SHORT_MODEL, dir.0.join(format!("run/{name}.safetensors"))).unwrap();
    }
    let table = text(&dir.0, "tournament run --format ladder --anchor pips --games 4 --out o");
    assert!(table.starts_with("ladder of 4 players, rules short, 4 games a pairing, seed 1\n"), "{table}");
    let report = dir.json("o/report.json");
    let names: Vec<&str> = (0..4).map(|i| report["players"][i]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["pips", "m1", "m2", "m10"]);
    // The anchor against each rung, neighbours, and rungs two apart.
    assert_eq!(report["pairings"].as_array().unwrap().len(), 3 + 2 + 1);
    let page = dir.read("o/report.html");
    assert!(page.contains("Over the checkpoints") && page.contains("against pips"));
    // A place on the axis for each rung and no more.
    let ladder = page.split("Over the checkpoints").nth(1).unwrap().split("</svg>").next().unwrap();
    assert!(["\nm1\n", "\nm2\n", "\nm10\n"].iter().all(|name| ladder.matches(name).count() == 1), "{ladder}");
}

#[cfg(unix)]
#[test]
fn an_interruption_saves_and_the_same_command_goes_on() {
    let dir = TempDir::new("interrupt");
    let played = || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nardy"))
            .args(["tournament", "random", "pips", "--rules", "short", "--games", "100000000", "--out", "o"])
            .current_dir(&dir.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        // The directory is made after Ctrl-C has been taken care of.
        while !dir.0.join("o").is_dir() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(700));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(!dir.json("o/report.json")["complete"].as_bool().unwrap());
        dir.json("o/report.json")["players"][0]["games"].as_u64().unwrap()
    };
    let first = played();
    let second = played();
    assert!(first > 0 && second > first, "{first} {second}");
}

#[test]
fn an_analysis_shows_who_lost_what_and_where() {
    let dir = TempDir::new("analysis");
    fs::copy(super::SHORT_MODEL, dir.0.join("m.safetensors")).unwrap();
    text(&dir.0, "match pips net=./m.safetensors --games 6 --seed 2 --record g.jsonl");
    text(&dir.0, "match pips net=./m.safetensors --games 6 --seed 2 --record g.mat");
    let shown = text(&dir.0, "analyse g.jsonl --reference m.safetensors --worst 2 --ascii --json a.json --html a.html");
    assert!(shown.starts_with("6 games, rules short, judged by m.safetensors\n\nplayer "), "{shown}");
    assert!(shown.contains("\nnet     0.00000 ± 0.00000 ") && shown.contains("\n1. pips to play "), "{shown}");
    assert_eq!(shown.matches("\n +-------------------").count(), 4, "{shown}");
    let review = dir.json("a.json");
    assert_eq!((review["players"][0]["name"].as_str(), review["worst"].as_array().unwrap().len()), (Some("net"), 2));
    assert!(review["players"][1]["loss"]["per_decision"]["mean"].as_f64().unwrap() > 0.01);
    assert_eq!(dir.read("a.html").matches("<svg class=\"board\"").count(), 2);
    // A .mat file holds the same games, but not their seeds.
    let table = |text: &str| text.lines().take(4).map(String::from).collect::<Vec<_>>();
    let of_mat = text(&dir.0, "analyse g.mat --reference m.safetensors --worst 2 --ascii --threads 1");
    assert_eq!(table(&of_mat), table(&shown));
    let ahead = text(&dir.0, "analyse g.mat --reference m.safetensors,plies=1 --worst 0");
    assert!(ahead.contains("\nnet  ") && !ahead.contains("\nnet     0.00000 "), "{ahead}");
    let lucky = text(&dir.0, "analyse g.jsonl --reference m.safetensors --worst 0 --luck");
    assert!(lucky.contains("luck/game"), "{lucky}");
    for (args, message) in [
        ("analyse g.jsonl --reference long", "the model plays long nardy, but short nardy is to be played"),
        ("analyse g.txt --reference short", "expected a name ending in .jsonl, .json or .mat"),
        ("analyse g.jsonl --reference short,plies=5", "with N from 0 to 3"),
        ("analyse g.jsonl --reference pips", "a reference must be a model file, `short` or `long`, found \"pips\""),
        ("analyse g.jsonl --reference m.safetensors --trials 72", "required arguments"),
        ("analyse g.jsonl --reference m.safetensors --rollout --trials 0", "0 is not in 1..="),
        (
            "analyse g.jsonl --reference m.safetensors --rollout --rollout-loss=-1",
            "--rollout-loss needs a number of points, 0 or more, found -1",
        ),
        ("analyse g.jsonl --reference short --html .", "can't write .: expected the name of a file"),
    ] {
        let output = nardy(&dir.0, args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(message), "{args}: {error}");
    }
}

#[test]
fn costly_decisions_are_judged_by_rollouts_if_wanted() {
    let dir = TempDir::new("analysis-rollout");
    fs::copy(super::SHORT_MODEL, dir.0.join("m.safetensors")).unwrap();
    text(&dir.0, "match pips net=./m.safetensors --games 2 --seed 2 --record g.jsonl");
    let command = "analyse g.jsonl --reference m.safetensors,plies=1 --worst 3 --ascii --json a.json";
    text(&dir.0, command);
    let plain = dir.json("a.json");
    assert_eq!(plain["rolled_out"], 0);
    let rollout = "--rollout --rollout-most 4 --trials 72 --truncate 1 --rollout-close 0.001";
    let shown = text(&dir.0, &format!("{command} {rollout}"));
    assert!(
        shown.starts_with("2 games, rules short, judged by m.safetensors,plies=1, 4 decisions rolled out\n"),
        "{shown}"
    );
    assert!(shown.contains(" (rolled out), best "), "{shown}");
    let rolled = dir.json("a.json");
    let decisions = |review: &serde_json::Value| review["players"][0]["loss"]["decisions"].clone();
    assert_eq!(decisions(&rolled), decisions(&plain));
    assert_ne!(rolled["players"], plain["players"]);
    let sharp = |review: &serde_json::Value| {
        review["worst"].as_array().unwrap().iter().any(|row| row["half_width"].is_number())
    };
    assert!(sharp(&rolled) && !sharp(&plain), "{shown}");
    assert_eq!(text(&dir.0, &format!("{command} {rollout} --threads 1")), shown);
}
