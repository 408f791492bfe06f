use super::*;
use crate::train::test_dir::TestDir;
use std::fs;

/// Every kind of step: a new net that learns λ-returns, a grown one with an average, and one-ply targets with a filter.
const RECIPE: &str = r#"
name = "test"
rules = "short"
features = "short"
seed = 5
[checkpoints]
every = 1000
keep = 2
[[phase]]
name = "small"
hidden = [8]
games = 20
round = 10
rate = 1e-3
lambda = 0.5
[[phase]]
name = "wide"
hidden = [16, 8]
games = 20
round = 10
rate = 1e-3
average = 0.9
[[phase]]
name = "exact"
hidden = [16, 8]
games = 9
round = 3
rate = 1e-3
targets = "one-ply"
revive = true
share = 0.03
stretch = 2
lambda = 0.5
filter = { model = "small", keep = 3 }
replay = 2
passes = 2
average = 0.9
random_plies = 4
"#;

fn config(settings: &[&str]) -> Config {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    Config::read(RECIPE, &settings).unwrap()
}

/// Steps until `games` games are learned from, and saves.
fn run_to(mut run: Run, games: u64) -> Vec<u8> {
    while !run.is_done() && run.progress().games < games {
        run.step().unwrap();
    }
    run.save().unwrap();
    run.model_file().unwrap().to_bytes().unwrap()
}

#[test]
fn stopping_and_resuming_gives_the_same_bytes_as_going_on_with_any_number_of_threads() {
    let whole = TestDir::new("run-whole");
    let expected = run_to(Run::new(config(&["threads=1"]), whole.path()).unwrap(), 1_000);
    // In the middle of the second and of the third phase, where there are an average, a filter and a memory.
    for stop in [10, 30, 46] {
        let parts = TestDir::new(&format!("run-parts-{stop}"));
        run_to(Run::new(config(&["threads=2"]), parts.path()).unwrap(), stop);
        let (run, skipped) = Run::resume(config(&["threads=3"]), parts.path(), false).unwrap();
        assert_eq!((run.progress().games, skipped), (stop, vec![]));
        assert!(run_to(run, 1_000) == expected, "stopped at game {stop}");
    }
}

#[test]
fn what_has_begun_can_not_be_changed_but_what_comes_later_can() {
    let dir = TestDir::new("run-changed");
    run_to(Run::new(config(&[]), dir.path()).unwrap(), 30);
    for setting in ["seed=6", "phase.0.games=30", "phase.1.rate=2e-3", "rules=short,finish=first"] {
        let Ok(config) = Config::read(RECIPE, &[setting.into()]) else { continue };
        let error = Run::resume(config, dir.path(), false).unwrap_err().to_string();
        assert!(error.contains("another configuration"), "{setting}: {error}");
    }
    for setting in ["phase.2.games=3", "phase.2.hidden=[20,8]", "evaluation.games=8", "checkpoints.keep=3"] {
        let (run, _) = Run::resume(config(&[setting]), dir.path(), false).unwrap();
        assert_eq!(run.progress().games, 30, "{setting}");
    }
}

#[test]
fn a_phase_may_be_shortened_to_what_was_done_of_it_if_that_is_asked_for() {
    let dir = TestDir::new("run-shortened");
    run_to(Run::new(config(&[]), dir.path()).unwrap(), 30);
    // The second phase ends where it is, at 10 of its 20 games.
    let (run, _) = Run::resume(config(&["phase.1.games=10"]), dir.path(), true).unwrap();
    assert_eq!((run.progress().phase, run.progress().games, run.progress().phase_games), (2, 30, 0));
    assert!(dir.path().join("phase-wide.safetensors").exists());
    drop(run);
    // A rate may change; the phase goes on.
    let (run, _) = Run::resume(config(&["phase.1.rate=2e-3"]), dir.path(), true).unwrap();
    assert_eq!((run.progress().phase, run.progress().phase_games), (1, 10));
}

#[test]
fn a_run_that_is_done_goes_on_with_phases_that_are_added_as_if_they_had_been_there() {
    let whole = TestDir::new("run-all-phases");
    let expected = run_to(Run::new(config(&[]), whole.path()).unwrap(), 1_000);
    let shorter = &RECIPE[..RECIPE.rfind("[[phase]]").unwrap()];
    let parts = TestDir::new("run-added-phase");
    run_to(Run::new(Config::read(shorter, &[]).unwrap(), parts.path()).unwrap(), 1_000);
    let (run, _) = Run::resume(config(&[]), parts.path(), false).unwrap();
    assert_eq!((run.progress().phase, run.progress().games), (2, 40));
    assert!(run_to(run, 1_000) == expected);
}

#[test]
fn processor_time_adds_up_over_sittings() {
    let dir = TestDir::new("run-time");
    let mut run = Run::new(config(&[]), dir.path()).unwrap();
    run.step().unwrap();
    run.save().unwrap();
    let first = run.core_seconds();
    assert!(first > 0.0);
    drop(run);
    let (run, _) = Run::resume(config(&[]), dir.path(), false).unwrap();
    assert!(run.core_seconds() >= 0.9 * first, "{first} and then {}", run.core_seconds());
}

#[test]
fn a_damaged_checkpoint_is_skipped_for_the_one_before_it() {
    let dir = TestDir::new("run-damaged");
    let mut run = Run::new(config(&[]), dir.path()).unwrap();
    run.step().unwrap();
    let good = run.save().unwrap();
    run.step().unwrap();
    let newest = run.save().unwrap();
    drop(run);
    let adam = newest.join("adam.bpk");
    let mut bytes = fs::read(&adam).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&adam, bytes).unwrap();
    let (run, skipped) = Run::resume(config(&[]), dir.path(), false).unwrap();
    assert_eq!(run.progress().games, 10);
    assert!(skipped.len() == 1 && skipped[0].contains("adam.bpk") && skipped[0].contains("damaged"), "{skipped:?}");
    drop(run);
    fs::remove_dir_all(good).unwrap();
    let error = Run::resume(config(&[]), dir.path(), false).unwrap_err().to_string();
    assert!(error.contains("no good checkpoint"), "{error}");
}

#[test]
fn games_can_start_from_positions_in_a_file() {
    let dir = TestDir::new("run-starts");
    let starts = dir.path().join("starts.txt");
    fs::write(&starts, "# a bear-off\nown 3:2 2:1 off:12 | opp 4:2 1:1 off:12\n").unwrap();
    let setting = format!("phase.0.starts={:?}", starts.display().to_string());
    let mut run = Run::new(config(&[&setting]), &dir.path().join("run")).unwrap();
    let report = run.step().unwrap();
    assert!(report.played.plies < 8 * report.played.games, "{report:?}");
    fs::write(&starts, "own 3:2\nnonsense\n").unwrap();
    let error = Run::new(config(&[&setting]), &dir.path().join("other")).unwrap_err().to_string();
    assert!(error.contains("starts.txt, line 1") || error.contains("starts.txt, line 2"), "{error}");
}

#[test]
fn a_run_can_begin_with_the_model_of_another() {
    let dir = TestDir::new("run-warm");
    let mut run = Run::new(config(&[]), &dir.path().join("first")).unwrap();
    run.step().unwrap();
    let model = run.export("model.safetensors").unwrap();
    let warm = format!("phase.0.warm_start={:?}", model.display().to_string());
    let grown = ["phase.0.hidden=[12]", "phase.1.hidden=[16,12]", "phase.2.hidden=[16,12]"];
    let run = Run::new(config(&[&[warm.as_str()], &grown[..]].concat()), &dir.path().join("second")).unwrap();
    let (old, new) = (ModelFile::load(&model).unwrap(), run.net().unwrap());
    let input = vec![0.5; 207];
    let (old, new) = (old.net("all").unwrap().forward(&input, None), new.forward(&input, None));
    assert!(old.iter().zip(new).all(|(a, b)| (a - b).abs() < 1e-5), "{old:?} {new:?}");
    let wrong = [&warm[..], "rules=long", "features=long"];
    let error = Run::new(config(&wrong), &dir.path().join("third")).unwrap_err().to_string();
    assert!(error.contains("plays short nardy"), "{error}");
}
