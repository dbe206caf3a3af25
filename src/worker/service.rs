//! What a worker does for its host: the trait a worker program implements, and what it is handed.

use std::ops::Deref;
use std::os::fd::AsFd as _;
use std::os::fd::BorrowedFd;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use crate::worker::os::Mapping;

/// A part as both sides name it: a compiled rule's text, a list of providers. Unique in one pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub(super) u64);

// === impl PartId ===

impl PartId {
    /// The number, for requests that name parts.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// The part of this number.
    #[must_use]
    pub fn of(number: u64) -> Self {
        Self(number)
    }
}

/// The bytes of a part, there while it is taken in.
#[derive(Debug, Clone, Copy)]
pub struct PartBytes<'a>(Source<'a>);

#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Copied(&'a [u8]),
    Shared { mapping: &'a Arc<Mapping>, memory: &'a OwnedFd },
}

/// The bytes of a part, for as long as somebody has them. Those that came as shared memory are not copied.
#[derive(Debug, Clone)]
pub struct KeptBytes(Kept);

#[derive(Debug, Clone)]
enum Kept {
    Own(Arc<[u8]>),
    Mapped(Arc<Mapping>),
}

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

// === impl PartBytes ===

impl<'a> PartBytes<'a> {
    pub(super) fn copied(bytes: &'a [u8]) -> Self {
        Self(Source::Copied(bytes))
    }

    pub(super) fn shared(mapping: &'a Arc<Mapping>, memory: &'a OwnedFd) -> Self {
        Self(Source::Shared { mapping, memory })
    }

    /// The bytes to keep.
    #[must_use]
    pub fn keep(&self) -> KeptBytes {
        KeptBytes(match self.0 {
            Source::Copied(bytes) => Kept::Own(bytes.into()),
            Source::Shared { mapping, .. } => Kept::Mapped(Arc::clone(mapping)),
        })
    }

    /// The sealed memory that the bytes came in; none if they came as a copy.
    #[must_use]
    pub fn memory(&self) -> Option<BorrowedFd<'a>> {
        match self.0 {
            Source::Copied(_) => None,
            Source::Shared { memory, .. } => Some(memory.as_fd()),
        }
    }
}

impl Deref for PartBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Source::Copied(bytes) => bytes,
            Source::Shared { mapping, .. } => mapping.bytes(),
        }
    }
}

// === impl KeptBytes ===

impl KeptBytes {
    pub(super) fn mapped(mapping: Mapping) -> Self {
        Self(Kept::Mapped(Arc::new(mapping)))
    }
}

impl From<Vec<u8>> for KeptBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Kept::Own(bytes.into()))
    }
}

impl Deref for KeptBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Kept::Own(bytes) => bytes,
            Kept::Mapped(mapping) => mapping.bytes(),
        }
    }
}

impl Default for RunLimits {
    /// 20 ms of processor time, five times that on the clock, 32 MiB.
    fn default() -> RunLimits {
        RunLimits { cpu: Duration::from_millis(20), wall: Duration::from_millis(100), memory_bytes: 32 << 20 }
    }
}
