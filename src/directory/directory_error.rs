//! Why a directory lends nothing.

use thiserror::Error;

use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::ServiceKey;

/// Why a directory lends nothing.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// It was ended.
    #[error("the directory of `{service}` is destroyed: no call can be made through it any more")]
    Destroyed {
        /// The service.
        service: ServiceKey,
    },
    /// There is no provider, or all are disabled.
    #[error("`{service}` is forbidden: {why}")]
    Forbidden {
        /// The service.
        service: ServiceKey,
        /// What is the matter.
        why: String,
    },
    /// The rules could not be asked.
    #[error("the rules of `{service}` could not be asked: {why}")]
    Rules {
        /// The service.
        service: ServiceKey,
        /// What is the matter.
        why: String,
    },
}

impl From<DirectoryError> for RpcError {
    fn from(error: DirectoryError) -> Self {
        let kind = match error {
            DirectoryError::Forbidden { .. } => RpcErrorKind::Forbidden,
            DirectoryError::Destroyed { .. } | DirectoryError::Rules { .. } => RpcErrorKind::Unknown,
        };
        Self::new(kind, error.to_string()).caused_by(error)
    }
}
