//! Everything that is wrong with a set of texts, as one error.

use std::fmt;

use miette::Diagnostic;

use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::render;

/// All findings at once; what reads it is the person who wrote the rules.
#[derive(Debug, Clone)]
pub struct ConfigError {
    findings: Vec<Finding>,
}

// === impl ConfigError ===

impl ConfigError {
    /// An error of these findings.
    #[must_use]
    pub fn new(findings: Vec<Finding>) -> Self {
        Self { findings }
    }

    /// The findings, warnings included.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// A finding a line, with place and advice.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: String = self.findings.iter().map(|finding| render::plain(finding, &Mask::default())).collect();
        f.write_str(lines.trim_end())
    }
}

impl std::error::Error for ConfigError {}

impl Diagnostic for ConfigError {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.findings.iter().map(|finding| finding as &dyn Diagnostic)))
    }
}
