//! Who answers calls.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use crate::rpc::Answer;
use crate::rpc::RpcContext;
use crate::rpc::RpcInvocation;
use crate::rpc::RpcResult;
use crate::rpc::Url;

/// A URL, and something that answers an invocation.
///
/// The call is borrowed, not owned: a retry makes no copy of it, and an invoker that answers at once needs no memory. That
/// is why this is a trait of its own and no `tower::Service`; [`TowerInvoker`](crate::rpc::TowerInvoker) makes one of a
/// service.
pub trait Invoker: Send + Sync + fmt::Debug {
    /// The provider as it was registered.
    fn url(&self) -> &Url;

    /// Whether calls can reach it now. It is asked off the call path.
    fn is_available(&self) -> bool {
        true
    }

    /// Whether it ends its attempts by itself, as a reference to a whole registry does: an attempt at it then has the time of the
    /// whole call, and not that of one attempt.
    fn limits_itself(&self) -> bool {
        false
    }

    /// Answers the call. Dropping an answer that is still to come gives the call up. Of a one-way call the answer is there
    /// when the call is sent.
    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a>;
}

/// An invoker that is a function which answers at once.
pub struct FunctionInvoker<F> {
    url: Url,
    function: F,
}

/// An invoker that is an asynchronous function. It is given a copy of the call.
pub struct AsyncFunctionInvoker<F> {
    url: Url,
    function: F,
}

// === impl FunctionInvoker ===

impl<F: Fn(&RpcContext<'_>) -> RpcResult + Send + Sync> FunctionInvoker<F> {
    /// `function` under `url`.
    #[must_use]
    pub fn new(url: Url, function: F) -> Self {
        Self { url, function }
    }
}

impl<F: Fn(&RpcContext<'_>) -> RpcResult + Send + Sync> Invoker for FunctionInvoker<F> {
    fn url(&self) -> &Url {
        &self.url
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        Answer::ready((self.function)(context))
    }
}

impl<F> fmt::Debug for FunctionInvoker<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionInvoker").field("url", &self.url).finish_non_exhaustive()
    }
}

// === impl AsyncFunctionInvoker ===

impl<F, T> AsyncFunctionInvoker<F>
where
    F: Fn(RpcInvocation<'static>) -> T + Send + Sync,
    T: Future<Output = RpcResult> + Send + 'static,
{
    /// `function` under `url`.
    #[must_use]
    pub fn new(url: Url, function: F) -> Self {
        Self { url, function }
    }
}

impl<F, T> Invoker for AsyncFunctionInvoker<F>
where
    F: Fn(RpcInvocation<'static>) -> T + Send + Sync,
    T: Future<Output = RpcResult> + Send + 'static,
{
    fn url(&self) -> &Url {
        &self.url
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        Answer::later((self.function)(context.to_owned_invocation()))
    }
}

impl<F> fmt::Debug for AsyncFunctionInvoker<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncFunctionInvoker").field("url", &self.url).finish_non_exhaustive()
    }
}

// === impl Arc ===

impl<T: Invoker + ?Sized> Invoker for Arc<T> {
    fn url(&self) -> &Url {
        (**self).url()
    }

    fn is_available(&self) -> bool {
        (**self).is_available()
    }

    fn limits_itself(&self) -> bool {
        (**self).limits_itself()
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        (**self).invoke(context)
    }
}
