//! The example clients for authors of GUIs play a whole game through the bot.

use std::io::ErrorKind;
use std::process::Command;

/// Runs a client; `None` if its interpreter is not installed.
fn play(interpreter: &str, script: &str) -> Option<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/").to_owned() + script;
    let output = match Command::new(interpreter).args([&path, env!("CARGO_BIN_EXE_nardy-bot"), "7"]).output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("{interpreter} is not installed: {script} was not tried");
            return None;
        }
        Err(error) => panic!("{interpreter}: {error}"),
    };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{script}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

fn check(text: Option<String>) {
    let Some(text) = text else { return };
    let turns = text.lines().filter(|line| line.starts_with("played")).count();
    assert!(turns > 30 && text.contains("gameover"), "{text}");
    assert_eq!(text.lines().last(), Some(format!("{turns} turns").as_str()));
}

#[test]
fn the_python_client_plays_a_whole_game() {
    check(play("python3", "gui_client.py"));
}

#[test]
fn the_javascript_client_plays_a_whole_game() {
    check(play("node", "gui_client.js"));
}
