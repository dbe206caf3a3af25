//! `leastactive`: fewest calls in flight.

use crate::loadbalance::BalanceCall;
use crate::loadbalance::Candidates;
use crate::loadbalance::LoadBalance;
use crate::loadbalance::least::least;

/// Picks the candidate with the fewest calls in flight; ties by weight.
///
/// Calls are counted by whoever makes them, without a setting ([`InvokerStates::begin`]), and all methods of an invoker
/// count. Calls one after another find everybody idle, so they spread by weight.
///
/// [`InvokerStates::begin`]: crate::loadbalance::InvokerStates::begin
#[derive(Debug, Clone, Copy, Default)]
pub struct LeastActive;

impl LeastActive {
    /// The policy's name.
    pub const NAME: &str = "leastactive";
}

impl LoadBalance for LeastActive {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn pick(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize> {
        least(candidates, call, |chunk, at| chunk.active(at))
    }
}
