//! λ-returns over one game: the targets of TD(λ), in the forward view.
//!
//! Ply t is a position before its roll, seen by the side on roll. With P the frozen net's prediction and z the result,
//! the target of the last ply is z, and that of every earlier one is the next ply's mixture, seen from the other side:
//! `G(t) = flip((1 − λ) · P(t + 1) + λ · G(t + 1))`. Summed over a game, the corrections `G(t) − P(t)` equal those of
//! TD(λ) with eligibility traces.

use thiserror::Error;

use crate::eval::{Outcomes, flip};
use crate::net::weights::NUM_OUTCOMES;

/// A game that can't have been played like this.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LambdaError {
    /// No plies, or not one mask for each.
    #[error("expected as many masks as predictions and at least one, got {masks} masks for {predictions} predictions")]
    Length {
        /// Number of predictions.
        predictions: usize,
        /// Number of masks.
        masks: usize,
    },
    /// λ out of range.
    #[error("expected λ between 0 and 1, got {0}")]
    Lambda(f64),
    /// A result that the last ply's mask excludes.
    #[error("the game ended with outcome {outcome}, which mask {mask:#08b} of its last ply excludes")]
    Result {
        /// Index of the outcome for the side on roll at the last ply.
        outcome: usize,
        /// That ply's mask.
        mask: u8,
    },
    /// An outcome that was impossible and became possible.
    #[error("ply {ply} allows outcomes {mask:#08b} for its side on roll, but the ply before excluded some of them")]
    Revived {
        /// Index of the later ply.
        ply: usize,
        /// Its mask.
        mask: u8,
    },
    /// A prediction without any chance for what is possible, or not finite.
    #[error("ply {ply}: expected chances for some outcome of mask {mask:#08b}, got {prediction:?}")]
    Prediction {
        /// Index of the ply.
        ply: usize,
        /// Its mask.
        mask: u8,
        /// The prediction.
        prediction: Outcomes,
    },
}

/// The same mask of possible outcomes from the other side's point of view.
pub fn flip_mask(mask: u8) -> u8 {
    mask >> 3 & 0b000111 | mask << 3 & 0b111000
}

/// Replaces `targets` with the λ-return of every ply of one game.
///
/// * `predictions[t]`: the frozen net's chances for ply t, from the point of view of the side on roll in it. Chances
///   for impossible outcomes are removed and the others scaled to sum 1, which is what a masked softmax gives.
/// * `masks[t]`: bit i is set if outcome i is possible for the side on roll at ply t. What became impossible stays so.
/// * `outcome`: how the game ended for the side that was on roll at the **last** ply. If that side's play ended the
///   game, as bearing off does, this is one of the three wins.
///
/// Each target sums to 1 up to rounding and is zero wherever its ply's mask is.
///
/// # Errors
/// Says which ply contradicts the others.
pub fn lambda_returns(
    predictions: &[Outcomes],
    masks: &[u8],
    outcome: usize,
    lambda: f64,
    targets: &mut Vec<Outcomes>,
) -> Result<(), LambdaError> {
    check_game(predictions, masks, outcome, lambda)?;
    targets.clear();
    targets.resize(predictions.len(), [0.0; NUM_OUTCOMES]);
    let mut target = [0.0; NUM_OUTCOMES];
    target[outcome] = 1.0;
    for ply in (0..predictions.len()).rev() {
        targets[ply] = target.map(|chance| chance as f32);
        if ply > 0 {
            let prediction = restrict(&predictions[ply], masks[ply]).ok_or(LambdaError::Prediction {
                ply,
                mask: masks[ply],
                prediction: predictions[ply],
            })?;
            let mixed: [f64; NUM_OUTCOMES] =
                std::array::from_fn(|i| (1.0 - lambda) * prediction[i] + lambda * target[i]);
            target = flip(mixed);
        }
    }
    Ok(())
}

fn check_game(predictions: &[Outcomes], masks: &[u8], outcome: usize, lambda: f64) -> Result<(), LambdaError> {
    if !(0.0..=1.0).contains(&lambda) {
        return Err(LambdaError::Lambda(lambda));
    }
    let last = match masks.last() {
        Some(last) if masks.len() == predictions.len() => *last,
        _ => return Err(LambdaError::Length { predictions: predictions.len(), masks: masks.len() }),
    };
    if outcome >= NUM_OUTCOMES || last >> outcome & 1 == 0 {
        return Err(LambdaError::Result { outcome, mask: last });
    }
    for (ply, pair) in masks.windows(2).enumerate() {
        if flip_mask(pair[1]) & !pair[0] != 0 {
            return Err(LambdaError::Revived { ply: ply + 1, mask: pair[1] });
        }
    }
    Ok(())
}

/// The prediction without impossible outcomes, scaled to sum 1; `None` if nothing finite is left.
fn restrict(prediction: &Outcomes, mask: u8) -> Option<[f64; NUM_OUTCOMES]> {
    let kept: [f64; NUM_OUTCOMES] =
        std::array::from_fn(|i| if mask >> i & 1 == 1 { f64::from(prediction[i]) } else { 0.0 });
    let sum: f64 = kept.iter().sum();
    let usable = sum.is_finite() && sum > 0.0 && kept.iter().all(|chance| *chance >= 0.0);
    usable.then(|| kept.map(|chance| chance / sum))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::net::weights::ALL_OUTCOMES;

    fn returns(predictions: &[Outcomes], masks: &[u8], outcome: usize, lambda: f64) -> Vec<Outcomes> {
        let mut targets = Vec::new();
        lambda_returns(predictions, masks, outcome, lambda, &mut targets).expect("a possible game");
        targets
    }

    fn assert_close(got: &[Outcomes], expected: &[Outcomes]) {
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(expected) {
            let close = got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(close, "{got:?} instead of {expected:?}");
        }
    }

    /// A chain of three plies. A is on roll, then B, then A, who wins by mars.
    const CHAIN: [Outcomes; 3] =
        [[0.5, 0.1, 0.0, 0.3, 0.1, 0.0], [0.4, 0.0, 0.0, 0.4, 0.2, 0.0], [0.6, 0.3, 0.0, 0.1, 0.0, 0.0]];
    const WIN_MARS: usize = 1;

    #[test]
    fn td_0_takes_the_next_prediction_from_the_other_side() {
        let expected = [[0.4, 0.2, 0.0, 0.4, 0.0, 0.0], [0.1, 0.0, 0.0, 0.6, 0.3, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]];
        assert_close(&returns(&CHAIN, &[ALL_OUTCOMES; 3], WIN_MARS, 0.0), &expected);
    }

    #[test]
    fn td_1_takes_the_result_from_each_sides_view() {
        let won = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let lost = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert_close(&returns(&CHAIN, &[ALL_OUTCOMES; 3], WIN_MARS, 1.0), &[won, lost, won]);
    }

    #[test]
    fn td_07_by_hand() {
        // Ply 2: the result. Ply 1: flip(0.3 · [.6 .3 0 .1 0 0] + 0.7 · [0 1 0 0 0 0]) = flip([.18 .79 0 .03 0 0]).
        // Ply 0: flip(0.3 · [.4 0 0 .4 .2 0] + 0.7 · [.03 0 0 .18 .79 0]) = flip([.141 0 0 .246 .613 0]).
        let expected =
            [[0.246, 0.613, 0.0, 0.141, 0.0, 0.0], [0.03, 0.0, 0.0, 0.18, 0.79, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]];
        assert_close(&returns(&CHAIN, &[ALL_OUTCOMES; 3], WIN_MARS, 0.7), &expected);
    }

    /// A frozen linear net: six numbers for each of eight inputs. Its inputs and its columns are distributions, so its
    /// outputs are distributions as well.
    struct Linear([[f64; NUM_OUTCOMES]; 8]);

    impl Linear {
        fn predict(&self, inputs: &[f64; 8]) -> [f64; NUM_OUTCOMES] {
            std::array::from_fn(|o| inputs.iter().zip(&self.0).map(|(x, column)| x * column[o]).sum())
        }
    }

    fn distribution<const N: usize>() -> impl Strategy<Value = [f64; N]> {
        prop::array::uniform::<_, N>(0.01..1.0f64).prop_map(|raw| {
            let sum: f64 = raw.iter().sum();
            raw.map(|v| v / sum)
        })
    }

    /// The update of one game by TD(λ) with eligibility traces, seen by the side on roll at ply 0 throughout.
    fn eligibility_trace_update(net: &Linear, plies: &[[f64; 8]], outcome: usize, lambda: f64) -> Vec<[f64; 6]> {
        let first_players_view =
            |ply: usize, values: [f64; 6]| if ply.is_multiple_of(2) { values } else { flip(values) };
        let last = plies.len() - 1;
        let mut result = [0.0; 6];
        result[outcome] = 1.0;
        // One trace for each outcome of the first player: derivatives of that chance by all 8 × 6 weights.
        let mut traces = [[[0.0f64; 6]; 8]; 6];
        let mut update = vec![[0.0; 6]; 8];
        for (ply, inputs) in plies.iter().enumerate() {
            let now = first_players_view(ply, net.predict(inputs));
            let next = match ply {
                ply if ply == last => first_players_view(last, result),
                _ => first_players_view(ply + 1, net.predict(&plies[ply + 1])),
            };
            for (o, trace) in traces.iter_mut().enumerate() {
                // The first player's outcome o is the output o or o ± 3 of the net, by who is on roll.
                let output = if ply % 2 == 0 { o } else { (o + 3) % 6 };
                for (row, input) in trace.iter_mut().zip(inputs) {
                    row.iter_mut().for_each(|e| *e *= lambda);
                    row[output] += input;
                }
                for (sums, row) in update.iter_mut().zip(trace.iter()) {
                    sums.iter_mut().zip(row).for_each(|(sum, e)| *sum += (next[o] - now[o]) * e);
                }
            }
        }
        update
    }

    proptest! {
        #[test]
        fn summed_corrections_equal_those_of_eligibility_traces(
            columns in prop::array::uniform8(distribution::<6>()),
            plies in prop::collection::vec(distribution::<8>(), 1..30),
            outcome in 0..6usize,
            lambda in prop_oneof![Just(0.0), Just(0.7), Just(1.0), 0.0..1.0f64],
        ) {
            let net = Linear(columns);
            let predictions: Vec<Outcomes> = plies.iter().map(|x| net.predict(x).map(|v| v as f32)).collect();
            let targets = returns(&predictions, &vec![ALL_OUTCOMES; plies.len()], outcome, lambda);
            let mut update = vec![[0.0; 6]; 8];
            for (inputs, target) in plies.iter().zip(&targets) {
                let prediction = net.predict(inputs);
                for (sums, x) in update.iter_mut().zip(inputs) {
                    for (o, sum) in sums.iter_mut().enumerate() {
                        *sum += (f64::from(target[o]) - prediction[o]) * x;
                    }
                }
            }
            let traced = eligibility_trace_update(&net, &plies, outcome, lambda);
            for (a, b) in update.iter().flatten().zip(traced.iter().flatten()) {
                prop_assert!((a - b).abs() < 2e-6, "{a} against {b}");
            }
        }

        #[test]
        fn targets_sum_to_one_and_spare_impossible_outcomes(
            game in prop::collection::vec((distribution::<6>(), any::<u8>()), 1..200),
            outcome in 0..6usize,
            lambda in 0.0..=1.0f64,
        ) {
            // Backwards: each ply allows what the next one allows, seen from the other side, and a little more.
            let mut mask = 1 << outcome;
            let mut masks = vec![0; game.len()];
            for (ply, (_, random)) in game.iter().enumerate().rev() {
                // Seldom, so that long games have both narrow and wide masks.
                mask |= if random % 5 == 0 { 1 << (random / 5 % 6) } else { 0 };
                masks[ply] = mask;
                mask = flip_mask(mask);
            }
            let predictions: Vec<Outcomes> = game.iter().map(|(p, _)| p.map(|v| v as f32)).collect();
            for (target, mask) in returns(&predictions, &masks, outcome, lambda).iter().zip(masks) {
                prop_assert!((target.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{target:?}");
                for (o, chance) in target.iter().enumerate() {
                    prop_assert!(*chance >= 0.0 && (*chance == 0.0 || mask >> o & 1 == 1), "{target:?} {mask:b}");
                }
            }
        }
    }

    #[test]
    fn an_unmasked_prediction_counts_as_its_masked_softmax() {
        // At ply 1 its side has borne off: it can't lose by mars or koks.
        let masks = [0b111001, 0b001111];
        let predictions = [CHAIN[0], [0.3, 0.1, 0.0, 0.2, 0.3, 0.1]];
        let targets = returns(&predictions, &masks, 0, 0.0);
        assert_close(&targets[..1], &[[0.2 / 0.6, 0.0, 0.0, 0.3 / 0.6, 0.1 / 0.6, 0.0]]);
    }

    #[test]
    fn contradictory_games_are_refused() {
        let mut targets = Vec::new();
        let mut error = |predictions: &[Outcomes], masks: &[u8], outcome, lambda| {
            lambda_returns(predictions, masks, outcome, lambda, &mut targets).expect_err("no such game")
        };
        assert_eq!(error(&CHAIN, &[63; 2], 0, 0.5), LambdaError::Length { predictions: 3, masks: 2 });
        assert_eq!(error(&[], &[], 0, 0.5), LambdaError::Length { predictions: 0, masks: 0 });
        assert_eq!(error(&CHAIN, &[63; 3], 0, 1.5), LambdaError::Lambda(1.5));
        assert_eq!(error(&CHAIN, &[63; 3], 6, 0.5), LambdaError::Result { outcome: 6, mask: 63 });
        assert_eq!(error(&CHAIN, &[63, 63, 0b001001], 1, 0.5), LambdaError::Result { outcome: 1, mask: 0b001001 });
        assert_eq!(error(&CHAIN, &[63, 0b001001, 63], 1, 0.5), LambdaError::Revived { ply: 2, mask: 63 });
        let nothing_left = [CHAIN[0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]];
        let refused = error(&nothing_left, &[0b001001; 2], 0, 0.5);
        assert!(matches!(refused, LambdaError::Prediction { ply: 1, .. }), "{refused}");
    }
}
