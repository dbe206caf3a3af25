//! A change that was refused; the old snapshot is still in force.

use thiserror::Error;

use crate::chain::ChainError;
use crate::diagnostics::Finding;
use crate::router::BuildError;

/// Why a change was refused.
#[derive(Debug, Clone, Error)]
#[error("generation {generation} stays in force: {}", findings_text(findings))]
#[non_exhaustive]
pub struct ReloadError {
    /// The generation that stays.
    pub generation: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The source of the rule that could not be prepared, if that is the cause.
    pub rule_source: Option<String>,
}

// === impl ReloadError ===

impl ReloadError {
    pub(crate) fn chain(generation: u64, error: &ChainError) -> Self {
        let text = error.to_string();
        let finding = match &error.error {
            BuildError::Rule(finding) => (**finding).clone(),
            error => Finding::error(error.slug(), text),
        };
        Self { generation, findings: vec![finding], rule_source: Some(error.header.id.source().to_owned()) }
    }

    pub(crate) fn registry(error: BuildError) -> Self {
        Self { generation: 0, findings: vec![Finding::error(error.slug(), error.to_string())], rule_source: None }
    }
}

fn findings_text(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
