//! What is known of every rule, whatever its kind: name, place, order, flags, scope.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use crate::router::Scope;
use crate::rpc::Url;

/// Which rule: its source, and its name, else its place in the source; with a hash of its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId {
    source: Arc<str>,
    line: u32,
    name: Option<Arc<str>>,
    text_hash: u64,
}

/// When a rule runs; phases run in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Phase {
    /// The mock selector.
    Mock,
    /// Tag documents.
    Tag,
    /// Documents of a service.
    Service,
    /// Documents of a provider application.
    ProviderApplication,
    /// Documents of a consumer application.
    ConsumerApplication,
    /// Route URLs, conditions of `*.rules`, scripts, plugins.
    Rule,
    /// Affinity documents.
    Affinity,
}

/// What a failing router means for the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnError {
    /// The rule is void for this call.
    #[default]
    Pass,
    /// Nobody may be called.
    Empty,
    /// The call fails with the error.
    Fail,
}

/// All of a rule that does not depend on its kind.
#[derive(Debug, Clone)]
pub struct RuleHeader {
    /// Which rule.
    pub id: RuleId,
    /// The rule's own URL.
    pub url: Url,
    /// The kind, named by its factory's protocol.
    pub kind: Arc<str>,
    /// When it runs.
    pub phase: Phase,
    /// Order inside the phase.
    pub priority: i32,
    /// Whether an empty result stands.
    pub is_force: bool,
    /// Kept and shown; without effect on answers.
    pub is_runtime: bool,
    /// Whether the rule is active.
    pub is_enabled: bool,
    /// What a failure means.
    pub on_error: OnError,
    /// Services and consumers that the rule is for.
    pub scope: Scope,
}

// === impl RuleId ===

impl RuleId {
    /// A rule at `line` (counted from 1) of `source`.
    #[must_use]
    pub fn new(source: impl Into<Arc<str>>, line: u32, name: Option<&str>, text: &str) -> Self {
        let text_hash = foldhash::quality::FixedState::with_seed(0).hash_one(text);
        Self { source: source.into(), line, name: name.map(Into::into), text_hash }
    }

    /// The source: a path relative to the folder, or a name.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The line in the source, counted from 1; 0 where there is none.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The rule's name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// A hash of the rule's text.
    #[must_use]
    pub fn text_hash(&self) -> u64 {
        self.text_hash
    }
}

/// `name (source:line)`, or `source:line` without a name.
impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.line) {
            (Some(name), 0) => write!(f, "{name} ({})", self.source),
            (Some(name), line) => write!(f, "{name} ({}:{line})", self.source),
            (None, 0) => f.write_str(&self.source),
            (None, line) => write!(f, "{}:{line}", self.source),
        }
    }
}

// === impl OnError ===

impl OnError {
    /// Reads `pass`, `empty` or `fail`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "pass" => Some(Self::Pass),
            "empty" => Some(Self::Empty),
            "fail" => Some(Self::Fail),
            _ => None,
        }
    }

    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Empty => "empty",
            Self::Fail => "fail",
        }
    }
}
