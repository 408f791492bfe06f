//! What the bot's figures mean, in words.

use nardy::arena::analysis::{BLUNDER, ERROR};
use std::collections::HashMap;
use std::fmt::Write;

/// Plays that lose less than this are as good as the best.
const EQUAL: f64 = 0.005;

/// Figures of a line `hint …` or `eval …`: names and values, and the play behind them.
struct Figures<'a> {
    values: HashMap<&'a str, f64>,
    play: &'a str,
}

impl<'a> Figures<'a> {
    fn of(line: &'a str) -> Figures<'a> {
        let (figures, play) = line.split_once(" move ").unwrap_or((line, ""));
        let words: Vec<&str> = figures.split(' ').collect();
        let pairs = words.windows(2).filter_map(|two| Some((two[0], two[1].parse().ok()?)));
        Figures { values: pairs.collect(), play }
    }

    fn get(&self, name: &str) -> f64 {
        self.values.get(name).copied().unwrap_or(0.0)
    }

    fn percent(&self, name: &str) -> f64 {
        100.0 * self.get(name)
    }

    /// How many games of a hundred are won and lost, and what that is worth.
    fn in_words(&self) -> String {
        let of_hundred = |name: &str| format!("{:.0}", self.percent(name));
        let (won, lost) = (of_hundred("win"), format!("{:.0}", 100.0 - self.percent("win")));
        let points = self.get("equity");
        let worth = match points {
            0.0.. => format!("is worth {points:.3} points a game to you on average"),
            _ => format!("costs you {:.3} points a game on average", -points),
        };
        format!(
            "you win about {won} of 100 games, {} of them with a mars or koks, and lose {lost}, {} of them with a mars or \
             koks. That {worth}.",
            of_hundred("winmars"),
            of_hundred("losemars")
        )
    }
}

/// The lines of `hint`.
pub fn hints(lines: &[String]) -> String {
    let hints: Vec<Figures> = lines.iter().skip(1).map(|line| Figures::of(line)).collect();
    let Some(best) = hints.first() else { return lines.join("\n") + "\n" };
    let width = hints.iter().map(|hint| hint.play.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (number, hint) in (1..).zip(&hints) {
        let _ = write!(
            text,
            "  {number}. {:width$}  {:+.3}  wins {:.1} % (mars {:.1}, koks {:.1}), loses mars {:.1} %, koks {:.1} %",
            hint.play,
            hint.get("equity"),
            hint.percent("win"),
            hint.percent("winmars"),
            hint.percent("winkoks"),
            hint.percent("losemars"),
            hint.percent("losekoks")
        );
        if let Some(games) = hint.values.get("trials") {
            let _ = write!(text, "; {games} games, ± {:.3}", hint.get("equity95"));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "After {} {}", best.play, best.in_words());
    if let Some(second) = hints.get(1) {
        let _ = writeln!(text, "The next best, {}, {}.", second.play, verdict(second));
    }
    text
}

/// How bad a play is that is not the best.
fn verdict(hint: &Figures) -> String {
    let loss = hint.get("loss");
    let judged = if loss < EQUAL {
        "as good as that"
    } else if loss < ERROR {
        "hardly worse"
    } else if loss < BLUNDER {
        "an error"
    } else {
        "a blunder"
    };
    let sure = match hint.values.get("loss95") {
        Some(half) if loss < *half => format!(" ± {half:.3}: the games leave open which is better"),
        Some(half) => format!(" ± {half:.3}"),
        None => String::new(),
    };
    format!("is {judged}: it gives away {loss:.3} points a game{sure}")
}

/// The line of `eval`.
pub fn chances(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |text, line| text + "Before the throw " + &Figures::of(line).in_words() + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_play_gives_away_is_graded() {
        let line = |loss: f64, rest: &str| format!("hint 2 equity -0.2 loss {loss} win 0.4 {rest}move 24/18 13/11");
        let graded = |loss, rest| verdict(&Figures::of(&line(loss, rest)));
        assert_eq!(graded(0.004, ""), "is as good as that: it gives away 0.004 points a game");
        assert!(graded(0.01, "").starts_with("is hardly worse:") && graded(0.02, "").starts_with("is an error:"));
        assert!(graded(0.3, "").starts_with("is a blunder: it gives away 0.300"));
        assert!(
            graded(0.01, "loss95 0.02 ").ends_with("0.010 points a game ± 0.020: the games leave open which is better")
        );
        assert!(graded(0.03, "loss95 0.02 ").ends_with("0.030 points a game ± 0.020"));
    }

    #[test]
    fn chances_are_told_in_games_of_a_hundred() {
        let lines = ["eval depth 0 equity -0.25 win 0.401 winmars 0.12 winkoks 0.01 losemars 0.2 losekoks 0.02".into()];
        assert_eq!(
            chances(&lines),
            "Before the throw you win about 40 of 100 games, 12 of them with a mars or koks, and lose 60, 20 of them with a \
             mars or koks. That costs you 0.250 points a game on average.\n"
        );
        assert_eq!(hints(&["hints 0 of 5".into()]), "hints 0 of 5\n");
    }
}
