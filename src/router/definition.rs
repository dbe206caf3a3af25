//! A rule before it is compiled: its URL, which one it is, and where its text stands.

use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::router::BuildError;
use crate::router::Phase;
use crate::router::RuleId;
use crate::router::Scope;
use crate::rpc::Url;
use crate::rpc::UrlError;
use crate::rpc::keys;

/// A rule as a source gives it; a factory makes a router of it.
#[derive(Debug, Clone)]
pub struct RuleDefinition {
    /// Which rule.
    pub id: RuleId,
    /// The rule as a URL.
    pub url: Url,
    /// Where the URL stands in its source, or what stands for it.
    pub origin: Origin,
    /// How many bytes of the source that is.
    pub source_bytes: usize,
    /// Where the decoded rule text (`rule=`) stands in its source; an error inside it points there.
    pub rule_origin: Origin,
    /// When it runs and for whom, where a document says so; a rule that stands alone says it in its URL.
    pub placement: Option<Placement>,
}

/// When a rule runs, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// When.
    pub phase: Phase,
    /// For whom.
    pub scope: Scope,
}

// === impl RuleDefinition ===

impl RuleDefinition {
    /// A rule that is a source of its own: the URL is all of its text.
    ///
    /// # Errors
    ///
    /// The text is no URL.
    pub fn parse(source: &str, line: u32, name: Option<&str>, text: &str) -> Result<Self, UrlError> {
        let origin = Origin::whole(SourceText::new(source, text));
        let (id, url) = (RuleId::new(source, line, name, text), Url::parse(text)?);
        Ok(Self { id, url, rule_origin: origin.clone(), origin, source_bytes: text.len(), placement: None })
    }

    /// The decoded text of the rule, its parameter `rule`.
    ///
    /// # Errors
    ///
    /// It is missing, or its bytes are no UTF-8.
    pub fn rule_text(&self) -> Result<String, BuildError> {
        let decoded =
            self.url.parameter_decoded(keys::RULE).ok_or(BuildError::MissingParameter { name: keys::RULE })?;
        decoded.map_err(|_| BuildError::InvalidParameter {
            name: keys::RULE.to_owned(),
            expected: "percent-encoded UTF-8",
            found: "other bytes".to_owned(),
        })
    }
}
