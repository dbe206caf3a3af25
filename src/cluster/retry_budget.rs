//! How many retries there may be, so that retries do not bring down what is left of a service.

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

/// Calls pay in, retries take out. A share of 0.2 allows one retry for every five calls, and a few at once.
#[derive(Debug)]
pub struct RetryBudget {
    /// In thousandths of a retry.
    saved: AtomicI64,
}

/// A retry.
const RETRY: i64 = 1_000;
/// So many retries may be saved up; and there are so many at the start.
const MOST: i64 = 10 * RETRY;

// === impl RetryBudget ===

impl RetryBudget {
    /// A call begins, that pays for `share` of a retry.
    pub fn pay_in(&self, share: f64) {
        let thousandths = (share * 1_000.0).clamp(0.0, MOST as f64) as i64;
        // Nobody has to see a whole sum: a race loses or gains a thousandth.
        let saved = self.saved.load(Relaxed);
        self.saved.store((saved + thousandths).min(MOST), Relaxed);
    }

    /// Takes a retry out; whether there was one.
    pub fn take_out(&self) -> bool {
        self.saved.try_update(Relaxed, Relaxed, |saved| (saved >= RETRY).then(|| saved - RETRY)).is_ok()
    }
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self { saved: AtomicI64::new(MOST) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_are_a_share_of_calls_after_the_first_few() {
        let budget = RetryBudget::default();
        assert_eq!((0..100).filter(|_| budget.take_out()).count(), 10);
        let mut retries = 0;
        for _ in 0..1_000 {
            budget.pay_in(0.2);
            retries += usize::from(budget.take_out());
        }
        assert_eq!(retries, 200);
    }
}
