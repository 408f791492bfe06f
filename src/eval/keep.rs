//! Which of several plays are worth a closer look.

/// Which of several sorted plays are kept: at most `most`, none that loses more than `within` against the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keep {
    /// Most plays kept; at least the best one always is.
    pub most: usize,
    /// Most points of equity that a kept play may lose against the best one.
    pub within: f32,
}

impl Keep {
    /// How many of these equities, best first, are kept.
    pub(crate) fn count(self, equities: impl Iterator<Item = f32>) -> usize {
        let mut best = None;
        equities.take(self.most.max(1)).take_while(|&e| *best.get_or_insert(e) - e <= self.within).count()
    }

    /// Leaves of these plays, equity and number each, those that are kept: the best first, of equals the one with the lower
    /// number, so that the order is the same on every run.
    pub(crate) fn select(self, plays: &mut Vec<(f32, u32)>) {
        let best_first = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let most = self.most.max(1);
        if plays.len() > most {
            plays.select_nth_unstable_by(most - 1, best_first);
            plays.truncate(most);
        }
        plays.sort_unstable_by(best_first);
        plays.truncate(self.count(plays.iter().map(|play| play.0)).max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_play_is_always_kept_and_others_within_both_limits() {
        let keep = Keep { most: 3, within: 0.1 };
        assert_eq!(keep.count([0.5, 0.45, 0.41, 0.4].into_iter()), 3);
        assert_eq!(keep.count([0.5, 0.45, 0.3, 0.2].into_iter()), 2);
        assert_eq!(Keep { most: 0, within: -1.0 }.count([0.5, 0.5].into_iter()), 0);
        assert_eq!(Keep { most: 0, within: 0.0 }.count([0.5, 0.5].into_iter()), 1);
    }

    #[test]
    fn kept_plays_are_sorted_and_equals_come_by_number() {
        let kept = |most, within| {
            let mut plays = vec![(0.2, 0), (0.5, 1), (0.45, 2), (0.5, 3), (-0.1, 4)];
            Keep { most, within }.select(&mut plays);
            plays.iter().map(|play| play.1).collect::<Vec<_>>()
        };
        assert_eq!(kept(9, f32::INFINITY), [1, 3, 2, 0, 4]);
        assert_eq!(kept(9, 0.1), [1, 3, 2]);
        assert_eq!(kept(2, 0.1), [1, 3]);
        assert_eq!(kept(0, -1.0), [1]);
    }
}
