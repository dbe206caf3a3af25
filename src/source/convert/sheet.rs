//! Rules of one key, and what they have in common.

use crate::condition::Dialect;
use crate::router::OnError;
use crate::rule::Document;
use crate::rule::DocumentScope;
use crate::source::convert::loss::Place;
use crate::source::convert::sides::Sides;

/// The rules of a document, or those that could be one.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    pub(super) scope: DocumentScope,
    /// The service as `group/interface:version`, or the application.
    pub(super) key: String,
    pub(super) flags: Flags,
    pub(super) name: Option<String>,
    pub(super) items: Vec<Item>,
    /// The document, or its first rule.
    pub(super) place: Place,
}

/// How rules run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) is_enabled: bool,
    pub(super) is_force: bool,
    pub(super) is_runtime: bool,
    pub(super) priority: i32,
    pub(super) on_error: OnError,
    pub(super) dialect: Dialect,
}

/// One rule.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) sides: Sides,
    pub(super) name: Option<String>,
    pub(super) place: Place,
}

// === impl Flags ===

impl Flags {
    pub(super) fn of(document: &Document) -> Self {
        Self {
            is_enabled: document.is_enabled(),
            is_force: document.is_force(),
            is_runtime: document.is_runtime(),
            priority: document.priority(),
            on_error: document.on_error(),
            dialect: document.dialect(),
        }
    }
}
