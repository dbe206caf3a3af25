//! What every policy is.

use std::fmt;

use crate::loadbalance::Candidates;
use crate::rpc::Invocation;
use crate::rpc::Url;

/// A policy: picks one of the candidates of a call.
///
/// A policy of your own implements `name` and `pick`, and is registered with a
/// [`LoadBalanceRegistry`](crate::loadbalance::LoadBalanceRegistry):
///
/// ```
/// use pointsman::loadbalance::{BalanceCall, Candidates, LoadBalance};
///
/// /// The candidate that stands last in the list.
/// #[derive(Debug)]
/// struct Last;
///
/// impl LoadBalance for Last {
///     fn name(&self) -> &str {
///         "last"
///     }
///
///     fn pick(&self, candidates: &Candidates<'_>, _: &BalanceCall<'_>) -> Option<usize> {
///         candidates.table.positions().last()
///     }
/// }
/// ```
pub trait LoadBalance: Send + Sync + fmt::Debug {
    /// The name under which it is asked for.
    fn name(&self) -> &str;

    /// Picks among two or more candidates: a position of the list. None, and one that is no candidate, count as the first
    /// candidate that may be had.
    fn pick(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize>;

    /// Whether it takes into account what load providers report of themselves; they are then asked for it.
    fn wants_load(&self) -> bool {
        false
    }

    /// The position of the invoker that `call` goes to: the only candidate, else what [`LoadBalance::pick`] says. None
    /// only where there is no candidate.
    fn select(&self, candidates: &Candidates<'_>, call: &BalanceCall<'_>) -> Option<usize> {
        match candidates.table.len() {
            0 => None,
            1 => candidates.table.position(0),
            _ => {
                let picked = self.pick(candidates, call).filter(|position| candidates.table.contains(*position));
                picked.or_else(|| candidates.first())
            }
        }
    }
}

/// The call for which an invoker is wanted.
#[derive(Clone, Copy)]
pub struct BalanceCall<'a> {
    /// The call itself.
    pub invocation: &'a dyn Invocation,
    /// The consumer, whose parameters win over those of candidates; the one the table was made for.
    pub consumer: Option<&'a Url>,
    /// The method that is meant ([`Invocation::target_method`]); the one the table was made for.
    pub method: &'a str,
    /// All draws of the call come from it.
    pub seed: u64,
    /// This moment, in milliseconds since 1970.
    pub now_ms: i64,
}

impl fmt::Debug for BalanceCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BalanceCall")
            .field("method", &self.method)
            .field("seed", &self.seed)
            .field("now_ms", &self.now_ms)
            .finish_non_exhaustive()
    }
}
