//! `shortestresponse`: smallest mean response time × (calls in flight + 1).

use crate::loadbalance::BalanceCall;
use crate::loadbalance::Candidates;
use crate::loadbalance::LoadBalance;
use crate::loadbalance::MeanResponse;
use crate::loadbalance::least::least;

/// Picks the candidate that is expected to answer first: the mean of its answers in the last 30 seconds, times the calls
/// in flight and this one; ties by weight.
///
/// As `ShortestResponseLoadBalance`, but for those of which nothing is known: there a candidate that was never asked, or
/// never answered, has a mean of 0 and gets every call. Here one that was not asked in 30 seconds counts like the fastest
/// (so it shares the calls with that until it has answered), and one whose calls all failed stands behind all others.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShortestResponse;

impl ShortestResponse {
    /// The policy's name.
    pub const NAME: &str = "shortestresponse";
    /// More than any time; what is above tells the failing apart.
    const FAILING: u64 = 1 << 63;

    /// The mean of the fastest, in microseconds; 1 where nobody has answered.
    fn fastest(candidates: &Candidates<'_>, now_ms: i64) -> u64 {
        let mut cursor = candidates.states.cursor();
        let means = candidates.table.ids().iter().filter_map(|id| {
            let (chunk, at) = cursor.find(*id);
            match chunk.mean(at, now_ms) {
                MeanResponse::Micros(micros) => Some(micros),
                _ => None,
            }
        });
        means.min().unwrap_or(1)
    }
}

impl LoadBalance for ShortestResponse {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn pick(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize> {
        let fastest = Self::fastest(candidates, call.now_ms);
        least(candidates, call, |chunk, at| {
            let calls = chunk.active(at) + 1;
            match chunk.mean(at, call.now_ms) {
                MeanResponse::Micros(micros) => micros.saturating_mul(calls).min(Self::FAILING - 1),
                MeanResponse::Unknown => fastest.saturating_mul(calls).min(Self::FAILING - 1),
                MeanResponse::Failing => Self::FAILING + calls,
            }
        })
    }
}
