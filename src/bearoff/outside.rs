//! How many rolls a side with a few checkers outside its home needs to bear off its first one.

use super::index::{POINTS, choose, index_of};
use super::one_sided::{Distributions, OneSided, Planner};
use crate::position::Checkers;
use crate::types::{NUM_CHECKERS, PointSet, Roll};
use std::cmp::Ordering;

/// Most checkers outside the home.
const MOST_OUTSIDE: usize = 3;

/// Points outside the home.
const OUTSIDE: usize = 18;

/// Ways in which up to three checkers can stand on them.
const NUM_STRAGGLERS: usize = choose(OUTSIDE + MOST_OUTSIDE, MOST_OUTSIDE);

/// Numbers of [`Home`]s.
const NUM_HOMES: usize = 2 << POINTS;

/// What is kept of the checkers at home: as in a [`PointSet`] the points that they occupy, and in the bit below whether the
/// rearmost has but one checker.
///
/// It, once moved, leaves that point empty; all others stay occupied when a checker moves on from them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Home(u8);

impl Home {
    const LONE_REAR: u8 = 1;

    fn all() -> impl Iterator<Item = Home> {
        (0..NUM_HOMES as u8).map(Home)
    }

    fn of(side: Checkers) -> Home {
        let home = Home((side.occupied().0 & PointSet::HOME.0) as u8);
        Home(if side.count(home.rear()) == 1 { home.0 | Home::LONE_REAR } else { home.0 })
    }

    fn points(self) -> PointSet {
        PointSet((self.0 & !Home::LONE_REAR).into())
    }

    /// The rearmost occupied point, 0 without any.
    fn rear(self) -> u8 {
        self.points().highest().unwrap_or(0)
    }

    fn has_lone_rear(self) -> bool {
        self.0 & Home::LONE_REAR != 0
    }

    /// With one more checker.
    fn with(self, point: u8) -> Home {
        let lone = match point.cmp(&self.rear()) {
            Ordering::Greater => Home::LONE_REAR,
            Ordering::Less => self.0 & Home::LONE_REAR,
            Ordering::Equal => 0,
        };
        Home(self.0 & !Home::LONE_REAR | 1 << point | lone)
    }

    /// A die bears a checker off, if all are at home.
    fn bears_off(self, die: u8) -> bool {
        self.points().contains(die) || self.rear() < die
    }

    /// What one die can make of it.
    fn moves(self, die: u8) -> impl Iterator<Item = Home> {
        self.points().filter(move |&from| from > die).map(move |from| {
            let leaves = self.has_lone_rear() && from == self.rear();
            let rest = if leaves { Home(self.0 & !(1 << from | Home::LONE_REAR)) } else { self };
            rest.with(from - die)
        })
    }

    /// The number of a side all at home with such points, as evenly filled as can be, more to the rear.
    fn example(self) -> usize {
        let lone = if self.has_lone_rear() { self.rear() } else { 0 };
        let mut counts = [0u8; 26];
        let mut others = self.points().filter(|&point| point != lone);
        others.clone().cycle().take(NUM_CHECKERS.into()).for_each(|point| counts[usize::from(point)] += 1);
        if lone > 0
            && let Some(giver) = others.next()
        {
            counts[usize::from(giver)] -= 1;
            counts[usize::from(lone)] = 1;
        }
        // No side occupies nothing, or one point alone with one checker; what is planned for them is never asked for.
        Checkers::from_counts(&counts).and_then(index_of).unwrap_or(0)
    }
}

/// The distribution of a side that has borne off a checker.
const DONE: usize = 0;

/// The number of the distribution for these checkers outside ([`number_of`]) and at home.
const fn state_of(stragglers: usize, home: Home) -> usize {
    1 + stragglers * NUM_HOMES + home.0 as usize
}

/// The checkers outside: how far each is from the 6 point, the nearest first; 0 for one that is at home.
type Stragglers = [u8; MOST_OUTSIDE];

/// The number of such checkers, below [`NUM_STRAGGLERS`]; any step makes it smaller.
fn number_of(stragglers: Stragglers) -> usize {
    (0..MOST_OUTSIDE).map(|i| choose(usize::from(stragglers[i]) + i, i + 1)).sum()
}

/// The number of a side's distribution in [`Outside`]; `None` unless it has all its checkers on the board, and one to three of
/// them outside its home.
pub(super) fn outside_index_of(side: Checkers) -> Option<usize> {
    if side.off() > 0 || side.bar() > 0 {
        return None;
    }
    let mut stragglers = [0; MOST_OUTSIDE];
    let mut free = MOST_OUTSIDE;
    for point in (POINTS as u8 + 1..=24).rev() {
        for _ in 0..side.count(point) {
            free = free.checked_sub(1)?;
            stragglers[free] = point - POINTS as u8;
        }
    }
    (free < MOST_OUTSIDE).then(|| state_of(number_of(stragglers), Home::of(side)))
}

/// Where some dice of a roll lead, whatever stands at home: the checkers still outside, the points at home where others
/// have landed (0 for none), and the dice left for the checkers at home, all equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    stragglers: usize,
    landed: [u8; MOST_OUTSIDE],
    die: u8,
    dice_left: usize,
}

/// Distributions for sides with one to three checkers outside, by these and by the [`Home`].
#[derive(Debug)]
pub(super) struct Outside {
    first: Distributions,
}

impl Outside {
    /// Computes them, from the sides whose checkers are nearest to their home.
    pub(super) fn new(one_sided: &OneSided) -> Outside {
        let mut planner = Planner::new();
        planner.settle(&[1.0]);
        for home in Home::all() {
            let chances: Vec<f64> = one_sided.first(home.example()).iter().map(|&chance| f64::from(chance)).collect();
            planner.settle(&chances);
        }
        let at_home = AtHome::new();
        for stragglers in all_stragglers().into_iter().skip(1) {
            let arrivals = Roll::ALL.map(|roll| arrivals_of(stragglers, roll));
            for home in Home::all() {
                for (roll, arrivals) in Roll::ALL.into_iter().zip(&arrivals) {
                    planner.add(roll, arrivals.iter().flat_map(|arrival| at_home.states_after(home, arrival)));
                }
                planner.finish();
            }
        }
        Outside { first: planner.done }
    }

    /// Distribution of the number of rolls until the first checker is off, by [`outside_index_of`].
    pub(super) fn first(&self, index: usize) -> &[f32] {
        self.first.get(index)
    }
}

/// All of them, in the order of their numbers.
fn all_stragglers() -> Vec<Stragglers> {
    let mut all = Vec::with_capacity(NUM_STRAGGLERS);
    for c in 0..=OUTSIDE as u8 {
        for b in 0..=c {
            all.extend((0..=b).map(|a| [a, b, c]));
        }
    }
    all
}

/// All that a roll can do with the checkers outside.
fn arrivals_of(stragglers: Stragglers, roll: Roll) -> Vec<Arrival> {
    let (high, low) = (roll.high(), roll.low());
    let mut arrivals = Vec::new();
    if roll.is_double() {
        arrive(stragglers, [0; MOST_OUTSIDE], &[high; 4], &mut arrivals);
    } else {
        arrive(stragglers, [0; MOST_OUTSIDE], &[high, low], &mut arrivals);
        arrive(stragglers, [0; MOST_OUTSIDE], &[low, high], &mut arrivals);
    }
    // A play that moves nothing outside is never better than all others.
    let unmoved = number_of(stragglers);
    arrivals.retain(|arrival| arrival.stragglers != unmoved);
    arrivals.sort_unstable();
    arrivals.dedup();
    arrivals
}

/// All that the first of the dice, in this order, can do with the checkers outside.
fn arrive(stragglers: Stragglers, landed: [u8; MOST_OUTSIDE], dice: &[u8], arrivals: &mut Vec<Arrival>) {
    let die = dice.first().copied().unwrap_or(0);
    if dice.iter().all(|&other| other == die) {
        arrivals.push(Arrival { stragglers: number_of(stragglers), landed, die, dice_left: dice.len() });
    }
    let Some(rest) = dice.get(1..) else { return };
    for i in 0..MOST_OUTSIDE {
        let distance = stragglers[i];
        if distance == 0 || i > 0 && distance == stragglers[i - 1] {
            continue;
        }
        let (mut after, mut landed) = (stragglers, landed);
        after[i] = distance.saturating_sub(die);
        if distance <= die {
            // The smallest is 0: more can't have landed than were outside.
            landed[0] = POINTS as u8 + distance - die;
            landed.sort_unstable();
        }
        after.sort_unstable();
        arrive(after, landed, rest, arrivals);
    }
}

/// What equal dice can do at home.
struct After {
    /// If nothing is outside, a checker goes off.
    bears_off: bool,
    /// What can stand there afterwards.
    homes: Vec<Home>,
}

/// What up to four equal dice can do at home, by die, number of dice and [`Home`].
struct AtHome(Vec<After>);

impl AtHome {
    const MOST_DICE: usize = 4;

    fn new() -> AtHome {
        let mut at_home = AtHome(Vec::new());
        for die in 0..=POINTS as u8 {
            for dice in 0..=AtHome::MOST_DICE {
                let all: Vec<After> = Home::all().map(|home| at_home.next(home, die, dice)).collect();
                at_home.0.extend(all);
            }
        }
        at_home
    }

    fn after(&self, home: Home, die: u8, dice: usize) -> &After {
        &self.0[(usize::from(die) * (AtHome::MOST_DICE + 1) + dice) * NUM_HOMES + usize::from(home.0)]
    }

    /// The same, from what one die less can do.
    fn next(&self, home: Home, die: u8, dice: usize) -> After {
        if die == 0 || dice == 0 {
            return After { bears_off: false, homes: vec![home] };
        }
        let mut after = After { bears_off: home.bears_off(die), homes: Vec::new() };
        for moved in home.moves(die) {
            let rest = self.after(moved, die, dice - 1);
            after.bears_off |= rest.bears_off;
            after.homes.extend(&rest.homes);
        }
        after.homes.sort_unstable();
        after.homes.dedup();
        after
    }

    /// Numbers of the distributions that an arrival and the dice it leaves can lead to.
    fn states_after(&self, home: Home, arrival: &Arrival) -> impl Iterator<Item = usize> {
        let arrived = arrival.landed.iter().filter(|&&point| point > 0).fold(home, |home, &point| home.with(point));
        let after = self.after(arrived, arrival.die, arrival.dice_left);
        let off = arrival.stragglers == 0 && after.bears_off;
        let homes = if off { &[] } else { &after.homes[..] };
        off.then_some(DONE).into_iter().chain(homes.iter().map(|&home| state_of(arrival.stragglers, home)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkers_outside_are_listed_in_the_order_of_their_numbers() {
        let all = all_stragglers();
        assert_eq!(all.len(), NUM_STRAGGLERS);
        assert!(all.into_iter().map(number_of).eq(0..NUM_STRAGGLERS));
    }
}
