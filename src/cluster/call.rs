//! One call on its way through a policy.

use std::fmt;
use std::sync::Arc;

use tokio::time::Instant;

use crate::cluster::CallObserver;
use crate::cluster::ClusterSite;
use crate::router::mix;
use crate::rpc::Invocation;
use crate::rpc::InvokeMode;

/// One call of a consumer: what is called, at which site, until when.
#[derive(Clone, Copy)]
pub struct ClusterCall<'a> {
    /// Where the call is made.
    pub site: &'a Arc<ClusterSite>,
    /// What the caller called.
    pub invocation: &'a dyn Invocation,
    /// The method that is meant ([`Invocation::target_method`]).
    pub method: &'a str,
    /// All draws of the call come from it.
    pub seed: u64,
    /// When the call must be over, with all its attempts.
    pub deadline: Option<Instant>,
    /// Whether somebody waits for the answer.
    pub mode: InvokeMode,
    /// Is told of every attempt.
    pub observer: Option<&'a dyn CallObserver>,
}

// === impl ClusterCall ===

impl<'a> ClusterCall<'a> {
    /// A call at `site` without a deadline.
    #[must_use]
    pub fn new(site: &'a Arc<ClusterSite>, invocation: &'a dyn Invocation) -> Self {
        Self {
            site,
            invocation,
            method: invocation.target_method(),
            seed: site.next_seed(),
            deadline: None,
            mode: InvokeMode::TwoWay,
            observer: None,
        }
    }

    /// What rules draw from for attempt `number` of the call of `seed`: explained with it, the rules do the same again.
    #[must_use]
    pub fn route_seed(seed: u64, number: u32) -> u64 {
        // Another row than that of load balances, which draw from the seed too.
        mix(!seed ^ u64::from(number))
    }
}

impl fmt::Debug for ClusterCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterCall")
            .field("service", &self.invocation.service())
            .field("method", &self.method)
            .field("seed", &self.seed)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
