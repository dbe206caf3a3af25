//! Shows a provider the token that came with its URL.

use crate::filter::activation::is_set;
use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// Attaches the `token` of the provider's URL, which only those have who got it from the registry; one that the caller
/// attached stays. As `AbstractInvoker` does.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokenSenderFilter;

// === impl TokenSenderFilter ===

impl TokenSenderFilter {
    /// The filter's name.
    pub const NAME: &str = "token";
}

impl Filter for TokenSenderFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn concerns(&self, url: &Url) -> bool {
        url.parameter(keys::TOKEN).is_some_and(is_set)
    }

    fn before(&self, context: &mut RpcContext<'_>, url: &Url) -> Step {
        let token = url.parameter(keys::TOKEN).filter(|token| is_set(token));
        if let Some(token) = token.filter(|_| context.attachment(keys::TOKEN).is_none()) {
            context.set_attachment(keys::TOKEN, token.to_owned());
        }
        Step::Pass(0)
    }
}
