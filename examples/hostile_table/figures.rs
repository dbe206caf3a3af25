//! What one run came to, and what it cost.

use std::fmt;
use std::time::Duration;

use crate::stage::Outcome;

/// One cell of the table.
pub(crate) struct Figures {
    /// In a word or two.
    pub(crate) outcome: String,
    pub(crate) took: Option<Duration>,
    pub(crate) kib: Option<u64>,
}

/// An outcome in a word or two.
pub(crate) fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Kept(_) => "answered".to_owned(),
        Outcome::Refused(_) => "refused".to_owned(),
        Outcome::Stopped(which, ..) => which.as_str().to_owned(),
        Outcome::Failed(_) => "failed".to_owned(),
        Outcome::Died(how) => format!("**{how}**"),
        Outcome::Wrong(what) => format!("**wrong: {what}**"),
    }
}

/// A figure of `/proc/PID/status` in KiB.
pub(crate) fn status_kib(process: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

// === impl Figures ===

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.outcome)?;
        if let Some(took) = self.took {
            write!(f, ", {} ms", took.as_millis())?;
        }
        if let Some(kib) = self.kib {
            write!(f, ", {} MiB", kib.div_ceil(1024))?;
        }
        Ok(())
    }
}
