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

/// Rows of which only the entries that differ from zero are listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsRef<'a> {
    /// For each row where its entries end; they start where those of the row before end.
    pub(crate) ends: &'a [usize],
    /// Column and value.
    pub(crate) entries: &'a [(u16, f32)],
}

impl<'a> RowsRef<'a> {
    fn start(self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends[row - 1] }
    }

    fn row(self, row: usize) -> &'a [(u16, f32)] {
        &self.entries[self.start(row)..self.ends[row]]
    }
}

/// Rows that own their entries. An allocation serves from one filling to the next.
#[derive(Debug, Default)]
pub(crate) struct SparseRows {
    ends: Vec<usize>,
    /// May be longer than the last of `ends`.
    entries: Vec<(u16, f32)>,
}

impl SparseRows {
    pub(crate) fn as_ref(&self) -> RowsRef<'_> {
        RowsRef { ends: &self.ends, entries: &self.entries }
    }

    /// Takes over dense rows of `width` numbers each, at most 65,536.
    pub(crate) fn fill(&mut self, dense: &[f32], width: usize) {
        self.ends.clear();
        self.entries.clear();
        for row in dense.chunks_exact(width) {
            // NaN differs from zero, so it is kept and reaches the loss.
            let set = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
            self.entries.extend(set.map(|(column, value)| (column as u16, *value)));
            self.ends.push(self.entries.len());
        }
    }

    /// Takes over the transpose of the given rows, whose entries count from the first of them; `width` is their number
    /// of columns.
    fn fill_transposed(&mut self, rows: RowsRef<'_>, range: Range<usize>, width: usize) {
        let entries = &rows.entries[rows.start(range.start)..rows.ends[range.end - 1]];
        self.entries.resize(self.entries.len().max(entries.len()), (0, 0.0));
        // Counts become starts; filling in moves each start to its end.
        self.ends.clear();
        self.ends.resize(width, 0);
        for (column, _) in entries {
            self.ends[usize::from(*column)] += 1;
        }
        let mut total = 0;
        for end in &mut self.ends {
            let count = *end;
            *end = total;
            total += count;
        }
        for row in range.clone() {
            for (column, value) in rows.row(row) {
                let at = &mut self.ends[usize::from(*column)];
                self.entries[*at] = ((row - range.start) as u16, *value);
                *at += 1;
            }
        }
    }
}

/// Sets each row of `out` (`[rows][width]`) to `bias + row · weights`, then to zero where negative if `relu`.
///
/// `weights` is `[inputs][width]`.
pub(crate) fn forward(rows: RowsRef<'_>, weights: &[f32], bias: &[f32], relu: bool, out: &mut [f32]) {
    dispatch(Forward { rows, weights, bias, relu, out });
}

/// Adds `rowsᵀ · gradient` to `out` (`[inputs][width]`); `gradient` is `[rows][width]`.
///
/// The sum over rows runs in their order, so the result doesn't depend on anything but its arguments.
pub(crate) fn backward(rows: RowsRef<'_>, gradient: &[f32], width: usize, scratch: &mut SparseRows, out: &mut [f32]) {
    /// Rows at a time: their gradients for one tile of columns stay in the first-level cache.
    const BLOCK: usize = 64;
    let inputs = out.len() / width;
    for start in (0..rows.ends.len()).step_by(BLOCK) {
        let block = start..rows.ends.len().min(start + BLOCK);
        scratch.fill_transposed(rows, block.clone(), inputs);
        let gradient = &gradient[block.start * width..block.end * width];
        dispatch(Backward { columns: scratch.as_ref(), gradient, width, out });
    }
}

struct Forward<'a> {
    rows: RowsRef<'a>,
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
            out.copy_from_slice(self.bias);
            for tile in tiles::<S>(width) {
                add_tile(simd, self.rows.row(row), self.weights, width, tile, out);
            }
            if self.relu {
                // Written so that a NaN stays a NaN.
                out.iter_mut().for_each(|v| *v = if *v < 0.0 { 0.0 } else { *v });
            }
        }
    }
}

struct Backward<'a> {
    columns: RowsRef<'a>,
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
                let entries = self.columns.row(column);
                if !entries.is_empty() {
                    add_tile(simd, entries, self.gradient, self.width, tile, out);
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

/// Most vectors in a tile: with a factor beside their sums, as many as sixteen registers hold with some to spare.
const MOST_VECTORS: usize = 12;

/// Cuts a row into as few tiles as possible, of nearly equal width, and single numbers for the rest.
#[inline(always)]
fn tiles<S: Simd>(width: usize) -> impl Iterator<Item = Tile> {
    let vectors = width / S::F32_LANES;
    let mut start = 0;
    std::iter::from_fn(move || {
        let left = vectors - (start / S::F32_LANES).min(vectors);
        if start == width {
            return None;
        }
        let tile = Tile { start, vectors: left.div_ceil(left.div_ceil(MOST_VECTORS).max(1)) };
        start = if left == 0 { width } else { start + tile.vectors * S::F32_LANES };
        Some(tile)
    })
}

#[inline(always)]
fn add_tile<S: Simd>(simd: S, entries: &[(u16, f32)], matrix: &[f32], width: usize, tile: Tile, out: &mut [f32]) {
    macro_rules! by_vectors {
        ($($count:literal)*) => {
            match tile.vectors {
                $($count => add_vectors::<S, $count>(simd, entries, matrix, width, tile.start, out),)*
                _ => add_numbers(entries, matrix, width, tile.start, out),
            }
        };
    }
    by_vectors!(1 2 3 4 5 6 7 8 9 10 11 12);
}

/// `out[start..] += Σ value · matrix[row][start..]` one by one.
#[inline(always)]
fn add_numbers(entries: &[(u16, f32)], matrix: &[f32], width: usize, start: usize, out: &mut [f32]) {
    for (row, value) in entries {
        let row = &matrix[usize::from(*row) * width..][..width];
        for (sum, number) in out[start..].iter_mut().zip(&row[start..]) {
            *sum += value * number;
        }
    }
}

/// `out[start..] += Σ value · matrix[row][start..]` for `N` vectors, whose sums stay in registers.
#[inline(always)]
fn add_vectors<S: Simd, const N: usize>(
    simd: S,
    entries: &[(u16, f32)],
    matrix: &[f32],
    width: usize,
    start: usize,
    out: &mut [f32],
) {
    let columns = start..start + N * S::F32_LANES;
    let (target, _) = S::as_mut_simd_f32s(&mut out[columns.clone()]);
    let target: &mut [S::f32s; N] = target.try_into().expect("the range holds exactly N vectors");
    let mut sums = *target;
    for (row, value) in entries {
        let scale = simd.splat_f32s(*value);
        let (numbers, _) = S::as_simd_f32s(&matrix[usize::from(*row) * width..][columns.clone()]);
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
            assert_eq!(sparse.ends.len(), rows);
            let mut out = vec![0.0; rows * width];
            forward(sparse.as_ref(), &weights, &bias, true, &mut out);
            let mut products = vec![1.0; inputs * width];
            backward(sparse.as_ref(), &gradient, width, &mut SparseRows::default(), &mut products);
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
        forward(sparse.as_ref(), &[1.0, 1.0, 1.0], &[0.0], true, &mut out);
        assert!(out[0].is_nan());
    }
}
