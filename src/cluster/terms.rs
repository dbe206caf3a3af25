//! What a provider's URL and the consumer's say of calls to it, worked out once.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::rpc::FilterMask;

/// How an attempt at one provider is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    /// How long it may take, in milliseconds; never 0.
    pub(super) timeout_ms: u32,
    /// Who is asked about it.
    pub(super) filters: FilterMask,
}

/// Terms by position. PERF: otherwise each call reads two URLs (`cluster/failover`).
#[derive(Debug)]
pub(super) struct TermsTable {
    /// The timeout above, the mask below; 0 where nobody has asked yet.
    places: Box<[AtomicU64]>,
}

// === impl Terms ===

impl Terms {
    pub(super) fn timeout(self) -> Duration {
        Duration::from_millis(self.timeout_ms.into())
    }
}

// === impl TermsTable ===

impl TermsTable {
    /// A table of so many providers, of which nothing is known.
    pub(super) fn new(length: usize) -> Self {
        Self { places: (0..length).map(|_| AtomicU64::new(0)).collect() }
    }

    /// The terms of the provider at `position`; made if nobody has asked yet.
    #[inline]
    pub(super) fn get(&self, position: usize, make: impl FnOnce() -> Terms) -> Terms {
        let place = self.places.get(position);
        match place.map_or(0, |place| place.load(Relaxed)) {
            0 => {
                let terms = make();
                if let Some(place) = place {
                    place.store(u64::from(terms.timeout_ms) << 32 | u64::from(terms.filters.bits()), Relaxed);
                }
                terms
            }
            known => Terms { timeout_ms: (known >> 32) as u32, filters: FilterMask::from_bits(known as u32) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_made_once_for_each_place() {
        let table = TermsTable::new(1);
        let terms = Terms { timeout_ms: u32::MAX, filters: FilterMask::from_bits(0b101) };
        assert_eq!(table.get(0, || terms), terms);
        assert_eq!(table.get(0, || unreachable!("it is known")), terms);
        let other = Terms { timeout_ms: 1, filters: FilterMask::ALL };
        assert_eq!((table.get(7, || other), table.get(7, || terms)), (other, terms), "beyond the list nothing is kept");
    }
}
