//! A rule of a file: its URL, its text, its place.

use std::sync::Arc;

use crate::diagnostics::Origin;
use crate::router::Placement;
use crate::router::RuleDefinition;
use crate::router::RuleId;
use crate::rpc::Url;

/// How a rule stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleKind {
    /// `when => then`, under the tags above it.
    Condition,
    /// A route URL that carries its own parameters.
    RouteUrl,
    /// A whole file: a script.
    Script,
    /// A part of a YAML document.
    Document,
}

/// One rule of a folder's file.
#[derive(Debug, Clone)]
pub struct RuleEntry {
    pub(super) url: Url,
    pub(super) text: Arc<str>,
    pub(super) origin: Origin,
    pub(super) line_origin: Origin,
    pub(super) line_bytes: usize,
    pub(super) line: usize,
    pub(super) kind: RuleKind,
    pub(super) name: Option<Arc<str>>,
    /// When it runs and for whom, where a document says so.
    pub(super) placement: Option<Placement>,
    /// The same rule stands before it, for other consumers.
    pub(super) is_copy: bool,
}

// === impl RuleEntry ===

impl RuleEntry {
    /// The rule as a route URL: what a router factory reads.
    #[must_use]
    pub fn to_url(&self) -> Url {
        self.url.clone()
    }

    /// The rule as a factory registry takes it.
    #[must_use]
    pub fn to_definition(&self) -> RuleDefinition {
        let line = u32::try_from(self.line).unwrap_or(u32::MAX);
        RuleDefinition {
            id: RuleId::new(self.file(), line, self.name(), self.url.as_str()),
            url: self.url.clone(),
            origin: self.line_origin.clone(),
            source_bytes: self.line_bytes(),
            rule_origin: self.origin.clone(),
            placement: self.placement.clone(),
        }
    }

    /// The rule's text, decoded; empty for a route URL without `rule`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where [`RuleEntry::text`] stands: an error at its byte *i* is shown at the right byte of the file.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The file, relative to the folder.
    #[must_use]
    pub fn file(&self) -> &str {
        self.origin.source().name()
    }

    /// The line, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// How it stands in the file.
    #[must_use]
    pub fn kind(&self) -> RuleKind {
        self.kind
    }

    /// Its own name, if it was given one that no rule before it has.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether the same rule stands before it, for other consumers.
    pub(crate) fn is_copy(&self) -> bool {
        self.is_copy
    }

    /// Where the line stands, without the blanks around it.
    #[must_use]
    pub fn line_origin(&self) -> &Origin {
        &self.line_origin
    }

    /// How long the line is, without the blanks around it.
    #[must_use]
    pub fn line_bytes(&self) -> usize {
        self.line_bytes
    }

    /// Another rule had the name first: this one is known by its place.
    pub(crate) fn give_up_name(&mut self) {
        self.name = None;
    }
}
