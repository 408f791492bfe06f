//! AVX2 and FMA: 8 floats at once, 16 registers. Tiles of 6 rows × 2 vectors.

use super::x86::{self, Lanes};
use super::x86_softmax;
use super::{ActiveInputs, FirstLayer, LastLayer, MiddleLayer, PlainCode};
use crate::net::weights::NUM_OUTCOMES;
use std::arch::x86_64::*;

impl Lanes for __m256 {
    const N: usize = 8;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: the caller vouches for AVX.
        unsafe { _mm256_set1_ps(x) }
    }

    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX and for 8 floats at p.
        unsafe { _mm256_loadu_ps(p) }
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: the caller vouches for AVX and for 8 floats at p.
        unsafe { _mm256_storeu_ps(p, self) }
    }

    #[inline(always)]
    unsafe fn fma(self, a: Self, b: Self) -> Self {
        // SAFETY: the caller vouches for FMA.
        unsafe { _mm256_fmadd_ps(a, b, self) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX.
        unsafe { _mm256_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX.
        unsafe { _mm256_max_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn positive(self) -> u32 {
        // SAFETY: the caller vouches for AVX.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(self, _mm256_setzero_ps())) as u32 }
    }

    #[inline(always)]
    unsafe fn fold(self) -> __m256 {
        self
    }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run(code: impl PlainCode) {
    code.run();
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn accumulate(layer: &FirstLayer, base: &[f32], changes: &[(u16, f32)], ends: &[usize], out: &mut [f32]) {
    // SAFETY: this function has AVX2 and FMA; simd::accumulate has checked the lengths.
    unsafe { x86::accumulate::<__m256>(layer, base, changes, ends, out) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn activate(sums: &[f32], n: usize, stride: usize, out: Option<&mut [f32]>, active: &mut ActiveInputs) {
    // SAFETY: this function has AVX2; simd::activate has checked the lengths.
    unsafe { x86::activate::<__m256>(sums, n, stride, out, active) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn middle(layer: &MiddleLayer, input: &[f32], n: usize, active: &ActiveInputs, out: &mut [f32]) {
    // SAFETY: this function has AVX2 and FMA; simd::middle has checked the lengths; panels are 16 columns wide.
    unsafe { x86::middle::<__m256, 2>(layer, input, n, active, out) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn last(layer: &LastLayer, input: &[f32], n: usize, logits: &mut [f32]) {
    // SAFETY: this function has AVX2 and FMA; simd::last has checked the lengths.
    unsafe { x86::last::<__m256, 2>(layer, input, n, logits) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn softmax(logits: &[f32], stride: usize, masks: Option<&[u8]>, out: &mut [[f32; NUM_OUTCOMES]]) {
    // SAFETY: this function has AVX2 and FMA; simd::softmax has checked the lengths.
    unsafe { x86_softmax::softmax(logits, stride, masks, out) }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn spin(rounds: u64) -> u32 {
    // SAFETY: this function has AVX2 and FMA.
    unsafe { x86::spin::<__m256>(rounds) }
}
