//! Every level against the definition.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Sizes that hit every padding, panel width and number of layers.
const SHAPES: &[&[usize]] = &[
    &[5, 6],
    &[198, 80, 6],
    &[200, 256, 128, 6],
    &[196, 512, 512, 256, 6],
    &[1, 1, 6],
    &[7, 1, 1, 1, 6],
    &[33, 17, 6],
    &[40, 15, 33, 6],
    &[40, 16, 48, 6],
    &[40, 31, 65, 6],
    &[40, 100, 80, 112, 6],
    &[70, 200, 13, 64, 7, 6],
    &[300, 129, 127, 6],
];

/// The levels to test. Says which ones this processor can't run.
fn levels() -> Vec<SimdLevel> {
    for level in SimdLevel::ALL.into_iter().filter(|level| !level.is_available()) {
        eprintln!("skipped: this processor lacks {level}");
    }
    SimdLevel::ALL.into_iter().filter(|level| level.is_available()).collect()
}

/// Random weights and biases.
fn random_net(sizes: &[usize], seed: u64) -> NetWeights {
    let mut net = NetWeights::random(sizes, seed).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xb1a5);
    for layer in &mut net.layers {
        layer.bias.iter_mut().for_each(|b| *b = rng.random_range(-0.5..0.5));
    }
    net
}

/// A sparse input: about a quarter of the numbers are not 0.
fn random_input(inputs: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    (0..inputs).map(|_| if rng.random_range(0..4) == 0 { rng.random_range(-1.0..2.0) } else { 0.0 }).collect()
}

fn nonzero(input: &[f32]) -> Vec<(u16, f32)> {
    (0..).zip(input.iter().copied()).filter(|change| change.1 != 0.0).collect()
}

fn assert_close(found: &[f32; 6], expected: &[f32; 6], what: &str) {
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= 1e-5, "{what}: {found:?} instead of {expected:?}");
    }
}

/// Compares every level with the definition, for `n` random positions.
fn check_net(weights: &NetWeights, n: usize, rng: &mut ChaCha8Rng, scratch: &mut Scratch) {
    let inputs: Vec<_> = (0..n).map(|_| random_input(weights.inputs(), rng)).collect();
    let masks: Vec<u8> = (0..n).map(|_| rng.random_range(1..64)).collect();
    for level in levels() {
        let net = PackedNet::with_level(weights, level).unwrap();
        let mut sums = AlignedBuf::zeroed(n * net.stride());
        for (row, input) in sums.chunks_exact_mut(net.stride()).zip(&inputs) {
            net.accumulate(net.bias(), &nonzero(input), row);
        }
        for mask in [None, Some(&masks[..])] {
            let mut out = vec![[f32::NAN; 6]; n];
            net.forward_rows(&sums, n, mask, scratch, &mut out);
            for i in 0..n {
                let expected = weights.forward(&inputs[i], mask.map(|masks| masks[i]));
                let what = format!("{:?}, {level}, row {i} of {n}, {mask:?}", weights.sizes());
                assert_close(&out[i], &expected, &what);
                assert!((out[i].iter().sum::<f32>() - 1.0).abs() < 1e-5, "{what}: {:?}", out[i]);
            }
        }
    }
}

#[test]
fn every_level_equals_the_definition() {
    let mut scratch = Scratch::default();
    for (&shape, seed) in SHAPES.iter().zip(1..) {
        let weights = random_net(shape, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for n in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 20, 24] {
            check_net(&weights, n, &mut rng, &mut scratch);
        }
    }
}

#[test]
fn every_level_equals_the_definition_for_random_sizes() {
    let mut scratch = Scratch::default();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for seed in 0..60 {
        let mut sizes: Vec<usize> = (0..rng.random_range(1..=5)).map(|_| rng.random_range(1..150)).collect();
        sizes.push(NUM_OUTCOMES);
        let n = rng.random_range(0..40);
        check_net(&random_net(&sizes, seed), n, &mut rng, &mut scratch);
    }
}

#[test]
fn rows_of_changes_equal_single_calls() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for (&shape, seed) in SHAPES.iter().zip(200..) {
        let weights = random_net(shape, seed);
        for level in levels() {
            let net = PackedNet::with_level(&weights, level).unwrap();
            let parts: Vec<_> = (0..9).map(|_| nonzero(&random_input(shape[0], &mut rng))).collect();
            let ends: Vec<usize> = (1..=9).map(|i| parts[..i].iter().map(Vec::len).sum()).collect();
            let base: Vec<f32> = (0..net.stride()).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mut found = AlignedBuf::zeroed(9 * net.stride());
            net.accumulate_rows(&base, &parts.concat(), &ends, &mut found);
            let mut expected = AlignedBuf::zeroed(net.stride());
            for (found, part) in found.chunks_exact(net.stride()).zip(&parts) {
                net.accumulate(&base, part, &mut expected);
                assert_eq!(found, &*expected, "{shape:?}, {level}");
            }
        }
    }
}

#[test]
fn impossible_outcomes_get_exactly_zero() {
    let weights = random_net(&[9, 20, 6], 5);
    for level in levels() {
        let net = PackedNet::with_level(&weights, level).unwrap();
        let n = 64;
        let sums: Vec<f32> = net.bias().repeat(n);
        let masks: Vec<u8> = (0..64).collect();
        let mut out = vec![[f32::NAN; 6]; n];
        net.forward_rows(&sums, n, Some(&masks), &mut Scratch::default(), &mut out);
        for (mask, row) in masks.iter().zip(&out) {
            for (i, p) in row.iter().enumerate() {
                assert_eq!(*p > 0.0, mask >> i & 1 == 1, "{level}, mask {mask:06b}: {row:?}");
            }
        }
    }
}

#[test]
fn incremental_sums_equal_sums_from_scratch() {
    for (&shape, seed) in SHAPES.iter().zip(100..) {
        let weights = random_net(shape, seed);
        for level in levels() {
            let net = PackedNet::with_level(&weights, level).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut input = random_input(shape[0], &mut rng);
            let mut sums = AlignedBuf::zeroed(net.stride());
            net.accumulate(net.bias(), &nonzero(&input), &mut sums);
            for _ in 0..20 {
                let next: Vec<f32> = input
                    .iter()
                    .map(|&x| if rng.random_range(0..8) == 0 { rng.random_range(-1.0..1.0) } else { x })
                    .collect();
                let difference: Vec<f32> = next.iter().zip(&input).map(|(new, old)| new - old).collect();
                let parent = sums.clone();
                net.accumulate(&parent, &nonzero(&difference), &mut sums);
                input = next;
            }
            let mut expected = AlignedBuf::zeroed(net.stride());
            net.accumulate(net.bias(), &nonzero(&input), &mut expected);
            for (found, expected) in sums.iter().zip(&*expected) {
                assert!((found - expected).abs() < 1e-5, "{shape:?}, {level}: {found} instead of {expected}");
            }
        }
    }
}

#[test]
fn softmax_holds_for_huge_logits() {
    let mut weights = random_net(&[4, 6], 1);
    weights.layers[0].bias = vec![1e30, -1e30, 1e30, 0.0, -3e38, 5.0];
    for level in levels() {
        let net = PackedNet::with_level(&weights, level).unwrap();
        let mut out = [[f32::NAN; 6]];
        net.forward_rows(net.bias(), 1, None, &mut Scratch::default(), &mut out);
        assert_close(&out[0], &[0.5, 0.0, 0.5, 0.0, 0.0, 0.0], &level.to_string());
    }
}

#[test]
fn rows_beyond_n_are_left_alone() {
    let weights = random_net(&[4, 20, 20, 6], 1);
    for level in levels() {
        let net = PackedNet::with_level(&weights, level).unwrap();
        let mut out = [[7.0; 6]; 5];
        net.forward_rows(&net.bias().repeat(5), 3, None, &mut Scratch::default(), &mut out);
        assert_eq!(out[3..], [[7.0; 6]; 2], "{level}");
        assert!(out[2][5] < 1.0);
    }
}

#[test]
fn scratch_stops_growing() {
    let net = PackedNet::new(&random_net(&[4, 40, 20, 6], 1)).unwrap();
    let (mut scratch, mut out) = (Scratch::default(), [[0.0; 6]; 24]);
    let sums = net.bias().repeat(24);
    net.forward_rows(&sums, 24, None, &mut scratch, &mut out);
    let addresses = |s: &Scratch| {
        let mut hidden = [s.hidden[0].as_ptr() as usize, s.hidden[1].as_ptr() as usize];
        hidden.sort_unstable();
        (hidden, s.logits.as_ptr() as usize)
    };
    let before = addresses(&scratch);
    for n in [1, 24, 7, 23] {
        net.forward_rows(&sums, n, None, &mut scratch, &mut out);
    }
    assert_eq!(addresses(&scratch), before);
}

#[test]
fn an_invalid_net_is_refused() {
    let mut weights = random_net(&[4, 5, 6], 1);
    weights.layers[1].weights[3] = f32::NAN;
    assert!(matches!(PackedNet::new(&weights), Err(KernelError::Weights(WeightsError::NotFinite { layer: 2, .. }))));
}

#[test]
fn a_level_that_is_missing_is_refused() {
    let weights = random_net(&[4, 6], 1);
    for level in SimdLevel::ALL {
        match PackedNet::with_level(&weights, level) {
            Ok(net) => assert!(level.is_available() && net.level() == level),
            Err(error) => assert_eq!(error, KernelError::Unavailable { wanted: level, best: SimdLevel::best() }),
        }
    }
}

#[test]
fn the_environment_variable_chooses_the_level() {
    assert_eq!(choose_level(None), Ok(SimdLevel::best()));
    assert_eq!(choose_level(Some("portable")), Ok(SimdLevel::Portable));
    let error = KernelError::from(choose_level(Some("fast")).unwrap_err()).to_string();
    let expected = "the environment variable NARDY_SIMD is wrong: \"fast\" is no SIMD level";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn level_names_round_trip() {
    for level in SimdLevel::ALL {
        assert_eq!(level.to_string().parse(), Ok(level));
    }
    assert!("AVX9".parse::<SimdLevel>().unwrap_err().to_string().contains("\"AVX9\" is no SIMD level"));
}

#[test]
#[should_panic(expected = "input 4 of a network with 4 inputs")]
fn an_input_that_does_not_exist_panics() {
    let net = PackedNet::new(&random_net(&[4, 6], 1)).unwrap();
    let mut out = vec![0.0; net.stride()];
    net.accumulate(net.bias(), &[(4, 1.0)], &mut out);
}
