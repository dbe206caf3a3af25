//! The consumer's end of a service.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::task::Poll;

use tokio::time::Instant;

use crate::cluster::CallObserver;
use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::ClusterSite;
use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::Invocation;
use crate::rpc::InvokeMode;
use crate::rpc::Invoker;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcInvocation;
use crate::rpc::RpcResult;
use crate::rpc::Url;
use crate::rpc::contained_future;
use crate::runtime::BlockingReference;
use crate::runtime::ReferenceBuilder;

/// The consumer's end of one service: calls go through directory, rules, load balance, cluster policy and filters to a
/// provider. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub struct Reference {
    pub(crate) site: Arc<ClusterSite>,
    pub(crate) cluster: Arc<dyn Cluster>,
}

/// What holds for one call.
#[derive(Clone, Copy, Default)]
pub struct CallOptions<'a> {
    /// When the call must be over, with all its attempts; each of them has the timeout of its method besides.
    pub deadline: Option<Instant>,
    /// Whether somebody waits for the answer.
    pub mode: InvokeMode,
    /// Where the draws of the call begin; by the reference's own row without this.
    pub seed: Option<u64>,
    /// Is told of every attempt.
    pub observer: Option<&'a dyn CallObserver>,
}

// === impl Reference ===

impl Reference {
    /// Begins to set up a reference to `service`, as in `com.shop.OrderService`.
    #[must_use]
    pub fn builder(service: &str) -> ReferenceBuilder {
        ReferenceBuilder::new(service)
    }

    /// Calls, and gives the answer when it is there. It wants a tokio runtime with timers as soon as a provider does not
    /// answer at once; [`Reference::blocking`] brings its own. Dropping the future gives the call up.
    ///
    /// # Errors
    ///
    /// No provider may be asked, or none of those that were answered in time. What business code threw is no error:
    /// [`AppResponse::outcome`] tells it.
    pub async fn call(&self, invocation: &dyn Invocation) -> RpcResult {
        self.call_with(invocation, CallOptions::default()).await
    }

    /// [`Reference::call`] with what holds for this call alone.
    ///
    /// # Errors
    ///
    /// As [`Reference::call`].
    pub async fn call_with(&self, invocation: &dyn Invocation, options: CallOptions<'_>) -> RpcResult {
        let mut call = ClusterCall::new(&self.site, invocation);
        call.seed = options.seed.unwrap_or(call.seed);
        (call.deadline, call.mode, call.observer) = (options.deadline, options.mode, options.observer);
        // Invokers and filters are contained where they are asked; load balances, directories, policies and observers here.
        contained_future(self.cluster.name(), async { self.cluster.invoke(&call).await }).await?
    }

    /// Calls without waiting for an answer: it is done when the call is sent.
    ///
    /// # Errors
    ///
    /// The call could not be sent.
    pub async fn call_one_way(&self, invocation: &dyn Invocation) -> Result<(), RpcError> {
        let options = CallOptions { mode: InvokeMode::OneWay, ..CallOptions::default() };
        self.call_with(invocation, options).await.map(|_| ())
    }

    /// For callers without a runtime.
    ///
    /// # Errors
    ///
    /// The runtime cannot be started.
    pub fn blocking(self) -> Result<BlockingReference, std::io::Error> {
        BlockingReference::new(self)
    }

    /// Who may be asked, and what is known of them.
    #[must_use]
    pub fn site(&self) -> &Arc<ClusterSite> {
        &self.site
    }

    /// The policy that makes attempts of calls.
    #[must_use]
    pub fn cluster(&self) -> &dyn Cluster {
        &*self.cluster
    }

    /// Ends it: from now on every call fails, and says so.
    pub fn destroy(&self) {
        self.site.directory().destroy();
    }
}

/// A reference is an invoker like any other: one registry among several, for `zone-aware`.
impl Invoker for Reference {
    fn url(&self) -> &Url {
        self.site.directory().consumer()
    }

    fn is_available(&self) -> bool {
        self.site.directory().is_available()
    }

    fn limits_itself(&self) -> bool {
        true
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        let options = CallOptions { deadline: context.deadline, mode: context.mode, ..CallOptions::default() };
        Answer::later(self.call_with(context, options))
    }
}

/// A reference is a service of `tower`, always ready: what limits calls are filters.
impl tower_service::Service<RpcInvocation<'static>> for Reference {
    type Response = AppResponse;
    type Error = RpcError;
    type Future = Pin<Box<dyn Future<Output = RpcResult> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), RpcError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, invocation: RpcInvocation<'static>) -> Self::Future {
        let this = self.clone();
        Box::pin(async move { Self::call(&this, &invocation).await })
    }
}

impl fmt::Debug for CallOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("deadline", &self.deadline)
            .field("mode", &self.mode)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
