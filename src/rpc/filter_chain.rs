//! Filters in order around one invoker.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::rpc::Answer;
use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::Invoker;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::contained::contained;
use crate::rpc::contained::contained_future;
use crate::rpc::time::until;

/// Filters in the order in which they see a call; they see the answer in the opposite order.
#[derive(Debug, Clone, Default)]
pub struct FilterChain {
    filters: Arc<[Arc<dyn Filter>]>,
}

/// Which filters of a chain are asked about calls to one URL ([`Filter::concerns`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterMask(u32);

/// The filters that a call has passed. What is left in it when it is dropped hears that the call was given up.
struct Passed<'a> {
    filters: &'a [Arc<dyn Filter>],
    url: &'a Url,
    /// Place and mark of each.
    marks: SmallVec<[(u32, u64); 10]>,
}

// === impl FilterChain ===

impl FilterChain {
    /// A chain of `filters`.
    #[must_use]
    pub fn new(filters: impl IntoIterator<Item = Arc<dyn Filter>>) -> Self {
        Self { filters: filters.into_iter().collect() }
    }

    /// The filters in order.
    #[must_use]
    pub fn filters(&self) -> &[Arc<dyn Filter>] {
        &self.filters
    }

    /// Which filters are concerned with calls to `url`. One that panics when it is asked is asked about the calls too.
    #[must_use]
    pub fn mask(&self, url: &Url) -> FilterMask {
        let concerns = |filter: &dyn Filter| contained(filter.name(), || filter.concerns(url)).unwrap_or(true);
        let left_out = |(place, filter): (u32, &Arc<dyn Filter>)| if concerns(&**filter) { 0 } else { 1 << place };
        FilterMask(!(0..u32::BITS).zip(self.filters.iter()).map(left_out).fold(0, |all, one| all | one))
    }

    /// Asks `invoker` through the filters. The call's deadline holds for all of it; a panic is an error of the call.
    pub async fn invoke(&self, invoker: &dyn Invoker, context: &mut RpcContext<'_>) -> RpcResult {
        self.invoke_masked(FilterMask::ALL, invoker, context).await
    }

    /// [`FilterChain::invoke`] through those filters alone that `mask` has.
    pub async fn invoke_masked(
        &self,
        mask: FilterMask,
        invoker: &dyn Invoker,
        context: &mut RpcContext<'_>,
    ) -> RpcResult {
        let mut passed = Passed { filters: &self.filters, url: invoker.url(), marks: SmallVec::new() };
        let early = self.enter(mask, &mut passed, context).await;
        let mut result = match early {
            Some(result) => result,
            None => ask(invoker, context).await,
        };
        passed.leave(context, &mut result);
        result
    }

    /// Lets the filters see the call; what one of them answered instead of the invoker.
    async fn enter(
        &self,
        mask: FilterMask,
        passed: &mut Passed<'_>,
        context: &mut RpcContext<'_>,
    ) -> Option<RpcResult> {
        for (place, filter) in (0..).zip(self.filters.iter()).filter(|(place, _)| mask.has(*place)) {
            match admit(&**filter, passed.url, context).await {
                Ok(mark) => passed.marks.push((place, mark)),
                Err(result) => return Some(result),
            }
        }
        None
    }
}

/// Lets one filter see the call, and waits as long as it wants: the mark it passed with, or what it answered.
async fn admit(filter: &dyn Filter, url: &Url, context: &mut RpcContext<'_>) -> Result<u64, RpcResult> {
    let mut step = contained(filter.name(), || filter.before(context, url));
    loop {
        step = match step.map_err(Err)? {
            Step::Pass(mark) => return Ok(mark),
            Step::Answer(result) => return Err(result),
            Step::Wait(turn) => {
                let waited = until(context.deadline, contained_future(filter.name(), turn)).await;
                waited.unwrap_or_else(|error| Err(told(error, url, context)))
            }
        };
    }
}

/// Asks the invoker itself.
async fn ask(invoker: &dyn Invoker, context: &RpcContext<'_>) -> RpcResult {
    let who = invoker.url().address().unwrap_or_default();
    let answer = match contained(who, || invoker.invoke(context))? {
        // PERF: an answer that is there needs neither a clock nor a timer (`cluster/failover`).
        Answer::Ready(Some(result)) => return result,
        answer => answer,
    };
    let answered = until(context.deadline, contained_future(who, answer)).await;
    answered.unwrap_or_else(|error| Err(told(error, invoker.url(), context)))?
}

/// A timeout names who did not answer what.
fn told(error: RpcError, url: &Url, context: &RpcContext<'_>) -> RpcError {
    if error.kind() != RpcErrorKind::Timeout {
        return error;
    }
    let (method, address) = (context.method(), url.address().unwrap_or_default());
    RpcError::new(RpcErrorKind::Timeout, format!("`{method}` got no answer from {address} in time"))
}

// === impl FilterMask ===

impl FilterMask {
    /// Every filter.
    pub const ALL: Self = Self(u32::MAX);

    /// The mask as a number.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The mask of a number.
    #[must_use]
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Whether the filter at `place` is asked; those beyond the 32nd always are.
    #[inline]
    fn has(self, place: u32) -> bool {
        place >= u32::BITS || self.0 >> place & 1 == 1
    }
}

// === impl Passed ===

impl Passed<'_> {
    fn leave(&mut self, context: &RpcContext<'_>, result: &mut RpcResult) {
        while let Some((place, mark)) = self.marks.pop() {
            let Some(filter) = self.filters.get(place as usize) else { continue };
            if let Err(error) = contained(filter.name(), || filter.after(context, self.url, mark, result)) {
                *result = Err(error);
            }
        }
    }
}

impl Drop for Passed<'_> {
    fn drop(&mut self) {
        while let Some((place, mark)) = self.marks.pop() {
            let Some(filter) = self.filters.get(place as usize) else { continue };
            // What it says is told already.
            let _ = contained(filter.name(), || filter.given_up(self.url, mark));
        }
    }
}
