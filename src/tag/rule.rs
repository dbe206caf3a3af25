//! A tag rule as data.

use serde::Deserialize;
use serde::Serialize;

use crate::tag::TextMatch;

/// Tags and who carries them. Its JSON is the text of a `tag:` rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagRule {
    /// In the order written.
    pub tags: Vec<Tag>,
}

/// One tag: the providers at its addresses, or without any those that fit its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    /// What calls ask for; `a|b` is a level below `a`. No call asks for an empty name: its providers are taken, and that
    /// is all.
    pub name: String,
    /// As [`AddressPattern`](crate::tag::AddressPattern)s.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// All of them must be fulfilled; looked at only where there are no addresses.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<ParameterMatch>>,
}

/// A condition on a provider's parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterMatch {
    /// The parameter.
    pub key: String,
    /// What its value must be like.
    pub value: TextMatch,
}
