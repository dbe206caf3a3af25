//! The one descriptor a worker keeps.
#![expect(unsafe_code, reason = "standard input becomes a socket, and descriptors of unknown owners are closed")]

use std::io;
use std::os::fd::FromRawFd as _;
use std::os::fd::OwnedFd;

/// Standard input as the socket it is. To be called once.
pub(in crate::worker) fn standard_input() -> OwnedFd {
    // SAFETY: descriptor 0 is open (the host gave it) and nothing else in a worker reads or closes it.
    unsafe { OwnedFd::from_raw_fd(0) }
}

/// Closes every descriptor from 3 on. To be called before anything was opened.
pub(in crate::worker) fn close_all_but_standard() -> io::Result<()> {
    // SAFETY: a worker has opened nothing yet, so no one in this process owns any of the descriptors closed.
    if unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) } == 0 {
        return Ok(());
    }
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(65_536).min(65_536);
    for descriptor in 3..libc::c_int::try_from(limit).unwrap_or(65_536) {
        // SAFETY: as above; closing a number that is not open does nothing.
        unsafe { libc::close(descriptor) };
    }
    Ok(())
}
