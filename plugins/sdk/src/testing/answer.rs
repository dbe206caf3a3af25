//! What a plugin answered.

use std::fmt;

use crate::router::Verdict;

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub(super) verdict: Verdict,
    pub(super) positions: Vec<usize>,
    pub(super) urls: Vec<String>,
    pub(super) explanations: Vec<String>,
    pub(super) logs: Vec<String>,
    pub(super) counts: Vec<(String, i64)>,
}

/// A plugin that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The function of the ABI that failed.
    pub step: &'static str,
    /// Its code.
    pub code: i32,
    /// What it said.
    pub text: String,
    /// The lines that were logged until then.
    pub logs: Vec<String>,
}

// === impl Kept ===

impl Kept {
    /// Whether the plugin had an opinion.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Who is kept, in order: the plugin's selection, or all candidates after [`Verdict::Pass`].
    #[must_use]
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// The URLs of who is kept.
    #[must_use]
    pub fn urls(&self) -> &[String] {
        &self.urls
    }

    /// What was explained; nothing for a call that is [`CallBuilder::unexplained`](super::CallBuilder::unexplained).
    #[must_use]
    pub fn explanations(&self) -> &[String] {
        &self.explanations
    }

    /// What was logged on this thread since the answer before, as `warn: text`.
    #[must_use]
    pub fn logs(&self) -> &[String] {
        &self.logs
    }

    /// What was counted on this thread since the answer before.
    #[must_use]
    pub fn counts(&self) -> &[(String, i64)] {
        &self.counts
    }
}

// === impl Failure ===

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answered {}: {}", self.step, self.code, self.text)
    }
}

impl std::error::Error for Failure {}
