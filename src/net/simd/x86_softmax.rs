//! The softmax of both vector levels: eight rows at a time, one row per lane, one vector per outcome.
//!
//! Like the loops of `x86`, everything here becomes part of a function of `avx2` or `avx512`.

#![allow(clippy::needless_range_loop, reason = "fixed counts that the compiler unrolls into registers")]

use super::scalar::{EXP_LOWEST, EXP_SERIES, LN2_HIGH, LN2_LOW};
use crate::net::weights::{ALL_OUTCOMES, NUM_OUTCOMES};
use std::arch::x86_64::*;

/// Rows of one pass of the softmax: one per lane of an AVX2 vector.
const SOFTMAX_ROWS: usize = 8;

/// # Safety
/// Needs AVX2 and FMA, and the lengths that `simd::softmax` checks.
#[inline(always)]
pub(super) unsafe fn softmax(logits: &[f32], stride: usize, masks: Option<&[u8]>, out: &mut [[f32; NUM_OUTCOMES]]) {
    for (index, out) in out.chunks_mut(SOFTMAX_ROWS).enumerate() {
        let start = index * SOFTMAX_ROWS;
        // SAFETY: rows start..start + out.len() of LOGIT_STRIDE floats exist in logits.
        unsafe {
            let mut rows = [_mm256_setzero_ps(); SOFTMAX_ROWS];
            for row in 0..out.len() {
                rows[row] = _mm256_loadu_ps(logits.as_ptr().add((start + row) * stride));
            }
            let columns = transpose(rows);
            let columns = [columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]];
            let result = match masks {
                None => softmax_columns(columns, None),
                Some(masks) => {
                    let mut bytes = [ALL_OUTCOMES; SOFTMAX_ROWS];
                    bytes[..out.len()].copy_from_slice(&masks[start..start + out.len()]);
                    softmax_columns(columns, Some(u64::from_le_bytes(bytes)))
                }
            };
            let zero = _mm256_setzero_ps();
            let [a, b, c, d, e, f] = result;
            let rows = transpose([a, b, c, d, e, f, zero, zero]);
            store_rows(rows, out);
        }
    }
}

/// Six vectors, one per outcome, of up to eight rows each.
///
/// # Safety
/// Needs AVX2 and FMA.
#[inline(always)]
unsafe fn softmax_columns(mut x: [__m256; NUM_OUTCOMES], masks: Option<u64>) -> [__m256; NUM_OUTCOMES] {
    // SAFETY: the caller vouches for AVX2 and FMA.
    unsafe {
        let mut possible = [_mm256_castsi256_ps(_mm256_set1_epi32(-1)); NUM_OUTCOMES];
        if let Some(masks) = masks {
            let masks = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(masks as i64));
            for i in 0..NUM_OUTCOMES {
                let bit = _mm256_set1_epi32(1 << i);
                possible[i] = _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(masks, bit), bit));
                x[i] = _mm256_blendv_ps(_mm256_set1_ps(f32::MIN), x[i], possible[i]);
            }
        }
        let mut highest = _mm256_max_ps(x[0], x[1]);
        for column in &x[2..] {
            highest = _mm256_max_ps(highest, *column);
        }
        let mut sum = _mm256_setzero_ps();
        for i in 0..NUM_OUTCOMES {
            x[i] = _mm256_and_ps(exp(_mm256_sub_ps(x[i], highest)), possible[i]);
            sum = _mm256_add_ps(sum, x[i]);
        }
        let scale = _mm256_div_ps(_mm256_set1_ps(1.0), _mm256_max_ps(sum, _mm256_set1_ps(f32::MIN_POSITIVE)));
        for column in &mut x {
            *column = _mm256_mul_ps(*column, scale);
        }
        x
    }
}

/// As `scalar::exp`, for eight numbers.
///
/// # Safety
/// Needs AVX2 and FMA.
#[inline(always)]
unsafe fn exp(x: __m256) -> __m256 {
    // SAFETY: the caller vouches for AVX2 and FMA.
    unsafe {
        let x = _mm256_max_ps(x, _mm256_set1_ps(EXP_LOWEST));
        let power = _mm256_cvtps_epi32(_mm256_mul_ps(x, _mm256_set1_ps(std::f32::consts::LOG2_E)));
        let n = _mm256_cvtepi32_ps(power);
        let rest = _mm256_fnmadd_ps(n, _mm256_set1_ps(LN2_HIGH), x);
        let rest = _mm256_fnmadd_ps(n, _mm256_set1_ps(LN2_LOW), rest);
        let mut series = _mm256_set1_ps(EXP_SERIES[0]);
        for term in &EXP_SERIES[1..] {
            series = _mm256_fmadd_ps(series, rest, _mm256_set1_ps(*term));
        }
        let scale = _mm256_slli_epi32::<23>(_mm256_add_epi32(power, _mm256_set1_epi32(127)));
        _mm256_mul_ps(series, _mm256_castsi256_ps(scale))
    }
}

/// Writes the first six lanes of as many rows as `out` has.
///
/// # Safety
/// Needs AVX2; `out` has at most eight rows.
#[inline(always)]
unsafe fn store_rows(rows: [__m256; SOFTMAX_ROWS], out: &mut [[f32; NUM_OUTCOMES]]) {
    let Some(final_row) = out.len().checked_sub(1) else {
        return;
    };
    // SAFETY: a full vector written to a row that isn't the final one ends inside the next row, which is written
    // later; of the final row only its own six floats are written.
    unsafe {
        for row in 0..final_row {
            _mm256_storeu_ps(out.as_mut_ptr().add(row).cast(), rows[row]);
        }
        let p: *mut f32 = out.as_mut_ptr().add(final_row).cast();
        _mm_storeu_ps(p, _mm256_castps256_ps128(rows[final_row]));
        _mm_storel_pd(p.add(4).cast(), _mm_castps_pd(_mm256_extractf128_ps::<1>(rows[final_row])));
    }
}

/// Rows to columns.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
unsafe fn transpose(r: [__m256; 8]) -> [__m256; 8] {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        let mut pairs = [r[0]; 8];
        for i in 0..4 {
            pairs[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
            pairs[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
        }
        // quads[4 h + c]: rows 4 h to 4 h + 3 of column c (low half) and column c + 4 (high half).
        let mut quads = [r[0]; 8];
        for h in 0..2 {
            let p = &pairs[4 * h..];
            quads[4 * h] = _mm256_shuffle_ps::<0b01_00_01_00>(p[0], p[2]);
            quads[4 * h + 1] = _mm256_shuffle_ps::<0b11_10_11_10>(p[0], p[2]);
            quads[4 * h + 2] = _mm256_shuffle_ps::<0b01_00_01_00>(p[1], p[3]);
            quads[4 * h + 3] = _mm256_shuffle_ps::<0b11_10_11_10>(p[1], p[3]);
        }
        let mut columns = [r[0]; 8];
        for c in 0..4 {
            columns[c] = _mm256_permute2f128_ps::<0x20>(quads[c], quads[c + 4]);
            columns[c + 4] = _mm256_permute2f128_ps::<0x31>(quads[c], quads[c + 4]);
        }
        columns
    }
}
