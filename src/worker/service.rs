//! What a worker does for its host: the trait a worker program implements, and what it is handed.

use std::ops::Deref;
use std::time::Duration;

/// A part as both sides name it: a compiled rule's text, a list of providers. Unique in one pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub(super) u64);

/// The bytes of a part, there while it is installed.
#[derive(Debug, Clone, Copy)]
pub struct PartBytes<'a>(pub(super) &'a [u8]);

/// What one run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Processor time of the run. A service ends a run at this deadline by itself; one that does not is killed.
    pub cpu: Duration,
    /// Time from the moment the request is written until the answer is there. Waiting for a worker and installing parts
    /// count for nothing.
    pub wall: Duration,
    /// Bytes that the run may have allocated at a time, beyond what the worker held before.
    pub memory_bytes: u64,
}

/// A service of a worker process. One run at a time, all on one thread with a deep stack.
pub trait Service {
    /// Takes a part in.
    ///
    /// # Errors
    ///
    /// Bytes that are told to the host; the part is then not there.
    fn install(&mut self, part: PartId, bytes: PartBytes<'_>) -> Result<(), Vec<u8>>;

    /// Drops a part: the host has no use for it any more.
    fn forget(&mut self, part: PartId);

    /// One run. `parts` are those that the job named, in its order; each is installed.
    fn run(&mut self, parts: &[PartId], request: &[u8], limits: &RunLimits) -> Vec<u8>;

    /// Whether the last run left the service unfit for another: the host replaces the worker after this answer.
    fn is_spent(&self) -> bool {
        false
    }
}

impl Deref for PartBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0
    }
}

impl Default for RunLimits {
    /// 20 ms of processor time, five times that on the clock, 32 MiB.
    fn default() -> RunLimits {
        RunLimits { cpu: Duration::from_millis(20), wall: Duration::from_millis(100), memory_bytes: 32 << 20 }
    }
}
