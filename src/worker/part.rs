//! Parts: what workers hold between runs.

use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::os::fd::BorrowedFd;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use rustix::fs::MemfdFlags;
use rustix::fs::SealFlags;
use rustix::io::Errno;

use crate::worker::KeptBytes;
use crate::worker::PartId;
use crate::worker::bell::Bell;
use crate::worker::os::Mapping;

/// The bytes of a part, as the host keeps them.
#[derive(Debug, Clone)]
pub enum Payload {
    /// Copied to each worker.
    Bytes(Arc<[u8]>),
    /// One copy that all workers read.
    Shared(Arc<SharedBytes>),
}

/// Bytes in sealed memory.
#[derive(Debug)]
pub struct SharedBytes {
    pub(super) memory: OwnedFd,
    pub(super) length: u64,
}

/// Something that workers hold between runs. When the last `Arc` of it is gone, workers forget it.
pub struct Part {
    pub(super) id: PartId,
    pub(super) domain: Arc<str>,
    pub(super) payload: Payload,
    pub(super) dropped: Arc<Dropped>,
    /// Installing it ahead of a job went wrong: jobs may still try, nobody installs it ahead again.
    pub(super) is_unfit: AtomicBool,
}

/// Counts parts that are gone.
#[derive(Debug)]
pub(super) struct Dropped {
    count: AtomicU64,
    bell: Arc<Bell>,
}

// === impl Payload ===

impl Payload {
    /// Puts bytes into sealed memory, which all workers read without a copy of their own.
    ///
    /// # Errors
    ///
    /// The system has no memory or no descriptor left.
    pub fn shared(bytes: &[u8]) -> io::Result<Payload> {
        Ok(Payload::Shared(Arc::new(SharedBytes::of(bytes, "part")?)))
    }
}

// === impl SharedBytes ===

impl SharedBytes {
    /// Sealed memory that holds a copy of `bytes`; `name` is what the system calls it.
    ///
    /// # Errors
    ///
    /// The system has no memory or no descriptor left.
    pub fn of(bytes: &[u8], name: &str) -> io::Result<SharedBytes> {
        let memory = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(&memory, rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&memory, seals)?;
        Ok(SharedBytes { memory, length: bytes.len() as u64 })
    }

    /// A read-only view, which needs no descriptor; none where the system maps no more.
    #[must_use]
    pub fn map(&self) -> Option<KeptBytes> {
        Mapping::of(&self.memory, self.length, u64::MAX).map(KeptBytes::mapped)
    }
}

impl AsFd for SharedBytes {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.memory.as_fd()
    }
}

impl Payload {
    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Payload::Bytes(bytes) => bytes.len(),
            Payload::Shared(shared) => usize::try_from(shared.length).unwrap_or(usize::MAX),
        }
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Payload {
        Payload::Bytes(bytes.into())
    }
}

impl From<&[u8]> for Payload {
    fn from(bytes: &[u8]) -> Payload {
        Payload::Bytes(bytes.into())
    }
}

// === impl Part ===

impl Part {
    /// Its name in the workers.
    #[must_use]
    pub fn id(&self) -> PartId {
        self.id
    }

    /// The domain it belongs to.
    #[must_use]
    pub fn domain(&self) -> &str {
        &self.domain
    }

    pub(super) fn is_fit(&self) -> bool {
        !self.is_unfit.load(Ordering::Relaxed)
    }

    pub(super) fn mark_unfit(&self) {
        self.is_unfit.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the bytes: a rule's text may hold secrets.
        formatter.debug_struct("Part").field("id", &self.id).field("domain", &self.domain).finish_non_exhaustive()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.dropped.count.fetch_add(1, Ordering::Release);
        self.dropped.bell.ring();
    }
}

// === impl Dropped ===

impl Dropped {
    pub(super) fn new(bell: Arc<Bell>) -> Dropped {
        Dropped { count: AtomicU64::new(0), bell }
    }

    /// Grows whenever a part is gone.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }
}
