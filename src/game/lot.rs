//! Choices by lot that are not dice: the same on every platform, whatever the version of `rand`.

use rand::Rng;

/// A number from 0 up to but not `n`, which is at most 2^32. One output is taken from `random`; numbers are
/// equally likely up to one part in 2^32 / `n`.
pub(crate) fn below(random: &mut impl Rng, n: u64) -> u64 {
    (u64::from(random.next_u32()) * n) >> 32
}

/// Moves `count` of the items, drawn by lot, to the front; their order is random, too.
#[cfg(feature = "cli")]
pub(crate) fn draw_to_front<T>(items: &mut [T], count: usize, random: &mut impl Rng) {
    for i in 0..count.min(items.len()) {
        let left = (items.len() - i) as u64;
        items.swap(i, i + below(random, left) as usize);
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn every_ordered_choice_is_equally_likely_and_nothing_is_lost() {
        const DRAWS: u32 = 60_000;
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..DRAWS {
            let mut items = [0, 1, 2, 3];
            draw_to_front(&mut items, 2, &mut random);
            let mut all = items;
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3]);
            *counts.entry([items[0], items[1]]).or_insert(0u32) += 1;
        }
        // 12 ordered pairs, 5,000 each; a standard deviation is 68.
        assert_eq!(counts.len(), 12);
        assert!(counts.values().all(|count| count.abs_diff(DRAWS / 12) < 5 * 68), "{counts:?}");
    }

    #[test]
    fn more_than_there_are_is_all_of_them() {
        let mut items = [1, 2, 3];
        draw_to_front(&mut items, 10, &mut ChaCha8Rng::seed_from_u64(1));
        items.sort_unstable();
        assert_eq!(items, [1, 2, 3]);
        draw_to_front(&mut [0u8; 0], 1, &mut ChaCha8Rng::seed_from_u64(1));
    }
}
