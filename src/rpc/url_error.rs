//! Why a text is no URL.

use thiserror::Error;

use crate::rpc::Url;

/// Why a text is no URL.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The text begins with `://` or `:/`.
    #[error("expected a protocol before `{separator}`")]
    MissingProtocol {
        /// What stood where the protocol should be.
        separator: &'static str,
    },
    /// What follows the last colon of the address is no port.
    #[error("expected a port number after the last `:` of the address, found `{found}`")]
    InvalidPort {
        /// The text that was found.
        found: String,
        /// Byte offset of that text.
        offset: usize,
    },
    /// A port stands alone, as in `dubbo://:20880/a`.
    #[error("expected a host before the port `{port}`")]
    MissingHost {
        /// The port that was found.
        port: u32,
        /// Byte offset of the colon in front of it.
        offset: usize,
    },
    /// The text is longer than [`Url::MAX_BYTES`].
    #[error("expected at most {limit} bytes, found {found}", limit = Url::MAX_BYTES)]
    TooLong {
        /// The text's length in bytes.
        found: usize,
    },
}

// === impl UrlError ===

impl UrlError {
    /// Byte offset into the text at which reading failed.
    #[must_use]
    pub const fn offset(&self) -> usize {
        match self {
            Self::MissingProtocol { .. } => 0,
            Self::InvalidPort { offset, .. } | Self::MissingHost { offset, .. } => *offset,
            Self::TooLong { .. } => Url::MAX_BYTES,
        }
    }
}
