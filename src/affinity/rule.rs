//! An affinity rule as data.

use serde::Deserialize;
use serde::Serialize;

/// Which providers are preferred, and how many of them are enough. Its JSON is the text of an `affinity:` rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AffinityRule {
    /// The parameter in which provider and consumer must be alike.
    pub key: String,
    /// Percent of the candidates, 0 to 100: fewer of them are not enough.
    pub ratio: f64,
}

/// Whether `text` can be the key of a condition, which says just what it is.
#[must_use]
pub fn is_key(text: &str) -> bool {
    let is_prefixed = ["consumer.", "provider."].iter().any(|prefix| text.starts_with(prefix));
    !is_prefixed
        && !text.is_empty()
        && !text.chars().any(|c| c.is_whitespace() || matches!(c, '&' | '!' | '=' | ',' | '$'))
}
