//! Sealed memory of the host, seen by a worker.
#![expect(unsafe_code, reason = "mapping memory")]

use std::os::fd::OwnedFd;
use std::ptr::NonNull;

use rustix::fs::SealFlags;
use rustix::mm::MapFlags;
use rustix::mm::ProtFlags;

/// A read-only view of sealed memory.
#[derive(Debug)]
pub(in crate::worker) struct Mapping {
    // INVARIANT: `length` readable bytes that nobody can change or shrink; dangling when `length` is 0.
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: nothing behind the pointer ever changes, and unmapping may happen on any thread.
unsafe impl Send for Mapping {}

// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// A view of `memory` if it is sealed against every change and has exactly `length` bytes.
    pub(in crate::worker) fn of(memory: &OwnedFd, length: u64, limit: u64) -> Option<Mapping> {
        let seals = rustix::fs::fcntl_get_seals(memory).ok()?;
        let is_sealed = seals.contains(SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL);
        let size = u64::try_from(rustix::fs::fstat(memory).ok()?.st_size).ok()?;
        if !is_sealed || size != length || size > limit {
            return None;
        }
        let length = usize::try_from(length).ok()?;
        if length == 0 {
            return Some(Mapping { start: NonNull::dangling(), length });
        }
        // SAFETY: the address is the kernel's choice; the seals keep the bytes there and as they are while mapped.
        let start = unsafe {
            rustix::mm::mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::PRIVATE, memory, 0).ok()?
        };
        Some(Mapping { start: NonNull::new(start.cast())?, length })
    }

    pub(in crate::worker) fn bytes(&self) -> &[u8] {
        // SAFETY: the invariant of `start` and `length`; the borrow keeps the mapping.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: mapped by `of` with this length, and no borrow of it is left. Failing leaves it mapped.
            let _ = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}
