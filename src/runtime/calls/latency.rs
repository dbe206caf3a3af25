//! How long calls took.

use serde::Serialize;

/// How long calls took, in microseconds: the time that so many of a hundred did not exceed, and the longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LatencySummary {
    /// Half of them.
    pub p50_us: u64,
    /// 90 of 100.
    pub p90_us: u64,
    /// 99 of 100.
    pub p99_us: u64,
    /// All of them.
    pub max_us: u64,
}

// === impl LatencySummary ===

impl LatencySummary {
    /// The summary of `times`, in microseconds; zeros of none.
    #[must_use]
    pub fn of(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        // The nearest rank: a time that was measured, never one between two.
        let at = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().unwrap_or_default()
        };
        Self { p50_us: at(50), p90_us: at(90), p99_us: at(99), max_us: at(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_time_that_was_measured() {
        for (times, expected) in [
            (vec![], [0, 0, 0, 0]),
            (vec![7], [7, 7, 7, 7]),
            ((1..=100).rev().collect(), [50, 90, 99, 100]),
            (vec![10, 20, 30], [20, 30, 30, 30]),
        ] {
            let LatencySummary { p50_us, p90_us, p99_us, max_us } = LatencySummary::of(times);
            assert_eq!([p50_us, p90_us, p99_us, max_us], expected);
        }
    }
}
