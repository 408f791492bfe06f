//! Sets of points as bitboards.

/// A set of points of one side's numbering: bit `p` stands for point `p` (0 = off, 25 = bar).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PointSet(pub u32);

impl PointSet {
    /// Points 1 to 24.
    pub const BOARD: PointSet = PointSet(0x01FF_FFFE);
    /// Points 1 to 6, the side's own home.
    pub const HOME: PointSet = PointSet(0x7E);

    /// The point is in the set.
    pub const fn contains(self, point: u8) -> bool {
        self.0 >> point & 1 != 0
    }

    /// The set has no point.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of points in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The highest point, if any.
    pub const fn highest(self) -> Option<u8> {
        if self.0 == 0 { None } else { Some(31 - self.0.leading_zeros() as u8) }
    }

    /// The lowest point, if any.
    pub const fn lowest(self) -> Option<u8> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as u8) }
    }
}

impl FromIterator<u8> for PointSet {
    fn from_iter<I: IntoIterator<Item = u8>>(points: I) -> PointSet {
        PointSet(points.into_iter().fold(0, |set, point| set | 1 << point))
    }
}

impl Iterator for PointSet {
    type Item = u8;

    /// Takes the highest point out of the set: points come in the order in which checkers travel.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        let point = self.highest()?;
        self.0 ^= 1 << point;
        Some(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_in_descending_order() {
        let set = PointSet(1 << 24 | 1 << 6 | 1 << 1);
        assert_eq!(set.collect::<Vec<_>>(), [24, 6, 1]);
        assert_eq!((set.highest(), set.lowest(), set.len()), (Some(24), Some(1), 3));
        assert_eq!(PointSet(0).highest(), None);
    }
}
