//! Why a call got no answer.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A call that got no answer, as `RpcException`. What business code threw is an answer and none of these.
#[derive(Debug, Clone)]
pub struct RpcError {
    kind: RpcErrorKind,
    message: String,
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

/// What kind of failure it is; the numbers are those of `RpcException`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RpcErrorKind {
    /// Anything else.
    Unknown,
    /// The provider could not be reached, or the connection broke.
    Network,
    /// No answer came in time.
    Timeout,
    /// There is no provider that may be asked.
    Forbidden,
    /// The call or its answer could not be written or read.
    Serialization,
    /// Rules left nobody.
    NoInvokerAvailableAfterFilter,
    /// A limit on calls was reached.
    LimitExceeded,
    /// The call's own deadline had passed before it was sent.
    TimeoutTerminate,
    /// The provider has no such method.
    MethodNotFound,
    /// The caller may not call.
    Authorization,
}

// === impl RpcErrorKind ===

impl RpcErrorKind {
    /// The code of `RpcException`.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::Unknown => 0,
            Self::Network => 1,
            Self::Timeout => 2,
            Self::Forbidden => 4,
            Self::Serialization => 5,
            Self::NoInvokerAvailableAfterFilter => 6,
            Self::LimitExceeded => 7,
            Self::TimeoutTerminate => 8,
            Self::MethodNotFound => 11,
            Self::Authorization => 13,
        }
    }

    /// Its name in texts and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::Forbidden => "forbidden",
            Self::Serialization => "serialization",
            Self::NoInvokerAvailableAfterFilter => "no-invoker",
            Self::LimitExceeded => "limit-exceeded",
            Self::TimeoutTerminate => "deadline",
            Self::MethodNotFound => "no-method",
            Self::Authorization => "authorization",
        }
    }
}

// === impl RpcError ===

impl RpcError {
    /// A failure of `kind`.
    #[must_use]
    pub fn new(kind: RpcErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), cause: None }
    }

    /// The same with what led to it.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Error + Send + Sync + 'static) -> Self {
        self.cause = Some(Arc::new(cause));
        self
    }

    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> RpcErrorKind {
        self.kind
    }

    /// What happened, in a sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for RpcError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}
