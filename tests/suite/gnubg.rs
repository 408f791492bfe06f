use nardy::eval::{PipsPlayer, Pubeval};
use nardy::game::{ByColor, Goal, MatchRecord, Player, Seats, play_match, play_pair};
use nardy::rules::{Game, Rules};
use std::path::Path;
use std::process::Command;

/// Lets GNU Backgammon (Debian package `gnubg`) read a `.mat` file and write it out again.
fn through_gnubg(text: &str, kind: &str, directory: &Path) -> String {
    let (input, output) = (directory.join(format!("{kind}-in.mat")), directory.join(format!("{kind}-out.mat")));
    let script = directory.join(format!("{kind}.commands"));
    std::fs::write(&input, text).unwrap();
    let commands = format!("import mat \"{}\"\nexport match mat \"{}\"\n", input.display(), output.display());
    std::fs::write(&script, commands).unwrap();
    let gnubg = std::env::var("GNUBG").unwrap_or_else(|_| "/usr/games/gnubg".into());
    let answer = Command::new(gnubg).args(["-t", "-q", "-r", "-c"]).arg(&script).output().expect("gnubg runs");
    let said = String::from_utf8_lossy(&answer.stdout);
    std::fs::read_to_string(&output).unwrap_or_else(|e| panic!("gnubg wrote nothing: {e}\n{said}"))
}

fn with_seats<T>(play: impl FnOnce(&mut Seats) -> T) -> T {
    let (mut pubeval, mut pips) = (Pubeval::new(Game::Short).unwrap(), PipsPlayer);
    play(&mut ByColor::new(&mut pubeval as &mut dyn Player, &mut pips))
}

#[test]
#[ignore = "needs GNU Backgammon"]
fn gnu_backgammon_reads_our_mat_files_and_writes_the_same_games() {
    let directory = std::env::temp_dir().join(format!("nardy-gnubg-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let series = with_seats(|seats| play_match(seats, &Rules::SHORT, 7, 1, false)).unwrap();
    let alternate: Rules = "short,next_game=alternate".parse().unwrap();
    let with_header = with_seats(|seats| play_match(seats, &alternate, 3, 2, true)).unwrap();
    let games: Vec<_> = with_seats(|seats| (0..2).flat_map(|s| play_pair(seats, &Rules::SHORT, s).unwrap()).collect());
    let players = games[0].players.clone();
    let money = MatchRecord { rules: Rules::SHORT, players, goal: Goal::Money { ante: 1 }, games };
    for (kind, mut record) in [("match", series), ("header", with_header), ("money", money)] {
        for game in &mut record.games {
            (game.seed, game.swapped) = (None, false);
        }
        let text = record.to_mat().unwrap();
        let back = through_gnubg(&text, kind, &directory);
        let read = MatchRecord::from_mat(&back).unwrap_or_else(|e| panic!("{e}\n{back}"));
        assert_eq!(read, record, "{kind}: sent\n{text}\ngot\n{back}");
        println!("{kind}: {} games came back unchanged from {}", record.games.len(), directory.display());
    }
    std::fs::remove_dir_all(&directory).unwrap();
}
