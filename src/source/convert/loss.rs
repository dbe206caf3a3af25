//! What becomes of a rule besides its new form.

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;

/// Where a rule stands, for findings.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) origin: Origin,
    pub(super) bytes: usize,
}

// === impl Place ===

impl Place {
    /// The new form cannot say a part of the rule.
    pub(super) fn lost(&self, what: &str, help: &str) -> Finding {
        let finding = Finding::warning("convert::lost", format!("the new form cannot say {what}"));
        finding.with_help(help).at(&self.origin, 0..self.bytes, "lost from this rule")
    }

    /// The rule has no new form.
    pub(super) fn not_converted(&self, why: &str, help: &str) -> Finding {
        let finding = Finding::error("convert::not_converted", format!("the rule is left out: {why}"));
        finding.with_help(help).at(&self.origin, 0..self.bytes, "left out")
    }

    /// The new form says it a little differently.
    pub(super) fn changed(&self, what: &str, help: &str) -> Finding {
        let finding = Finding::new("convert::changed", Severity::Info, what);
        finding.with_help(help).at(&self.origin, 0..self.bytes, "this rule")
    }
}
