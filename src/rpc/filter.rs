//! What stands around an invoker: hooks before and after, so that ten of them cost no ten futures.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::rpc::RpcContext;
use crate::rpc::RpcResult;
use crate::rpc::Url;

/// Sees a call before its invoker is asked, and what it came to.
///
/// Whatever [`Filter::before`] let pass is told the end exactly once: by [`Filter::after`], or by [`Filter::given_up`] when
/// nobody waits for the answer any more.
pub trait Filter: Send + Sync + fmt::Debug {
    /// The name by which it is switched on and off.
    fn name(&self) -> &str;

    /// Whether calls to `url` are any concern of the filter. A filter that says no is left out of them. It is asked when a
    /// provider is first called, not by every call: the answer holds as long as the URL stays the same.
    fn concerns(&self, url: &Url) -> bool {
        let _ = url;
        true
    }

    /// Called before the invoker of `url` is asked, once a call.
    fn before(&self, context: &mut RpcContext<'_>, url: &Url) -> Step {
        let _ = (context, url);
        Step::Pass(0)
    }

    /// Called with what the call came to, which it may replace; `mark` is what [`Filter::before`] passed with.
    fn after(&self, context: &RpcContext<'_>, url: &Url, mark: u64, result: &mut RpcResult) {
        let _ = (context, url, mark, result);
    }

    /// Called when the call was given up before there was an answer.
    fn given_up(&self, url: &Url, mark: u64) {
        let _ = (url, mark);
    }
}

/// What a filter says before the invoker is asked.
pub enum Step {
    /// Go on; the number is given back at the end.
    Pass(u64),
    /// This is the answer: nobody is asked. Filters that passed before hear of it.
    Answer(RpcResult),
    /// Not now: what the future says holds instead. It is dropped when the call is given up or its deadline passes, and
    /// must then give back what it has.
    Wait(Pin<Box<dyn Future<Output = Step> + Send>>),
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass(mark) => f.debug_tuple("Pass").field(mark).finish(),
            Self::Answer(result) => f.debug_tuple("Answer").field(result).finish(),
            Self::Wait(_) => f.write_str("Wait"),
        }
    }
}
