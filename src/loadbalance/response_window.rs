//! The responses of an invoker in the last 30 seconds.
//!
//! Six buckets of five seconds; each word carries the number of its five seconds, so that an old bucket is seen to be old
//! and is replaced by whoever writes first, without a lock.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// How long an invoker takes to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeanResponse {
    /// It was not asked in the last 30 seconds.
    Unknown,
    /// It was asked, and no call succeeded.
    Failing,
    /// The mean time of the calls that succeeded, in microseconds, at least 1.
    Micros(u64),
}

/// The buckets.
#[derive(Debug, Default)]
pub(crate) struct ResponseWindow {
    buckets: [Bucket; BUCKETS as usize],
}

#[derive(Debug, Default)]
struct Bucket {
    /// 20 bits of the number, 22 of failures, 22 of successes.
    counts: AtomicU64,
    /// 20 bits of the number, 44 of the successes' microseconds.
    sum: AtomicU64,
}

const BUCKETS: u64 = 6;
const BUCKET_MS: i64 = 5_000;
const TAG_BITS: u32 = 20;
const TAG: u64 = (1 << TAG_BITS) - 1;
const COUNT_BITS: u32 = 22;
const COUNT: u64 = (1 << COUNT_BITS) - 1;
const SUM_BITS: u32 = 64 - TAG_BITS;
const SUM: u64 = (1 << SUM_BITS) - 1;

/// The number of five seconds, from 1 on.
#[inline]
fn number(now_ms: i64) -> u64 {
    (now_ms.max(0) / BUCKET_MS) as u64 + 1
}

// === impl MeanResponse ===

impl MeanResponse {
    const FAILING: u64 = SUM;

    /// One word that holds the mean and its moment.
    pub(crate) fn pack(self, now_ms: i64) -> u64 {
        let value = match self {
            Self::Unknown => 0,
            Self::Failing => Self::FAILING,
            Self::Micros(micros) => micros.clamp(1, Self::FAILING - 1),
        };
        (number(now_ms) & TAG) << SUM_BITS | value
    }

    /// The mean in a word, if it is of this moment.
    #[inline]
    pub(crate) fn unpack(word: u64, now_ms: i64) -> Option<Self> {
        if word >> SUM_BITS != number(now_ms) & TAG {
            return None;
        }
        Some(match word & SUM {
            0 => Self::Unknown,
            Self::FAILING => Self::Failing,
            micros => Self::Micros(micros),
        })
    }
}

// === impl ResponseWindow ===

impl ResponseWindow {
    pub(crate) fn record(&self, now_ms: i64, elapsed_us: u64, succeeded: bool) {
        let number = number(now_ms);
        let Some(bucket) = self.buckets.get((number % BUCKETS) as usize) else { return };
        let tag = number & TAG;
        add(&bucket.counts, tag, |counts| match succeeded {
            true if counts & COUNT < COUNT => counts + 1,
            false if counts >> COUNT_BITS < COUNT => counts + (1 << COUNT_BITS),
            _ => counts,
        });
        if succeeded {
            add(&bucket.sum, tag, |sum| (sum + elapsed_us.min(SUM)).min(SUM));
        }
    }

    pub(crate) fn mean(&self, now_ms: i64) -> MeanResponse {
        let (successes, failures) = self.counts(now_ms);
        let sum: u64 = self.live(now_ms, |bucket| &bucket.sum).sum();
        match (sum.checked_div(successes), failures) {
            (Some(mean), _) => MeanResponse::Micros(mean.max(1)),
            (None, 0) => MeanResponse::Unknown,
            (None, _) => MeanResponse::Failing,
        }
    }

    pub(crate) fn success_share(&self, now_ms: i64) -> f64 {
        match self.counts(now_ms) {
            (0, 0) => 1.0,
            (successes, failures) => successes as f64 / (successes + failures) as f64,
        }
    }

    pub(crate) fn clear(&self) {
        for bucket in &self.buckets {
            bucket.counts.store(0, Relaxed);
            bucket.sum.store(0, Relaxed);
        }
    }

    fn counts(&self, now_ms: i64) -> (u64, u64) {
        let both = |(successes, failures), counts| (successes + (counts & COUNT), failures + (counts >> COUNT_BITS));
        self.live(now_ms, |bucket| &bucket.counts).fold((0, 0), both)
    }

    /// What stands in the words of those buckets that are not too old.
    fn live<'a>(&'a self, now_ms: i64, word: impl Fn(&Bucket) -> &AtomicU64 + 'a) -> impl Iterator<Item = u64> + 'a {
        let now = number(now_ms);
        self.buckets.iter().filter_map(move |bucket| {
            let word = word(bucket).load(Relaxed);
            let age = now.wrapping_sub(word >> SUM_BITS) & TAG;
            (age < BUCKETS).then_some(word & SUM)
        })
    }
}

/// Changes what is in a word of five seconds `tag`; begins at 0 if it is of others.
fn add(word: &AtomicU64, tag: u64, change: impl Fn(u64) -> u64) {
    let update = |old: u64| {
        let value = if old >> SUM_BITS == tag { old & SUM } else { 0 };
        Some(tag << SUM_BITS | change(value))
    };
    // The update always has an answer, so it cannot fail.
    let _ = word.fetch_update(Relaxed, Relaxed, update);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_600_000_000_000;

    #[test]
    fn only_the_last_30_seconds_count() {
        let window = ResponseWindow::default();
        assert_eq!(window.mean(NOW), MeanResponse::Unknown);
        window.record(NOW, 100_000, true);
        window.record(NOW + 20_000, 10_000, true);
        assert_eq!(window.mean(NOW + 20_000), MeanResponse::Micros(55_000));
        assert_eq!(window.mean(NOW + 31_000), MeanResponse::Micros(10_000));
        assert_eq!(window.mean(NOW + 51_000), MeanResponse::Unknown);
        window.record(NOW + 60_000, 7, true);
        assert_eq!(window.mean(NOW + 60_000), MeanResponse::Micros(7));
    }

    #[test]
    fn failures_have_no_time_but_are_known() {
        let window = ResponseWindow::default();
        window.record(NOW, 1, false);
        assert_eq!((window.mean(NOW), window.success_share(NOW)), (MeanResponse::Failing, 0.0));
        window.record(NOW, 30, true);
        assert_eq!((window.mean(NOW), window.success_share(NOW)), (MeanResponse::Micros(30), 0.5));
        assert_eq!(window.mean(NOW + 40_000), MeanResponse::Unknown);
    }

    #[test]
    fn counts_and_sums_stop_at_their_greatest() {
        let window = ResponseWindow::default();
        for _ in 0..3 {
            window.record(NOW, u64::MAX, true);
        }
        assert!(matches!(window.mean(NOW), MeanResponse::Micros(mean) if mean > 1 << 40));
        assert!(MeanResponse::unpack(MeanResponse::Micros(u64::MAX).pack(NOW), NOW).is_some());
    }
}
