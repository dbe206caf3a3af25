//! A rule before it is compiled: its URL, which one it is, and where its text stands.

use crate::diagnostics::Origin;
use crate::router::RuleId;
use crate::rpc::Url;

/// A rule as a source gives it; a factory makes a router of it.
#[derive(Debug, Clone)]
pub struct RuleDefinition {
    /// Which rule.
    pub id: RuleId,
    /// The rule as a URL.
    pub url: Url,
    /// Where the URL stands in its source, or what stands for it.
    pub origin: Origin,
    /// Where the decoded rule text (`rule=`) stands in its source; an error inside it points there.
    pub rule_origin: Origin,
}
