//! What a pool is asked, and what it answers.

use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;

use crate::worker::RunLimits;
use crate::worker::part::Part;

/// The parts of a job.
pub type Parts = SmallVec<[Arc<Part>; 2]>;

/// A run that workers are asked for.
#[derive(Debug, Clone)]
pub struct Job {
    /// Who shares a process: a worker serves one domain in all its life.
    pub domain: Arc<str>,
    /// A rule, say. All jobs of an owner together hold at most half of the workers, and at least one.
    pub owner: u64,
    /// What the run needs to be installed.
    pub parts: Parts,
    /// What the service gets.
    pub request: Vec<u8>,
    /// What the run may use.
    pub limits: RunLimits,
}

/// The answer to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What the service said.
    pub bytes: Vec<u8>,
    /// Processor time of the run.
    pub cpu: Duration,
    /// Time from writing the request to having read the answer.
    pub elapsed: Duration,
    /// The most the run had allocated at a time.
    pub memory_bytes: u64,
}

// === impl Job ===

impl Job {
    /// A job without parts, under the default limits.
    #[must_use]
    pub fn new(domain: impl Into<Arc<str>>, request: Vec<u8>) -> Job {
        Job { domain: domain.into(), owner: 0, parts: Parts::new(), request, limits: RunLimits::default() }
    }
}
