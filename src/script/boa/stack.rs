//! Room on the machine's stack.

/// With less than this left, the work moves to a stack of its own.
const RED_ZONE_BYTES: usize = 48 << 20;

/// The stack of its own. Pages that are not touched cost nothing.
const STACK_BYTES: usize = 64 << 20;

/// Runs `work` where the parser's and the natives' recursion finds room.
pub(super) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE_BYTES, STACK_BYTES, work)
}

/// Finds out where this thread's stack ends. The first look asks the system in a way that a worker gives up.
#[cfg(target_os = "linux")]
pub(crate) fn look_at_the_stack() {
    let _ = stacker::remaining_stack();
}
