//! Languages that rules are written in.

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

// === impl Language ===

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::JavaScript, Self::Rhai, Self::Lua];

    /// The language that `type=` names, whatever its case: `javascript`, `js`, `rhai`, `lua`.
    ///
    /// ```
    /// use pointsman::router::Language;
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

    /// The suffixes of [`Language::of_suffix`], as a list for people.
    pub const SUFFIXES: &str = "`.js`, `.javascript`, `.rhai` and `.lua`";

    /// The language of files that end in `.suffix`, whatever its case.
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
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
