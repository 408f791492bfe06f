//! Tournaments through the library: the same result whatever the threads and interruptions, and misbehaving engines.

use nardy::arena::engine::EngineLimits;
use nardy::arena::fault::FaultKind;
use nardy::arena::players::{LoadedModel, PlayerSpec, Roster, Shipped};
use nardy::arena::referee::{OnFault, Referee};
use nardy::arena::report::{self, BlunderRow, Report};
use nardy::arena::seat::Seat;
use nardy::arena::stats::{Hypotheses, Level, SprtSpec, Verdict};
use nardy::arena::tournament::{Format, Settings, State, Store, Tournament, TournamentError};
use nardy::eval::{Evaluator, Model};
use nardy::game::{ByColor, SeededDice, read_games};
use nardy::movegen::{PlayList, legal_plays_into};
use nardy::position::Position;
use nardy::rules::Rules;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A directory that is removed in the end.
struct TempDir(PathBuf);

impl TempDir {
    fn new(name: &str) -> TempDir {
        let path = std::env::temp_dir().join(format!("nardy-tournament-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        TempDir(path)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn specs(players: &[&str]) -> Vec<PlayerSpec> {
    players.iter().map(|text| text.parse().unwrap()).collect()
}

fn specs_of_model() -> PlayerSpec {
    super::SHORT_MODEL.to_string().parse().unwrap()
}

fn roster(players: &[&str], limits: EngineLimits) -> (Vec<PlayerSpec>, Roster) {
    let specs = specs(players);
    let roster = Roster::load(&specs, Rules::SHORT, Shipped::default(), limits).unwrap();
    (specs, roster)
}

/// The figures without the times, which are the only ones that may differ.
fn figures(state: &State) -> serde_json::Value {
    let mut report = serde_json::to_value(Report::of(state, Level::P95)).unwrap();
    for player in report["players"].as_array_mut().unwrap() {
        assert!(player.as_object_mut().unwrap().remove("time").is_some());
    }
    report
}

const FIELD: [&str; 4] = ["random", "pips", "pubeval", "twin=pubeval"];

/// A tournament in a directory, stopped after every `stop_after` pairs and gone on with, until it is complete.
fn play(directory: &Path, threads: usize, stop_after: Option<u64>, change: impl Fn(&mut Settings)) -> (State, u32) {
    let (specs, roster) = roster(&FIELD, EngineLimits::default());
    let mut settings = Settings::new(Rules::SHORT, &specs, &roster);
    (settings.pairs, settings.seed, settings.keep_games) = (6, 5, true);
    change(&mut settings);
    let model = specs_of_model();
    let reference = LoadedModel::of(&model, "reference", Shipped::default()).unwrap();
    let mut interruptions = 0;
    loop {
        // Everything is read anew, as by a new process.
        let (mut store, mut state) = Store::open(directory, &settings).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let tournament = Tournament { roster: &roster, reference: reference.clone(), threads, stop: stop.clone() };
        let mut pairs = 0;
        tournament
            .run(&mut state, |state| {
                pairs += 1;
                // Some results are saved, some are only in records that the next process must drop.
                if pairs % 2 == 1 {
                    store.save(state)?;
                }
                stop.store(stop_after.is_some_and(|after| pairs >= after), Ordering::SeqCst);
                Ok(())
            })
            .unwrap();
        store.save(&mut state).unwrap();
        if state.is_complete() {
            return (state, interruptions);
        }
        interruptions += 1;
        assert!(interruptions < 200, "it does not end");
    }
}

#[test]
fn the_result_does_not_depend_on_threads_or_interruptions() {
    let [one, three, cut] = ["one", "three", "cut"].map(TempDir::new);
    let (first, never) = play(&one.0, 1, None, |_| {});
    let (second, _) = play(&three.0, 3, None, |_| {});
    let (third, interruptions) = play(&cut.0, 2, Some(4), |_| {});
    assert!(never == 0 && interruptions >= 5, "{interruptions}");
    assert_eq!(figures(&first), figures(&second));
    assert_eq!(figures(&first), figures(&third));
    for pairing in 0..6 {
        let text = |directory: &TempDir| {
            let (store, _) = Store::open(&directory.0, &first.settings).unwrap();
            std::fs::read_to_string(store.games_file(pairing)).unwrap()
        };
        let lines = text(&one);
        assert_eq!(lines, text(&three));
        assert_eq!(lines, text(&cut));
        let games = read_games(lines.as_bytes()).collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(games.len(), 12);
        assert!(games.iter().all(|game| game.dice_are_of_the_seed() == Some(true)));
    }
}

#[test]
fn a_test_ends_its_pairing_at_the_same_pair_whatever_the_threads() {
    let sprt = SprtSpec { min_pairs: 8, ..SprtSpec::new(Hypotheses::Points { h0: 0.0, h1: 1.0 }) };
    let change = |settings: &mut Settings| (settings.sprt, settings.pairs) = (Some(sprt), 60);
    let [one, four] = ["sprt-one", "sprt-four"].map(TempDir::new);
    let (first, _) = play(&one.0, 1, None, change);
    let (second, _) = play(&four.0, 4, Some(30), change);
    assert_eq!(figures(&first), figures(&second));
    let report = Report::of(&first, Level::P95);
    let random_pips = report.pairings[0].result.sprt.unwrap();
    assert_eq!(random_pips.verdict, Verdict::AcceptH0);
    assert!(random_pips.pairs < 60 && report.complete);
}

#[test]
fn the_table_shows_the_right_order_and_the_reference_what_decisions_cost() {
    let directory = TempDir::new("table");
    let (state, _) = play(&directory.0, 2, None, |settings| settings.pairs = 14);
    let report = Report::of(&state, Level::P95);
    let ranking: Vec<&str> = report.ranking.iter().map(|&player| report.players[player].name.as_str()).collect();
    assert_eq!((ranking[2], ranking[3]), ("pips", "random"));
    let loss = |name: &str| {
        let row = report.players.iter().find(|row| row.name == name).unwrap();
        row.loss.unwrap().per_decision.mean
    };
    assert!(loss("pubeval") < loss("pips") && loss("pips") < loss("random"));
    // The same player twice: dealt the same dice, every pair is a tie.
    let twins = &report.pairings[5].result;
    assert_eq!((twins.pairs.mean.mean, twins.luck.unwrap().adjusted.mean.abs() < 1e-9), (0.0, true));
    // The worst six of each player, the best player first.
    let worst: Vec<&str> = report.blunders.iter().step_by(6).map(|row| row.player.as_str()).collect();
    assert_eq!((report.blunders.len(), worst), (24, ranking));
    let falls = |six: &[BlunderRow]| six.windows(2).all(|pair| pair[0].blunder.loss >= pair[1].blunder.loss);
    assert!(report.blunders.chunks(6).all(falls));
    let page = report::html(&report).unwrap();
    assert_eq!((page.matches("<svg class=\"board\"").count(), page.matches("marker-end").count() > 48), (24, true));
    assert!(!page.contains("<script") && !page.contains("<link") && !page.contains(" src="));
    for text in [report::terminal(&report), report::markdown(&report), report::players_csv(&report)] {
        assert!(FIELD[..3].iter().all(|name| text.contains(name)), "{text}");
    }
    assert!(report::markdown(&report).contains("## Cross table"));
    assert_eq!(report::pairings_csv(&report).lines().count(), 7);
}

#[test]
fn a_directory_of_another_tournament_is_refused_and_more_games_go_on() {
    let directory = TempDir::new("other");
    let (first, _) = play(&directory.0, 2, None, |settings| settings.pairs = 3);
    let refused = |change: &dyn Fn(&mut Settings)| {
        let mut settings = first.settings.clone();
        change(&mut settings);
        match Store::open(&directory.0, &settings) {
            Err(error @ TournamentError::OtherTournament { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(&|settings| settings.seed = 6).contains("its seed is 5, not 6"));
    assert!(
        refused(&|settings| settings.format = Format::Gauntlet).contains("its format is round-robin, not gauntlet")
    );
    assert!(refused(&|settings| settings.pairs = 2).contains("already has 3 pairs"));
    let (longer, _) = play(&directory.0, 2, None, |settings| settings.pairs = 5);
    let fresh = TempDir::new("fresh");
    assert_eq!(figures(&longer), figures(&play(&fresh.0, 1, None, |settings| settings.pairs = 5).0));
}

#[test]
fn matches_count_as_one_point_each() {
    let directory = TempDir::new("matches");
    let (state, _) = play(&directory.0, 2, None, |settings| (settings.pairs, settings.length) = (3, Some(3)));
    let report = Report::of(&state, Level::P95);
    let pips_beats_random = &report.pairings[0].result.pairs;
    assert_eq!((pips_beats_random.mean.mean, pips_beats_random.lose_mars.count), (-1.0, 0));
    assert!(report.pairings[0].games > 6 && report.pairings[0].result.luck.is_none());
}

/// Plays a bad engine against a sound player; the failures that were counted.
fn misbehave(fault: &str, limits: EngineLimits, on_fault: OnFault) -> Report {
    let script = repository("tests/data/engines/bad_engine.sh");
    let engine = format!("bad=ubgi:sh {} {fault}", script.display());
    misbehave_as(&engine, limits, on_fault)
}

fn misbehave_as(engine: &str, limits: EngineLimits, on_fault: OnFault) -> Report {
    let (specs, roster) = roster(&["pips", engine], limits);
    let mut settings = Settings::new(Rules::SHORT, &specs, &roster);
    (settings.pairs, settings.max_faults, settings.on_fault) = (20, 1, on_fault);
    let mut state = State::new(settings).unwrap();
    let tournament = Tournament { roster: &roster, reference: None, threads: 2, stop: Arc::default() };
    tournament.run(&mut state, |_| Ok(())).unwrap();
    Report::of(&state, Level::P95)
}

fn quick() -> EngineLimits {
    EngineLimits {
        move_time: Duration::from_millis(300),
        start_time: Duration::from_millis(600),
        grace: Duration::from_millis(50),
        stop: Arc::default(),
    }
}

/// Each fault with the name that it must get, and a part of what the report must tell of it.
const FAULTS: [(&str, FaultKind, &str); 25] = [
    ("illegal", FaultKind::IllegalPlay, "bestmove 13/12 13/12 13/12"),
    ("v02-illegal", FaultKind::IllegalPlay, "position gnubgid "),
    ("illegal-pass", FaultKind::IllegalPlay, "bestmove pass"),
    ("empty-answer", FaultKind::IllegalPlay, "go role chequer"),
    ("garbage", FaultKind::Garbage, "bestmove the one on the left"),
    ("nonsense", FaultKind::Garbage, "what did you say?"),
    ("refusal", FaultKind::Refusal, "I do not feel like it"),
    ("crash", FaultKind::Crash, "out of cheese"),
    ("killed", FaultKind::Crash, "signal: 9"),
    ("closed-pipe", FaultKind::ClosedPipe, "runs on"),
    ("stall", FaultKind::Stall, "no answer in 0.300 s"),
    ("bare-play", FaultKind::WrongDialect, "8/5 6/5"),
    ("wrong-role", FaultKind::WrongDialect, "bestcube nodouble"),
    ("long-line", FaultKind::Garbage, "longer than 64 KiB"),
    ("flood", FaultKind::Garbage, "lines without an answer"),
    ("chatter", FaultKind::Garbage, "still thinking"),
    ("crash-at-start", FaultKind::Crash, "exit status: 7"),
    ("silent", FaultKind::Stall, "no greeting"),
    ("uci", FaultKind::WrongDialect, "uciok"),
    ("not-ready", FaultKind::Stall, "no `readyok`"),
    ("draft-sorry", FaultKind::Refusal, "XGID="),
    ("draft-bestmove", FaultKind::WrongDialect, "no answer to this question in UBGI draft 0.01"),
    ("draft-illegal", FaultKind::IllegalPlay, "13/12 13/12 13/12"),
    ("draft-garbage", FaultKind::Garbage, "hm"),
    ("late", FaultKind::Late, "0.300 s are allowed"),
];

#[cfg(unix)]
#[test]
fn every_fault_is_named_costs_the_game_and_hangs_nothing() {
    let start = Instant::now();
    // Many engines only wait: they are tried at the same time.
    std::thread::scope(|scope| {
        for faults in FAULTS.chunks(5) {
            scope.spawn(move || faults.iter().for_each(|fault| expect_fault(*fault)));
        }
    });
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[cfg(unix)]
fn expect_fault((name, kind, told): (&str, FaultKind, &str)) {
    let mut limits = quick();
    if name == "late" {
        limits.grace = Duration::from_secs(20);
    }
    let report = misbehave(name, limits, OnFault::Lose);
    let row = &report.pairings[0];
    assert_eq!((row.faults[0], row.withdrawn), (0, Some(1)), "{name}: {report:#?}");
    assert!(row.faults[1] >= 2 && row.games < 40, "{name}: {row:#?}");
    let text = report::terminal(&report);
    assert!(report::html(&report).is_ok_and(|page| page.contains(kind.as_str())), "{name}");
    for fault in &report.faults {
        assert_eq!((fault.player.as_str(), fault.fault.fault.kind), ("bad", kind), "{name}: {}", fault.fault.fault);
        assert!(fault.fault.fault.to_string().contains(told), "{name}: {}", fault.fault.fault);
    }
    // It never made a play, so it lost as much as could be lost; but nobody's figures gain by that.
    assert_eq!(row.result.pairs.mean.mean, 3.0, "{name}");
    assert!(report.players.iter().all(|player| player.games == 0), "{name}");
    assert!(report.rating.is_none_or(|table| table.ratings.iter().all(Option::is_none)), "{name}");
    assert!(text.contains(kind.as_str()) && text.contains("bad withdrawn"), "{name}: {text}");
}

#[cfg(unix)]
#[test]
fn a_program_that_can_not_be_started_is_a_fault_of_its_own() {
    let report = misbehave_as("bad=ubgi:/etc/passwd", quick(), OnFault::Lose);
    assert!(report.faults.iter().all(|fault| fault.fault.fault.kind == FaultKind::Start));
    assert_eq!((report.pairings[0].withdrawn, report.faults[0].fault.turn), (Some(1), 0));
}

#[cfg(unix)]
#[test]
fn failures_make_pairs_void_where_the_rule_says_so() {
    let report = misbehave("refusal", quick(), OnFault::Void);
    let row = &report.pairings[0];
    assert_eq!((row.result.pairs.mean.units, row.void_pairs, row.withdrawn), (0, 1, Some(1)));
    assert!(report::terminal(&report).contains("each makes its pair void"));
}

/// Our own bot in every dialect plays exactly as the model in this process.
#[test]
fn the_bot_as_a_process_plays_as_its_model_does_here() {
    let model = super::SHORT_MODEL;
    let bot = format!("bot=ubgi:{} --model {model}", env!("CARGO_BIN_EXE_nardy-bot"));
    let (specs, roster) = roster(&[model, &bot], EngineLimits::default());
    let mut settings = Settings::new(Rules::SHORT, &specs, &roster);
    settings.pairs = 4;
    for length in [None, Some(3)] {
        settings.length = length;
        let mut state = State::new(settings.clone()).unwrap();
        let tournament = Tournament { roster: &roster, reference: None, threads: 2, stop: Arc::default() };
        tournament.run(&mut state, |_| Ok(())).unwrap();
        let report = Report::of(&state, Level::P95);
        assert_eq!(report.faults, []);
        if length.is_none() {
            // In a match the bot knows the score, so only money games must be the same.
            assert_eq!(
                (report.pairings[0].result.pairs.mean.mean, report.pairings[0].result.pairs.scores[2]),
                (0.0, 4)
            );
        }
    }
}

/// Games of a model against itself without records, results or statistics: what the trainer's self-play comes down to.
fn bare_games(evaluator: &mut Evaluator, games: u64) {
    let (rules, mut plays) = (*evaluator.rules(), PlayList::new());
    for game in 0..games {
        let mut dice = SeededDice::for_game(1, game);
        let mut position = Position::start(rules.game);
        while !position.is_over() {
            legal_plays_into(position, dice.next_roll(), &rules, &mut plays);
            let (best, _) = evaluator.best_play(position, &plays);
            position = plays.positions()[best].swapped();
        }
    }
}

#[test]
#[ignore = "measures processor time; run with --nocapture"]
fn models_play_at_no_less_than_half_the_rate_of_bare_self_play() {
    const GAMES: u64 = 2_000;
    let model = Arc::new(Model::load(super::SHORT_MODEL).unwrap());
    let mut evaluator = Evaluator::new(model, Rules::SHORT).unwrap();
    let seconds = |play: &mut dyn FnMut()| {
        let start = cpu_time::ThreadTime::now();
        play();
        start.elapsed().as_secs_f64()
    };
    let bare = seconds(&mut || bare_games(&mut evaluator, GAMES));
    let text = super::SHORT_MODEL.to_string();
    let (_, roster) = roster(&[&text, &format!("twin={text}")], EngineLimits::default());
    let (mut white, mut black) = (roster.seat(0).unwrap(), roster.seat(1).unwrap());
    let (stop, names) = (AtomicBool::new(false), ByColor::new("a".to_string(), "b".to_string()));
    let referee = Referee { rules: &Rules::SHORT, length: None, stop: &stop };
    let refereed = seconds(&mut || {
        for pair in 0..GAMES / 2 {
            let mut seats = ByColor { white: white.as_mut() as &mut dyn Seat, black: black.as_mut() };
            referee.pair(&mut seats, &names, pair).unwrap();
        }
    });
    let rate = |seconds: f64| GAMES as f64 / seconds;
    println!("bare self-play {:.0} games/s, refereed pairs {:.0} games/s of one core", rate(bare), rate(refereed));
    assert!(refereed < 2.0 * bare);
}
