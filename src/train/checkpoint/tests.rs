use super::*;
use crate::train::test_dir::TestDir;

const FILES: [(&str, &[u8]); 2] = [("weights.bin", b"some weights"), ("config.toml", b"seed = 1\n")];

fn store(dir: &TestDir) -> CheckpointStore {
    CheckpointStore::open(dir.path(), 3).expect("a free directory")
}

#[test]
fn what_is_saved_comes_back() {
    let dir = TestDir::new("checkpoint-round-trip");
    let store = store(&dir);
    let path = store.save(12, &FILES).expect("saved");
    let checkpoint = store.latest_valid().expect("listed").checkpoint.expect("one");
    assert_eq!((checkpoint.counter, &checkpoint.path), (12, &path));
    let files: Vec<_> = checkpoint.files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    assert_eq!(files, [FILES[1], FILES[0]]);
}

#[test]
fn the_last_few_are_kept() {
    let dir = TestDir::new("checkpoint-keep");
    let store = store(&dir);
    for counter in [1, 20, 300, 4000, 50000] {
        store.save(counter, &FILES).expect("saved");
    }
    assert_eq!(store.counters().expect("listed"), [300, 4000, 50000]);
}

#[test]
fn saving_again_under_a_counter_replaces_it() {
    let dir = TestDir::new("checkpoint-replace");
    let store = store(&dir);
    store.save(1, &FILES).expect("saved");
    store.save(1, &[("other", b"newer")]).expect("saved again");
    let checkpoint = store.load(1).expect("unharmed");
    assert_eq!(checkpoint.files, BTreeMap::from([("other".to_owned(), b"newer".to_vec())]));
    assert_eq!(store.counters().expect("listed"), [1]);
}

#[test]
fn what_a_kill_leaves_is_ignored_and_removed() {
    let dir = TestDir::new("checkpoint-kill");
    let first = store(&dir);
    first.save(1, &FILES).expect("saved");
    drop(first);
    // Killed before the rename: a complete set of files, but in the temporary directory.
    let left = dir.path().join(".tmp-checkpoint-000000000002");
    fs::create_dir(&left).expect("created");
    for entry in fs::read_dir(dir.path().join("checkpoint-000000000001")).expect("listed") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), left.join(entry.file_name())).expect("copied");
    }
    let second = store(&dir);
    assert!(!left.exists(), "the next opening removes it");
    let latest = second.latest_valid().expect("listed");
    assert_eq!(latest.checkpoint.map(|c| c.counter), Some(1));
    assert!(latest.skipped.is_empty());
    // A store that is open sees past one and can write in its place.
    fs::create_dir(&left).expect("created");
    fs::write(left.join("weights.bin"), b"some we").expect("written");
    assert_eq!(second.latest_valid().expect("listed").checkpoint.map(|c| c.counter), Some(1));
    second.save(2, &FILES).expect("saved over the remains");
    assert_eq!(second.counters().expect("listed"), [1, 2]);
}

#[test]
fn any_flipped_bit_is_noticed_and_the_one_before_is_offered() {
    let dir = TestDir::new("checkpoint-flip");
    let store = store(&dir);
    store.save(1, &FILES).expect("saved");
    let newest = store.save(2, &FILES).expect("saved");
    for name in ["weights.bin", "config.toml"] {
        let path = newest.join(name);
        let good = fs::read(&path).expect("read");
        for bit in 0..8 * good.len() {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bad).expect("written");
            let latest = store.latest_valid().expect("listed");
            assert_eq!(latest.checkpoint.map(|c| c.counter), Some(1), "{name} bit {bit}");
            let [(skipped, error)] = &latest.skipped[..] else { panic!("{:?}", latest.skipped) };
            assert_eq!(skipped, &newest);
            assert!(matches!(error, CheckpointError::Damaged { path: p, .. } if *p == path), "{error}");
        }
        fs::write(&path, &good).expect("written");
    }
    assert_eq!(store.latest_valid().expect("listed").checkpoint.map(|c| c.counter), Some(2));
}

#[test]
fn missing_shortened_and_foreign_files_are_refused() {
    let dir = TestDir::new("checkpoint-damage");
    let store = store(&dir);
    let path = store.save(7, &FILES).expect("saved");
    let manifest = fs::read_to_string(path.join(MANIFEST)).expect("read");
    let faults: [(&str, Option<String>, &str); 7] = [
        ("weights.bin", None, "weights.bin"),
        ("weights.bin", Some("some".into()), "got 4 bytes"),
        (MANIFEST, None, "manifest.json"),
        (MANIFEST, Some(manifest[..manifest.len() / 2].into()), "EOF"),
        (MANIFEST, Some(manifest.replace("\"version\": 1", "\"version\": 2")), "nardy-checkpoint 2"),
        (MANIFEST, Some(manifest.replace("\"counter\": 7", "\"counter\": 8")), "counter 8"),
        (MANIFEST, Some(manifest.replace("weights.bin", "../../etc/x")), "../../etc/x"),
    ];
    for (name, content, part) in faults {
        let file = path.join(name);
        let good = fs::read(&file).expect("read");
        match content {
            Some(content) => fs::write(&file, content).expect("written"),
            None => fs::remove_file(&file).expect("removed"),
        }
        let latest = store.latest_valid().expect("listed");
        assert_eq!(latest.checkpoint, None);
        let text = latest.skipped[0].1.to_string();
        assert!(text.contains(part), "{part}: {text}");
        fs::write(&file, good).expect("written");
    }
    assert!(store.load(7).is_ok());
}

#[test]
fn a_run_that_goes_back_must_say_so() {
    let dir = TestDir::new("checkpoint-rewind");
    let store = store(&dir);
    for counter in [10, 20, 30] {
        store.save(counter, &FILES).expect("saved");
    }
    let error = store.save(15, &FILES).expect_err("30 is newer");
    assert!(matches!(error, CheckpointError::Behind { counter: 15, newest: 30 }), "{error}");
    let aside = store.rewind(10).expect("renamed");
    assert_eq!(aside.len(), 2);
    assert!(aside.iter().all(|path| path.join(MANIFEST).exists()));
    store.save(15, &FILES).expect("saved");
    assert_eq!(store.counters().expect("listed"), [10, 15]);
    // The same again must not stumble over what was set aside before.
    store.save(20, &FILES).expect("saved");
    assert_eq!(store.rewind(15).expect("renamed").len(), 1);
}

#[test]
fn two_runs_can_not_share_a_directory() {
    let dir = TestDir::new("checkpoint-lock");
    let first = store(&dir);
    let error = CheckpointStore::open(dir.path(), 3).expect_err("in use");
    assert!(matches!(error, CheckpointError::Locked(_)), "{error}");
    drop(first);
    store(&dir);
}

#[test]
fn names_that_leave_the_directory_are_refused() {
    let dir = TestDir::new("checkpoint-names");
    let store = store(&dir);
    for names in [vec!["../x"], vec![""], vec![".hidden"], vec![MANIFEST], vec!["a/b"], vec!["a", "a"]] {
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, b"x".as_slice())).collect();
        let error = store.save(1, &files).expect_err("no plain names");
        assert!(matches!(error, CheckpointError::Name(_)), "{error}");
    }
    assert!(store.counters().expect("listed").is_empty());
    assert!(matches!(CheckpointStore::open(dir.path(), 0), Err(CheckpointError::KeepNone)));
}
