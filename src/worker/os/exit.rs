//! Leaving without ceremony.
#![expect(unsafe_code, reason = "`_exit` is a C function")]

/// Ends the process at once: no destructors, no buffers, no handlers. A worker owes nobody anything.
pub(in crate::worker) fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` has no preconditions and does not return.
    unsafe { libc::_exit(code) }
}
