//! Room on the machine's stack.

use std::cell::Cell;

use corosensei::on_stack;
use corosensei::stack::DefaultStack;

/// Pages that are not touched cost nothing.
const STACK_BYTES: usize = 64 << 20;

thread_local! {
    /// Whether what runs now has room enough.
    static IS_ROOMY: Cell<bool> = const { Cell::new(false) };
    /// The thread's large stack, while nothing runs on it. PERF: a new one costs as much as compiling half a rule, since
    /// each page has to be had from the system (`script/compile`).
    static SPARE: Cell<Option<DefaultStack>> = const { Cell::new(None) };
}

/// Runs `work` where the parser's and the natives' recursion finds room.
pub(super) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    if IS_ROOMY.get() {
        return work();
    }
    // While a thread ends, its spare may be gone before its engines.
    let spare = SPARE.try_with(Cell::take).ok().flatten();
    let Some(mut stack) = spare.or_else(|| DefaultStack::new(STACK_BYTES).ok()) else { return work() };
    let inside = Inside::enter();
    let result = on_stack(&mut stack, work);
    drop(inside);
    let _ = SPARE.try_with(|spare| spare.set(Some(stack)));
    result
}

/// Gives the thread's large stack back to the system: what ran on it may have touched all of it.
pub(super) fn give_back() {
    let _ = SPARE.try_with(Cell::take);
}

/// Says that this thread's own stack is large enough for all that comes.
#[cfg(target_os = "linux")]
pub(crate) fn begin_on_large_stack() {
    IS_ROOMY.set(true);
}

/// Work on the large stack; it ends with a panic too.
struct Inside;

// === impl Inside ===

impl Inside {
    fn enter() -> Self {
        IS_ROOMY.set(true);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        IS_ROOMY.set(false);
    }
}
