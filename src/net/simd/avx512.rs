//! AVX-512F and VL: 16 floats at once, 32 registers. Tiles of 6 rows × 4 vectors; the softmax is that of AVX2.
//!
//! Without VL, half a vector can only be taken out of the lower 16 registers, which made the last layer spill its sums.

use super::x86::{self, Lanes};
use super::x86_softmax;
use super::{ActiveInputs, FirstLayer, LastLayer, MiddleLayer, PlainCode};
use crate::net::weights::NUM_OUTCOMES;
use std::arch::x86_64::*;

impl Lanes for __m512 {
    const N: usize = 16;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_set1_ps(x) }
    }

    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX-512F and for 16 floats at p.
        unsafe { _mm512_loadu_ps(p) }
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: the caller vouches for AVX-512F and for 16 floats at p.
        unsafe { _mm512_storeu_ps(p, self) }
    }

    #[inline(always)]
    unsafe fn fma(self, a: Self, b: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_fmadd_ps(a, b, self) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_max_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn positive(self) -> u32 {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { u32::from(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(self, _mm512_setzero_ps())) }
    }

    #[inline(always)]
    unsafe fn fold(self) -> __m256 {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe {
            let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(self)));
            _mm256_add_ps(_mm512_castps512_ps256(self), high)
        }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run(code: impl PlainCode) {
    code.run();
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub(super) fn accumulate(layer: &FirstLayer, base: &[f32], changes: &[(u16, f32)], ends: &[usize], out: &mut [f32]) {
    // SAFETY: this function has AVX-512F; simd::accumulate has checked the lengths.
    unsafe { x86::accumulate::<__m512>(layer, base, changes, ends, out) }
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub(super) fn activate(sums: &[f32], n: usize, stride: usize, out: Option<&mut [f32]>, active: &mut ActiveInputs) {
    // SAFETY: this function has AVX-512F and AVX2; simd::activate has checked the lengths.
    unsafe { x86::activate::<__m512>(sums, n, stride, out, active) }
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub(super) fn middle(layer: &MiddleLayer, input: &[f32], n: usize, active: &ActiveInputs, out: &mut [f32]) {
    // SAFETY: this function has AVX-512F; simd::middle has checked the lengths; panels are 64 columns wide.
    unsafe { x86::middle::<__m512, 4>(layer, input, n, active, out) }
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub(super) fn last(layer: &LastLayer, input: &[f32], n: usize, logits: &mut [f32]) {
    // SAFETY: this function has AVX-512F and AVX2; simd::last has checked the lengths.
    unsafe { x86::last::<__m512, 4>(layer, input, n, logits) }
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub(super) fn softmax(logits: &[f32], stride: usize, masks: Option<&[u8]>, out: &mut [[f32; NUM_OUTCOMES]]) {
    // SAFETY: this function has AVX2 and FMA; simd::softmax has checked the lengths.
    unsafe { x86_softmax::softmax(logits, stride, masks, out) }
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub(super) fn spin(rounds: u64) -> u32 {
    // SAFETY: this function has AVX-512F.
    unsafe { x86::spin::<__m512>(rounds) }
}
