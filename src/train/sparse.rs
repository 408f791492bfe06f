//! The first layer's products with sparse rows, forward and backward.
//!
//! Only 30 to 60 of about 200 inputs of a position differ from zero, so that a dense product of the whole batch (all that
//! burn offers) spends four fifths of its time on zeros. Both directions are one loop: a row of the result is the sum
//! of a few scaled rows of a matrix, kept in registers for a tile of columns.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

/// Runs `operation` with the widest vectors of this processor that pulp was built for.
fn dispatch<O: WithSimd>(operation: O) -> O::Output {
    // The type for AVX2 is there without pulp's feature `x86-v3`, which `Arch` needs; the feature would change how
    // burn's dependencies are built.
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return Simd::vectorize(simd, operation);
    }
    Arch::new().dispatch(operation)
}

/// Rows of which only the entries that differ from zero are kept, in ascending order of their column.
#[derive(Debug, Default)]
pub(crate) struct SparseRows {
    starts: Vec<usize>,
    index: Vec<u32>,
    value: Vec<f32>,
}

impl SparseRows {
    /// Takes over dense rows of `width` numbers each, keeping the allocations of an earlier call.
    pub(crate) fn fill(&mut self, dense: &[f32], width: usize) {
        self.starts.clear();
        self.starts.push(0);
        // Room for everything: entries are written without a branch and only then counted.
        self.index.resize(dense.len(), 0);
        self.value.resize(dense.len(), 0.0);
        let mut end = 0;
        for row in dense.chunks_exact(width) {
            for (block, values) in row.chunks(8).enumerate() {
                // NaN differs from zero, so it is kept and reaches the loss.
                if values.iter().all(|value| *value == 0.0) {
                    continue;
                }
                for (offset, value) in values.iter().enumerate() {
                    self.index[end] = (8 * block + offset) as u32;
                    self.value[end] = *value;
                    end += usize::from(*value != 0.0);
                }
            }
            self.starts.push(end);
        }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.index[range.clone()], &self.value[range])
    }

    /// Makes `out` the transpose of the given rows, whose entries count from the first of them; `width` is the number
    /// of columns of `self`.
    fn transpose_into(&self, rows: Range<usize>, width: usize, out: &mut SparseRows) {
        let entries = self.starts[rows.start]..self.starts[rows.end];
        out.starts.clear();
        out.starts.resize(width + 1, 0);
        out.index.resize(out.index.len().max(entries.len()), 0);
        out.value.resize(out.value.len().max(entries.len()), 0.0);
        // Counts shifted by one become starts; filling in moves each start to its end, which is the next one's start.
        for column in &self.index[entries] {
            out.starts[*column as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut out.starts[1..] {
            let count = *start;
            *start = total;
            total += count;
        }
        for row in rows.clone() {
            let (index, value) = self.row(row);
            for (column, value) in index.iter().zip(value) {
                let at = &mut out.starts[*column as usize + 1];
                out.index[*at] = (row - rows.start) as u32;
                out.value[*at] = *value;
                *at += 1;
            }
        }
    }
}

/// Sets each row of `out` (`[rows][width]`) to `bias + row · weights`, then to zero where negative if `relu`.
///
/// `weights` is `[inputs][width]`.
pub(crate) fn forward(rows: &SparseRows, weights: &[f32], bias: &[f32], relu: bool, out: &mut [f32]) {
    dispatch(Forward { rows, weights, bias, relu, out });
}

/// Adds `rowsᵀ · gradient` to `out` (`[inputs][width]`); `gradient` is `[rows][width]`.
///
/// The sum over rows runs in their order, so the result doesn't depend on anything but its arguments.
pub(crate) fn backward(rows: &SparseRows, gradient: &[f32], width: usize, scratch: &mut SparseRows, out: &mut [f32]) {
    /// Rows at a time: their gradients for one tile of columns stay in the first-level cache.
    const BLOCK: usize = 64;
    let inputs = out.len() / width;
    for start in (0..rows.len()).step_by(BLOCK) {
        let block = start..rows.len().min(start + BLOCK);
        rows.transpose_into(block.clone(), inputs, scratch);
        let gradient = &gradient[block.start * width..block.end * width];
        dispatch(Backward { columns: scratch, gradient, width, out });
    }
}

struct Forward<'a> {
    rows: &'a SparseRows,
    weights: &'a [f32],
    bias: &'a [f32],
    relu: bool,
    out: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.bias.len();
        for (row, out) in self.out.chunks_exact_mut(width).enumerate() {
            let (index, value) = self.rows.row(row);
            out.copy_from_slice(self.bias);
            for tile in tiles::<S>(width) {
                add_tile(simd, index, value, self.weights, width, tile, out);
            }
            if self.relu {
                // Written so that a NaN stays a NaN.
                out.iter_mut().for_each(|v| *v = if *v < 0.0 { 0.0 } else { *v });
            }
        }
    }
}

struct Backward<'a> {
    columns: &'a SparseRows,
    gradient: &'a [f32],
    width: usize,
    out: &'a mut [f32],
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for tile in tiles::<S>(self.width) {
            for (column, out) in self.out.chunks_exact_mut(self.width).enumerate() {
                let (index, value) = self.columns.row(column);
                if !index.is_empty() {
                    add_tile(simd, index, value, self.gradient, self.width, tile, out);
                }
            }
        }
    }
}

/// A range of columns: from `start`, `vectors` whole vectors, or single numbers where `vectors` is 0.
#[derive(Clone, Copy)]
struct Tile {
    start: usize,
    vectors: usize,
}

/// Cuts a row into tiles of eight, four, two and one vectors and single numbers for the rest.
#[inline(always)]
fn tiles<S: Simd>(width: usize) -> impl Iterator<Item = Tile> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let left = (width - start) / S::F32_LANES;
        let vectors = [8, 4, 2, 1].into_iter().find(|size| *size <= left).unwrap_or(0);
        let tile = Tile { start, vectors };
        if start == width {
            return None;
        }
        start = if vectors == 0 { width } else { start + vectors * S::F32_LANES };
        Some(tile)
    })
}

#[inline(always)]
fn add_tile<S: Simd>(simd: S, index: &[u32], value: &[f32], matrix: &[f32], width: usize, tile: Tile, out: &mut [f32]) {
    match tile.vectors {
        8 => add_vectors::<S, 8>(simd, index, value, matrix, width, tile.start, out),
        4 => add_vectors::<S, 4>(simd, index, value, matrix, width, tile.start, out),
        2 => add_vectors::<S, 2>(simd, index, value, matrix, width, tile.start, out),
        1 => add_vectors::<S, 1>(simd, index, value, matrix, width, tile.start, out),
        _ => {
            for (row, value) in index.iter().zip(value) {
                let row = &matrix[*row as usize * width..][..width];
                for (sum, number) in out[tile.start..].iter_mut().zip(&row[tile.start..]) {
                    *sum += value * number;
                }
            }
        }
    }
}

/// `out[start..] += Σ value · matrix[index][start..]` for `N` vectors, whose sums stay in registers.
#[inline(always)]
fn add_vectors<S: Simd, const N: usize>(
    simd: S,
    index: &[u32],
    value: &[f32],
    matrix: &[f32],
    width: usize,
    start: usize,
    out: &mut [f32],
) {
    let columns = start..start + N * S::F32_LANES;
    let (target, _) = S::as_mut_simd_f32s(&mut out[columns.clone()]);
    let target: &mut [S::f32s; N] = target.try_into().expect("the range holds exactly N vectors");
    let mut sums = *target;
    for (row, value) in index.iter().zip(value) {
        let scale = simd.splat_f32s(*value);
        let (numbers, _) = S::as_simd_f32s(&matrix[*row as usize * width..][columns.clone()]);
        let numbers: &[S::f32s; N] = numbers.try_into().expect("the range holds exactly N vectors");
        for (sum, numbers) in sums.iter_mut().zip(numbers) {
            *sum = simd.mul_add_e_f32s(scale, *numbers, *sum);
        }
    }
    *target = sums;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::normal::Normal;

    /// Rows with about a quarter of their entries set, among them whole rows and blocks of zeros.
    fn sparse_rows(rows: usize, width: usize, seed: u64) -> Vec<f32> {
        let mut normal = Normal::new(seed);
        let mut dense = vec![0.0; rows * width];
        for _ in 0..rows * width / 4 {
            let at = normal.below(dense.len());
            dense[at] = normal.sample() as f32;
        }
        dense[width..2 * width].fill(0.0);
        dense
    }

    #[test]
    fn both_directions_equal_the_dense_products_for_every_kind_of_width() {
        for (rows, inputs, width) in [(3, 5, 1), (70, 33, 80), (130, 198, 107), (65, 17, 256)] {
            let x = sparse_rows(rows, inputs, 9);
            let mut normal = Normal::new(2);
            let mut random = |n: usize| (0..n).map(|_| normal.sample() as f32).collect::<Vec<f32>>();
            let (weights, bias, gradient) = (random(inputs * width), random(width), random(rows * width));
            let mut sparse = SparseRows::default();
            // A second filling must leave nothing of the first behind.
            sparse.fill(&sparse_rows(rows + 1, inputs, 1), inputs);
            sparse.fill(&x, inputs);
            assert_eq!(sparse.len(), rows);
            let mut out = vec![0.0; rows * width];
            forward(&sparse, &weights, &bias, true, &mut out);
            let mut products = vec![1.0; inputs * width];
            backward(&sparse, &gradient, width, &mut SparseRows::default(), &mut products);
            for row in 0..rows {
                for column in 0..width {
                    let sum: f64 = (0..inputs)
                        .map(|i| f64::from(x[row * inputs + i]) * f64::from(weights[i * width + column]))
                        .sum();
                    let expected = (sum + f64::from(bias[column])).max(0.0);
                    let got = f64::from(out[row * width + column]);
                    assert!((got - expected).abs() < 1e-4, "{rows} {inputs} {width}: {got} against {expected}");
                }
            }
            for input in 0..inputs {
                for column in 0..width {
                    let sum: f64 = (0..rows)
                        .map(|r| f64::from(x[r * inputs + input]) * f64::from(gradient[r * width + column]))
                        .sum();
                    let got = f64::from(products[input * width + column]);
                    assert!((got - 1.0 - sum).abs() < 1e-4, "{rows} {inputs} {width}: {got} against 1 + {sum}");
                }
            }
        }
    }

    #[test]
    fn a_nan_among_the_inputs_is_not_lost() {
        let mut sparse = SparseRows::default();
        sparse.fill(&[0.0, f32::NAN, 0.0], 3);
        let mut out = [0.0];
        forward(&sparse, &[1.0, 1.0, 1.0], &[0.0], true, &mut out);
        assert!(out[0].is_nan());
    }
}
