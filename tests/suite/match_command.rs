use nardy::game::{Goal, MatchRecord, read_games};
use nardy::rules::Rules;
use std::path::PathBuf;
use std::process::{Command, Output};

fn nardy_match(args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nardy")).arg("match").args(args.split(' ')).output().unwrap()
}

fn text(args: &str) -> String {
    let output = nardy_match(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("nardy-match-{}-{name}", std::process::id()))
}

#[test]
fn the_summary_names_both_players_and_repeats_itself() {
    let first = text("pips random --games 40 --seed 3");
    assert_eq!(text("pips random --games 40 --seed 3"), first);
    assert_ne!(text("pips random --games 40 --seed 4"), first);
    assert!(
        first.starts_with("pips against random: 40 games, 20 pairs with duplicate dice\nrules long, seed 3\npips: +")
    );
    assert!(first.contains(" points per game (95 % interval over pairs)\n"), "{first}");
    let mirrored = text("pips pips --games 40 --rules short");
    let odd = text("pips random --games 3");
    assert!(odd.starts_with("pips against random: 4 games, 2 pairs with duplicate dice\n"), "{odd}");
    let model = super::SHORT_MODEL;
    let judged = text(&format!("pubeval net={model} --games 4 --reference {model}"));
    assert!(judged.contains("\nnet: 0.0000 ± 0.0000 points lost per decision, of "), "{judged}");
    assert!(judged.contains(" luck-adjusted, variance × "), "{judged}");
    let ahead = text(&format!("ahead={model},plies=1 {model} --games 4 --reference {model},plies=1"));
    assert!(ahead.contains("\nahead: 0.0000 ± 0.0000 points lost per decision, of "), "{ahead}");
    let matches = text("pips random --games 10 --length 3 --rules short");
    assert!(matches.contains("\npips: wins 100.0 % (") && matches.contains("of the matches to 3 points"), "{matches}");
    assert!(mirrored.contains("\npips-1: +0.0000 ± 0.0000 points per game"), "{mirrored}");
}

#[test]
fn recorded_games_are_read_back_with_their_seeds() {
    let path = file("games.jsonl");
    text(&format!("random pips --games 6 --rules long-site --record {}", path.display()));
    let games: Vec<_> =
        read_games(std::io::BufReader::new(std::fs::File::open(&path).unwrap())).collect::<Result<_, _>>().unwrap();
    assert_eq!(games.len(), 6);
    assert!(games.iter().all(|game| game.dice_are_of_the_seed() == Some(true)));
    assert!(games.chunks(2).all(|pair| pair[0].seed == pair[1].seed && !pair[0].swapped && pair[1].swapped));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn matches_are_recorded_as_mat_in_files_of_their_own_and_money_games_in_one() {
    let path = file("match.mat");
    text(&format!("pubeval pips --games 2 --length 7 --rules short --record {}", path.display()));
    for number in 1..=2 {
        let path = file(&format!("match-{number}.mat"));
        let record = MatchRecord::from_mat(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!((record.goal, record.rules), (Goal::Points(7), Rules::SHORT));
        assert!(record.replay().unwrap().winner().is_some());
        std::fs::remove_file(path).unwrap();
    }
    assert!(!path.exists());
    text(&format!("pubeval pips --games 6 --record {}", path.display()));
    let record = MatchRecord::from_mat(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((record.goal, record.games.len()), (Goal::Money { ante: 1 }, 6));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn wrong_arguments_are_refused_with_the_reason() {
    let cases = [
        ("pubeval pips --rules long", "pubeval plays short nardy only, not long nardy"),
        ("pips gnu", "unknown player \"gnu\"; expected one of random, pips, pubeval"),
        ("pips random --record games.txt", "expected a name ending in .jsonl or .mat"),
        ("pips short --rules long", "the model plays short nardy, but long nardy is to be played"),
        ("pips short,plies=4", "expected `plies=N` with N from 0 to 3, found \"plies=4\""),
        ("pips no/such/file", "can't read no/such/file"),
        ("pips gnubg --rules long", "GNU Backgammon plays short nardy only"),
        ("pips random --reference pubeval", "a reference must be a model file"),
        ("pips random --sprt points:1:1", "the two hypotheses of an SPRT must differ"),
        ("pips random --move-time 0", "--move-time needs a number of seconds above 0"),
        ("pips random --record /no/such/directory/x.mat", "can't write /no/such/directory/x.mat"),
        ("pips random --games 1000000000000 --json /no/such/directory/x", "can't write /no/such/directory/x"),
        ("pips random --games 1000000000000 --json .", "can't write .: expected the name of a file"),
        (
            "pips random --json x.jsonl --record x.jsonl",
            "--record and --json need two different files, both are x.jsonl",
        ),
        ("pips random --sprt luck:0:0.1", "a test of luck-adjusted points needs a reference model"),
        ("pips ubgi:/no/such/engine", "player engine: there is no program \"/no/such/engine\""),
        ("short long", "all players must play the same game, but short plays short nardy and long long nardy"),
        ("pips random --rules chess", "unknown rule set \"chess\""),
        ("pips random --games 0", "invalid value '0' for '--games <N>'"),
        ("pips random --length 0", "invalid value '0' for '--length <POINTS>'"),
    ];
    for (args, message) in cases {
        let output = nardy_match(args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(message), "{args}: {error}");
    }
}
