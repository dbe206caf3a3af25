//! What a run has used of its time, operations and stack.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use std::time::Instant;

use crate::router::Limit;
use crate::script::Run;
use crate::script::RunError;

/// Stops a run that uses too much. Once it said stop, it says so for the rest of the run, so that no `catch` and no
/// library function that swallows errors gets past it.
#[derive(Debug)]
pub(super) struct Meter {
    operations: Cell<u64>,
    allowed_operations: Cell<u64>,
    allowed_us: Cell<u64>,
    // No processor time can have passed the deadline before this moment on the wall.
    look_again: Cell<Instant>,
    stack_base: Cell<usize>,
    stop: Cell<Option<Limit>>,
}

// === impl Meter ===

impl Meter {
    /// The deepest stack of a run, in bytes. What Rhai itself needs beyond a look (copies and drops of nested values)
    /// comes on top; threads have 2 MiB.
    const MAX_STACK_BYTES: usize = 1 << 20;

    /// A look at the wall's clock is due every so many operations; a power of two.
    const OPERATIONS_PER_LOOK: u64 = 4;

    pub(super) fn new() -> Self {
        Self {
            operations: Cell::new(0),
            allowed_operations: Cell::new(u64::MAX),
            allowed_us: Cell::new(u64::MAX),
            look_again: Cell::new(Instant::now()),
            stack_base: Cell::new(0),
            stop: Cell::new(None),
        }
    }

    /// Begins to count for `run`.
    pub(super) fn start(&self, run: &Run) {
        self.operations.set(0);
        self.allowed_operations.set(run.limits().operations);
        self.allowed_us.set(u64::try_from(run.limits().deadline.as_micros()).unwrap_or(u64::MAX));
        self.look_again.set(Instant::now());
        self.stack_base.set(stack_position());
        self.stop.set(None);
    }

    /// Counts one operation; whether to go on. `run` is asked for when its clock is to be read.
    pub(super) fn tick(&self, run: impl FnOnce() -> Option<Rc<Run>>) -> bool {
        if self.stop.get().is_some() {
            return false;
        }
        let operations = self.operations.get() + 1;
        self.operations.set(operations);
        if operations > self.allowed_operations.get() {
            return self.halt(Limit::Operations);
        }
        if self.stack_base.get().abs_diff(stack_position()) > Self::MAX_STACK_BYTES {
            return self.halt(Limit::CallDepth);
        }
        operations & (Self::OPERATIONS_PER_LOOK - 1) != 0 || self.look(run)
    }

    /// Counts work that a function of the library does at once; whether to go on.
    pub(super) fn charge(&self, operations: usize, run: impl Fn() -> Option<Rc<Run>>) -> bool {
        self.operations.set(self.operations.get().saturating_add(operations as u64));
        self.tick(&run) && self.look(&run)
    }

    /// Whether the run was stopped, and why.
    pub(super) fn stopped(&self) -> Option<Limit> {
        self.stop.get()
    }

    /// The error of a stopped run.
    pub(super) fn error(&self, limit: Limit, run: &Run, line: Option<u32>) -> RunError {
        let limits = run.limits();
        let (used, allowed) = match limit {
            Limit::Operations => (self.operations.get(), limits.operations),
            Limit::CallDepth => (u64::from(limits.call_depth), u64::from(limits.call_depth)),
            _ => return run.overdue(line),
        };
        RunError::Limit { which: limit, used, allowed, line }
    }

    // PERF: the processor's clock costs 350 ns, the wall's 25 ns. A thread cannot use more processor time than passes on
    // the wall, so the former is read only when as much has passed on the wall as was left.
    fn look(&self, run: impl FnOnce() -> Option<Rc<Run>>) -> bool {
        let now = Instant::now();
        if now < self.look_again.get() {
            return true;
        }
        let left = self.allowed_us.get().saturating_sub(run().map_or(u64::MAX, |run| run.used_us()));
        if left == 0 {
            return self.halt(Limit::Deadline);
        }
        self.look_again.set(now + Duration::from_micros(left));
        true
    }

    fn halt(&self, limit: Limit) -> bool {
        self.stop.set(Some(limit));
        false
    }
}

/// About where the stack ends now.
#[inline(never)]
fn stack_position() -> usize {
    let marker = 0_u8;
    std::hint::black_box(std::ptr::from_ref(&marker)).addr()
}
