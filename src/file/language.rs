//! The language of a script, told by the suffix of its file.

/// A language that rules are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Language {
    /// `*.js`; `file:` URLs also take `*.javascript`.
    JavaScript,
    /// `*.rhai`.
    Rhai,
    /// `*.lua`.
    Lua,
}

// === impl Language ===

impl Language {
    /// The suffixes of [`Language::of_suffix`], as a list for people.
    pub const SUFFIXES: &str = "`.js`, `.javascript`, `.rhai` and `.lua`";

    /// The language of files that end in `.suffix`; case does not matter.
    ///
    /// ```
    /// use pointsman::file::Language;
    /// assert_eq!(Language::of_suffix("JS"), Some(Language::JavaScript));
    /// assert_eq!(Language::of_suffix("groovy"), None);
    /// ```
    #[must_use]
    pub fn of_suffix(suffix: &str) -> Option<Self> {
        let suffixes =
            [("js", Self::JavaScript), ("javascript", Self::JavaScript), ("rhai", Self::Rhai), ("lua", Self::Lua)];
        suffixes.into_iter().find(|(known, _)| suffix.eq_ignore_ascii_case(known)).map(|(_, language)| language)
    }

    /// The word for it as a rule URL's `type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JavaScript => "javascript",
            Self::Rhai => "rhai",
            Self::Lua => "lua",
        }
    }
}
