//! The kernel in plain Rust: the reference, and what runs where there are no known vector instructions.
//! The inner loops run over fixed lengths so that the compiler can use whatever vectors the target has.

use super::{ActiveInputs, FirstLayer, LOGIT_STRIDE, LastLayer, MiddleLayer, PAD, PlainCode, blocks};
use crate::net::weights::{ALL_OUTCOMES, NUM_OUTCOMES};

/// Columns of a panel, as in `Backend::panel`.
const PANEL: usize = 16;

/// Inputs that the last layer takes at once, as in `Backend::lanes`.
const LANES: usize = 8;

/// `acc + a * b`. Fused only where that is one instruction: elsewhere `mul_add` calls a function of libm.
#[inline(always)]
fn fma(acc: f32, a: f32, b: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, acc) } else { a * b + acc }
}

pub(super) fn run(code: impl PlainCode) {
    code.run();
}

pub(super) fn accumulate(layer: &FirstLayer, base: &[f32], changes: &[(u16, f32)], ends: &[usize], out: &mut [f32]) {
    let (base_chunks, _) = base.as_chunks::<PAD>();
    let mut start = 0;
    for (&end, out) in ends.iter().zip(out.chunks_exact_mut(layer.stride)) {
        let (out_chunks, _) = out.as_chunks_mut::<PAD>();
        for (index, (out, base)) in out_chunks.iter_mut().zip(base_chunks).enumerate() {
            let mut sums = *base;
            for &(row, scale) in &changes[start..end] {
                let place = usize::from(row) * layer.row_stride + index * PAD;
                let (weights, _) = layer.rows[place..].as_chunks::<PAD>();
                for (sum, weight) in sums.iter_mut().zip(&weights[0]) {
                    *sum = fma(*sum, scale, *weight);
                }
            }
            *out = sums;
        }
        start = end;
    }
}

pub(super) fn activate(sums: &[f32], n: usize, stride: usize, out: Option<&mut [f32]>, active: &mut ActiveInputs) {
    for (y, x) in out.into_iter().flatten().zip(&sums[..n * stride]) {
        *y = x.max(0.0);
    }
    for (block, (start, rows)) in blocks(n).enumerate() {
        let (list, len) = active.list_mut(block);
        *len = 0;
        for column in 0..stride {
            let used = (start..start + rows).any(|row| sums[row * stride + column] > 0.0);
            list[*len] = column as u32;
            *len += usize::from(used);
        }
    }
}

pub(super) fn middle(layer: &MiddleLayer, input: &[f32], n: usize, active: &ActiveInputs, out: &mut [f32]) {
    for (panel_index, panel) in layer.panels.chunks_exact(layer.inputs * PANEL).enumerate() {
        let (weights, _) = panel.as_chunks::<PANEL>();
        let column = panel_index * PANEL;
        for (block, (start, rows)) in blocks(n).enumerate() {
            let list = active.list(block);
            for row in start..start + rows {
                let values = &input[row * layer.inputs..][..layer.inputs];
                let mut sums = [0.0; PANEL];
                sums.copy_from_slice(&layer.bias[column..column + PANEL]);
                for &i in list {
                    let value = values[i as usize];
                    for (sum, weight) in sums.iter_mut().zip(&weights[i as usize]) {
                        *sum = fma(*sum, value, *weight);
                    }
                }
                let out = &mut out[row * layer.outputs + column..][..PANEL];
                for (y, sum) in out.iter_mut().zip(sums) {
                    *y = sum.max(0.0);
                }
            }
        }
    }
}

pub(super) fn last(layer: &LastLayer, input: &[f32], n: usize, logits: &mut [f32]) {
    let (groups, _) = layer.groups.as_chunks::<LANES>();
    for (row, logits) in logits.chunks_exact_mut(LOGIT_STRIDE).take(n).enumerate() {
        let (values, _) = input[row * layer.inputs..][..layer.inputs].as_chunks::<LANES>();
        let mut sums = [[0.0; LANES]; NUM_OUTCOMES];
        for (values, weights) in values.iter().zip(groups.chunks_exact(NUM_OUTCOMES)) {
            let values = values.map(|x| x.max(0.0));
            for (sums, weights) in sums.iter_mut().zip(weights) {
                for ((sum, value), weight) in sums.iter_mut().zip(values).zip(weights) {
                    *sum = fma(*sum, value, *weight);
                }
            }
        }
        for ((logit, sums), bias) in logits.iter_mut().zip(sums).zip(layer.bias) {
            *logit = sums.iter().sum::<f32>() + bias;
        }
    }
}

pub(super) fn softmax(logits: &[f32], stride: usize, masks: Option<&[u8]>, out: &mut [[f32; NUM_OUTCOMES]]) {
    for (row, out) in out.iter_mut().enumerate() {
        let mask = masks.map_or(ALL_OUTCOMES, |masks| masks[row]);
        let logits = &logits[row * stride..][..NUM_OUTCOMES];
        let possible = |i: usize| mask >> i & 1 == 1;
        let max = (0..NUM_OUTCOMES).filter(|&i| possible(i)).map(|i| logits[i]).fold(f32::MIN, f32::max);
        for (i, p) in out.iter_mut().enumerate() {
            *p = if possible(i) { exp(logits[i] - max) } else { 0.0 };
        }
        let sum: f32 = out.iter().sum();
        let scale = 1.0 / sum.max(f32::MIN_POSITIVE);
        out.iter_mut().for_each(|p| *p *= scale);
    }
}

/// Below this, `exp` is so small that it no longer matters, and 2ⁿ would leave the normal numbers.
pub(super) const EXP_LOWEST: f32 = -87.0;
/// ln 2 in two parts: this one has so few bits that its product with a small whole number is exact.
pub(super) const LN2_HIGH: f32 = 355.0 / 512.0;
/// The rest of ln 2.
pub(super) const LN2_LOW: f32 = (std::f64::consts::LN_2 - 355.0 / 512.0) as f32;
/// 1/k! for k = 6, 5 … 0: Taylor's series of eˣ, whose rest is below 1.2e-7 for |x| ≤ ln 2 / 2.
pub(super) const EXP_SERIES: [f32; 7] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// eˣ for x ≤ 0, correct to about 2e-7 of its value; below [`EXP_LOWEST`], the value there.
fn exp(x: f32) -> f32 {
    let x = x.max(EXP_LOWEST);
    // Cutting off the fraction after subtracting a half rounds a negative number; `round` would call libm.
    let power = (x * std::f32::consts::LOG2_E - 0.5) as i32;
    let n = power as f32;
    let rest = fma(fma(x, n, -LN2_HIGH), n, -LN2_LOW);
    let series = EXP_SERIES[1..].iter().fold(EXP_SERIES[0], |sum, &term| fma(term, sum, rest));
    series * f32::from_bits(((power + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn exp_is_correct_to_one_millionth() {
        for step in 0..=87_000 {
            let x = -(step as f32) / 1000.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 5e-7, "exp({x}) is off by {error:e}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e30), exp(-87.0));
    }
}
