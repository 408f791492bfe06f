//! Positions that have been evaluated, shared by all threads without locks.

use crate::eval::Outcomes;
use crate::position::Position;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of an entry: the chances in three, and a word that is the position's hash xored with them. An entry torn by
/// two threads writing at once fails that check and counts as absent.
const WORDS: usize = 4;

/// A table of chances by position; where two positions want the same place, the later one has it.
///
/// Positions are told apart by a 64-bit hash: two of a thousand million different ones collide with a chance of 3 %, and
/// must then also meet in the table.
#[derive(Debug)]
pub(super) struct Cache {
    /// Empty until it is needed.
    entries: std::sync::OnceLock<Vec<AtomicU64>>,
    /// Number of entries, a power of two.
    size: usize,
}

impl Cache {
    pub(super) fn new(size: usize) -> Cache {
        Cache { entries: std::sync::OnceLock::new(), size: size.max(1).next_power_of_two() }
    }

    fn entry(&self, hash: u64) -> &[AtomicU64] {
        let all = self.entries.get_or_init(|| (0..self.size * WORDS).map(|_| AtomicU64::new(0)).collect());
        &all[(hash as usize & (self.size - 1)) * WORDS..][..WORDS]
    }

    /// The chances stored for the position with this hash.
    pub(super) fn get(&self, hash: u64) -> Option<Outcomes> {
        let entry = self.entry(hash);
        let words: [u64; WORDS] = std::array::from_fn(|i| entry[i].load(Ordering::Relaxed));
        let [a, b, c, check] = words;
        // An entry never written is all 0, and the hash never is.
        (a ^ b ^ c ^ check == hash).then(|| unpack([a, b, c]))
    }

    pub(super) fn put(&self, hash: u64, outcomes: &Outcomes) {
        let [a, b, c] = pack(outcomes);
        for (place, word) in self.entry(hash).iter().zip([a, b, c, a ^ b ^ c ^ hash]) {
            place.store(word, Ordering::Relaxed);
        }
    }
}

fn pack(outcomes: &Outcomes) -> [u64; 3] {
    std::array::from_fn(|i| u64::from(outcomes[2 * i].to_bits()) | u64::from(outcomes[2 * i + 1].to_bits()) << 32)
}

fn unpack(words: [u64; 3]) -> Outcomes {
    std::array::from_fn(|i| f32::from_bits((words[i / 2] >> (32 * (i % 2))) as u32))
}

/// A 64-bit hash of a position, never 0.
#[inline]
pub(super) fn hash(position: Position) -> u64 {
    // Each word is multiplied by a large odd constant and folded; the constants are digits of √2, √3, √5 and √7.
    let words =
        [position.us.0 as u64, (position.us.0 >> 64) as u64, position.them.0 as u64, (position.them.0 >> 64) as u64];
    let odd = [0x6A09_E667_F3BC_C909, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1];
    let mut hash = 0x510E_527F_ADE6_82D1u64;
    for (word, odd) in words.into_iter().zip(odd) {
        let product = u128::from(hash ^ word) * u128::from(odd | 1u64);
        hash = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(29);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash ^ hash >> 29).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;
    use crate::rules::Rules;
    use crate::types::Roll;
    use std::collections::HashMap;

    #[test]
    fn what_was_put_is_found_until_it_is_overwritten() {
        let cache = Cache::new(3);
        assert_eq!(cache.size, 4);
        let outcomes = [0.1, 0.2, 0.3, 0.15, 0.05, 0.2];
        assert_eq!(cache.get(5), None);
        cache.put(5, &outcomes);
        assert_eq!(cache.get(5), Some(outcomes));
        assert_eq!(cache.get(9), None);
        cache.put(9, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((cache.get(5), cache.get(9)), (None, Some([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])));
    }

    #[test]
    fn positions_two_rolls_from_the_start_have_different_hashes_spread_evenly() {
        let mut seen = HashMap::new();
        for first in Roll::ALL {
            for &one in legal_plays(Position::SHORT_START, first, &Rules::SHORT).positions() {
                for second in [Roll::ALL[0], Roll::ALL[13]] {
                    for &two in legal_plays(one.swapped(), second, &Rules::SHORT).positions() {
                        assert_eq!(*seen.entry(hash(two)).or_insert(two), two);
                    }
                }
            }
        }
        let mut places = [0.0f64; 1024];
        seen.keys().for_each(|hash| places[(hash & 1023) as usize] += 1.0);
        let mean = seen.len() as f64 / 1024.0;
        // 1023 degrees of freedom: mean 1023, standard deviation 45.
        let chi_square: f64 = places.iter().map(|n| (n - mean).powi(2) / mean).sum();
        assert!(seen.len() > 10_000 && (800.0..1250.0).contains(&chi_square), "{} {chi_square}", seen.len());
    }
}
