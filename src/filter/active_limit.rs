//! Bounds the calls that a consumer has under way.

use std::time::Duration;

use tokio::time::Instant;

use crate::directory::MethodOptions;
use crate::directory::merged;
use crate::filter::activation::sets;
use crate::filter::places::Entry;
use crate::filter::places::Places;
use crate::filter::places::Queue;
use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::Provider;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// `actives`: at most so many calls of a method are under way at one provider. More wait, in the order in which they came,
/// for as long as `timeout` says; then it is [`RpcErrorKind::LimitExceeded`]. As `ActiveLimitFilter`.
///
/// Consumer or provider may set both parameters, for a method or for all; the consumer wins.
#[derive(Debug)]
pub struct ActiveLimitFilter {
    consumer: Url,
    is_set_by_consumer: bool,
    places: Places,
}

// === impl ActiveLimitFilter ===

impl ActiveLimitFilter {
    /// The filter's name.
    pub const NAME: &str = "active-limit";

    /// The filter of `consumer`.
    #[must_use]
    pub fn new(consumer: Url) -> Self {
        let is_set_by_consumer = sets(&consumer, keys::ACTIVES);
        Self { consumer, is_set_by_consumer, places: Places::default() }
    }

    /// What consumer and provider set; what is no positive number sets nothing.
    fn number(&self, provider: &Url, method: &str, key: &str) -> Option<u32> {
        let provider = Provider::new(provider.clone());
        merged(&self.consumer, Some(&provider), method, key)?.parse().ok().filter(|number| *number > 0)
    }

    fn wait(&self, context: &RpcContext<'_>, url: &Url, queue: Queue) -> Step {
        let (start, method) = (Instant::now(), context.target_method());
        let timeout = self.number(url, method, keys::TIMEOUT).map(|millis| Duration::from_millis(millis.into()));
        let end = start + timeout.unwrap_or(MethodOptions::TIMEOUT);
        // Not later than the call itself, and sooner than it would be told that nobody answered.
        let end = context.deadline.map_or(end, |deadline| deadline.min(end));
        let at = format!("`{method}` at {}", url.address().unwrap_or_default());
        Step::Wait(Box::pin(async move {
            match queue.wait(end).await {
                Some(mark) => Step::Pass(mark),
                None => Step::Answer(Err(refused(&at, &queue, start.elapsed()))),
            }
        }))
    }

    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.places.taken()
    }
}

fn refused(at: &str, queue: &Queue, waited: Duration) -> RpcError {
    let (limit, waited) = (queue.limit(), waited.as_millis());
    let message = format!("waited {waited} ms in vain for one of the {limit} places (`actives`) of {at}");
    RpcError::new(RpcErrorKind::LimitExceeded, message)
}

impl Filter for ActiveLimitFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn concerns(&self, url: &Url) -> bool {
        self.is_set_by_consumer || sets(url, keys::ACTIVES)
    }

    fn before(&self, context: &mut RpcContext<'_>, url: &Url) -> Step {
        let method = context.target_method();
        match self.places.enter(url, method, || self.number(url, method, keys::ACTIVES)) {
            Entry::Taken(mark) => Step::Pass(mark),
            Entry::Full(queue) => self.wait(context, url, queue),
        }
    }

    fn after(&self, _: &RpcContext<'_>, _: &Url, mark: u64, _: &mut RpcResult) {
        self.places.leave(mark);
    }

    fn given_up(&self, _: &Url, mark: u64) {
        self.places.leave(mark);
    }
}
