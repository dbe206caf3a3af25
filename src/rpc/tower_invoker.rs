//! A `tower` service as an invoker.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;
use std::task::ready;

use tower_service::Service;

use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::Invoker;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcInvocation;
use crate::rpc::RpcResult;
use crate::rpc::Url;

/// An invoker that is a `tower::Service`. Each call gets a clone of the service, waits until it is ready, and hands it a
/// copy of the invocation.
pub struct TowerInvoker<S> {
    url: Url,
    service: S,
}

/// A call that waits for its service to be ready, and then for the answer.
struct Calling<S: Service<RpcInvocation<'static>>> {
    service: S,
    invocation: Option<RpcInvocation<'static>>,
    future: Option<Pin<Box<S::Future>>>,
}

// === impl TowerInvoker ===

impl<S> TowerInvoker<S> {
    /// `service` under `url`.
    #[must_use]
    pub fn new(url: Url, service: S) -> Self {
        Self { url, service }
    }
}

impl<S> Invoker for TowerInvoker<S>
where
    S: Service<RpcInvocation<'static>, Response = AppResponse> + Clone + Send + Sync + Unpin + 'static,
    S::Error: Into<RpcError>,
    S::Future: Send,
{
    fn url(&self) -> &Url {
        &self.url
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        let invocation = Some(context.to_owned_invocation());
        Answer::later(Calling { service: self.service.clone(), invocation, future: None })
    }
}

// === impl Calling ===

impl<S> Future for Calling<S>
where
    S: Service<RpcInvocation<'static>, Response = AppResponse> + Unpin,
    S::Error: Into<RpcError>,
{
    type Output = RpcResult;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<RpcResult> {
        let Self { service, invocation, future } = self.get_mut();
        if invocation.is_some() {
            ready!(service.poll_ready(context)).map_err(Into::into)?;
            *future = invocation.take().map(|invocation| Box::pin(service.call(invocation)));
        }
        let Some(future) = future else { return Poll::Pending };
        future.as_mut().poll(context).map_err(Into::into)
    }
}

impl<S> fmt::Debug for TowerInvoker<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TowerInvoker").field("url", &self.url).finish_non_exhaustive()
    }
}
