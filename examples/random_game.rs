//! Plays a game with random plays and prints it.
//!
//! `cargo run --example random_game -- [RULES] [SEED]`, for instance `long-site 7`. The same seed gives the same game.

use nardy::game::{Goal, Match, SeededDice};
use nardy::rules::Rules;
use rand::{RngExt, SeedableRng};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let rules: Rules = arguments.next().as_deref().unwrap_or("long").parse()?;
    let seed: u64 = arguments.next().as_deref().unwrap_or("1").parse()?;

    let mut dice = SeededDice::new(seed);
    let mut choice = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mut game = Match::new(&rules, Goal::Money { ante: 1 })?.start_game(&mut dice)?;
    println!("rules {rules}, seed {seed}: {} starts", game.starter());

    let mut turn = 0;
    let result = loop {
        turn += 1;
        // Under `use_opening_dice` the starter's dice are there already.
        let roll = match game.dice() {
            Some(roll) => roll,
            None => {
                let roll = dice.next_roll();
                game.roll(roll)?;
                roll
            }
        };
        let index = choice.random_range(0..game.plays().len());
        println!("{turn:3}. {:5} {roll}  {}", game.turn(), game.plays().steps(index));
        if let Some(result) = game.play_index(index)? {
            break result;
        }
    };
    println!("{result}");
    Ok(())
}
