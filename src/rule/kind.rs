//! What a document holds, and what it is for.

use std::fmt;

/// What a document holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DocumentKind {
    /// Conditions, as texts or with several destinations.
    Condition,
    /// Tags.
    Tag,
    /// A script.
    Script,
    /// Affinity.
    Affinity,
    /// A router of a plugin. Ours.
    Plugin,
}

/// Whether a document speaks of a service or of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocumentScope {
    /// One service, by its key.
    Service,
    /// All services of a provider application, and for most kinds all consumers of an application of that name.
    Application,
}

/// Where a configuration centre keeps a document: this decides what it is for, whatever stands in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DocumentPlace {
    /// What it holds.
    pub kind: DocumentKind,
    /// What the key names.
    pub scope: DocumentScope,
    /// The service or the application, as the configuration centre writes it.
    pub key: String,
}

// === impl DocumentKind ===

impl DocumentKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Condition, Self::Tag, Self::Script, Self::Affinity, Self::Plugin];

    /// The word for `kind:`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Condition => "condition",
            Self::Tag => "tag",
            Self::Script => "script",
            Self::Affinity => "affinity",
            Self::Plugin => "plugin",
        }
    }

    /// Reads the word for `kind:`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The key that only documents of this kind have.
    #[must_use]
    pub const fn body_key(self) -> &'static str {
        match self {
            Self::Condition => "conditions",
            Self::Tag => "tags",
            Self::Script => "script",
            Self::Affinity => "affinityAware",
            Self::Plugin => "plugin",
        }
    }

    /// The scope of a document that does not say; none where it must.
    #[must_use]
    pub const fn default_scope(self) -> Option<DocumentScope> {
        match self {
            Self::Tag | Self::Script => Some(DocumentScope::Application),
            Self::Condition | Self::Affinity | Self::Plugin => None,
        }
    }
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl DocumentScope ===

impl DocumentScope {
    /// `service` or `application`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Application => "application",
        }
    }

    /// Reads `service` or `application`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "service" => Some(Self::Service),
            "application" => Some(Self::Application),
            _ => None,
        }
    }
}
