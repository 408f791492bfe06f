use nardy::eval::Pubeval;
use nardy::game::Player;
use nardy::movegen::legal_plays;
use nardy::position::{Position, in_contact, text::parse_gnu_id};
use nardy::rules::{Game, Rules};
use nardy::types::Roll;

const CHOICES: &str = include_str!("../data/pubeval/choices.txt");

fn decisions() -> impl Iterator<Item = (Position, Roll, Position)> {
    CHOICES.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let position = |text| parse_gnu_id(text, Game::Short).unwrap();
        (position(words[0]), words[1].parse().unwrap(), position(words[2]))
    })
}

#[test]
fn pubeval_plays_as_the_one_in_gnu_backgammon() {
    let mut player = Pubeval::new(Game::Short).unwrap();
    let (mut count, mut races) = (0, 0);
    for (position, roll, expected) in decisions() {
        let plays = legal_plays(position, roll, &Rules::SHORT);
        let index = player.choose(position, roll, &Rules::SHORT, &plays);
        let chosen = plays.positions()[index];
        let race = !in_contact(position.us, position.them);
        let scores = (Pubeval::score(chosen, race), Pubeval::score(expected, race));
        assert_eq!(chosen, expected, "{position:?} {roll}: race {race}, scores {scores:?}");
        count += 1;
        races += usize::from(race);
    }
    assert!(count >= 1000 && races >= 100 && count - races >= 100, "{count} decisions, {races} in races");
}
