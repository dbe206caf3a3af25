//! A rule with several destinations as data.

use serde::Deserialize;
use serde::Serialize;

/// Calls and the destinations among which they are shared out. Its JSON is the text of a `destinations:` rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DestinationRule {
    /// A `when` side: which calls.
    pub from: String,
    /// Where those go; nowhere if there is none.
    pub to: Vec<Destination>,
}

/// One destination.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destination {
    /// A `then` side: which providers; all where it is empty.
    #[serde(rename = "match")]
    pub providers: String,
    /// Its share, against the weights of the other destinations that have a candidate.
    pub weight: u32,
}

// === impl Destination ===

impl Destination {
    /// The weight of a destination that does not say.
    pub const DEFAULT_WEIGHT: u32 = 100;
}
