//! Round trips, and every kind of damage.

use super::*;
use proptest::prelude::*;

fn meta() -> ModelMeta {
    ModelMeta {
        game: "short".into(),
        rules: "standard".into(),
        features: "tesauro".into(),
        features_version: 2,
        config_hash: "0123abcd".into(),
        games: 1_000_000,
        commit: "b9617f6".into(),
        notes: "two lines\nand a \"quote\", λ".into(),
    }
}

fn file() -> ModelFile {
    let contact = NetWeights::random(&[10, 7, 6], 1).unwrap();
    let race = NetWeights::random(&[10, 6], 2).unwrap();
    ModelFile { meta: meta(), nets: vec![("race".into(), race), ("contact".into(), contact)] }
}

fn refusal(bytes: &[u8]) -> String {
    ModelFile::from_bytes(bytes).expect_err("the bytes should be refused").to_string()
}

/// The file with its metadata changed by `edit`; with the right checksum if `sign`.
fn forged(sign: bool, edit: impl Fn(&mut Value)) -> Vec<u8> {
    let bytes = file().to_bytes().unwrap();
    let parsed = SafeTensors::deserialize(&bytes).unwrap();
    let (mut about, _) = read_metadata(&bytes).unwrap();
    edit(&mut about);
    let views = parsed.tensors();
    let tensors = views.iter().map(|(name, view)| (name.clone(), (view.shape().to_vec(), view.data().into())));
    if sign {
        about.as_object_mut().unwrap().remove("sha256");
        about["sha256"] = checksum(&mut about, &tensors.collect()).into();
    }
    serialize(views, Some(HashMap::from([("nardy".into(), about.to_string())]))).unwrap()
}

/// The file with one tensor put in place of, or besides, the one of that name.
fn with_tensor(name: &str, dtype: Dtype, shape: Vec<usize>, data: &[u8]) -> Vec<u8> {
    let bytes = file().to_bytes().unwrap();
    let parsed = SafeTensors::deserialize(&bytes).unwrap();
    let (about, _) = read_metadata(&bytes).unwrap();
    let mut views: BTreeMap<_, _> = parsed.tensors().into_iter().collect();
    views.insert(name.into(), TensorView::new(dtype, shape, data).unwrap());
    serialize(views, Some(HashMap::from([("nardy".into(), about.to_string())]))).unwrap()
}

#[test]
fn a_file_reads_back_as_it_was_written() {
    let file = file();
    let bytes = file.to_bytes().unwrap();
    assert_eq!(ModelFile::from_bytes(&bytes).unwrap(), file);
    assert_eq!(file.net("race").unwrap().sizes(), [10, 6]);
    assert_eq!(file.net("bearoff"), None);
    let single = ModelFile::single(meta(), NetWeights::random(&[3, 6], 0).unwrap());
    assert_eq!(ModelFile::from_bytes(&single.to_bytes().unwrap()).unwrap(), single);
    assert!(single.net(DEFAULT_PHASE).is_some());
}

#[test]
fn the_same_contents_give_the_same_bytes() {
    let bytes = file().to_bytes().unwrap();
    for _ in 0..20 {
        assert_eq!(file().to_bytes().unwrap(), bytes);
    }
}

/// A file of the first release. If this fails, files that users have can't be read any more.
#[test]
fn the_bytes_of_the_format_do_not_change() {
    let net = NetWeights { layers: vec![Layer { inputs: 1, outputs: 6, weights: vec![1.0; 6], bias: vec![-2.0; 6] }] };
    let bytes = ModelFile::single(ModelMeta { game: "long".into(), ..ModelMeta::default() }, net).to_bytes().unwrap();
    let header = String::from_utf8(bytes[8..bytes.len() - 48].into()).unwrap();
    let expected = concat!(
        r#"{"__metadata__":{"nardy":"{\"commit\":\"\",\"config_hash\":\"\",\"features\":\"\",\"features_version\":0,"#,
        r#"\"format\":1,\"game\":\"long\",\"games\":0,\"notes\":\"\",\"phases\":[{\"name\":\"all\",\"sizes\":[1,6]}],"#,
        r#"\"rules\":\"\",\"sha256\":\"SHA\"}"},"#,
        r#""all.0.bias":{"dtype":"F32","shape":[6],"data_offsets":[0,24]},"#,
        r#""all.0.weight":{"dtype":"F32","shape":[1,6],"data_offsets":[24,48]}}"#
    );
    let sha = "f792627bade3eb764213ac516e853b0a925addc9f27e81112d661a0f20a2ef60";
    assert_eq!(header.trim_end(), expected.replace("SHA", sha));
}

#[test]
fn saving_replaces_the_file_and_leaves_nothing_else() {
    let directory = std::env::temp_dir().join(format!("nardy-format-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join("net.safetensors");
    fs::write(&path, "old").unwrap();
    file().save(&path).unwrap();
    assert_eq!(ModelFile::load(&path).unwrap(), file());
    let names: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["net.safetensors"]);

    let mut bad = file();
    bad.nets[0].1.layers[0].weights[0] = f32::NAN;
    bad.save(&path).unwrap_err();
    assert_eq!(ModelFile::load(&path).unwrap(), file(), "a failed save must not touch the old file");

    // A directory in the way makes the rename fail: the temporary file must go.
    let blocked = directory.join("blocked");
    fs::create_dir_all(blocked.join("full")).unwrap();
    file().save(&blocked).unwrap_err();
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
    fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_missing_file_is_named() {
    let error = ModelFile::load("no/such/file").unwrap_err().to_string();
    assert!(error.starts_with("model file no/such/file: No such file"), "{error}");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = file().to_bytes().unwrap();
    for len in 0..bytes.len() {
        let error = refusal(&bytes[..len]);
        let expected = if len < 8 { "is not a safetensors file (it has only" } else { "the file is cut off" };
        assert!(error.contains(expected), "cut at {len}: {error}");
    }
    let error = refusal(&[&bytes[..], b"x"].concat());
    assert!(error.contains(&format!("it has {} bytes, but its header asks for {}", bytes.len() + 1, bytes.len())));
}

#[test]
fn every_flipped_bit_is_refused() {
    let bytes = file().to_bytes().unwrap();
    for position in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[position] ^= 1 << bit;
            if let Ok(read) = ModelFile::from_bytes(&damaged) {
                panic!("bit {bit} of byte {position} goes unnoticed: {read:?}");
            }
        }
    }
}

#[test]
fn damaged_weights_are_named_as_damage() {
    let mut bytes = file().to_bytes().unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let error = refusal(&bytes);
    assert!(error.starts_with("the file is damaged: its contents have the checksum"), "{error}");
}

#[test]
fn other_files_are_refused() {
    let error = refusal(b"PK\x03\x04 this is a zip file, not a model");
    assert!(error.starts_with("this is not a safetensors file (it starts with \"PK"), "{error}");
    let other = |metadata| serialize(Vec::<(String, TensorView<'_>)>::new(), metadata).unwrap();
    let error = refusal(&other(None));
    assert!(error.contains("metadata has no entry instead of the entry `nardy`"), "{error}");
    let torch = HashMap::from([("format".into(), "pt".into()), ("author".into(), "me".into())]);
    let error = refusal(&other(Some(torch)));
    assert!(error.contains("metadata has author, format instead of"), "{error}");
}

#[test]
fn missing_metadata_is_named() {
    let error = refusal(&forged(true, |about| {
        about.as_object_mut().unwrap().remove("games");
    }));
    assert_eq!(error, "the file's metadata is incomplete or damaged: missing field `games`");
    let error = refusal(&forged(true, |about| about["features_version"] = "two".into()));
    assert!(error.contains("invalid type: string \"two\", expected u32"), "{error}");
    let error = refusal(&forged(false, |about| {
        about.as_object_mut().unwrap().remove("sha256");
    }));
    assert!(error.ends_with("but none was recorded"), "{error}");
    let error = refusal(&forged(false, |about| about["games"] = 2_000_000.into()));
    assert!(error.starts_with("the file is damaged"), "{error}");
}

#[test]
fn another_version_is_refused_whatever_its_fields() {
    let error = refusal(&forged(false, |about| *about = serde_json::json!({"format": 2})));
    assert_eq!(error, "the file has format version 2; this program reads version 1");
}

#[test]
fn fields_of_a_later_program_are_ignored() {
    let bytes = forged(true, |about| about["colour"] = "blue".into());
    assert_eq!(ModelFile::from_bytes(&bytes).unwrap(), file());
}

#[test]
fn wrong_tensors_are_named() {
    let numbers = [0; 400];
    let error = refusal(&with_tensor("race.0.bias", Dtype::F32, vec![3, 2], &numbers[..24]));
    assert_eq!(error, "tensor race.0.bias is F32 [3, 2]; its metadata asks for F32 [6]");
    let error = refusal(&with_tensor("race.0.bias", Dtype::F16, vec![6], &numbers[..12]));
    assert_eq!(error, "tensor race.0.bias is F16 [6]; its metadata asks for F32 [6]");
    let error = refusal(&with_tensor("extra", Dtype::U8, vec![1], &numbers[..1]));
    assert_eq!(error, "the file's tensors are extra besides; its metadata asks for fewer");
    let error = refusal(&forged(true, |about| about["phases"][0]["sizes"] = vec![10, 7, 6].into()));
    assert!(error.ends_with("its metadata asks for race.1.bias and 1 more besides"), "{error}");
    let error = refusal(&forged(true, |about| about["phases"][1]["sizes"] = vec![7, 10, 6].into()));
    assert_eq!(error, "tensor contact.0.bias is F32 [7]; its metadata asks for F32 [10]");
}

#[test]
fn networks_that_cannot_be_used_are_refused() {
    let mut bad = file();
    bad.nets[1].1.layers[0].bias[3] = f32::NAN;
    let error = bad.to_bytes().unwrap_err().to_string();
    let expected = "the bias NaN at index 3; every number must be finite";
    assert_eq!(error, format!("network `contact` can't be used: layer 1 has {expected}"));
    // A file of another program can hold one, with the right checksum.
    let mut weights = [0; 40];
    weights[4..8].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let bytes = with_tensor("contact.0.bias", Dtype::F32, vec![7], &weights[..28]);
    let parsed = SafeTensors::deserialize(&bytes).unwrap();
    let (mut about, _) = read_metadata(&bytes).unwrap();
    let views = parsed.tensors();
    let tensors = views.iter().map(|(name, view)| (name.clone(), (view.shape().to_vec(), view.data().into())));
    about.as_object_mut().unwrap().remove("sha256");
    about["sha256"] = checksum(&mut about, &tensors.collect()).into();
    let bytes = serialize(views, Some(HashMap::from([("nardy".into(), about.to_string())]))).unwrap();
    let error = refusal(&bytes);
    assert_eq!(
        error,
        "network `contact` can't be used: layer 1 has the bias inf at index 1; every number must be finite"
    );
}

#[test]
fn phases_need_different_plain_names() {
    let net = NetWeights::random(&[3, 6], 0).unwrap();
    let long = "x".repeat(33);
    for names in [&[][..], &["a", "a"], &["a", ""], &["Race"], &["a.b"], &[&long]] {
        let nets = names.iter().map(|&name| (name.to_owned(), net.clone())).collect();
        let error = ModelFile { meta: meta(), nets }.to_bytes().unwrap_err();
        assert!(matches!(error, FormatError::Phases { .. }), "{names:?}: {error}");
    }
    let error = refusal(&forged(true, |about| about["phases"][0]["name"] = "contact".into()));
    assert!(error.starts_with("the file's phases are [\"contact\", \"contact\"]; 1 to 16 different names"), "{error}");
}

#[test]
fn a_model_for_something_else_is_unsuitable() {
    let needs = Needs { game: "short", features: "tesauro", features_version: 2, inputs: 10 };
    file().require(&needs).unwrap();
    let refusal = |needs| file().require(&needs).unwrap_err().to_string();
    assert_eq!(refusal(Needs { game: "long", ..needs }), "the model's game is short, but long is needed");
    assert_eq!(
        refusal(Needs { features_version: 3, ..needs }),
        "the model's feature layout is tesauro version 2, but tesauro version 3 is needed"
    );
    assert_eq!(refusal(Needs { inputs: 9, ..needs }), "the model's number of inputs is 10, but 9 is needed");
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(ModelFile::from_bytes(&bytes).is_err());
    }

    #[test]
    fn arbitrary_headers_never_panic(header in "\\{(\"[a-z_]{1,12}\":[\\[\\]{}0-9,:\"a-zF]{0,20},?){0,4}\\}", data in prop::collection::vec(any::<u8>(), 0..40)) {
        let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
        prop_assert!(ModelFile::from_bytes(&bytes).is_err());
    }

    #[test]
    fn arbitrary_metadata_never_panics(text in "[ -~]{0,80}") {
        let metadata = HashMap::from([("nardy".to_owned(), text)]);
        let bytes = serialize(Vec::<(String, TensorView<'_>)>::new(), Some(metadata)).unwrap();
        prop_assert!(ModelFile::from_bytes(&bytes).is_err());
    }

    #[test]
    fn damage_in_several_places_is_refused(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let bytes = file().to_bytes().unwrap();
        let mut damaged = bytes.clone();
        for (index, byte) in edits {
            damaged[index.index(bytes.len())] = byte;
        }
        prop_assert!(damaged == bytes || ModelFile::from_bytes(&damaged).is_err());
    }
}

#[cfg(feature = "cli")]
#[test]
fn a_lock_is_free_when_it_is_dropped_even_if_a_child_process_still_has_the_file_open() {
    let path = std::env::temp_dir().join(format!("nardy-lock-{}", std::process::id()));
    let lock = LockFile::take(&path).unwrap();
    let inherited = lock.0.try_clone().unwrap();
    assert!(matches!(LockFile::take(&path), Err(fs::TryLockError::WouldBlock)), "two owners");
    drop(lock);
    assert!(LockFile::take(&path).is_ok(), "still locked");
    drop(inherited);
    fs::remove_file(&path).unwrap();
}
