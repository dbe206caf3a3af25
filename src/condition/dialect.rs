//! Which generation's rules apply.

use std::fmt;

/// The generation of Dubbo whose reading of a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// Dubbo 2.x, the default of route URLs: no ranges, no attachments, and an absent key passes `!=`.
    #[default]
    V2,
    /// Dubbo 3.x, the default of YAML rules.
    V3,
}

// === impl Dialect ===

impl Dialect {
    /// Every dialect, by its spelling.
    pub const NAMES: [&'static str; 2] = ["v2", "v3"];

    /// Reads `v2` or `v3`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "v2" => Some(Self::V2),
            "v3" => Some(Self::V3),
            _ => None,
        }
    }

    /// `v2` or `v3`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2 => "v2",
            Self::V3 => "v3",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
