use nardy::eval::{PipsPlayer, RandomPlayer};
use nardy::game::{
    ByColor, Color, DiceSource, GameRecord, GameResult, Goal, MatchRecord, Player, RecordError, Seats, SeededDice,
    WinKind, outcome_index, play_game, play_match, play_pair, possible_outcomes, read_games, seed_for_game,
};
use nardy::movegen::PlayList;
use nardy::position::Position;
use nardy::rules::{PRESETS, Rules};
use nardy::types::Roll;

/// The presets and rule sets with every option that matters to games and results.
fn rule_sets() -> Vec<Rules> {
    let odd = [
        "long,last_turn=true,score=(1,1,2,3)",
        "long-site,last_turn=true,next_game=alternate,score=(1,2,3,4)",
        "short,last_turn=true,must_off=true,next_game=alternate,opening=reroll",
    ];
    PRESETS.iter().map(|p| p.rules).chain(odd.map(|text| text.parse().unwrap())).collect()
}

fn with_seats<T>(play: impl FnOnce(&mut Seats) -> T) -> T {
    let (mut pips, mut random) = (PipsPlayer, RandomPlayer::new(0));
    play(&mut ByColor::new(&mut pips as &mut dyn Player, &mut random))
}

fn random_game(rules: &Rules, seed: u64) -> GameRecord {
    let (mut white, mut black) = (RandomPlayer::new(0), RandomPlayer::new(0));
    play_game(&mut ByColor::new(&mut white as &mut dyn Player, &mut black), rules, seed, false).unwrap()
}

/// The outcome's number for a player, as [`outcome_index`] counts; `None` for a draw.
fn index_for(result: GameResult, color: Color, rules: &Rules) -> Option<usize> {
    match result {
        GameResult::Draw => None,
        GameResult::Win { winner, kind, .. } => Some(kind.class(rules.score) + if winner == color { 0 } else { 3 }),
    }
}

#[test]
fn the_outcome_of_a_game_was_possible_in_all_its_positions() {
    for rules in rule_sets() {
        for seed in 0..40 {
            let record = random_game(&rules, seed);
            let result = record.result.unwrap();
            let mut earlier = ByColor::new(0b111_111, 0b111_111);
            let mut masks = Vec::new();
            let end = record.replay_with(|game, turn| {
                masks.push((game.turn(), game.position(), possible_outcomes(game.position(), &rules)));
                // After the play, before the dice of the other side.
                let after = game.plays().iter().find(|play| play.steps == turn.steps).unwrap().position.swapped();
                if !after.is_over() {
                    masks.push((game.turn().other(), after, possible_outcomes(after, &rules)));
                }
            });
            for (color, position, mask) in masks {
                match index_for(result, color, &rules) {
                    Some(index) => assert!(mask >> index & 1 == 1, "{rules} {seed}: {position:?} {mask:06b} {result}"),
                    None => assert!(rules.last_turn),
                }
                assert_eq!(mask & !earlier[color], 0, "an impossible outcome came back: {rules} {seed} {position:?}");
                earlier[color] = mask;
            }
            if let Some(index) = outcome_index(end.unwrap().position(), &rules) {
                assert_eq!(index_for(result, Color::White, &rules).map(|i| i % 3), Some(index % 3));
            }
        }
    }
}

#[test]
fn all_kinds_of_results_occur_in_random_games() {
    let mut seen = Vec::new();
    for rules in rule_sets() {
        for seed in 0..60 {
            match random_game(&rules, seed).result.unwrap() {
                GameResult::Draw => seen.push(None),
                GameResult::Win { kind, .. } => seen.push(Some(kind)),
            }
        }
    }
    for kind in [WinKind::Oin, WinKind::Mars, WinKind::Koks] {
        assert!(seen.contains(&Some(kind)), "{kind}");
    }
    assert!(seen.contains(&None), "a draw");
}

#[test]
fn records_come_back_from_json_as_they_were() {
    for rules in rule_sets() {
        let games: Vec<GameRecord> = (0..6).map(|seed| random_game(&rules, seed)).collect();
        let mut file = Vec::new();
        games.iter().for_each(|game| game.write_line(&mut file).unwrap());
        file.extend_from_slice(b"\n");
        let read: Vec<GameRecord> = read_games(&file[..]).collect::<Result<_, _>>().unwrap();
        assert_eq!(read, games, "{rules}");

        let series = with_seats(|seats| play_match(seats, &rules, 5, 9, false)).unwrap();
        assert_eq!(MatchRecord::from_json(&series.to_json()).unwrap(), series, "{rules}");
    }
}

/// What a `.mat` file can hold.
fn without_seeds(mut record: MatchRecord) -> MatchRecord {
    for game in &mut record.games {
        (game.seed, game.swapped) = (None, false);
    }
    record
}

fn session(rules: &Rules, ante: u32) -> MatchRecord {
    let games: Vec<GameRecord> =
        with_seats(|seats| (0..4).flat_map(|seed| play_pair(seats, rules, seed).unwrap()).collect());
    MatchRecord { rules: *rules, players: games[0].players.clone(), goal: Goal::Money { ante }, games }
}

#[test]
fn records_come_back_from_mat_as_they_were() {
    for rules in rule_sets() {
        let series = with_seats(|seats| play_match(seats, &rules, 7, 3, true)).unwrap();
        for record in [series, session(&rules, 1), session(&rules, 10)] {
            let text = record.to_mat().unwrap();
            let read = MatchRecord::from_mat(&text).unwrap_or_else(|e| panic!("{rules}: {e}\n{text}"));
            assert_eq!(read, without_seeds(record), "{rules}\n{text}");
            assert_eq!(read.to_mat().unwrap(), text);
        }
    }
}

#[test]
fn a_long_nardy_mat_file_names_its_game_and_rules() {
    let text = session(&"long-site".parse().unwrap(), 1).to_mat().unwrap();
    assert!(
        text.starts_with("; [Variation \"LongNardy\"]\n; [Rules \"long-site\"]\n\n 0 point match\n\n Game 1\n"),
        "{text}"
    );
    assert!(session(&Rules::SHORT, 1).to_mat().unwrap().starts_with("\n 0 point match\n"));
}

#[test]
fn unfinished_resigned_and_multiplied_games_survive_both_formats() {
    let full = random_game(&Rules::SHORT, 1);
    let mut broken_off = full.clone();
    broken_off.turns.truncate(5);
    broken_off.result = None;
    let mut resigned = broken_off.clone();
    resigned.result = Some(GameResult::Win { winner: Color::Black, kind: WinKind::Mars, points: 2, resigned: true });
    let mut doubled = full.clone();
    doubled.multiplier = 4;
    if let Some(GameResult::Win { points, .. }) = &mut doubled.result {
        *points *= 4;
    }
    let record = MatchRecord {
        rules: Rules::SHORT,
        players: full.players.clone(),
        goal: Goal::Points(25),
        games: vec![resigned, doubled, broken_off],
    };
    assert_eq!(MatchRecord::from_json(&record.to_json()).unwrap(), record);
    assert_eq!(MatchRecord::from_mat(&record.to_mat().unwrap()).unwrap(), without_seeds(record));
}

#[test]
fn the_same_seed_gives_the_same_game_and_its_dice_can_be_checked() {
    for rules in rule_sets() {
        let game = random_game(&rules, 77);
        assert_eq!(random_game(&rules, 77).to_json(), game.to_json());
        assert_ne!(random_game(&rules, 78).turns, game.turns);
        assert_eq!(game.dice_are_of_the_seed(), Some(true), "{rules}");
        let mut other = game.clone();
        other.seed = Some(78);
        assert_eq!(other.dice_are_of_the_seed(), Some(false));
        other.seed = None;
        assert_eq!(other.dice_are_of_the_seed(), None);
        let series = with_seats(|seats| play_match(seats, &rules, 9, 4, true)).unwrap();
        assert!(series.games.len() > 2);
        for (i, game) in (0..).zip(&series.games) {
            assert_eq!(game.seed, Some(seed_for_game(4, i)));
            assert_eq!(game.dice_are_of_the_seed(), Some(true), "{rules} game {i}");
        }
    }
}

#[test]
fn a_pair_of_games_has_the_same_dice_and_the_other_starter() {
    for rules in [Rules::LONG, Rules::SHORT] {
        for seed in 0..20 {
            let [first, second] = with_seats(|seats| play_pair(seats, &rules, seed)).unwrap();
            assert_eq!(second.starter, first.starter.other());
            assert_eq!(first.players, second.players);
            let rolls = |record: &GameRecord| record.turns.iter().map(|turn| turn.roll).collect::<Vec<_>>();
            let (a, b) = (rolls(&first), rolls(&second));
            let both = a.len().min(b.len());
            assert_eq!(a[..both], b[..both]);
        }
    }
}

#[test]
fn two_copies_of_a_player_without_chance_split_every_pair() {
    let (mut one, mut two) = (PipsPlayer, PipsPlayer);
    let mut seats = ByColor::new(&mut one as &mut dyn Player, &mut two);
    for seed in 0..50 {
        let points = play_pair(&mut seats, &Rules::SHORT, seed).unwrap().map(|game| game.result.unwrap());
        assert_eq!(points[0].points_of(Color::White), points[1].points_of(Color::Black));
    }
}

#[test]
fn a_player_that_chooses_no_play_is_named() {
    struct Wild;
    impl Player for Wild {
        fn name(&self) -> String {
            "wild".into()
        }
        fn choose(&mut self, _: Position, _: Roll, _: &Rules, plays: &PlayList) -> usize {
            plays.len()
        }
    }
    let (mut wild, mut pips) = (Wild, PipsPlayer);
    let mut seats = ByColor::new(&mut wild as &mut dyn Player, &mut pips);
    let error = play_game(&mut seats, &Rules::SHORT, 1, false).unwrap_err().to_string();
    assert!(error.starts_with("player wild made no legal choice in turn "), "{error}");
}

#[test]
fn a_record_that_breaks_the_rules_is_refused_with_game_turn_and_reason() {
    let game = |turns: &str, result: &str| {
        format!(
            r#"{{"version":1,"rules":"short","white":"A","black":"B","starter":"white","turns":[{turns}],"result":{result}}}"#
        )
    };
    let good = r#"{"dice":"31","play":"8/5 6/5"}"#;
    assert!(GameRecord::from_json(&game(good, "null")).is_ok());
    let won = r#"{"end":"win","winner":"white","kind":"oin","points":1}"#;
    let gave_up = r#"{"end":"win","winner":"white","kind":"mars","points":1,"resigned":true}"#;
    let cases = [
        ("{".to_string(), "game 1: not a record: EOF"),
        ("[]".into(), "game 1: not a record: "),
        (
            game(good, "null").replace("\"version\":1", "\"version\":7"),
            "game 1: this is version 7 of the record format, expected 1",
        ),
        (game(good, "null").replace("\"short\"", "\"shrt\""), "game 1: not a record: unknown rule set \"shrt\""),
        (
            game(good, "null").replace("\"white\",\"turns\"", "\"red\",\"turns\""),
            "game 1: not a record: unknown variant `red`",
        ),
        (game(r#"{"dice":"37","play":"8/5"}"#, "null"), "game 1, turn 1 (white): expected two dice from 1 to 6"),
        (
            game(r#"{"dice":"33","play":"8/5(2) 6/3(2)"}"#, "null"),
            "game 1, turn 1 (white): the first turn is played with the two different dice",
        ),
        (game(&format!(r#"{good},{{"dice":"66","play":"24/18(4)"}}"#), "null"), "game 1, turn 2 (black): "),
        (game(&format!(r#"{good},{{"dice":"21","play":"pass"}}"#), "null"), "game 1, turn 2 (black): "),
        (game(good, won), "game 1: the record says `white wins 1 point (oin)`, but the turns don't end the game"),
        (
            game(good, gave_up),
            "game 1: a resigned mars is `white wins 2 points (mars, resigned)`, the record says 1 points",
        ),
        (
            game(good, "null").replace("\"starter\"", "\"seed\":\"x\",\"starter\""),
            "game 1: the seed must be a text of decimal digits",
        ),
    ];
    for (text, message) in cases {
        let error = GameRecord::from_json(&text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}\nexpected {message}");
    }
    let zero = game(good, "null").replace("\"starter\"", "\"multiplier\":0,\"starter\"");
    assert!(GameRecord::from_json(&zero).unwrap_err().to_string().contains("at least 1, found 0"));
    let mut finished = random_game(&Rules::SHORT, 2);
    finished.result = None;
    assert!(GameRecord::from_json(&finished.to_json()).unwrap_err().to_string().ends_with("the record has no result"));

    let file = format!("{}\n\n{}\n", game(good, "null"), game(r#"{"dice":"31","play":"8/3"}"#, "null"));
    let errors: Vec<_> = read_games(file.as_bytes()).map(|game| game.err().map(|e| e.to_string())).collect();
    assert_eq!((errors.len(), &errors[0]), (2, &None));
    assert!(errors[1].as_ref().unwrap().starts_with("game 2, turn 1 (white): "), "{errors:?}");
}

#[test]
fn a_match_record_is_refused_when_its_games_do_not_fit() {
    let rules: Rules = "short-site".parse().unwrap();
    let good = with_seats(|seats| play_match(seats, &rules, 5, 11, false)).unwrap();
    assert!(good.games.len() >= 3);
    let error = |change: &dyn Fn(&mut MatchRecord)| {
        let mut record = good.clone();
        change(&mut record);
        MatchRecord::from_json(&record.to_json()).map(|_| ()).unwrap_err().to_string()
    };
    let over = error(&|record| record.games.push(record.games[0].clone()));
    assert!(over.starts_with(&format!("game {}: the match was over: ", good.games.len() + 1)), "{over}");
    let unfinished = error(&|record| {
        record.games[0].turns.pop();
        record.games[0].result = None;
    });
    assert_eq!(unfinished, "game 1: only the last game may be unfinished");
    let mut starter = good.clone();
    let (winner, game) = (starter.games[0].result.unwrap().winner().unwrap(), &mut starter.games[1]);
    game.starter = winner.other();
    let expected = format!("game 2: under next_game=winner {winner} starts, not {}", winner.other());
    assert_eq!(starter.replay().unwrap_err().to_string(), expected);
    let none = error(&|record| record.goal = Goal::Points(0));
    assert_eq!(none, "game 1: a match must go to at least 1 point");
}

#[test]
fn a_mat_file_of_gnu_backgammon_is_read() {
    let record = MatchRecord::from_mat(include_str!("../data/mat/gnubg-2-points.mat")).unwrap();
    assert_eq!((record.goal, record.rules), (Goal::Points(2), Rules::SHORT));
    assert_eq!(record.players, ByColor::new("gnubg".to_string(), "root".to_string()));
    let series = record.replay().unwrap();
    assert_eq!((series.winner(), series.points()), (Some(Color::Black), ByColor::new(0, 2)));
    assert_eq!(record.games[0].turns.len(), 50);
    let again = MatchRecord::from_mat(&record.to_mat().unwrap()).unwrap();
    assert_eq!(again, record);
}

#[test]
fn wrong_mat_files_are_refused_with_line_or_game() {
    let head = " 5 point match\n\n Game 1\n A : 0                         B : 0\n";
    let with = |lines: &str| format!("{head}{lines}");
    let cases = [
        (String::new(), "line 0: no ` N point match` line"),
        (" x point match\n".into(), "line 1: expected the number of points before `point match`, found \"x\""),
        (" Game 1\n".into(), "line 1: expected ` N point match` before the first game"),
        (" 5 point match\n".into(), "line 1: no game in the file"),
        (" 5 point match\n 5 point match\n".into(), "line 2: a second match in the file"),
        ("; [Variation \"NackGammon\"]\n".into(), "line 1: expected variation LongNardy or Backgammon"),
        ("; [Rules \"chess\"]\n".into(), "line 1: unknown rule set \"chess\""),
        ("; [Ante \"x\"]\n".into(), "line 1: expected a number as ante"),
        (
            format!("; [Variation \"LongNardy\"]\n; [Rules \"short\"]\n{head}"),
            "line 3: the variation is not the game of the rules",
        ),
        (" 5 point match\n Game 1\n A 0  B : 0\n".into(), "line 3: expected names and scores"),
        (with(" Game 2\n A : 0      C : 0\n"), "line 6: the players' names differ"),
        (with("  1) Doubles => 2\n"), "line 5: `Doubles`: games with a doubling cube are not supported"),
        (with("  1) 8/5 6/5\n"), "line 5: expected dice such as `31:`, found \"8/5 6/5\""),
        (with("hello\n"), "line 5: expected dice such as `31:`, found \"hello\""),
        (with("  1) 31: 8/5 6/4\n"), "game 1, turn 1 (white): "),
        (with("  1) 31: 8/5 6/5\n  2) 21: 6/4 6/5\n"), "game 1, turn 2 (white): it is black's turn"),
        (with("  1) 31: 8/5 6/5\n      Wins x points\n"), "line 6: expected `Wins N points`"),
        (with("  1) 31: 8/5 6/5\n      Wins 0 points\n"), "line 6: expected `Wins N points`"),
    ];
    for (text, message) in cases {
        let error = MatchRecord::from_mat(&text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}\nexpected {message}");
    }
    let record = with_seats(|seats| play_match(seats, &Rules::SHORT, 3, 1, false)).unwrap();
    let text = record.to_mat().unwrap();
    let other = if text.contains("                                  Wins") {
        text.replacen("                                  Wins", "      Wins", 1)
    } else {
        text.replacen("      Wins", "                                  Wins", 1)
    };
    let error = MatchRecord::from_mat(&other).unwrap_err();
    assert!(matches!(error, RecordError::Result { .. }), "{error}");
}

#[test]
fn damaged_records_are_refused_or_read_but_never_panic() {
    let long = session(&"long-site".parse().unwrap(), 3);
    let short = with_seats(|seats| play_match(seats, &Rules::SHORT, 2, 6, false)).unwrap();
    let mut dice = SeededDice::new(99);
    let mut number = |below: usize| {
        let throws: usize = (0..6).fold(0, |n, _| n * 36 + dice.roll().unwrap().index());
        throws % below
    };
    let scraps =
        ["", "0", "9", "25", "/", "*", ")", ":", "\n", " ", "Wins", "Draw", "é", "\0", "Game 1", ";", "[", "\""];
    let mut read = 0;
    for record in [long, short] {
        for text in [record.to_mat().unwrap(), record.to_json()] {
            for _ in 0..300 {
                let mut bad: Vec<char> = text.chars().collect();
                for _ in 0..=number(3) {
                    let at = number(bad.len());
                    let to = (at + number(4)).min(bad.len());
                    bad.splice(at..to, scraps[number(scraps.len())].chars());
                }
                let bad: String = bad.into_iter().collect();
                let results = [MatchRecord::from_mat(&bad).is_ok(), MatchRecord::from_json(&bad).is_ok()];
                read += results.iter().filter(|ok| **ok).count();
            }
        }
    }
    assert!(read > 0 && read < 600, "{read} damaged records were read");
}

#[test]
fn seeded_dice_give_every_roll_about_as_often_as_it_should() {
    let mut dice = SeededDice::new(5);
    let mut seen = [0u32; 21];
    for _ in 0..36_000 {
        seen[dice.roll().unwrap().index()] += 1;
    }
    for roll in Roll::ALL {
        let expected = 1000.0 * f64::from(roll.weight());
        let off = (f64::from(seen[roll.index()]) - expected).abs() / expected.sqrt();
        assert!(off < 5.0, "{roll}: {} of {expected}", seen[roll.index()]);
    }
}
