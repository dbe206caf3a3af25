//! A call that is under way.

use std::ops::Deref;

use crate::loadbalance::InvokerStates;
use crate::rpc::InvokerId;

/// Counts a call to an invoker for as long as it lives; made by [`InvokerStates::begin`].
///
/// However a call ends, it is counted exactly once: a future that is cancelled drops its guard like one that is done.
/// Dropped without a word it counts as a call that did not succeed.
///
/// ```
/// use std::sync::Arc;
/// use pointsman::loadbalance::InvokerStates;
/// use pointsman::router::{InvokerList, SystemClock};
/// use pointsman::rpc::{Provider, ServiceKey, Url};
///
/// let provider = Provider::new(Url::parse("dubbo://10.0.0.1:20880/S")?);
/// let list = InvokerList::of(ServiceKey::parse("S"), vec![provider]);
/// let states = Arc::new(InvokerStates::new(Arc::new(SystemClock)));
///
/// let call = InvokerStates::begin(Arc::clone(&states), list.ids()[0]);
/// assert_eq!(states.active(list.ids()[0]), 1);
/// call.succeed();
/// assert_eq!(states.active(list.ids()[0]), 0);
/// # Ok::<(), pointsman::rpc::UrlError>(())
/// ```
#[derive(Debug)]
#[must_use = "the call counts only while this lives"]
pub struct InFlight<S: Deref<Target = InvokerStates>> {
    states: S,
    id: InvokerId,
    generation: u32,
    start_us: i64,
    succeeded: bool,
}

// === impl InFlight ===

impl<S: Deref<Target = InvokerStates>> InFlight<S> {
    pub(crate) fn new(states: S, id: InvokerId, generation: u32, start_us: i64) -> Self {
        Self { states, id, generation, start_us, succeeded: false }
    }

    /// The invoker that was called.
    #[must_use]
    pub fn id(&self) -> InvokerId {
        self.id
    }

    /// The call was answered. An exception that the service itself throws is an answer.
    pub fn succeed(mut self) {
        self.succeeded = true;
    }

    /// The call was not answered, or not in time.
    pub fn fail(self) {}
}

impl<S: Deref<Target = InvokerStates>> Drop for InFlight<S> {
    fn drop(&mut self) {
        self.states.end(self.id, self.generation, self.start_us, self.succeeded);
    }
}
