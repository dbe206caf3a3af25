//! Random numbers of one call, from its seed.

use crate::router::mix;

/// A row of random numbers; the same seed gives the same row. It is another one than the chain's draws of the same call.
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    base: u64,
    turn: u64,
}

// === impl Dice ===

impl Dice {
    /// What sets these numbers apart from those that routers draw.
    const SALT: u64 = 0x6c6f_6164_2062_616c;

    pub(crate) fn of(seed: u64) -> Self {
        Self { base: mix(seed ^ Self::SALT), turn: 0 }
    }

    /// 64 random bits.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.turn += 1;
        mix(self.base.wrapping_add(self.turn))
    }

    /// A number below `bound`; 0 where that is 0.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}
