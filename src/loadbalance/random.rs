//! `random`: each candidate with the share of its weight.

use crate::loadbalance::BalanceCall;
use crate::loadbalance::Candidates;
use crate::loadbalance::LoadBalance;

/// Draws a candidate by weight; equal shares where all weights are equal or 0. The default.
///
/// As `RandomLoadBalance`, with a table in place of its scan.
#[derive(Debug, Clone, Copy, Default)]
pub struct Random;

impl Random {
    /// The policy's name.
    pub const NAME: &str = "random";
}

impl LoadBalance for Random {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn pick(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize> {
        candidates.draw_by_weight(call)
    }
}
