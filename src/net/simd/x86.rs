//! The loops of the vector levels, written once for any vector type.
//!
//! Everything here is `#[inline(always)]`, so that it becomes part of a function of `avx2` or `avx512` that has the
//! instructions switched on. Called from anywhere else it would be slow and, on an older processor, wrong.
#![allow(clippy::needless_range_loop, reason = "fixed counts that the compiler unrolls into registers")]

use super::peak::CHAINS;
use super::{ActiveInputs, FirstLayer, LOGIT_STRIDE, LastLayer, MiddleLayer, blocks};
use crate::net::weights::NUM_OUTCOMES;
use std::arch::x86_64::*;
use std::hint::black_box;

/// A vector of `N` floats.
///
/// # Safety
/// Every function needs the instructions of its vector type; `load` and `store` need `N` floats at `p`.
pub(super) trait Lanes: Copy {
    const N: usize;
    unsafe fn splat(x: f32) -> Self;
    unsafe fn load(p: *const f32) -> Self;
    unsafe fn store(self, p: *mut f32);
    /// `self + a · b`.
    unsafe fn fma(self, a: Self, b: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    /// Bit `i` is set if lane `i` is above 0.
    unsafe fn positive(self) -> u32;
    /// Eight numbers with the same sum.
    unsafe fn fold(self) -> __m256;
}

/// # Safety
/// Needs `V`'s instructions and the lengths that `simd::accumulate` checks.
#[inline(always)]
pub(super) unsafe fn accumulate<V: Lanes>(
    layer: &FirstLayer,
    base: &[f32],
    changes: &[(u16, f32)],
    ends: &[usize],
    out: &mut [f32],
) {
    let rows = layer.rows.as_ptr();
    let mut column = 0;
    while column < layer.stride {
        let width = layer.pass.min(layer.stride - column);
        macro_rules! with {
            ($($sums:literal)*) => {
                match width / V::N {
                    $($sums => {
                        let mut start = 0;
                        for (index, &end) in ends.iter().enumerate() {
                            let changes = &changes[start..end];
                            let out = &mut out[index * layer.stride..][..layer.stride];
                            // SAFETY: columns column..column + width exist in base, out and every row.
                            unsafe { accumulate_columns::<V, $sums>(rows, layer.row_stride, base, changes, out, column) };
                            start = end;
                        }
                    })*
                    _ => unreachable!("a pass has between 1 and MAX_SUMS vectors"),
                }
            };
        }
        with!(1 2 3 4 5 6 7 8 9 10 11 12);
        column += width;
    }
}

/// # Safety
/// As [`accumulate`]; `column + SUMS * V::N <= stride`, and `rows` has the rows of the changes.
#[inline(always)]
unsafe fn accumulate_columns<V: Lanes, const SUMS: usize>(
    rows: *const f32,
    stride: usize,
    base: &[f32],
    changes: &[(u16, f32)],
    out: &mut [f32],
    column: usize,
) {
    // SAFETY: base and out hold `stride` floats, rows holds `stride` floats per input, and every row number is
    // below the number of inputs; the caller keeps the columns within the stride.
    unsafe {
        let base = base.as_ptr().add(column);
        let rows = rows.add(column);
        let mut sums = [V::splat(0.0); SUMS];
        for v in 0..SUMS {
            sums[v] = V::load(base.add(v * V::N));
        }
        for &(row, scale) in changes {
            let row = rows.add(usize::from(row) * stride);
            let scale = V::splat(scale);
            for v in 0..SUMS {
                sums[v] = sums[v].fma(scale, V::load(row.add(v * V::N)));
            }
        }
        let out = out.as_mut_ptr().add(column);
        for v in 0..SUMS {
            sums[v].store(out.add(v * V::N));
        }
    }
}

/// `rounds` multiply-adds in each of [`CHAINS`] independent sums.
///
/// # Safety
/// Needs `V`'s instructions.
#[inline(always)]
pub(super) unsafe fn spin<V: Lanes>(rounds: u64) -> u32 {
    let (factor, term) = black_box((0.999, 0.1));
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let (factor, term) = (V::splat(factor), V::splat(term));
        let mut sums = [V::splat(1.0); CHAINS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = term.fma(*sum, factor);
            }
        }
        let mut total = sums[0];
        for sum in &sums[1..] {
            total = total.add(*sum);
        }
        total.positive()
    }
}

/// For each byte, the places of its set bits, lowest first, one per byte of the entry.
static BIT_PLACES: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut count, mut place) = (0, 0);
        while place < 8 {
            if bits >> place & 1 == 1 {
                table[bits] |= place << (8 * count);
                count += 1;
            }
            place += 1;
        }
        bits += 1;
    }
    table
};

/// # Safety
/// Needs `V`'s instructions and AVX2, and the lengths that `simd::activate` checks.
#[inline(always)]
pub(super) unsafe fn activate<V: Lanes>(
    sums: &[f32],
    n: usize,
    stride: usize,
    mut out: Option<&mut [f32]>,
    active: &mut ActiveInputs,
) {
    for (block, (start, rows)) in blocks(n).enumerate() {
        let (list, len) = active.list_mut(block);
        *len = 0;
        for column in (0..stride).step_by(V::N) {
            // SAFETY: rows start..start + rows of `stride` floats exist in sums and out, stride is a multiple of N.
            let bits = unsafe {
                let zero = V::splat(0.0);
                let mut highest = zero;
                for row in start..start + rows {
                    let x = V::load(sums.as_ptr().add(row * stride + column)).max(zero);
                    if let Some(out) = &mut out {
                        x.store(out.as_mut_ptr().add(row * stride + column));
                    }
                    highest = highest.max(x);
                }
                highest.positive()
            };
            for byte in 0..V::N / 8 {
                let bits = bits >> (8 * byte) & 0xff;
                // SAFETY: up to here at most one place per column before this byte is used, and the list has
                // eight more places than columns.
                unsafe {
                    let places = _mm_cvtsi64_si128(BIT_PLACES[bits as usize] as i64);
                    let first = _mm256_set1_epi32((column + 8 * byte) as i32);
                    let numbers = _mm256_add_epi32(_mm256_cvtepu8_epi32(places), first);
                    _mm256_storeu_si256(list.as_mut_ptr().add(*len).cast(), numbers);
                }
                *len += bits.count_ones() as usize;
            }
        }
    }
}

/// # Safety
/// Needs `V`'s instructions and the lengths that `simd::middle` checks; panels are `PANEL` vectors wide.
#[inline(always)]
pub(super) unsafe fn middle<V: Lanes, const PANEL: usize>(
    layer: &MiddleLayer,
    input: &[f32],
    n: usize,
    active: &ActiveInputs,
    out: &mut [f32],
) {
    let mut column = 0;
    while column < layer.outputs {
        let width = (layer.outputs - column).min(PANEL * V::N);
        for (block, (start, rows)) in blocks(n).enumerate() {
            let list = active.list(block);
            // SAFETY: a panel of `width` columns starts at this column, the rows exist, the list is below inputs.
            unsafe {
                match width / V::N {
                    4 => panel_block::<V, 4>(layer, input, start, rows, list, out, column),
                    3 => panel_block::<V, 3>(layer, input, start, rows, list, out, column),
                    2 => panel_block::<V, 2>(layer, input, start, rows, list, out, column),
                    _ => panel_block::<V, 1>(layer, input, start, rows, list, out, column),
                }
            }
        }
        column += width;
    }
}

/// One panel of `WIDTH` vectors for one block of rows. Few rows take several inputs at once, to have enough
/// independent sums.
///
/// # Safety
/// As [`middle`]; a panel of `WIDTH * V::N` columns starts at `column`.
#[inline(always)]
unsafe fn panel_block<V: Lanes, const WIDTH: usize>(
    layer: &MiddleLayer,
    input: &[f32],
    start: usize,
    rows: usize,
    list: &[u32],
    out: &mut [f32],
    column: usize,
) {
    // SAFETY: rows start..start + rows exist in input and out; the panel's weights start at column · inputs.
    unsafe {
        let x = input.as_ptr().add(start * layer.inputs);
        let y = out.as_mut_ptr().add(start * layer.outputs + column);
        let weights = layer.panels.as_ptr().add(column * layer.inputs);
        let bias = layer.bias.as_ptr().add(column);
        let (xs, ys) = (layer.inputs, layer.outputs);
        match rows {
            6 => tile::<V, WIDTH, 6, 1>(x, xs, weights, bias, list, y, ys),
            5 => tile::<V, WIDTH, 5, 1>(x, xs, weights, bias, list, y, ys),
            4 => tile::<V, WIDTH, 4, 1>(x, xs, weights, bias, list, y, ys),
            3 => tile::<V, WIDTH, 3, 2>(x, xs, weights, bias, list, y, ys),
            2 => tile::<V, WIDTH, 2, 2>(x, xs, weights, bias, list, y, ys),
            _ => tile::<V, WIDTH, 1, 4>(x, xs, weights, bias, list, y, ys),
        }
    }
}

/// ROWS × WIDTH vectors of output, kept in registers while the active inputs go by, `STEP` inputs at a time.
///
/// # Safety
/// Needs `V`'s instructions, ROWS rows at `x` and `y`, a panel at `weights` with a row for each number in `list`.
#[inline(always)]
unsafe fn tile<V: Lanes, const WIDTH: usize, const ROWS: usize, const STEP: usize>(
    x: *const f32,
    x_stride: usize,
    weights: *const f32,
    bias: *const f32,
    list: &[u32],
    y: *mut f32,
    y_stride: usize,
) {
    let (steps, rest) = list.as_chunks::<STEP>();
    // SAFETY: the caller vouches for every address used below.
    unsafe {
        let zero = V::splat(0.0);
        let mut sums = [[[zero; WIDTH]; ROWS]; STEP];
        for step in steps {
            for s in 0..STEP {
                add_input(&mut sums[s], x, x_stride, weights, step[s] as usize);
            }
        }
        for &i in rest {
            add_input(&mut sums[0], x, x_stride, weights, i as usize);
        }
        for row in 0..ROWS {
            for v in 0..WIDTH {
                let mut sum = V::load(bias.add(v * V::N));
                for s in 0..STEP {
                    sum = sum.add(sums[s][row][v]);
                }
                sum.max(zero).store(y.add(row * y_stride + v * V::N));
            }
        }
    }
}

/// # Safety
/// As [`tile`]; `i` is an input of the layer.
#[inline(always)]
unsafe fn add_input<V: Lanes, const WIDTH: usize, const ROWS: usize>(
    sums: &mut [[V; WIDTH]; ROWS],
    x: *const f32,
    x_stride: usize,
    weights: *const f32,
    i: usize,
) {
    // SAFETY: input `i` exists in each row of x, and the panel has a row of WIDTH vectors for it.
    unsafe {
        let mut w = [V::splat(0.0); WIDTH];
        for v in 0..WIDTH {
            w[v] = V::load(weights.add((i * WIDTH + v) * V::N));
        }
        for row in 0..ROWS {
            let value = V::splat(*x.add(row * x_stride + i));
            for v in 0..WIDTH {
                sums[row][v] = sums[row][v].fma(value, w[v]);
            }
        }
    }
}

/// `ROWS` rows at once share each load of a weight.
///
/// # Safety
/// Needs `V`'s instructions, AVX2, and the lengths that `simd::last` checks.
#[inline(always)]
pub(super) unsafe fn last<V: Lanes, const ROWS: usize>(layer: &LastLayer, input: &[f32], n: usize, logits: &mut [f32]) {
    let mut row = 0;
    // SAFETY: rows row..row + ROWS (or row..row + 1) are below n, which input and logits have room for.
    unsafe {
        while row + ROWS <= n {
            last_rows::<V, ROWS>(layer, input.as_ptr(), logits.as_mut_ptr(), row);
            row += ROWS;
        }
        while row < n {
            last_rows::<V, 1>(layer, input.as_ptr(), logits.as_mut_ptr(), row);
            row += 1;
        }
    }
}

/// # Safety
/// As [`last`]; rows `start..start + ROWS` exist at `input` and `logits`.
#[inline(always)]
unsafe fn last_rows<V: Lanes, const ROWS: usize>(layer: &LastLayer, input: *const f32, logits: *mut f32, start: usize) {
    // SAFETY: the caller vouches for the rows; groups holds NUM_OUTCOMES floats per input.
    unsafe {
        let zero = V::splat(0.0);
        let x = input.add(start * layer.inputs);
        let mut weights = layer.groups.as_ptr();
        let mut sums = [[zero; NUM_OUTCOMES]; ROWS];
        for first in (0..layer.inputs).step_by(V::N) {
            let mut values = [zero; ROWS];
            for row in 0..ROWS {
                values[row] = V::load(x.add(row * layer.inputs + first)).max(zero);
            }
            for outcome in 0..NUM_OUTCOMES {
                let weight = V::load(weights.add(outcome * V::N));
                for row in 0..ROWS {
                    sums[row][outcome] = sums[row][outcome].fma(values[row], weight);
                }
            }
            weights = weights.add(NUM_OUTCOMES * V::N);
        }
        let bias = _mm256_loadu_ps(layer.bias.as_ptr());
        for row in 0..ROWS {
            let mut folded = [bias; NUM_OUTCOMES];
            for outcome in 0..NUM_OUTCOMES {
                folded[outcome] = sums[row][outcome].fold();
            }
            let sums = sum_each(folded);
            _mm256_storeu_ps(logits.add((start + row) * LOGIT_STRIDE), _mm256_add_ps(sums, bias));
        }
    }
}

/// The sum of each of six vectors, in lanes 0 to 5; lanes 6 and 7 repeat 4 and 5.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
unsafe fn sum_each(v: [__m256; NUM_OUTCOMES]) -> __m256 {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        // Each 128-bit half has its own part of the sums.
        let last = add_pairs(v[4], v[5]);
        let (first, last) = (add_quads(add_pairs(v[0], v[1]), add_pairs(v[2], v[3])), add_quads(last, last));
        let low = _mm256_permute2f128_ps::<0x20>(first, last);
        let high = _mm256_permute2f128_ps::<0x31>(first, last);
        _mm256_add_ps(low, high)
    }
}

/// In each half, two sums of two lanes of `a` and `b`, as a b a b.
///
/// # Safety
/// Needs AVX.
#[inline(always)]
unsafe fn add_pairs(a: __m256, b: __m256) -> __m256 {
    // SAFETY: the caller vouches for AVX.
    unsafe { _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b)) }
}

/// In each half, the sums of 0 1 0 1 and 2 3 2 3, as 0 1 2 3.
///
/// # Safety
/// Needs AVX.
#[inline(always)]
unsafe fn add_quads(a: __m256, b: __m256) -> __m256 {
    // SAFETY: the caller vouches for AVX.
    unsafe {
        let (a, b) = (_mm256_castps_pd(a), _mm256_castps_pd(b));
        let (low, high) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        _mm256_add_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high))
    }
}

#[cfg(test)]
mod tests;
