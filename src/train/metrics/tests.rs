use protobuf::Message;
use tensorboard_proto::summary::HistogramProto;
use tensorboard_rs::masked_crc32c::masked_crc32c;

use super::*;
use crate::train::test_dir::TestDir;

/// All events of the event files in a directory, in the order of writing.
fn read_events(dir: &Path) -> Vec<Event> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .expect("listed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains("tfevents")))
        .collect();
    files.sort();
    files.iter().flat_map(|path| parse_records(&fs::read(path).expect("read"))).collect()
}

/// A record is its length (8 bytes), the length's checksum (4), its contents and their checksum (4).
fn parse_records(mut bytes: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_at(8);
        let (length_sum, rest) = rest.split_at(4);
        assert_eq!(length_sum, masked_crc32c(length).to_le_bytes());
        let (content, rest) = rest.split_at(u64::from_le_bytes(length.try_into().expect("8 bytes")) as usize);
        let (content_sum, rest) = rest.split_at(4);
        assert_eq!(content_sum, masked_crc32c(content).to_le_bytes());
        events.push(Event::parse_from_bytes(content).expect("an event"));
        bytes = rest;
    }
    events
}

/// Step, name and value of every point of a curve.
fn points(events: &[Event]) -> Vec<(i64, String, f32)> {
    let mut points = Vec::new();
    for event in events {
        for value in event.get_summary().get_value().iter().filter(|value| value.has_simple_value()) {
            points.push((event.get_step(), value.get_tag().to_owned(), value.get_simple_value()));
        }
    }
    points
}

fn histograms(events: &[Event]) -> Vec<&HistogramProto> {
    let values = events.iter().flat_map(|event| event.get_summary().get_value());
    values.filter(|value| value.has_histo()).map(|value| value.get_histo()).collect()
}

#[test]
fn events_and_table_hold_what_was_recorded() {
    let dir = TestDir::new("metrics-round-trip");
    let mut writer = MetricsWriter::open(dir.path(), &["train/loss", "eval/ppg"], None).expect("a free directory");
    writer.record(100, &[("train/loss", 1.25)]).expect("written");
    writer.record(200, &[("eval/ppg", -0.5), ("train/loss", 0.75)]).expect("written");
    writer.histogram(200, "weights/0", &[-1.0, 0.0, 0.5, 3.0, f32::NAN]);
    writer.flush().expect("written");
    drop(writer);
    let events = read_events(dir.path());
    assert_eq!(events[0].get_file_version(), "brain.Event:2");
    let expected = [(100, "train/loss", 1.25), (200, "eval/ppg", -0.5), (200, "train/loss", 0.75)];
    assert_eq!(points(&events), expected.map(|(step, name, value)| (step, name.to_owned(), value)));
    let [histogram] = histograms(&events)[..] else { panic!("one histogram") };
    let numbers = [histogram.min, histogram.max, histogram.num, histogram.sum, histogram.sum_squares];
    assert_eq!(numbers, [-1.0, 3.0, 4.0, 2.5, 10.25]);
    assert_eq!(histogram.bucket.iter().sum::<f64>(), 4.0);
    // Bars are a tenth wide: −1 in the first, 0 in the eleventh, 0.5 in the sixteenth, 3 in the last.
    let filled: Vec<usize> = (0..BUCKETS).filter(|bar| histogram.bucket[*bar] > 0.0).collect();
    assert_eq!(filled, [0, 10, 15, 39]);
    assert!((histogram.bucket_limit[10] - 0.1).abs() < 1e-12);
    let table = fs::read_to_string(dir.path().join(CSV_FILE)).expect("read");
    assert_eq!(table, "step,train/loss,eval/ppg\n100,1.25,\n200,0.75,-0.5\n");
}

#[test]
fn a_resumed_run_drops_what_was_beyond_its_step() {
    let dir = TestDir::new("metrics-resume");
    let mut writer = MetricsWriter::open(dir.path(), &["loss"], None).expect("a free directory");
    for step in [10, 20, 30] {
        writer.record(step, &[("loss", step as f64)]).expect("written");
    }
    drop(writer);
    let path = dir.path().join(CSV_FILE);
    // A kill in the middle of a row.
    OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(b"15,1")).expect("written");
    let mut writer = MetricsWriter::open(dir.path(), &["loss"], Some(20)).expect("resumed");
    writer.record(30, &[("loss", -1.0)]).expect("written");
    drop(writer);
    assert_eq!(fs::read_to_string(&path).expect("read"), "step,loss\n10,10\n20,20\n30,-1\n");
    let events = read_events(dir.path());
    let restart = events.iter().find(|event| event.has_session_log()).expect("a restart");
    assert_eq!(restart.get_step(), 21);
    assert_eq!(restart.get_session_log().get_status(), SessionLog_SessionStatus::START);
    assert_eq!(points(&events).len(), 4, "the first run's events are still there");
}

#[test]
fn runs_do_not_mix() {
    let dir = TestDir::new("metrics-mix");
    let writer = MetricsWriter::open(dir.path(), &["loss"], None).expect("a free directory");
    let locked = MetricsWriter::open(dir.path(), &["loss"], Some(1)).expect_err("in use");
    assert!(matches!(locked, MetricsError::Locked(_)), "{locked}");
    drop(writer);
    let exists = MetricsWriter::open(dir.path(), &["loss"], None).expect_err("not empty");
    assert!(matches!(exists, MetricsError::Exists(_)), "{exists}");
    fs::write(dir.path().join(CSV_FILE), "loss\n1\n").expect("written");
    let header = MetricsWriter::open(dir.path(), &["loss"], Some(1)).expect_err("another table");
    assert!(header.to_string().contains("\"step\", got \"loss\""), "{header}");
}

#[test]
fn a_resumed_run_may_have_other_columns() {
    let dir = TestDir::new("metrics-columns");
    let mut writer = MetricsWriter::open(dir.path(), &["loss", "points/pips"], None).expect("a free directory");
    writer.record(10, &[("loss", 1.0), ("points/pips", 0.5)]).expect("written");
    drop(writer);
    let mut writer = MetricsWriter::open(dir.path(), &["rate", "loss", "points/long"], Some(10)).expect("resumed");
    writer.record(20, &[("loss", 0.9), ("rate", 0.1), ("points/long", 0.25)]).expect("written");
    drop(writer);
    let text = fs::read_to_string(dir.path().join(CSV_FILE)).expect("read");
    assert_eq!(text, "step,loss,points/pips,rate,points/long\n10,1,0.5,,\n20,0.9,,0.1,0.25\n");
}

#[test]
fn names_are_checked() {
    let dir = TestDir::new("metrics-names");
    for columns in [&["a,b"][..], &["a", "a"], &[""], &["step"]] {
        let error = MetricsWriter::open(dir.path(), columns, None).expect_err("no column names");
        assert!(matches!(error, MetricsError::Column(_)), "{error}");
    }
    let mut writer = MetricsWriter::open(dir.path(), &["loss"], None).expect("a free directory");
    let error = writer.record(1, &[("los", 0.0)]).expect_err("no such column");
    assert!(matches!(error, MetricsError::Unknown { .. }), "{error}");
}

#[test]
fn equal_values_fill_one_bar() {
    let histogram = Histogram::new(&[2.0; 5]).expect("values");
    assert_eq!((histogram.counts[0], histogram.count), (5.0, 5.0));
    assert!(histogram.limits.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", histogram.limits);
    assert!(Histogram::new(&[f32::INFINITY]).is_none());
}
