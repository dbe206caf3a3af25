//! On which end of a call a filter stands.

use std::fmt;

use crate::rpc::keys;

/// On which end of a call a filter stands; the groups of `@Activate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Around every attempt of a reference.
    Consumer,
    /// Around every call of a service.
    Provider,
}

// === impl Side ===

impl Side {
    /// The parameter that lists filters of this side alone.
    #[must_use]
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::Consumer => keys::REFERENCE_FILTER,
            Self::Provider => keys::SERVICE_FILTER,
        }
    }

    pub(super) const fn other(self) -> Self {
        match self {
            Self::Consumer => Self::Provider,
            Self::Provider => Self::Consumer,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Consumer => "consumer",
            Self::Provider => "provider",
        })
    }
}
