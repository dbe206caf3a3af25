//! Tells the operator what a service did not mean to throw.

use crate::diagnostics::Mask;
use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::Url;
use crate::rpc::keys;

/// Logs runtime exceptions that a service throws and failures of an unknown kind, panics among them. As `ExceptionFilter`;
/// answers stay as they are, because no class of the provider's has to be loaded here to read one.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExceptionFilter;

/// Platform exceptions that must be declared, and so are meant.
const CHECKED: [&str; 9] = [
    "java.lang.ClassNotFoundException",
    "java.lang.CloneNotSupportedException",
    "java.lang.Exception",
    "java.lang.InterruptedException",
    "java.lang.NoSuchFieldException",
    "java.lang.NoSuchMethodException",
    "java.lang.ReflectiveOperationException",
    "java.util.concurrent.ExecutionException",
    "java.util.concurrent.TimeoutException",
];

// === impl ExceptionFilter ===

impl ExceptionFilter {
    /// The filter's name.
    pub const NAME: &str = "exception";
}

impl Filter for ExceptionFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn after(&self, context: &RpcContext<'_>, _: &Url, _: u64, result: &mut RpcResult) {
        let (class, message) = match result {
            Ok(response) => match response.outcome() {
                Err(exception) if is_unexpected(&exception.class) => (exception.class.as_str(), &*exception.message),
                _ => return,
            },
            Err(error) if error.kind() == RpcErrorKind::Unknown => (error.kind().as_str(), error.message()),
            Err(_) => return,
        };
        let caller = context.attachment(keys::REMOTE_APPLICATION).unwrap_or("-");
        let (service, method, error) = (context.service(), context.target_method(), Mask::default().message(message));
        tracing::error!(service, method, caller, class, %error, "threw what it did not declare");
    }
}

/// Whether a class is a runtime exception of the platform: a service's own exceptions have names of its own.
fn is_unexpected(class: &str) -> bool {
    let is_of_platform = class.starts_with("java.lang.") || class.starts_with("java.util.");
    is_of_platform && !CHECKED.contains(&class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtime_exceptions_of_the_platform_are_unexpected() {
        for (class, expected) in [
            ("java.lang.NullPointerException", true),
            ("java.lang.RuntimeException", true),
            ("java.util.NoSuchElementException", true),
            ("java.lang.Exception", false),
            ("java.io.IOException", false),
            ("java.util.concurrent.TimeoutException", false),
            ("com.shop.SoldOutException", false),
        ] {
            assert_eq!(is_unexpected(class), expected, "{class}");
        }
    }
}
