//! Who can be reached: what `isAvailable()` of a rule asks.

use std::fmt;

use crate::router::Clock;
use crate::router::mix;

/// Who of one list can be reached now.
pub trait Availability: Send + Sync + fmt::Debug {
    /// A number that two states share only if the same providers can be reached: 0 while all of them can.
    fn mark(&self) -> u64;

    /// The positions of those that cannot be reached, in order.
    fn unavailable(&self) -> Vec<u32>;
}

/// Everybody can be reached.
#[derive(Debug, Clone, Copy, Default)]
pub struct Everybody;

/// A state that was looked at before, of which the number is left.
#[derive(Debug, Clone, Copy)]
pub struct FixedMark(pub u64);

/// What is around a call and no part of it: the time, and who can be reached.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The host's clock.
    pub clock: &'a dyn Clock,
    /// Who of the list can be reached.
    pub availability: &'a dyn Availability,
}

/// The number of a state, from the positions that cannot be reached.
#[must_use]
pub fn availability_mark(unavailable: &[u32]) -> u64 {
    unavailable.iter().fold(0, |mark, position| mix(mark ^ mix(u64::from(*position) + 1)))
}

// === impl Surroundings ===

impl<'a> Surroundings<'a> {
    /// The time by `clock`, while everybody can be reached.
    #[must_use]
    pub fn at(clock: &'a dyn Clock) -> Self {
        Self { clock, availability: &Everybody }
    }
}

impl Availability for Everybody {
    fn mark(&self) -> u64 {
        0
    }

    fn unavailable(&self) -> Vec<u32> {
        Vec::new()
    }
}

/// Knows nobody by name.
impl Availability for FixedMark {
    fn mark(&self) -> u64 {
        self.0
    }

    fn unavailable(&self) -> Vec<u32> {
        Vec::new()
    }
}

/// The positions that cannot be reached, in order.
impl Availability for Vec<u32> {
    fn mark(&self) -> u64 {
        availability_mark(self)
    }

    fn unavailable(&self) -> Vec<u32> {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_numbers_of_their_own() {
        let states: [&[u32]; 6] = [&[], &[0], &[1], &[0, 1], &[0, 1, 2], &[u32::MAX]];
        let mut marks = states.map(availability_mark).to_vec();
        assert_eq!(marks[0], 0);
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(marks.len(), states.len());
    }
}
