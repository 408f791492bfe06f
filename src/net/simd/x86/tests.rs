//! The loops in the shape of AVX-512 (16 lanes, panels of 4 vectors and narrower ones, 4 rows in the last layer), on
//! a vector type that needs no AVX-512: so that all but the intrinsics is tested on every AVX2 machine.

use super::*;
use crate::net::kernel::{pack_first, pack_last, pack_middle};
use crate::net::simd::{SimdLevel, scalar};
use crate::net::weights::{Layer, NetWeights};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy)]
struct Wide([f32; 16]);

impl Wide {
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Lanes for Wide {
    const N: usize = 16;

    unsafe fn splat(x: f32) -> Self {
        Self([x; 16])
    }

    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: the caller vouches for 16 floats at p; an array of floats has their alignment.
        Self(unsafe { p.cast::<[f32; 16]>().read() })
    }

    unsafe fn store(self, p: *mut f32) {
        // SAFETY: the caller vouches for 16 floats at p; an array of floats has their alignment.
        unsafe { p.cast::<[f32; 16]>().write(self.0) }
    }

    unsafe fn fma(self, a: Self, b: Self) -> Self {
        self.zip(a.zip(b, |a, b| a * b), |sum, product| sum + product)
    }

    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    unsafe fn max(self, other: Self) -> Self {
        self.zip(other, f32::max)
    }

    unsafe fn positive(self) -> u32 {
        (0..16).filter(|&i| self.0[i] > 0.0).map(|i| 1 << i).sum()
    }

    unsafe fn fold(self) -> __m256 {
        let halves: [f32; 8] = std::array::from_fn(|i| self.0[i] + self.0[i + 8]);
        // SAFETY: the caller vouches for AVX; halves has 8 floats.
        unsafe { _mm256_loadu_ps(halves.as_ptr()) }
    }
}

fn random_layer(inputs: usize, outputs: usize, rng: &mut ChaCha8Rng) -> Layer {
    let mut net = NetWeights::random(&[inputs, outputs, 6], rng.random()).unwrap();
    let mut layer = net.layers.swap_remove(0);
    layer.bias.iter_mut().for_each(|b| *b = rng.random_range(-0.5..0.5));
    layer
}

fn random_rows(len: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    (0..len).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() < 1e-4, "{what}, place {i}: {f} instead of {e}");
    }
}

#[test]
fn wide_first_layers_equal_the_reference() {
    if !SimdLevel::Avx2.is_available() {
        return eprintln!("skipped: this processor lacks avx2");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for outputs in [1, 16, 17, 80, 200, 256, 300, 512, 600] {
        let layer = pack_first(&random_layer(30, outputs, &mut rng), 16);
        let changes: Vec<_> = (0..9).map(|_| (rng.random_range(0..30), rng.random_range(-1.0..1.0))).collect();
        let base = random_rows(layer.stride, &mut rng);
        let ends = [0, 4, 9];
        let mut found = vec![f32::NAN; ends.len() * layer.stride];
        let mut expected = found.clone();
        // SAFETY: the processor has AVX2; the lengths are those of the layer.
        unsafe { accumulate::<Wide>(&layer, &base, &changes, &ends, &mut found) };
        scalar::accumulate(&layer, &base, &changes, &ends, &mut expected);
        assert_close(&found, &expected, &format!("{outputs} units"));
    }
}

#[test]
fn wide_middle_layers_equal_the_reference() {
    if !SimdLevel::Avx2.is_available() {
        return eprintln!("skipped: this processor lacks avx2");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (inputs, outputs) in [(16, 16), (40, 30), (64, 48), (100, 64), (70, 80), (30, 100), (50, 112), (33, 300)] {
        let weights = random_layer(inputs, outputs, &mut rng);
        let (wide, narrow) = (pack_middle(&weights, 64), pack_middle(&weights, 16));
        for n in 0..20 {
            let sums = random_rows(n * wide.inputs, &mut rng);
            let mut input = [vec![f32::NAN; sums.len()], vec![f32::NAN; sums.len()]];
            let mut active = [ActiveInputs::default(), ActiveInputs::default()];
            let mut out = [vec![f32::NAN; n * wide.outputs], vec![f32::NAN; n * wide.outputs]];
            active.iter_mut().for_each(|active| active.reset(n, wide.inputs));
            // SAFETY: the processor has AVX2; the lengths are those of the layer; panels are 4 vectors wide.
            unsafe {
                activate::<Wide>(&sums, n, wide.inputs, Some(&mut input[0]), &mut active[0]);
                middle::<Wide, 4>(&wide, &input[0], n, &active[0], &mut out[0]);
            }
            scalar::activate(&sums, n, wide.inputs, Some(&mut input[1]), &mut active[1]);
            scalar::middle(&narrow, &input[1], n, &active[1], &mut out[1]);
            assert_eq!(input[0], input[1]);
            for block in 0..blocks(n).count() {
                assert_eq!(active[0].list(block), active[1].list(block), "block {block} of {n} rows");
            }
            assert_close(&out[0], &out[1], &format!("{inputs} to {outputs}, {n} rows"));
        }
    }
}

#[test]
fn wide_last_layers_equal_the_reference() {
    if !SimdLevel::Avx2.is_available() {
        return eprintln!("skipped: this processor lacks avx2");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for inputs in [1, 16, 17, 80, 129] {
        let mut weights = random_layer(inputs, 6, &mut rng);
        weights.bias[5] = 3.0;
        let (wide, narrow) = (pack_last(&weights, 16), pack_last(&weights, 8));
        for n in 0..12 {
            let input = random_rows(n * wide.inputs, &mut rng);
            let mut out = [vec![0.0; n * LOGIT_STRIDE], vec![0.0; n * LOGIT_STRIDE]];
            // SAFETY: the processor has AVX2; the lengths are those of the layer.
            unsafe { last::<Wide, 4>(&wide, &input, n, &mut out[0]) };
            scalar::last(&narrow, &input, n, &mut out[1]);
            for (found, expected) in out[0].chunks(LOGIT_STRIDE).zip(out[1].chunks(LOGIT_STRIDE)) {
                assert_close(&found[..6], &expected[..6], &format!("{inputs} inputs, {n} rows"));
            }
        }
    }
}
