//! A document as data.

use crate::affinity::AffinityRule;
use crate::condition::DestinationRule;
use crate::condition::Dialect;
use crate::diagnostics::Origin;
use crate::router::Language;
use crate::router::OnError;
use crate::rpc::ServiceKey;
use crate::rule::DocumentKind;
use crate::rule::DocumentScope;
use crate::tag::TagRule;

/// A rule document that was read without an error.
#[derive(Debug, Clone)]
pub struct Document {
    pub(super) kind: DocumentKind,
    pub(super) scope: DocumentScope,
    pub(super) key: String,
    pub(super) name: Option<String>,
    pub(super) is_enabled: bool,
    pub(super) is_force: bool,
    pub(super) is_runtime: bool,
    pub(super) priority: i32,
    pub(super) on_error: Option<OnError>,
    pub(super) dialect: Dialect,
    pub(super) version: String,
    pub(super) body: Body,
    pub(super) origin: Origin,
}

/// A value with the place of its text.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where its text stands.
    pub origin: Origin,
    /// How many bytes of the source that is.
    pub bytes: usize,
}

/// What only documents of one kind have.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Body {
    /// The texts of conditions.
    Conditions(Vec<Placed<String>>),
    /// Conditions with destinations.
    Destinations(Vec<Placed<DestinationRule>>),
    /// Tags.
    Tags(Placed<TagRule>),
    /// A script.
    Script(ScriptBody),
    /// Affinity.
    Affinity(Placed<AffinityRule>),
    /// A router of a plugin: its name and its parameters.
    Plugin(Placed<String>, Vec<(String, String)>),
    /// Nothing: the document clears the rules of its key.
    Nothing,
}

/// A script of a document.
#[derive(Debug, Clone)]
pub struct ScriptBody {
    /// The language.
    pub language: Language,
    /// The text.
    pub script: Placed<String>,
    /// The engine, if one is asked for.
    pub engine: Option<String>,
}

// === impl Document ===

impl Document {
    /// What it holds.
    #[must_use]
    pub const fn kind(&self) -> DocumentKind {
        self.kind
    }

    /// What its key names.
    #[must_use]
    pub const fn scope(&self) -> DocumentScope {
        self.scope
    }

    /// The service's key as `group/interface:version`, or the application.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The service, if it is for one.
    #[must_use]
    pub fn service(&self) -> Option<ServiceKey> {
        (self.scope == DocumentScope::Service).then(|| ServiceKey::parse(&self.key))
    }

    /// Its own name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether its rules are active.
    #[must_use]
    pub const fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    /// Whether an empty result stands.
    #[must_use]
    pub const fn is_force(&self) -> bool {
        self.is_force
    }

    /// Order inside the phase.
    #[must_use]
    pub const fn priority(&self) -> i32 {
        self.priority
    }

    /// The dialect of its conditions.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What a rule of it that fails means.
    #[must_use]
    pub fn on_error(&self) -> OnError {
        self.on_error.unwrap_or_default()
    }

    /// Whether it says that its rules are looked at for every call, which changes no answer.
    #[must_use]
    pub const fn is_runtime(&self) -> bool {
        self.is_runtime
    }

    /// `configVersion` as it was understood.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What only its kind has.
    #[must_use]
    pub const fn body(&self) -> &Body {
        &self.body
    }

    /// Where it stands.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }
}
