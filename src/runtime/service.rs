//! The provider's end of a service.

use std::future::Future;
use std::sync::Arc;

use crate::filter::FilterRegistry;
use crate::filter::Side;
use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::AsyncFunctionInvoker;
use crate::rpc::Exporter;
use crate::rpc::FilterChain;
use crate::rpc::FunctionInvoker;
use crate::rpc::Invoker;
use crate::rpc::Protocol;
use crate::rpc::ProtocolRegistry;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcInvocation;
use crate::rpc::RpcResult;
use crate::rpc::Url;

/// The provider's end of one service; [`Service::builder`] begins it.
#[derive(Debug)]
pub struct Service;

/// Sets a service up.
#[derive(Debug)]
pub struct ServiceBuilder {
    url: Url,
    protocols: ProtocolRegistry,
    filters: Option<FilterChain>,
    filter_registry: FilterRegistry,
}

/// A service that others can call, until this is dropped.
#[derive(Debug)]
pub struct ExportedService {
    exporter: Box<dyn Exporter>,
}

/// An invoker behind filters.
#[derive(Debug)]
struct Filtered {
    inside: Implementation,
    filters: FilterChain,
}

/// What answers inside. Whatever it fails with is an answer: a service whose own call to somebody else fails is well, and
/// nobody need be asked instead, as where `AbstractProxyInvoker` takes down what an implementation throws.
#[derive(Debug)]
struct Implementation(Arc<dyn Invoker>);

/// The class of such failures.
const RPC_EXCEPTION: &str = "org.apache.dubbo.rpc.RpcException";

// === impl Service ===

impl Service {
    /// Begins to set up the service that `url` describes, as in `injvm://127.0.0.1/com.shop.OrderService`.
    #[must_use]
    pub fn builder(url: Url) -> ServiceBuilder {
        ServiceBuilder {
            url,
            protocols: ProtocolRegistry::new(),
            filters: None,
            filter_registry: FilterRegistry::with_defaults(),
        }
    }
}

// === impl ServiceBuilder ===

impl ServiceBuilder {
    /// Adds a way to be called.
    #[must_use]
    pub fn protocol(mut self, protocol: Arc<dyn Protocol>) -> Self {
        self.protocols.register(protocol);
        self
    }

    /// What stands around every call, instead of what the registry of filters says.
    #[must_use]
    pub fn filters(mut self, filters: FilterChain) -> Self {
        self.filters = Some(filters);
        self
    }

    /// The filters there are; which of them stand around calls, the parameters of the service's URL say.
    #[must_use]
    pub fn filter_registry(mut self, filters: FilterRegistry) -> Self {
        self.filter_registry = filters;
        self
    }

    /// Exports a function that answers at once.
    ///
    /// # Errors
    ///
    /// As [`ServiceBuilder::export`].
    pub fn export_function(
        self,
        function: impl Fn(&RpcContext<'_>) -> RpcResult + Send + Sync + 'static,
    ) -> Result<ExportedService, RpcError> {
        let invoker = FunctionInvoker::new(self.url.clone(), function);
        self.export(Arc::new(invoker))
    }

    /// Exports an asynchronous function.
    ///
    /// # Errors
    ///
    /// As [`ServiceBuilder::export`].
    pub fn export_async<T: Future<Output = RpcResult> + Send + 'static>(
        self,
        function: impl Fn(RpcInvocation<'static>) -> T + Send + Sync + 'static,
    ) -> Result<ExportedService, RpcError> {
        let invoker = AsyncFunctionInvoker::new(self.url.clone(), function);
        self.export(Arc::new(invoker))
    }

    /// Exports whatever answers, under its own URL.
    ///
    /// # Errors
    ///
    /// The URL's protocol was not added, or cannot export it; or the URL asks for a filter that is not there or cannot be
    /// made.
    pub fn export(self, inside: Arc<dyn Invoker>) -> Result<ExportedService, RpcError> {
        let filters = match self.filters {
            Some(filters) => filters,
            None => self.filter_registry.chain(Side::Provider, inside.url())?,
        };
        let exporter = self.protocols.export(Arc::new(Filtered { inside: Implementation(inside), filters }))?;
        Ok(ExportedService { exporter })
    }
}

// === impl ExportedService ===

impl ExportedService {
    /// Under which URL it can be called.
    #[must_use]
    pub fn url(&self) -> &Url {
        self.exporter.invoker().url()
    }
}

// === impl Filtered ===

impl Invoker for Filtered {
    fn url(&self) -> &Url {
        self.inside.url()
    }

    fn is_available(&self) -> bool {
        self.inside.is_available()
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        // What filters set here is for this provider's side alone.
        let mut own = context.clone();
        Answer::later(async move { self.filters.invoke(&self.inside, &mut own).await })
    }
}

// === impl Implementation ===

impl Invoker for Implementation {
    fn url(&self) -> &Url {
        self.0.url()
    }

    fn is_available(&self) -> bool {
        self.0.is_available()
    }

    fn invoke<'a>(&'a self, context: &'a RpcContext<'_>) -> Answer<'a> {
        match self.0.invoke(context) {
            Answer::Ready(Some(result)) => Answer::ready(answered(result)),
            later => Answer::later(async move { answered(later.await) }),
        }
    }
}

fn answered(result: RpcResult) -> RpcResult {
    Ok(result.unwrap_or_else(|error| AppResponse::threw(RPC_EXCEPTION, error.message())))
}
