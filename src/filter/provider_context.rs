//! Hides from a service what is none of its business.

use crate::rpc::Filter;
use crate::rpc::RpcContext;
use crate::rpc::Step;
use crate::rpc::Url;

/// Hides attachments that are for the framework, and headers of HTTP, as `ContextFilter` does: a service that calls on with
/// what it was given must not pass on somebody's token or timeout.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProviderContextFilter;

/// Sorted.
const HIDDEN: [&str; 52] = [
    "_TO",
    "accept",
    "accept-charset",
    "accept-datetime",
    "accept-encoding",
    "accept-language",
    "access-control-request-headers",
    "access-control-request-method",
    "async",
    "authorization",
    "cache-control",
    "connection",
    "content-length",
    "content-md5",
    "content-type",
    "cookie",
    "date",
    "dnt",
    "dubbo",
    "dubbo.force.tag",
    "dubbo.tag",
    "expect",
    "forwarded",
    "from",
    "group",
    "host",
    "http2-settings",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "interface",
    "max-forwards",
    "origin",
    "path",
    "pragma",
    "proxy-authorization",
    "range",
    "referer",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-fetch-user",
    "te",
    "timeout",
    "token",
    "trailer",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "version",
];

// === impl ProviderContextFilter ===

impl ProviderContextFilter {
    /// The filter's name.
    pub const NAME: &str = "context";
}

impl Filter for ProviderContextFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        context.hide_attachments(&HIDDEN);
        Step::Pass(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hidden_keys_are_sorted() {
        assert!(HIDDEN.is_sorted());
    }
}
