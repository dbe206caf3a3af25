//! Room on the machine's stack.

/// With less than this left, the work moves to a stack of its own.
const RED_ZONE_BYTES: usize = 48 << 20;

/// The stack of its own. Pages that are not touched cost nothing.
const STACK_BYTES: usize = 64 << 20;

/// Runs `work` where the parser's and the natives' recursion finds room.
pub(super) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE_BYTES, STACK_BYTES, work)
}
