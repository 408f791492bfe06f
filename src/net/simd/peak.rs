//! What one core can do at most, as the yardstick of the kernel's speed.

use super::{Backend, SimdLevel};
#[cfg(target_arch = "x86_64")]
use std::hint::black_box;

/// Runs `rounds` rounds of multiply-adds that wait for nothing but the arithmetic units, at this level, and returns
/// the number of floating-point operations done (a multiply-add counts as two). `None` if this processor lacks the
/// level, or for [`SimdLevel::Portable`], whose peak depends on what the compiler makes of it.
///
/// Divide by the time that it took to get the peak of the core.
#[must_use]
pub fn spin_multiply_adds(level: SimdLevel, rounds: u64) -> Option<u64> {
    let backend = Backend::new(level)?;
    let lanes: u64 = match backend.level() {
        SimdLevel::Portable => return None,
        SimdLevel::Avx2 => 8,
        SimdLevel::Avx512 => 16,
    };
    #[cfg(target_arch = "x86_64")]
    match backend.level() {
        SimdLevel::Portable => {}
        // SAFETY: a `Backend` of this level exists only if the processor has AVX2 and FMA.
        SimdLevel::Avx2 => drop_result(unsafe { super::avx2::spin(rounds) }),
        // SAFETY: a `Backend` of this level exists only if the processor has AVX-512F and VL, AVX2 and FMA.
        SimdLevel::Avx512 => drop_result(unsafe { super::avx512::spin(rounds) }),
    }
    Some(rounds * CHAINS as u64 * lanes * 2)
}

/// Keeps the compiler from seeing that nobody wants the result.
#[cfg(target_arch = "x86_64")]
fn drop_result(result: u32) {
    black_box(result);
}

/// Independent sums: more than latency (4 or 5 cycles) × multiply-adds per cycle (2), fewer than registers (16).
pub(super) const CHAINS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_for_the_levels_there_are() {
        assert_eq!(spin_multiply_adds(SimdLevel::Portable, 10), None);
        for (level, lanes) in [(SimdLevel::Avx2, 8), (SimdLevel::Avx512, 16)] {
            let expected = level.is_available().then_some(10 * 12 * lanes * 2);
            assert_eq!(spin_multiply_adds(level, 10), expected);
        }
    }
}
