//! Languages that rules are written in, and the engines that run them.

use std::fmt;

use serde::Deserialize;
use serde::Serialize;

/// A language of scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// JavaScript, as rules for Dubbo in Java and Go are written.
    JavaScript,
    /// Rhai.
    Rhai,
    /// Lua, in the Luau dialect.
    Lua,
}

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

// === impl Language ===

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::JavaScript, Self::Rhai, Self::Lua];

    /// The language that `type=` names, whatever its case: `javascript`, `js`, `rhai`, `lua`.
    ///
    /// ```
    /// use pointsman::script::Language;
    /// assert_eq!(Language::parse("JavaScript"), Some(Language::JavaScript));
    /// assert_eq!(Language::parse("groovy"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "javascript" | "js" => Some(Self::JavaScript),
            "rhai" => Some(Self::Rhai),
            "lua" => Some(Self::Lua),
            _ => None,
        }
    }

    /// The language of files with this suffix.
    #[must_use]
    pub fn of_suffix(suffix: &str) -> Option<Self> {
        Self::parse(suffix)
    }

    /// Its name, as `type=` takes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JavaScript => "javascript",
            Self::Rhai => "rhai",
            Self::Lua => "lua",
        }
    }

    /// The engines that can run it, the default first.
    #[must_use]
    pub const fn engines(self) -> &'static [EngineKind] {
        match self {
            Self::JavaScript => &[EngineKind::Boa, EngineKind::QuickJs],
            Self::Rhai => &[EngineKind::Rhai],
            Self::Lua => &[EngineKind::Luau],
        }
    }
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

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
