//! The engines that run scripts.

use std::fmt;

use serde::Deserialize;
use serde::Serialize;

use crate::router::Language;

/// What runs a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EngineKind {
    /// `boa`, for JavaScript.
    Boa,
    /// QuickJS, for JavaScript.
    QuickJs,
    /// Rhai's own.
    Rhai,
    /// Luau, for Lua.
    Luau,
}

// === impl EngineKind ===

impl EngineKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Boa, Self::QuickJs, Self::Rhai, Self::Luau];

    /// The engine that `engine=` names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The engines that can run a language, the default first.
    #[must_use]
    pub const fn of(language: Language) -> &'static [Self] {
        match language {
            Language::JavaScript => &[Self::Boa, Self::QuickJs],
            Language::Rhai => &[Self::Rhai],
            Language::Lua => &[Self::Luau],
        }
    }

    /// Its name, as `engine=` takes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Boa => "boa",
            Self::QuickJs => "quickjs",
            Self::Rhai => "rhai",
            Self::Luau => "luau",
        }
    }

    /// Whether this build has it.
    #[must_use]
    pub const fn is_built_in(self) -> bool {
        match self {
            Self::Boa => cfg!(feature = "boa"),
            Self::QuickJs => cfg!(feature = "quickjs"),
            Self::Rhai => cfg!(feature = "rhai"),
            Self::Luau => cfg!(feature = "lua"),
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
