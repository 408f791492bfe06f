use crate::train::records;
use burn::tensor::activation;

use super::*;
use crate::net::weights::ALL_OUTCOMES;
use crate::train::lambda::lambda_returns;
use crate::train::model::{IMPOSSIBLE, masked_cross_entropy};
use crate::train::normal::Normal;
use crate::train::test_dir::TestDir;

/// A batch that owns its arrays.
struct Rows {
    inputs: Vec<f32>,
    targets: Vec<[f32; 6]>,
    masks: Vec<u8>,
    weights: Vec<f32>,
}

impl Rows {
    /// Sparse random inputs, random targets over random masks, random weights.
    fn random(rows: usize, inputs: usize, seed: u64) -> Self {
        let mut normal = Normal::new(seed);
        let mut all = Rows { inputs: vec![], targets: vec![], masks: vec![], weights: vec![] };
        for _ in 0..rows {
            all.inputs.extend((0..inputs).map(|_| if normal.below(4) == 0 { normal.sample() as f32 } else { 0.0 }));
            let mask = 0b001001 | normal.below(64) as u8;
            let mut target: [f32; 6] =
                std::array::from_fn(|o| if mask >> o & 1 == 1 { 0.1 + normal.below(10) as f32 } else { 0.0 });
            let sum: f32 = target.iter().sum();
            target.iter_mut().for_each(|chance| *chance /= sum);
            all.targets.push(target);
            all.masks.push(mask);
            all.weights.push(0.5 + normal.below(3) as f32);
        }
        all
    }

    fn batch(&self) -> Batch<'_> {
        Batch {
            inputs: Inputs::Dense(&self.inputs),
            targets: &self.targets,
            masks: &self.masks,
            weights: Some(&self.weights),
        }
    }
}

fn learner(sizes: &[usize], seed: u64, kind: DeviceKind) -> Learner {
    let net = NetWeights::random(sizes, seed).expect("good sizes");
    Learner::new(&net, AdamSettings::default(), kind).expect("a good net")
}

#[track_caller]
fn assert_close(a: &NetWeights, b: &NetWeights, tolerance: f32) {
    for (a, b) in a.layers.iter().zip(&b.layers) {
        for (a, b) in a.weights.iter().chain(&a.bias).zip(b.weights.iter().chain(&b.bias)) {
            assert!((a - b).abs() <= tolerance, "{a} against {b}");
        }
    }
}

/// The same steps with the whole net and the loss on burn's tape.
fn steps_by_burn_alone(net: &NetWeights, settings: AdamSettings, batches: &[Rows], rate: f64) -> NetWeights {
    let device = device(DeviceKind::Flex).autodiff();
    let mut module = Mlp::from_weights(net, &device).expect("a good net");
    let mut optimizer = settings.optimizer();
    for rows in batches {
        let (n, inputs) = (rows.masks.len(), net.inputs());
        // Weights by repeating rows would be exact only for whole numbers; scaling both factors does it here.
        let total: f32 = rows.weights.iter().sum();
        let scaled = |row: usize| rows.targets[row].map(|t| t * rows.weights[row] * n as f32 / total);
        let targets: Vec<f32> = (0..n).flat_map(scaled).collect();
        let possible = |mask: u8, o: usize| if mask >> o & 1 == 1 { 0.0 } else { IMPOSSIBLE };
        let masks: Vec<f32> = rows.masks.iter().flat_map(|mask| (0..6).map(|o| possible(*mask, o))).collect();
        let tensor = |data: Vec<f32>, width: usize| Tensor::<2>::from_data(TensorData::new(data, [n, width]), &device);
        let logits = module.forward(tensor(rows.inputs.clone(), inputs));
        let loss = masked_cross_entropy(logits, tensor(targets, 6), tensor(masks, 6));
        let gradients = GradientsParams::from_grads(loss.backward(), &module);
        module = optimizer.step(rate, module, gradients);
    }
    module.to_weights()
}

#[test]
fn steps_equal_those_of_burn_alone() {
    // A large epsilon keeps the update proportional to the gradient; with a small one it is nearly its sign, which
    // rounding decides where the gradient is nearly zero.
    let settings = AdamSettings { epsilon: 0.1, weight_decay: Some(0.01), clip_norm: Some(0.5), ..Default::default() };
    for sizes in [&[20, 6][..], &[20, 17, 6], &[20, 33, 9, 6]] {
        let net = NetWeights::random(sizes, 4).expect("good sizes");
        let batches: Vec<Rows> = (0..3).map(|seed| Rows::random(50, 20, seed)).collect();
        let expected = steps_by_burn_alone(&net, settings, &batches, 0.3);
        assert!(net != expected);
        for kind in DeviceKind::ALL {
            let mut learner = Learner::new(&net, settings, kind).expect("a good net");
            for rows in &batches {
                learner.step(&rows.batch(), 0.3).expect("a good batch");
            }
            assert_close(&learner.weights().expect("finite"), &expected, 2e-5);
        }
    }
}

#[test]
fn after_an_update_the_learner_sees_its_own_new_weights() {
    for kind in DeviceKind::ALL {
        let mut learner = learner(&[12, 16, 8, 6], 1, kind);
        let rows = Rows::random(40, 12, 2);
        for _ in 0..3 {
            learner.step(&rows.batch(), 0.01).expect("a good batch");
            let net = learner.weights().expect("finite");
            let mut expected = StepStats { loss: 0.0, td_error: 0.0 };
            let total: f32 = rows.weights.iter().sum();
            for row in 0..40 {
                let chances = net.forward(&rows.inputs[row * 12..][..12], Some(rows.masks[row]));
                let points = [1.0, 2.0, 3.0, -1.0, -2.0, -3.0];
                let weight = f64::from(rows.weights[row] / total);
                let (mut loss, mut error) = (0.0, 0.0);
                for o in 0..6 {
                    let target = f64::from(rows.targets[row][o]);
                    loss -= if target > 0.0 { target * f64::from(chances[o]).ln() } else { 0.0 };
                    error += points[o] * (f64::from(chances[o]) - target);
                }
                expected.loss += weight * loss;
                expected.td_error += weight * f64::abs(error);
            }
            let stats = learner.step(&rows.batch(), 0.0).expect("a good batch");
            assert!((stats.loss - expected.loss).abs() < 1e-5, "{stats:?} instead of {expected:?}");
            assert!((stats.td_error - expected.td_error).abs() < 1e-5, "{stats:?} instead of {expected:?}");
            // The forward pass on burn's tape agrees as well.
            let device = device(kind);
            let module = Mlp::from_weights(&net, &device).expect("a good net");
            let x = Tensor::<2>::from_data(TensorData::new(rows.inputs.clone(), [40, 12]), &device);
            let chances = floats(activation::softmax(module.forward(x), 1));
            for row in 0..40 {
                let plain = net.forward(&rows.inputs[row * 12..][..12], Some(ALL_OUTCOMES));
                for (a, b) in chances[row * 6..].iter().zip(plain) {
                    assert!((a - b).abs() < 1e-5, "{a} against {b}");
                }
            }
        }
    }
}

#[test]
fn sparse_and_dense_inputs_give_the_same_bits() {
    let rows = Rows::random(70, 30, 3);
    let (mut entries, mut ends) = (Vec::new(), Vec::new());
    for row in rows.inputs.chunks(30) {
        entries
            .extend(row.iter().zip(0u16..).filter(|(value, _)| **value != 0.0).map(|(value, index)| (index, *value)));
        ends.push(entries.len());
    }
    let sparse = Batch { inputs: Inputs::Sparse { entries: &entries, ends: &ends }, ..rows.batch() };
    let mut from_dense = learner(&[30, 24, 12, 6], 1, DeviceKind::Flex);
    let mut from_sparse = learner(&[30, 24, 12, 6], 1, DeviceKind::Flex);
    for _ in 0..5 {
        let a = from_dense.step(&rows.batch(), 0.01).expect("a good batch");
        let b = from_sparse.step(&sparse, 0.01).expect("a good batch");
        assert_eq!(a, b);
    }
    assert_eq!(from_dense.records().expect("finite"), from_sparse.records().expect("finite"));
}

fn train(learner: &mut Learner, batches: std::ops::Range<u64>) {
    let inputs = learner.sizes()[0];
    for seed in batches {
        learner.step(&Rows::random(100, inputs, seed).batch(), 0.01).expect("a good batch");
    }
}

#[test]
fn equal_runs_give_equal_bits() {
    for kind in DeviceKind::ALL {
        let (mut a, mut b) = (learner(&[30, 24, 12, 6], 1, kind), learner(&[30, 24, 12, 6], 1, kind));
        train(&mut a, 0..20);
        // On another thread: nothing depends on where it runs.
        std::thread::scope(|scope| scope.spawn(|| train(&mut b, 0..20)).join()).expect("no panic");
        assert_eq!(a.weights().expect("finite"), b.weights().expect("finite"), "{kind}");
        assert_eq!(a.records().expect("finite"), b.records().expect("finite"), "{kind}");
    }
}

#[test]
fn a_saved_and_loaded_learner_goes_on_bit_for_bit() {
    for kind in DeviceKind::ALL {
        let dir = TestDir::new(&format!("learner-resume-{kind}"));
        let mut unbroken = learner(&[30, 24, 12, 6], 1, kind);
        train(&mut unbroken, 0..7);
        unbroken.save(dir.path()).expect("saved");
        train(&mut unbroken, 7..14);
        let mut resumed = learner(&[30, 24, 12, 6], 99, kind);
        train(&mut resumed, 50..53);
        resumed.load(dir.path()).expect("loaded");
        train(&mut resumed, 7..14);
        assert_eq!(unbroken.weights().expect("finite"), resumed.weights().expect("finite"), "{kind}");
        assert_eq!(unbroken.records().expect("finite"), resumed.records().expect("finite"), "{kind}");
    }
}

#[test]
fn new_weights_start_a_new_adam() {
    let net = NetWeights::random(&[10, 8, 6], 5).expect("good sizes");
    let mut used = learner(&[10, 8, 6], 1, DeviceKind::Flex);
    train(&mut used, 0..5);
    used.set_weights(&net).expect("the same sizes");
    let mut fresh = learner(&[10, 8, 6], 5, DeviceKind::Flex);
    train(&mut used, 5..8);
    train(&mut fresh, 5..8);
    assert_eq!(used.records().expect("finite"), fresh.records().expect("finite"));
    let error = used.set_weights(&NetWeights::random(&[10, 9, 6], 5).expect("good sizes")).expect_err("other sizes");
    assert!(matches!(error, LearnError::Sizes { .. }), "{error}");
}

#[test]
fn a_record_before_the_first_step_can_be_loaded() {
    let fresh = learner(&[10, 8, 6], 1, DeviceKind::Flex);
    let mut used = learner(&[10, 8, 6], 2, DeviceKind::Flex);
    train(&mut used, 0..3);
    used.restore(&fresh.records().expect("finite")).expect("a good record");
    assert_eq!(used.records().expect("finite"), fresh.records().expect("finite"));
}

#[test]
fn damaged_records_are_refused_and_change_nothing() {
    let mut learner = learner(&[6, 5, 6], 1, DeviceKind::Flex);
    train(&mut learner, 0..3);
    let good = learner.records().expect("finite");
    train(&mut learner, 3..4);
    let before = learner.records().expect("finite");
    for cut in 0..good.model.len() {
        let records = Records { model: good.model[..cut].to_vec(), adam: good.adam.clone() };
        learner.restore(&records).expect_err("the weights are cut off");
    }
    for cut in 0..good.adam.len() {
        let records = Records { model: good.model.clone(), adam: good.adam[..cut].to_vec() };
        learner.restore(&records).expect_err("Adam's state is cut off");
    }
    let exchanged = Records { model: good.adam.clone(), adam: good.model.clone() };
    learner.restore(&exchanged).expect_err("each in the other's place");
    assert_eq!(learner.records().expect("finite"), before);
    // burnpack has no checksum: a flipped bit may pass as another number, but must never be a panic.
    for bit in (0..8 * good.adam.len()).step_by(3) {
        let mut records = good.clone();
        records.adam[bit / 8] ^= 1 << (bit % 8);
        if learner.restore(&records).is_ok() {
            learner.step(&Rows::random(4, 6, 0).batch(), 0.0).ok();
        }
    }
}

#[test]
fn records_of_other_nets_are_refused_with_both_sizes() {
    let mut learner = learner(&[6, 5, 6], 1, DeviceKind::Flex);
    for other in [&[6, 4, 6][..], &[6, 5, 5, 6], &[7, 5, 6]] {
        let records = super::tests::learner(other, 1, DeviceKind::Flex).records().expect("finite");
        let text = learner.restore(&records).expect_err("another net").to_string();
        assert!(text.contains("[6, 5, 6]"), "{text}");
    }
    let dir = TestDir::new("learner-missing");
    let text = learner.load(dir.path()).expect_err("no files").to_string();
    assert!(text.contains(records::MODEL_FILE), "{text}");
}

#[test]
fn a_loss_that_is_not_finite_or_too_large_stops_and_changes_nothing() {
    let mut learner = learner(&[4, 5, 6], 1, DeviceKind::Flex);
    let mut rows = Rows::random(10, 4, 1);
    learner.step(&rows.batch(), 0.01).expect("a good batch");
    let before = learner.records().expect("finite");
    rows.inputs[7] = f32::NAN;
    let error = learner.step(&rows.batch(), 0.01).expect_err("a NaN");
    assert!(matches!(error, LearnError::NotFinite(_)), "{error}");
    rows.inputs[7] = 1e6;
    let error = learner.step(&rows.batch(), 0.01).expect_err("a huge input");
    assert!(matches!(error, LearnError::Exploded { .. }), "{error}");
    for rate in [f64::NAN, -0.1] {
        rows.inputs[7] = 0.0;
        let error = learner.step(&rows.batch(), rate).expect_err("no rate");
        assert!(matches!(error, LearnError::Setting { .. }), "{error}");
    }
    assert_eq!(learner.records().expect("finite"), before);
    // A rate beyond measure breaks the weights; they are then neither exported nor saved.
    learner.step(&rows.batch(), 1e300).expect("the loss before the step is good");
    assert!(matches!(learner.weights(), Err(LearnError::Weights(WeightsError::NotFinite { .. }))));
    assert!(learner.records().is_err());
    learner.step(&rows.batch(), 0.01).expect_err("the loss isn't good any more");
}

#[test]
fn settings_out_of_range_are_refused() {
    let net = NetWeights::random(&[4, 5, 6], 1).expect("good sizes");
    let good = AdamSettings::default();
    for settings in [
        AdamSettings { beta1: 1.0, ..good },
        AdamSettings { beta2: -0.1, ..good },
        AdamSettings { epsilon: 0.0, ..good },
        AdamSettings { weight_decay: Some(f32::NAN), ..good },
        AdamSettings { clip_norm: Some(0.0), ..good },
    ] {
        let error = Learner::new(&net, settings, DeviceKind::Flex).expect_err("out of range");
        assert!(matches!(error, LearnError::Setting { .. }), "{error}");
    }
    let mut broken = net;
    broken.layers[1].bias[0] = f32::INFINITY;
    let error = Learner::new(&broken, good, DeviceKind::Flex).expect_err("not finite");
    assert!(matches!(error, LearnError::Weights(WeightsError::NotFinite { layer: 2, .. })), "{error}");
}

/// A fair walk on 0..=6. Each ply a coin moves the side on roll one up or down, then the other side is on roll and sees
/// the walk from its end. Who reaches its 6 wins, by mars with a chance of 1/4. So from p the chance to win is p/6,
/// 3/4 of it oin and 1/4 mars, and koks is impossible.
fn random_game(normal: &mut Normal) -> (Vec<usize>, usize) {
    let mut position = 1 + normal.below(5);
    let mut positions = Vec::new();
    loop {
        positions.push(position);
        position = if normal.below(2) == 0 { position - 1 } else { position + 1 };
        let mars = usize::from(normal.below(4) == 0);
        match position {
            6 => return (positions, mars),
            0 => return (positions, 3 + mars),
            _ => position = 6 - position,
        }
    }
}

#[test]
fn a_game_with_known_values_is_learned_to_the_right_values() {
    const MASK: u8 = 0b011011;
    let one_hot = |position: usize| -> [f32; 5] { std::array::from_fn(|i| f32::from(i + 1 == position)) };
    let mut learner = learner(&[5, 12, 6], 3, DeviceKind::Flex);
    let mut normal = Normal::new(8);
    let rounds = 150;
    for round in 0..rounds {
        let net = learner.weights().expect("finite");
        let values: Vec<[f32; 6]> = (1..6).map(|p| net.forward(&one_hot(p), Some(MASK))).collect();
        let progress = f64::from(round) / f64::from(rounds);
        let mut rows = Rows { inputs: vec![], targets: vec![], masks: vec![], weights: vec![] };
        let mut targets = Vec::new();
        for _ in 0..60 {
            let (positions, outcome) = random_game(&mut normal);
            let predictions: Vec<[f32; 6]> = positions.iter().map(|p| values[p - 1]).collect();
            let masks = vec![MASK; positions.len()];
            let lambda = 0.7 * (1.0 - progress);
            lambda_returns(&predictions, &masks, outcome, lambda, &mut targets).expect("a possible game");
            rows.inputs.extend(positions.iter().flat_map(|p| one_hot(*p)));
            rows.targets.extend_from_slice(&targets);
            rows.masks.extend(masks);
        }
        rows.weights = vec![1.0; rows.masks.len()];
        for _ in 0..4 {
            learner.step(&rows.batch(), 0.02 * (1.0 - progress) + 0.0005).expect("a good batch");
        }
    }
    let net = learner.weights().expect("finite");
    for position in 1..6 {
        let win = position as f32 / 6.0;
        let expected = [0.75 * win, 0.25 * win, 0.0, 0.75 * (1.0 - win), 0.25 * (1.0 - win), 0.0];
        let got = net.forward(&one_hot(position), Some(MASK));
        for (a, b) in got.iter().zip(expected) {
            assert!((a - b).abs() < 0.03, "position {position}: {got:.3?} instead of {expected:.3?}");
        }
    }
}
