//! Growing a net without changing what it computes: more inputs, wider or more hidden layers.
//!
//! * Inputs: the old ones move to where a map says; the rows of new ones are zero.
//! * Width: new units of a hidden layer are either halves of split units (see [`Growth::Split`]) or fresh ones without
//!   outgoing weights ([`Growth::Fresh`]).
//! * Depth: a new layer with identity weights. Its inputs come out of a ReLU, so the ReLU behind it changes nothing.
//!
//! Equal up to rounding: sums are taken in another order, so outputs may differ in the last bits.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::normal::Normal;
use crate::net::weights::{Layer, NetWeights, WeightsError, check_sizes};

/// How a hidden layer gets its new units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Growth {
    /// New units with He-normal incoming weights times `noise` and outgoing weights of zero. Their outgoing weights
    /// learn at once, their incoming ones as soon as those differ from zero.
    Fresh {
        /// Factor of the incoming weights, positive; 1 is the scale of a new net.
        noise: f64,
    },
    /// Each new unit is a copy of an old one, which shares its outgoing weights with it: one gets half of them plus
    /// a random part of their size times `noise`, the other half minus that part.
    Split {
        /// Size of the random part, 0 to 1; 0 would leave both halves learning the same.
        noise: f64,
    },
}

/// What an expansion has to do, as [`plan`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Sizes before, inputs first.
    pub from: Vec<usize>,
    /// Sizes after, inputs first.
    pub to: Vec<usize>,
    /// For each hidden layer after the expansion the hidden layer that it comes from, or `None` if it is inserted as an
    /// identity behind the one before it.
    pub origins: Vec<Option<usize>>,
}

/// An expansion that can't be.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ExpandError {
    /// Sizes or arrays that make no net.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// Fewer inputs than before.
    #[error("a net of {from} inputs can't become one of {to}: inputs can only be added")]
    Inputs {
        /// Inputs before.
        from: usize,
        /// Inputs after.
        to: usize,
    },
    /// Hidden layers of which not every old one finds a wider one in order, with room for identities.
    #[error(
        "hidden layers {from:?} can't become {to:?}: every old layer needs one at least as wide, in the same order, \
         and an inserted layer must be at least as wide as the old layer before it"
    )]
    Hidden {
        /// Hidden sizes before.
        from: Vec<usize>,
        /// Hidden sizes after.
        to: Vec<usize>,
    },
    /// A map of inputs that doesn't name a place of its own for each old input.
    #[error("expected a map of {old} old inputs to different places below {new}, got {reason}")]
    Map {
        /// Inputs before.
        old: usize,
        /// Inputs after.
        new: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A noise out of range.
    #[error("expected a noise {expected}, got {got}")]
    Noise {
        /// The range.
        expected: &'static str,
        /// The value.
        got: f64,
    },
    /// The plan was made for another net.
    #[error("the plan starts from a net {expected:?}, got one {got:?}")]
    Start {
        /// Sizes in the plan.
        expected: Vec<usize>,
        /// Sizes of the net.
        got: Vec<usize>,
    },
}

/// Finds how a net of sizes `from` (inputs first, six outputs last) becomes one of sizes `to`.
///
/// Old hidden layers go to the first new ones that are wide enough, as far as that leaves room for the others.
///
/// # Errors
/// Says what makes the expansion impossible.
pub fn plan(from: &[usize], to: &[usize]) -> Result<Plan, ExpandError> {
    check_sizes(from)?;
    check_sizes(to)?;
    if from[0] > to[0] {
        return Err(ExpandError::Inputs { from: from[0], to: to[0] });
    }
    let old = &from[1..from.len() - 1];
    let new = &to[1..to.len() - 1];
    let origins = place(old, 0, new);
    let origins = origins.ok_or_else(|| ExpandError::Hidden { from: old.to_vec(), to: new.to_vec() })?;
    Ok(Plan { from: from.to_vec(), to: to.to_vec(), origins })
}

/// The origins of the new layers, given that `placed` of the old ones have theirs already.
fn place(old: &[usize], placed: usize, new: &[usize]) -> Option<Vec<Option<usize>>> {
    let Some((width, later)) = new.split_first() else {
        return (placed == old.len()).then(Vec::new);
    };
    let with_first = |first, mut rest: Vec<Option<usize>>| {
        rest.insert(0, first);
        rest
    };
    let fits = |layer: usize| old.get(layer).is_some_and(|needed| needed <= width);
    let moved = fits(placed).then(|| place(old, placed + 1, later)).flatten();
    if let Some(rest) = moved {
        return Some(with_first(Some(placed), rest));
    }
    // Before the first hidden layer there is no ReLU whose outputs an identity could pass on.
    let inserted = (placed > 0 && fits(placed - 1)).then(|| place(old, placed, later)).flatten();
    inserted.map(|rest| with_first(None, rest))
}

/// Expands `net` as planned; the same arguments give the same bits.
///
/// `input_map[i]` is the place of old input i among the new ones; `None` keeps every place.
///
/// # Errors
/// Refuses a net that the plan wasn't made for, a map that isn't one, and a noise out of range.
pub fn expand(
    net: &NetWeights,
    plan: &Plan,
    input_map: Option<&[usize]>,
    growth: Growth,
    seed: u64,
) -> Result<NetWeights, ExpandError> {
    net.validate()?;
    check_noise(growth)?;
    if net.sizes() != plan.from {
        return Err(ExpandError::Start { expected: plan.from.clone(), got: net.sizes() });
    }
    let mut layers = net.layers.clone();
    layers[0] = with_inputs(&layers[0], plan.to[0], input_map)?;
    for (index, origin) in plan.origins.iter().enumerate() {
        if origin.is_none() {
            layers.insert(index, identity(layers[index - 1].outputs));
        }
    }
    let mut normal = Normal::new(seed);
    for (index, width) in plan.to[1..plan.to.len() - 1].iter().enumerate() {
        let (head, tail) = layers.split_at_mut(index + 1);
        widen(&mut head[index], &mut tail[0], *width, growth, &mut normal);
    }
    Ok(NetWeights { layers })
}

fn check_noise(growth: Growth) -> Result<(), ExpandError> {
    match growth {
        Growth::Fresh { noise } if !(noise > 0.0 && noise.is_finite()) => {
            Err(ExpandError::Noise { expected: "that is positive", got: noise })
        }
        Growth::Split { noise } if !(0.0..=1.0).contains(&noise) => {
            Err(ExpandError::Noise { expected: "from 0 to 1", got: noise })
        }
        _ => Ok(()),
    }
}

/// The layer with its rows moved to where `map` says and rows of zeros in all other places.
fn with_inputs(layer: &Layer, inputs: usize, map: Option<&[usize]>) -> Result<Layer, ExpandError> {
    let wrong = |reason| ExpandError::Map { old: layer.inputs, new: inputs, reason };
    let keep: Vec<usize> = (0..layer.inputs).collect();
    let map = map.unwrap_or(&keep);
    if map.len() != layer.inputs {
        return Err(wrong(format!("{} places", map.len())));
    }
    let width = layer.outputs;
    let mut weights = vec![0.0; inputs * width];
    let mut taken = vec![false; inputs];
    for (row, place) in layer.weights.chunks_exact(width).zip(map) {
        match taken.get_mut(*place) {
            Some(free) if !*free => *free = true,
            Some(_) => return Err(wrong(format!("place {place} twice"))),
            None => return Err(wrong(format!("place {place}"))),
        }
        weights[place * width..][..width].copy_from_slice(row);
    }
    Ok(Layer { inputs, outputs: width, weights, bias: layer.bias.clone() })
}

/// A layer that passes its inputs on.
fn identity(width: usize) -> Layer {
    let mut weights = vec![0.0; width * width];
    weights.iter_mut().step_by(width + 1).for_each(|diagonal| *diagonal = 1.0);
    Layer { inputs: width, outputs: width, weights, bias: vec![0.0; width] }
}

/// Brings hidden layer `head`, whose outputs `tail` takes in, to `width` units.
fn widen(head: &mut Layer, tail: &mut Layer, width: usize, growth: Growth, normal: &mut Normal) {
    let old = head.outputs;
    if width == old {
        return;
    }
    let sources: Vec<usize> = (old..width).map(|unit| unit - doubled_up_to(old, unit)).collect();
    let mut weights = Vec::with_capacity(head.inputs * width);
    let scale = (2.0 / head.inputs as f64).sqrt();
    for row in head.weights.chunks_exact(old) {
        let start = weights.len();
        weights.extend_from_slice(row);
        for source in &sources {
            weights.push(match growth {
                Growth::Fresh { noise } => (normal.sample() * scale * noise) as f32,
                Growth::Split { .. } => weights[start + source],
            });
        }
    }
    for source in &sources {
        head.bias.push(match growth {
            Growth::Fresh { .. } => 0.0,
            Growth::Split { .. } => head.bias[*source],
        });
    }
    let fan_out = tail.outputs;
    tail.weights.resize(width * fan_out, 0.0);
    if let Growth::Split { noise } = growth {
        tail.inputs = width;
        for (new, source) in (old..width).zip(&sources) {
            share_outgoing(tail, *source, new, noise, normal);
        }
    }
    head.weights = weights;
    head.outputs = width;
    tail.inputs = width;
}

/// The number of idle units of each hidden layer: those that none of the `rows` of inputs brings above 0.
pub fn idle_units(net: &NetWeights, rows: &[Vec<f32>]) -> Vec<usize> {
    let hidden = &net.layers[..net.layers.len() - 1];
    let mut busy: Vec<Vec<bool>> = hidden.iter().map(|layer| vec![false; layer.outputs]).collect();
    for row in rows {
        let mut activations = row.clone();
        for (layer, busy) in hidden.iter().zip(&mut busy) {
            activations = layer.activations(&activations);
            busy.iter_mut().zip(&activations).for_each(|(busy, value)| *busy |= *value > 0.0);
        }
    }
    busy.iter().map(|units| units.iter().filter(|busy| !**busy).count()).collect()
}

/// Puts idle hidden units to work: those that none of the `rows` of inputs brings above 0. Each becomes the copy of a busy unit
/// and shares its outgoing weights with it as in [`Growth::Split`], so that the net goes on computing the same on these
/// rows. Busy units are taken in the order of what they contribute – mean output times length of the outgoing weights –
/// and again from the first when there are more idle ones.
///
/// # Errors
/// Refuses a net that isn't valid, and a noise out of range.
pub fn revive(net: &NetWeights, rows: &[Vec<f32>], noise: f64, seed: u64) -> Result<NetWeights, ExpandError> {
    net.validate()?;
    check_noise(Growth::Split { noise })?;
    let mut layers = net.layers.clone();
    let mut normal = Normal::new(seed);
    let mut activations = rows.to_vec();
    for index in 0..layers.len() - 1 {
        let (head, tail) = layers.split_at_mut(index + 1);
        let (head, tail) = (&mut head[index], &mut tail[0]);
        let mut sums = vec![0.0f64; head.outputs];
        for row in &mut activations {
            *row = head.activations(row);
            sums.iter_mut().zip(row.iter()).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        let outgoing = |unit: usize| &tail.weights[unit * tail.outputs..][..tail.outputs];
        let length = |unit: usize| outgoing(unit).iter().map(|w| f64::from(w * w)).sum::<f64>().sqrt();
        let mut busy: Vec<(f64, usize)> =
            (0..head.outputs).filter(|&unit| sums[unit] > 0.0).map(|unit| (sums[unit] * length(unit), unit)).collect();
        busy.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let idle = (0..head.outputs).filter(|&unit| sums[unit] <= 0.0);
        for (unit, (_, source)) in idle.zip(busy.iter().cycle()) {
            for row in head.weights.chunks_exact_mut(head.outputs) {
                row[unit] = row[*source];
            }
            head.bias[unit] = head.bias[*source];
            share_outgoing(tail, *source, unit, noise, &mut normal);
            // What the next layer gets from these rows.
            activations.iter_mut().for_each(|row| row[unit] = row[*source]);
        }
    }
    Ok(NetWeights { layers })
}

/// Splits the outgoing weights of unit `source` between it and its copy `new`, whose own are lost.
fn share_outgoing(tail: &mut Layer, source: usize, new: usize, noise: f64, normal: &mut Normal) {
    let fan_out = tail.outputs;
    for output in 0..fan_out {
        let whole = f64::from(tail.weights[source * fan_out + output]);
        let part = whole * noise * normal.sample();
        tail.weights[source * fan_out + output] = (whole / 2.0 + part) as f32;
        tail.weights[new * fan_out + output] = (whole / 2.0 - part) as f32;
    }
}

/// The largest `units · 2ⁱ` up to `unit`: so many units are split evenly before the first is split again.
fn doubled_up_to(units: usize, unit: usize) -> usize {
    let mut count = units;
    while 2 * count <= unit {
        count *= 2;
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn idle_units_become_halves_of_busy_ones_and_the_net_computes_the_same() {
        let mut net = net(&[9, 12, 8, 6], 4);
        net.layers[..2].iter_mut().for_each(|layer| layer.bias.fill(2.0));
        // Inputs are not negative, so these three can't rise above 0; the last one of the second layer neither.
        for unit in [1, 5, 11] {
            net.layers[0].bias[unit] = -1.0;
            net.layers[0].weights.chunks_exact_mut(12).for_each(|row| row[unit] = -row[unit].abs());
        }
        net.layers[1].bias[7] = -1.0;
        net.layers[1].weights.chunks_exact_mut(8).for_each(|row| row[7] = -row[7].abs());
        let mut normal = Normal::new(2);
        let rows: Vec<Vec<f32>> = (0..200).map(|_| (0..9).map(|_| normal.sample().abs() as f32).collect()).collect();
        assert_eq!(idle_units(&net, &rows), [3, 1]);
        let revived = revive(&net, &rows, 0.5, 3).expect("a good net");
        for row in &rows {
            let (before, after) = (net.logits(row), revived.logits(row));
            let size = before.iter().fold(1.0f32, |size, logit| size.max(logit.abs()));
            assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-5 * size), "{before:?} {after:?}");
        }
        assert_eq!(idle_units(&revived, &rows), [0, 0]);
    }

    /// A net with biases, whose logits are of the size of a trained net's.
    fn net(sizes: &[usize], seed: u64) -> NetWeights {
        let mut net = NetWeights::random(sizes, seed).expect("good sizes");
        let mut normal = Normal::new(seed ^ 0xb1a5);
        for layer in &mut net.layers {
            layer.bias.iter_mut().for_each(|bias| *bias = 0.3 * normal.sample() as f32);
        }
        let last = net.layers.last_mut().expect("layers");
        last.weights.iter_mut().for_each(|weight| *weight *= 10.0);
        net
    }

    fn assert_same_function(old: &NetWeights, new: &NetWeights, map: &[usize], seed: u64) {
        let mut normal = Normal::new(seed);
        for _ in 0..5 {
            let row: Vec<f32> = (0..map.len()).map(|_| normal.sample() as f32).collect();
            // What the added inputs hold must not matter.
            let mut wide: Vec<f32> = (0..new.layers[0].inputs).map(|_| normal.sample() as f32).collect();
            map.iter().zip(&row).for_each(|(place, value)| wide[*place] = *value);
            let (before, after) = (old.logits(&row), new.logits(&wide));
            // Sums of the same terms in another order: what rounding leaves grows with the size of the logits.
            let size = before.iter().fold(1.0f32, |size, logit| size.max(logit.abs()));
            for (a, b) in before.iter().zip(&after) {
                assert!((a - b).abs() < 1e-5 * size, "{before:?} became {after:?}");
            }
        }
    }

    fn growth() -> impl Strategy<Value = Growth> {
        prop_oneof![
            (0.01..2.0f64).prop_map(|noise| Growth::Fresh { noise }),
            (0.0..=1.0f64).prop_map(|noise| Growth::Split { noise }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn an_expanded_net_computes_the_same(
            hidden in prop::collection::vec(1..12usize, 1..4),
            inputs in 1..10usize,
            added in prop::collection::vec((any::<bool>(), 0..20usize), 6),
            more_inputs in 0..5usize,
            growth in growth(),
            seed in any::<u64>(),
        ) {
            // Each old layer grows by some units and may be followed by an inserted one at least as wide.
            let mut to = vec![inputs + more_inputs];
            for (width, more) in hidden.iter().zip(added.chunks(2)) {
                to.push(width + more[0].1);
                if more[1].0 {
                    to.push(width + more[1].1);
                }
            }
            let from: Vec<usize> = [inputs].into_iter().chain(hidden).chain([6]).collect();
            to.push(6);
            let old = net(&from, seed);
            // Old inputs in reverse order at the end.
            let map: Vec<usize> = (0..inputs).map(|i| to[0] - 1 - i).collect();
            let plan = plan(&from, &to).expect("a possible expansion");
            let new = expand(&old, &plan, Some(&map), growth, seed).expect("a possible expansion");
            prop_assert_eq!(new.sizes(), to);
            prop_assert_eq!(&new, &expand(&old, &plan, Some(&map), growth, seed).expect("the same again"));
            assert_same_function(&old, &new, &map, seed);
        }
    }

    #[test]
    fn new_units_can_learn_apart_from_each_other() {
        let old = net(&[5, 4, 6], 1);
        let plan = plan(&[5, 4, 6], &[5, 16, 6]).expect("a possible expansion");
        let column = |layer: &Layer, unit: usize| -> Vec<f32> {
            layer.weights.iter().skip(unit).step_by(layer.outputs).copied().collect()
        };
        let split = expand(&old, &plan, None, Growth::Split { noise: 0.1 }, 7).expect("possible");
        let fresh = expand(&old, &plan, None, Growth::Fresh { noise: 0.1 }, 7).expect("possible");
        for a in 0..16 {
            for b in 0..a {
                assert_ne!(column(&fresh.layers[0], a), column(&fresh.layers[0], b), "units {a} and {b}");
                let outgoing = |unit: usize| &split.layers[1].weights[unit * 6..][..6];
                assert_ne!(outgoing(a), outgoing(b), "units {a} and {b}");
            }
        }
        // Four quarters of each unit, none of them tiny.
        for (unit, weights) in split.layers[1].weights.chunks(6).enumerate() {
            let whole = &old.layers[1].weights[unit % 4 * 6..][..6];
            let share = weights[0] / whole[0];
            assert!((0.0..0.6).contains(&share), "unit {unit} has {share} of the whole");
        }
    }

    #[test]
    fn plans_find_room_for_every_layer_or_say_that_there_is_none() {
        let origins = |from: &[usize], to: &[usize]| plan(from, to).map(|plan| plan.origins);
        assert_eq!(origins(&[9, 80, 6], &[9, 512, 80, 6]), Ok(vec![Some(0), None]));
        assert_eq!(origins(&[9, 512, 80, 6], &[9, 512, 256, 128, 6]), Ok(vec![Some(0), Some(1), None]));
        assert_eq!(origins(&[9, 80, 512, 6], &[9, 80, 80, 512, 6]), Ok(vec![Some(0), None, Some(1)]));
        // Taking the second 60 for the 50 would leave the 20 without anything to pass on.
        let late = Ok(vec![Some(0), None, None, Some(1)]);
        assert_eq!(origins(&[9, 10, 50, 6], &[9, 60, 60, 20, 60, 6]), late);
        for (from, to) in [(vec![9, 80, 6], vec![9, 79, 6]), (vec![9, 6], vec![9, 80, 6]), (vec![9, 80, 6], vec![9, 6])]
        {
            let error = plan(&from, &to).expect_err("impossible");
            assert!(matches!(error, ExpandError::Hidden { .. }), "{error}");
        }
        let wide = vec![9, 40, 80, 6];
        assert!(plan(&[9, 80, 6], &wide).is_err(), "nothing can be inserted before the first layer");
        assert_eq!(plan(&[9, 80, 6], &[8, 80, 6]), Err(ExpandError::Inputs { from: 9, to: 8 }));
    }

    #[test]
    fn wrong_maps_noises_and_nets_are_refused() {
        let old = net(&[2, 3, 6], 1);
        let good = plan(&[2, 3, 6], &[4, 3, 6]).expect("a possible expansion");
        let fresh = Growth::Fresh { noise: 1.0 };
        for map in [vec![0], vec![1, 1], vec![0, 4]] {
            let error = expand(&old, &good, Some(&map), fresh, 0).expect_err("no map");
            assert!(matches!(error, ExpandError::Map { old: 2, new: 4, .. }), "{error}");
        }
        for growth in [Growth::Fresh { noise: 0.0 }, Growth::Split { noise: 1.5 }, Growth::Fresh { noise: f64::NAN }] {
            let error = expand(&old, &good, None, growth, 0).expect_err("no noise");
            assert!(matches!(error, ExpandError::Noise { .. }), "{error}");
        }
        let other = net(&[2, 4, 6], 1);
        let error = expand(&other, &good, None, fresh, 0).expect_err("another net");
        assert_eq!(error, ExpandError::Start { expected: vec![2, 3, 6], got: vec![2, 4, 6] });
    }
}
