//! A rule that was read.

use crate::condition::Dialect;
use crate::condition::Key;
use crate::condition::Pattern;
use crate::condition::Subject;
use crate::diagnostics::Finding;
use crate::rpc::Url;

/// A condition rule. `Display` prints its normal form; two rules are equal when they say the same, warnings aside.
#[derive(Debug, Clone)]
pub struct Rule {
    pub(super) dialect: Dialect,
    pub(super) when: When,
    pub(super) then: Then,
    pub(super) warnings: Vec<Finding>,
}

/// Which calls a rule is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Every call.
    Always,
    /// The calls that every pair accepts.
    Pairs(Vec<Pair>),
}

/// Which providers those calls may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// None, whatever `force` says.
    Blocked,
    /// The providers that every pair accepts; none of them when there is no pair (`=> &`).
    Pairs(Vec<Pair>),
}

/// One key of a side with all its values, each once and in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub(super) key: Key,
    pub(super) matches: Vec<Pattern>,
    pub(super) mismatches: Vec<Pattern>,
}

/// A side of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before `=>`: speaks of the consumer and the call.
    When,
    /// After `=>`: speaks of the providers.
    Then,
}

// === impl Rule ===

impl Rule {
    /// The dialect it was read in.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Which calls it is for.
    #[must_use]
    pub const fn when(&self) -> &When {
        &self.when
    }

    /// Which providers those may go to.
    #[must_use]
    pub const fn then(&self) -> &Then {
        &self.then
    }

    /// What is probably not meant, in the order of the text.
    #[must_use]
    pub fn warnings(&self) -> &[Finding] {
        &self.warnings
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.dialect == other.dialect && self.when == other.when && self.then == other.then
    }
}

impl Eq for Rule {}

// === impl When ===

impl When {
    /// The pairs; none for [`When::Always`].
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        match self {
            Self::Always => &[],
            Self::Pairs(pairs) => pairs,
        }
    }
}

// === impl Then ===

impl Then {
    /// The pairs; none for [`Then::Blocked`].
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        match self {
            Self::Blocked => &[],
            Self::Pairs(pairs) => pairs,
        }
    }
}

// === impl Pair ===

impl Pair {
    /// The key.
    #[must_use]
    pub const fn key(&self) -> &Key {
        &self.key
    }

    /// The `=` values.
    #[must_use]
    pub fn matches(&self) -> &[Pattern] {
        &self.matches
    }

    /// The `!=` values.
    #[must_use]
    pub fn mismatches(&self) -> &[Pattern] {
        &self.mismatches
    }

    /// Whether a placeholder stands among the values.
    #[must_use]
    pub fn has_placeholder(&self) -> bool {
        self.matches.iter().chain(&self.mismatches).any(|pattern| matches!(pattern, Pattern::Placeholder(_)))
    }

    /// Whether the key's value passes: no `!=` value matches it, and any `=` value does where there are some. A key
    /// without values accepts nothing.
    ///
    /// An absent value passes under `v2` where there are no `=` values, if the key names a parameter; else never.
    #[must_use]
    pub fn accepts(&self, value: Option<&str>, dialect: Dialect) -> bool {
        let Some(value) = value else {
            return self.accepts_absent(dialect);
        };
        if self.mismatches.iter().any(|pattern| pattern.is_match(value)) {
            return false;
        }
        match (self.matches.as_slice(), self.mismatches.as_slice()) {
            ([], mismatches) => !mismatches.is_empty(),
            (matches, _) => matches.iter().any(|pattern| pattern.is_match(value)),
        }
    }

    /// [`Pair::accepts`] of a key that is absent.
    #[must_use]
    pub fn accepts_absent(&self, dialect: Dialect) -> bool {
        dialect == Dialect::V2 && self.matches.is_empty() && *self.key.subject() == Subject::Parameter
    }

    /// The pair with every placeholder replaced by what `consumer` has, see [`Pattern::resolve`].
    #[must_use]
    pub fn resolve(&self, consumer: &Url) -> Self {
        let resolve = |patterns: &[Pattern]| patterns.iter().map(|pattern| pattern.resolve(consumer)).collect();
        Self { key: self.key.clone(), matches: resolve(&self.matches), mismatches: resolve(&self.mismatches) }
    }
}

// === impl Side ===

impl Side {
    /// `when` or `then`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::When => "when",
            Self::Then => "then",
        }
    }
}
