//! Tells providers who calls.

use std::sync::Arc;

use crate::rpc::Filter;
use crate::rpc::RpcContext;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// Attaches the consumer's application to every call, as `ConsumerContextFilter` does.
#[derive(Debug)]
pub struct ConsumerContextFilter {
    application: Option<Arc<str>>,
}

// === impl ConsumerContextFilter ===

impl ConsumerContextFilter {
    /// The filter's name.
    pub const NAME: &str = "consumercontext";

    /// The filter of the consumer `url`.
    #[must_use]
    pub fn new(url: &Url) -> Self {
        let application = url.parameter_decoded(keys::APPLICATION).and_then(Result::ok);
        Self { application: application.filter(|name| !name.is_empty()).map(Into::into) }
    }
}

impl Filter for ConsumerContextFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        if let Some(application) = &self.application {
            context.set_shared_attachment(keys::REMOTE_APPLICATION, Arc::clone(application));
        }
        Step::Pass(0)
    }
}
