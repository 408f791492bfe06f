use super::axis::{Axis, amount};
use super::table::Table;
use super::*;
use std::fs;
use std::path::Path;

/// A directory that is removed in the end.
struct TempDir(PathBuf);

impl TempDir {
    fn new(name: &str) -> TempDir {
        let path = std::env::temp_dir().join(format!("nardy-curve-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        TempDir(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn error(&self, name: &str, text: &str) -> String {
        read_all(&[self.write(name, text)]).unwrap_err().to_string()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const METRICS: &str = "\
step,loss,points/pips,points_interval/pips,points/previous,points_interval/previous,speed/core_minutes
100,1.5,,,,,1
200,1.2,0.5,0.1,,,2
300,1.1,,,,,4
400,1.0,0.75,0.1,0.25,0.2,6
500,0.9,0.8,0";
const RECIPE: &str = "name = \"r\"\nseed = 1\n[[phase]]\nname = \"a\"\ngames = 250\nrate = 0.1\n[[phase]]\nname = \"b\"\n\
                      games = 100\n[[phase]]\nname = \"c\"\ngames = 900\n[[phase]]\nname = \"d\"\ngames = 9\n";

fn point(games: f64, core_minutes: f64, points: f64, interval: f64) -> CurvePoint {
    CurvePoint { games: Some(games), core_minutes: Some(core_minutes), points, interval: Some(interval) }
}

#[test]
fn a_run_has_its_evaluations_but_those_against_itself_and_the_phases_it_came_to() {
    let dir = TempDir::new("run");
    dir.write("run/metrics.csv", METRICS);
    dir.write("run/config.toml", RECIPE);
    for path in ["run", "run/metrics.csv"] {
        let [source] = &read_all(&[dir.0.join(path)]).unwrap()[..] else { panic!() };
        assert_eq!(source.name, "r");
        // The last line is not finished.
        let points = vec![point(200.0, 2.0, 0.5, 0.1), point(400.0, 6.0, 0.75, 0.1)];
        assert_eq!(source.curves, [Curve { run: "r".into(), opponent: "pips".into(), points }]);
        let phase = |name: &str, games, core_minutes| PhaseStart { name: name.into(), games, core_minutes };
        assert_eq!(
            source.phases,
            [phase("a", 0.0, Some(0.0)), phase("b", 250.0, Some(3.0)), phase("c", 350.0, Some(5.0))]
        );
    }
}

#[test]
fn older_runs_without_core_minutes_and_without_a_recipe_are_read_too() {
    let dir = TempDir::new("older");
    let text = "step,points/pips,points_interval/pips\n100,0.5,0.1\n200,0.5,NaN\n";
    dir.write("old/metrics.csv", text);
    let [source] = &read_all(&[dir.0.join("old")]).unwrap()[..] else { panic!() };
    assert_eq!((source.name.as_str(), source.has_games(), source.has_core_minutes()), ("old", true, false));
    assert!(source.phases.is_empty());
    // Too few games for an interval.
    assert_eq!(source.curves[0].points[1].interval, None);
    let picture = svg(std::slice::from_ref(source), &PlotOptions::default()).unwrap();
    assert!(picture.contains("self-play games") && !picture.contains("core-minutes"), "{picture}");
}

#[test]
fn minutes_of_phases_are_known_only_between_rows_that_count_minutes() {
    let dir = TempDir::new("resumed");
    // A run that was begun before minutes were counted.
    let text =
        "step,points/pips,points_interval/pips,speed/core_minutes\n100,0.5,0.1,\n300,0.5,0.1,30\n400,0.5,0.1,50\n";
    dir.write("run/metrics.csv", text);
    dir.write("run/config.toml", RECIPE);
    let [source] = &read_all(&[dir.0.join("run")]).unwrap()[..] else { panic!() };
    let minutes: Vec<_> = source.phases.iter().map(|phase| phase.core_minutes).collect();
    assert_eq!(minutes, [None, None, Some(40.0)]);
    assert!(source.has_core_minutes() && source.lacks_core_minutes());
}

#[test]
fn results_are_sorted_into_a_line_for_each_opponent_and_run() {
    let dir = TempDir::new("results");
    let text = "\u{feff}model, core_minutes,games,points,interval,opponent,run\r\nm2,9,2000,-0.1,0.02,\"GNU, 0 plies\",\r\n\
                m1,4,1000,-0.2,0.02,\"GNU, 0 plies\",\r\n\r\nm1,,1000,0.5,0.03,\"a \"\"b\"\"\",other";
    let [source] = &read_all(&[dir.write("gnu.csv", text)]).unwrap()[..] else { panic!() };
    let [gnu, other] = &source.curves[..] else { panic!("{source:?}") };
    assert_eq!((gnu.run.as_str(), gnu.opponent.as_str()), ("gnu", "GNU, 0 plies"));
    assert_eq!(gnu.points, [point(1000.0, 4.0, -0.2, 0.02), point(2000.0, 9.0, -0.1, 0.02)]);
    assert_eq!((other.run.as_str(), other.opponent.as_str()), ("other", "a \"b\""));
    assert_eq!(other.points, [CurvePoint { core_minutes: None, ..point(1000.0, 0.0, 0.5, 0.03) }]);
}

#[test]
fn runs_of_one_name_are_told_apart_by_their_directories() {
    let dir = TempDir::new("names");
    for path in ["one/a", "one/b", "two/a"] {
        dir.write(&format!("{path}/metrics.csv"), METRICS);
        dir.write(&format!("{path}/config.toml"), RECIPE);
    }
    let names = |paths: &[&str]| {
        let paths: Vec<_> = paths.iter().map(|path| dir.0.join(path)).collect();
        let sources = read_all(&paths).unwrap();
        assert!(sources.iter().all(|source| source.curves[0].run == source.name));
        sources.into_iter().map(|source| source.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&["one/a"]), ["r"]);
    assert_eq!(names(&["one/a", "one/b"]), ["a", "b"]);
    assert!(names(&["one/a", "two/a"])[1].ends_with("two/a/metrics.csv"));
}

#[test]
fn broken_tables_are_refused_with_the_place() {
    let dir = TempDir::new("broken");
    let head = "games,points,interval,opponent\n";
    for (text, expected) in [
        ("".to_string(), "expected a first line that begins with `step` (a run's metrics.csv) or names"),
        (
            "games,points,opponent\n1,2,x\n".into(),
            "interval and games or core_minutes, found \"games,points,opponent\"",
        ),
        (head.into(), "expected results against a fixed opponent, found an empty table"),
        (format!("{head}1,2,0.1\n"), "line 2: expected 4 cells, one for each column, found 3"),
        (
            format!("{head}1,2,0.1,pips\n\n1,much,0.1,pips\n"),
            "line 4, column points: expected a number, found \"much\"",
        ),
        (format!("{head}1,NaN,0.1,pips\n"), "line 2, column points: expected a number, found \"NaN\""),
        (format!("{head}1,,0.1,pips\n"), "line 2, column points: expected a number, found \"\""),
        (format!("{head}1,2,-0.1,pips\n"), "column interval: expected a number that is not negative, found \"-0.1\""),
        (format!("{head},2,0.1,pips\n"), "column games: expected the games or minutes before this result, found \"\""),
        (format!("{head}1,2,0.1,\n"), "column opponent: expected a name, found \"\""),
        ("step,loss\n1,2\n".into(), "found no evaluation yet, or only against the network before"),
        ("step,points/pips\n1,2\n".into(), "expected a column \"points_interval/pips\" beside \"points/pips\""),
        ("step,points/p,points_interval/p\n1,2,x\n".into(), "column points_interval/p: expected a number, found \"x\""),
        ("step,points/p,points_interval/p\nx,2,1\n".into(), "line 2, column step: expected a number, found \"x\""),
    ] {
        let error = dir.error("t.csv", &text);
        assert!(error.contains(expected) && error.contains("t.csv"), "{text:?}: {error}");
    }
    assert!(
        read_all(&[&dir.0]).unwrap_err().to_string().starts_with("expected the directory of a training run, found no")
    );
    let missing = read_all(&[Path::new("/no/such.csv")]).unwrap_err().to_string();
    assert!(missing.starts_with("can't read /no/such.csv: "), "{missing}");
    dir.write("run/metrics.csv", METRICS);
    let config = dir.write("run/config.toml", "[[phase]]\nname = 3\n");
    let error = read_all(&[dir.0.join("run")]).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: expected a recipe with phases", config.display())), "{error}");
}

#[test]
fn the_plot_has_both_panels_the_names_of_the_phases_and_of_the_opponents() {
    let dir = TempDir::new("plot");
    dir.write("run/metrics.csv", METRICS);
    dir.write("run/config.toml", RECIPE);
    let results = dir.write("x.csv", "games,core_minutes,points,interval,opponent,run\n300,4,-0.2,0.02,<gnu>,r\n");
    let sources = read_all(&[dir.0.join("run"), results]).unwrap();
    let picture = svg(&sources, &PlotOptions::default()).unwrap();
    let count = |text: &str| picture.matches(text).count();
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"));
    for text in ["self-play games", "core-minutes", "against pips", "against &lt;gnu&gt;"] {
        assert_eq!(count(&format!("\n{text}\n")), 1, "{text}: {picture}");
    }
    assert!(picture.contains("\nr: points per game, with 95 % intervals\n"), "{picture}");
    assert_eq!(["\na\n", "\nb\n", "\nc\n"].map(count), [2, 2, 2], "{picture}");
    // A band for the line of two points in each panel.
    assert_eq!(count("<polygon "), 2, "{picture}");
    let options = PlotOptions { title: Some("My run".into()), logarithmic: true };
    assert!(svg(&sources, &options).unwrap().contains("\nMy run\n"));
}

#[test]
fn a_logarithmic_plot_needs_an_amount_above_zero() {
    let dir = TempDir::new("zero");
    let path = dir.write("x.csv", "games,points,interval,opponent\n0,1,0.1,pips\n");
    let sources = read_all(&[path]).unwrap();
    let options = PlotOptions { logarithmic: true, ..PlotOptions::default() };
    assert!(matches!(svg(&sources, &options), Err(CurveError::Logarithm)));
    assert!(svg(&sources, &PlotOptions::default()).is_ok());
}

#[test]
fn ticks_are_round_and_short() {
    let axis = |low, high, logarithmic| Axis { low, high, logarithmic };
    assert_eq!(axis(0.0, 2_050_000.0, false).ticks(8), [0.0, 5e5, 1e6, 1.5e6, 2e6]);
    assert_eq!(axis(180.0, 2_300.0, true).ticks(8), [200.0, 500.0, 1000.0, 2000.0]);
    assert_eq!(axis(80.0, 2e6, true).ticks(8), [1e2, 1e3, 1e4, 1e5, 1e6]);
    // Less than a factor of five has too few round powers.
    assert_eq!(axis(30.0, 100.0, true).ticks(8), [30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]);
    assert_eq!([0.0, 0.1 + 0.2, 250.0, 20e3, 1.5e6].map(amount), ["0", "0.3", "250", "20k", "1.5M"]);
}

#[test]
fn an_empty_file_has_no_columns() {
    assert_eq!(Table::new(Path::new("x"), "", false).unwrap().columns(), [""; 0]);
}
