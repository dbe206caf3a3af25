//! The memory that all memos of an engine may take together.
//!
//! A quarter is set aside for the first [`SHARES`] sessions that are open at a time, so that no session can be starved
//! by others which remember much and then idle. The rest goes to whoever comes first.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use crate::chain::Memo;
use crate::chain::Walk;

/// How many sessions have a share of their own.
const SHARES: usize = 32;

/// Bytes that memos may take, and take. Written when something is remembered, never on a hit.
#[derive(Debug)]
pub(crate) struct MemoBudget {
    limit: usize,
    used: AtomicUsize,
}

/// The part of the budget that is a session's.
#[derive(Debug)]
pub(crate) struct Holding {
    /// Bytes that nobody else can take.
    share: usize,
    /// Bytes that the session's memos take.
    held: usize,
}

// === impl MemoBudget ===

impl MemoBudget {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0) }
    }

    /// Whether anything may be remembered at all.
    pub(crate) fn is_on(&self) -> bool {
        self.limit > 0
    }

    /// The bytes that all memos take.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// What the session that is the `number`-th open one, counted from 0, begins with.
    pub(crate) fn holding(&self, number: usize) -> Holding {
        Holding { share: if number < SHARES { self.limit / 4 / SHARES } else { 0 }, held: 0 }
    }

    /// Takes `cost` bytes from what is common to all; says whether they could be had.
    fn reserve(&self, cost: usize) -> bool {
        let common = self.limit - self.limit / 4;
        let take = |used: usize| used.checked_add(cost).filter(|used| *used <= common);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

// === impl Holding ===

impl Holding {
    /// Remembers what a walk came to, if the bytes for it can be had. Where they cannot, `memo` begins anew.
    pub(crate) fn keep(&mut self, budget: &MemoBudget, memo: &mut Memo, key: &[u8], walk: &Walk) {
        let cost = memo.cost(key.len(), walk);
        if !self.reserve(budget, cost) {
            // What would not fit in place of all that is here is not worth forgetting it for.
            if cost > memo.bytes() {
                return;
            }
            self.give_back(budget, memo.bytes());
            memo.clear();
            if !self.reserve(budget, cost) {
                return;
            }
        }
        let before = memo.bytes();
        memo.insert(key, walk);
        // The cost is that of a new key; under a known one an outcome takes less.
        self.give_back(budget, cost.saturating_sub(memo.bytes() - before));
    }

    pub(crate) fn give_back(&mut self, budget: &MemoBudget, bytes: usize) {
        self.held -= bytes;
        budget.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn give_back_all(&mut self, budget: &MemoBudget) {
        self.give_back(budget, self.held);
    }

    fn reserve(&mut self, budget: &MemoBudget, cost: usize) -> bool {
        if self.held + cost <= self.share {
            budget.used.fetch_add(cost, Ordering::Relaxed);
        } else if !budget.reserve(cost) {
            return false;
        }
        self.held += cost;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_its_share_when_all_else_is_taken() {
        let budget = MemoBudget::new(12_800);
        let (mut greedy, mut late, mut too_many) = (budget.holding(0), budget.holding(1), budget.holding(SHARES));
        assert!(greedy.reserve(&budget, 9_600));
        assert!(!late.reserve(&budget, 101));
        assert!(late.reserve(&budget, 100) && !late.reserve(&budget, 1));
        assert!(!too_many.reserve(&budget, 1));
        greedy.give_back_all(&budget);
        late.give_back_all(&budget);
        assert_eq!(budget.used(), 0);
    }
}
