//! A buffer of floats that starts on a cache line.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const ALIGNMENT: usize = 64;

/// Floats that start at a multiple of 64 bytes, so that no vector load straddles two cache lines.
/// Nothing relies on the alignment but speed.
#[derive(Debug, Default)]
pub struct AlignedBuf {
    data: Vec<f32>,
    start: usize,
    len: usize,
}

impl AlignedBuf {
    /// `len` zeros.
    #[must_use]
    pub fn zeroed(len: usize) -> Self {
        let spare = ALIGNMENT / size_of::<f32>() - 1;
        let data = vec![0.0; len + spare];
        // `align_offset` may give up with `usize::MAX`; an unaligned buffer is then only slower.
        let start = data.as_ptr().align_offset(ALIGNMENT).min(spare);
        Self { data, start, len }
    }

    /// Makes room for at least `len` floats; the contents are then undefined. Never shrinks.
    pub fn grow(&mut self, len: usize) {
        if self.len < len {
            *self = Self::zeroed(len);
        }
    }
}

impl Deref for AlignedBuf {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.data[self.start..self.start + self.len]
    }
}

impl DerefMut for AlignedBuf {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.data[self.start..self.start + self.len]
    }
}

impl Clone for AlignedBuf {
    fn clone(&self) -> Self {
        let mut copy = Self::zeroed(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl From<&[f32]> for AlignedBuf {
    fn from(values: &[f32]) -> Self {
        let mut copy = Self::zeroed(values.len());
        copy.copy_from_slice(values);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_start_on_a_cache_line_also_after_a_clone() {
        for len in [0, 1, 17, 1000] {
            let mut buffer = AlignedBuf::zeroed(len);
            buffer.iter_mut().zip(0u16..).for_each(|(x, i)| *x = f32::from(i));
            let copy = buffer.clone();
            assert_eq!(copy[..], buffer[..]);
            for b in [&buffer, &copy] {
                assert_eq!(b.as_ptr() as usize % ALIGNMENT, 0);
                assert_eq!(b.len(), len);
            }
        }
    }

    #[test]
    fn growing_never_shrinks() {
        let mut buffer = AlignedBuf::default();
        buffer.grow(10);
        buffer.grow(4);
        assert_eq!(buffer.len(), 10);
    }
}
