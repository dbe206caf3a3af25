//! Refuses callers without the service's token.

use std::hint::black_box;

use crate::filter::activation::is_set;
use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// `token`: whoever calls must attach the same, or it is [`RpcErrorKind::Authorization`]. As `TokenFilter`, whose error
/// quotes what was attached; ours does not.
pub struct TokenCheckFilter {
    token: Option<Box<str>>,
}

// === impl TokenCheckFilter ===

impl TokenCheckFilter {
    /// The filter's name.
    pub const NAME: &str = "token";

    /// The filter of `service`, with its token as it stands in the URL.
    #[must_use]
    pub fn new(service: &Url) -> Self {
        Self { token: service.parameter(keys::TOKEN).filter(|token| is_set(token)).map(Into::into) }
    }
}

impl Filter for TokenCheckFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        let Some(token) = &self.token else { return Step::Pass(0) };
        let message = match context.attachment(keys::TOKEN) {
            Some(shown) if is_same(token.as_bytes(), shown.as_bytes()) => return Step::Pass(0),
            Some(_) => "with a wrong token",
            None => "without a token",
        };
        let (service, method) = (context.service(), context.target_method());
        let message = format!("`{service}.{method}` was called {message}");
        Step::Answer(Err(RpcError::new(RpcErrorKind::Authorization, message)))
    }
}

/// Compares in a time that depends on the lengths alone.
fn is_same(known: &[u8], shown: &[u8]) -> bool {
    let mut difference = u8::from(known.len() != shown.len());
    for (index, byte) in known.iter().enumerate() {
        difference |= byte ^ black_box(shown.get(index).copied().unwrap_or_default());
    }
    black_box(difference) == 0
}

/// Says whether there is a token, not which.
impl std::fmt::Debug for TokenCheckFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenCheckFilter").field("has_token", &self.token.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_same_or_not() {
        for (known, shown, expected) in [
            ("secret", "secret", true),
            ("secret", "secreT", false),
            ("secret", "xecret", false),
            ("secret", "secre", false),
            ("secret", "secrets", false),
            ("secret", "", false),
            ("a\0", "a", false),
        ] {
            assert_eq!(is_same(known.as_bytes(), shown.as_bytes()), expected, "`{shown}`");
        }
    }
}
