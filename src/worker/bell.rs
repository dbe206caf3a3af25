//! What wakes the supervisor.

use std::io;
use std::os::fd::AsFd;
use std::os::fd::BorrowedFd;
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use rustix::event::EventfdFlags;

/// Rung by anyone, heard by the supervisor; ringing it twice is ringing it once.
#[derive(Debug)]
pub(super) struct Bell {
    event: OwnedFd,
    is_rung: AtomicBool,
}

impl Bell {
    pub(super) fn new() -> io::Result<Bell> {
        let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Bell { event, is_rung: AtomicBool::new(false) })
    }

    pub(super) fn ring(&self) {
        if !self.is_rung.swap(true, Ordering::AcqRel) {
            // Fails only when the counter is full, and then the bell rings already.
            let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
        }
    }

    /// Makes it silent. What was done before it was rung is to be looked at after this.
    pub(super) fn hush(&self) {
        let _ = rustix::io::read(&self.event, &mut [0_u8; 8]);
        self.is_rung.swap(false, Ordering::AcqRel);
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}
