//! Bounds the calls that a provider serves at a time.

use crate::filter::places::Entry;
use crate::filter::places::Places;
use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// `executes`: at most so many calls of a method are served at a time; more are refused at once with
/// [`RpcErrorKind::LimitExceeded`]. As `ExecuteLimitFilter`.
#[derive(Debug)]
pub struct ExecuteLimitFilter {
    service: Url,
    places: Places,
}

// === impl ExecuteLimitFilter ===

impl ExecuteLimitFilter {
    /// The filter's name.
    pub const NAME: &str = "executelimit";

    /// The filter of `service`, for all methods or for one (`find.executes`).
    #[must_use]
    pub fn new(service: Url) -> Self {
        Self { service, places: Places::default() }
    }

    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.places.taken()
    }
}

impl Filter for ExecuteLimitFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        let method = context.target_method();
        let limit = || {
            let text = self.service.method_parameter(method, keys::EXECUTES)?;
            text.parse().ok().filter(|limit| *limit > 0)
        };
        match self.places.enter(&self.service, method, limit) {
            Entry::Taken(mark) => Step::Pass(mark),
            Entry::Full(queue) => {
                let limit = queue.limit();
                let message = format!("all {limit} places (`executes`) of `{method}` are taken");
                Step::Answer(Err(RpcError::new(RpcErrorKind::LimitExceeded, message)))
            }
        }
    }

    fn after(&self, _: &RpcContext<'_>, _: &Url, mark: u64, _: &mut RpcResult) {
        self.places.leave(mark);
    }

    fn given_up(&self, _: &Url, mark: u64) {
        self.places.leave(mark);
    }
}
