use super::*;
use crate::eval::Model;
use crate::movegen::legal_plays;
use crate::position::Checkers;
use crate::rules::Rules;
use crate::search::SearchSettings;
use crate::types::Roll;
use std::path::Path;
use std::sync::Arc;

/// The shipped model of short nardy: luck adjustment needs one that knows something.
fn roller(threads: usize, settings: RolloutSettings) -> Roller {
    let load = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(format!("{name}.safetensors"));
        Arc::new(Model::load(path).unwrap())
    };
    let search = SearchSettings { threads, ..SearchSettings::default() };
    let searcher = Searcher::new(load("short"), Some(load("short-quick")), Rules::SHORT, search).unwrap();
    Roller::new(&searcher, settings).unwrap()
}

fn on(_: &Rollout) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

const TRUNCATED: RolloutSettings = RolloutSettings {
    trials: 72,
    truncate: Some(4),
    depth: 0,
    luck_adjusted: true,
    clear: f64::INFINITY,
    enough: 0.0,
    batch: 36,
    seed: 3,
};

#[test]
fn one_throw_before_exact_endings_a_block_of_trials_is_the_exact_mean() {
    // Whatever is thrown, the lone checker comes home, and the tables know the rest.
    let position = Position {
        us: Checkers::from_points(&[(7, 1), (1, 1)]),
        them: Checkers::from_points(&[(6, 1), (5, 1), (4, 1)]),
    };
    for luck_adjusted in [false, true] {
        let mut roller = roller(2, RolloutSettings { trials: 36, truncate: None, luck_adjusted, ..TRUNCATED });
        let rollout = roller.position(position, &mut on);
        let [rolled] = &rollout.candidates[..] else { panic!("{rollout:?}") };
        let exact = roller.searchers[0].evaluate(position, 1);
        assert!(rolled.outcomes.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-5), "{rolled:?} {exact:?}");
        assert!((rolled.equity.mean - f64::from(exact[0] - exact[3])).abs() < 1e-5);
        assert!(rollout.finished && rollout.trials == 36 && rolled.equity.standard_error.is_infinite());
    }
}

#[test]
fn luck_adjustment_leaves_the_mean_and_takes_most_of_the_error() {
    let side = Checkers::from_points(&[(12, 2), (8, 3), (6, 5), (5, 3), (4, 2)]);
    let position = Position { us: side, them: side };
    let plain = RolloutSettings { trials: 720, luck_adjusted: false, truncate: None, ..TRUNCATED };
    let adjusted = RolloutSettings { trials: 360, luck_adjusted: true, ..plain };
    let [plain, adjusted] =
        [plain, adjusted].map(|settings| roller(2, settings).position(position, &mut on).candidates[0].clone());
    let difference = plain.equity.mean - adjusted.equity.mean;
    let error = plain.equity.standard_error.hypot(adjusted.equity.standard_error);
    assert!(difference.abs() < 4.0 * error, "{plain:?} {adjusted:?}");
    // Per trial: standard errors shrink with the root of their number.
    let ratio = plain.equity.standard_error * 720f64.sqrt() / (adjusted.equity.standard_error * 360f64.sqrt());
    assert!(ratio > 2.0, "{ratio}");
    // The side to throw is ahead by half a throw.
    assert!((0.1..0.8).contains(&adjusted.equity.mean), "{adjusted:?}");
}

#[test]
fn the_number_of_threads_does_not_change_a_rollout() {
    let plays = legal_plays(Position::SHORT_START, Roll::new(5, 3).unwrap(), &Rules::SHORT);
    let one = roller(1, TRUNCATED).plays(&plays, &[0, 2, 5], &mut on);
    assert_eq!(one, roller(3, TRUNCATED).plays(&plays, &[0, 2, 5], &mut on));
    assert_ne!(one, roller(1, RolloutSettings { seed: 4, ..TRUNCATED }).plays(&plays, &[0, 2, 5], &mut on));
}

#[test]
fn clearly_worse_plays_are_dropped_and_a_clear_best_play_ends_the_rollout() {
    let roll = Roll::new(3, 1).unwrap();
    let plays = legal_plays(Position::SHORT_START, roll, &Rules::SHORT);
    let mut roller = roller(2, RolloutSettings { trials: 36_000, clear: 3.0, batch: 144, ..TRUNCATED });
    let numbers = roller.choose(Position::SHORT_START, &plays, 0, 4, f32::INFINITY);
    assert_eq!(numbers.len(), 4);
    let mut looks = 0;
    let rollout = roller.plays(&plays, &numbers, &mut |seen| {
        looks += 1;
        assert_eq!(seen.candidates.len(), 4);
        ControlFlow::Continue(())
    });
    assert!(rollout.finished && rollout.trials < 20_000 && looks >= 1, "{rollout:?}");
    let best = plays.get(rollout.candidates[0].index).position;
    assert_eq!(best.us.count(5), 2, "3-1 makes the five point");
    assert!(rollout.candidates[1..].iter().all(|candidate| candidate.dropped && candidate.loss.mean > 0.0));
    assert_eq!(rollout.candidates[0].loss, Estimate { mean: 0.0, standard_error: 0.0 });
}

#[test]
fn a_rollout_ends_once_it_is_sharp_enough() {
    let plays = legal_plays(Position::SHORT_START, Roll::new(5, 3).unwrap(), &Rules::SHORT);
    let settings = RolloutSettings { trials: 36_000, enough: 0.05, ..TRUNCATED };
    let rollout = roller(2, settings).plays(&plays, &[0, 2, 5], &mut on);
    assert!(rollout.finished && (3 * 144..50_000).contains(&rollout.trials), "{rollout:?}");
    assert!(rollout.candidates.iter().all(|play| !play.dropped && play.loss.half_width() <= 0.05), "{rollout:?}");
}

#[test]
fn a_rollout_stopped_in_its_first_batch_knows_nothing() {
    let plays = legal_plays(Position::SHORT_START, Roll::new(5, 3).unwrap(), &Rules::SHORT);
    for threads in [1, 2] {
        let rollout = roller(threads, TRUNCATED).plays_until(&plays, &[0, 2], &|| true, &mut on);
        assert_eq!(rollout, Rollout { candidates: Vec::new(), trials: 0, finished: false });
    }
}

#[test]
fn a_rollout_ends_when_it_is_told_to() {
    let mut roller = roller(1, RolloutSettings { trials: 3_600, ..TRUNCATED });
    let rollout = roller.position(Position::SHORT_START, &mut |seen| match seen.trials {
        72 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!((rollout.trials, rollout.finished), (72, false));
}

#[test]
fn a_position_is_valued_for_the_side_on_roll() {
    // A race won by far.
    let position = Position {
        us: Checkers::from_points(&[(6, 3), (5, 3)]),
        them: Checkers::from_points(&[(12, 5), (11, 5), (6, 5)]),
    };
    let mut roller = roller(1, RolloutSettings { truncate: Some(1), trials: 36, ..TRUNCATED });
    let won = roller.position(position, &mut on).candidates.remove(0);
    let lost = roller.position(position.swapped(), &mut on).candidates.remove(0);
    assert!(won.equity.mean > 0.9 && won.outcomes[..3].iter().sum::<f32>() > 0.9, "{won:?}");
    assert!(lost.equity.mean < -0.9, "{lost:?}");
    // The next look is two plies deep, for the play of a searcher that looks ahead.
    let mut ahead = self::roller(1, RolloutSettings { truncate: Some(2), trials: 36, depth: 1, ..TRUNCATED });
    assert!(ahead.position(position, &mut on).candidates[0].equity.mean > 0.9);
}
