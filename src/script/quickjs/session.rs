//! The run that host functions and the interrupt handler speak of.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::router::Limit;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::cpu_clock::CpuClock;

/// What a runtime is doing at the moment.
#[derive(Debug, Default)]
pub(super) struct Session {
    run: RefCell<Option<Rc<Run>>>,
    compiling: Cell<Option<CpuClock>>,
    stopped: Cell<Option<Limit>>,
    grew: Cell<bool>,
}

// === impl Session ===

impl Session {
    /// A parser that takes longer is at something that no rule is.
    const MOST_COMPILING_US: u64 = 200_000;

    pub(super) fn begin(&self, run: &Rc<Run>) {
        self.stopped.set(None);
        self.run.replace(Some(run.clone()));
    }

    pub(super) fn end(&self) {
        self.run.replace(None);
        self.compiling.set(None);
    }

    pub(super) fn begin_compiling(&self) {
        self.stopped.set(None);
        self.compiling.set(Some(CpuClock::start()));
    }

    /// Asks the run; the default stands where none is under way.
    pub(super) fn ask<T: Default>(&self, look: impl FnOnce(&Run) -> T) -> T {
        self.run.borrow().as_deref().map(look).unwrap_or_default()
    }

    /// The table of the run.
    pub(super) fn table(&self) -> rquickjs::Result<Arc<ProviderTable>> {
        self.ask(|run| Some(run.table().clone())).ok_or(rquickjs::Error::Unknown)
    }

    /// Whether the engine is to stop now. Once it was told so it is told so for ever.
    pub(super) fn interrupts(&self) -> bool {
        if self.stopped.get().is_some() {
            return true;
        }
        let parses_too_long = || self.compiling.get().is_some_and(|it| it.elapsed_us() > Self::MOST_COMPILING_US);
        if self.ask(Run::is_overdue) || parses_too_long() {
            self.stopped.set(Some(Limit::Deadline));
        }
        self.stopped.get().is_some()
    }

    /// Remembers a limit that the rule caught.
    pub(super) fn stop(&self, limit: Limit) {
        self.stopped.set(self.stopped.get().or(Some(limit)));
    }

    pub(super) fn stopped(&self) -> Option<Limit> {
        self.stopped.get()
    }

    /// Says that something was made that outlives the run.
    pub(super) fn note_growth(&self) {
        self.grew.set(true);
    }

    pub(super) fn take_growth(&self) -> bool {
        self.grew.replace(false)
    }

    /// The error of a run that `limit` stopped.
    pub(super) fn error(&self, limit: Limit, line: Option<u32>) -> RunError {
        let which = limit;
        self.run.borrow().as_deref().map_or(RunError::Limit { which, used: 0, allowed: 0, line }, |run| match limit {
            Limit::Memory => {
                let allowed = run.limits().memory_bytes;
                RunError::Limit { which, used: allowed, allowed, line }
            }
            Limit::CallDepth => {
                let allowed = u64::from(run.limits().call_depth);
                RunError::Limit { which, used: allowed + 1, allowed, line }
            }
            _ => run.overdue(line),
        })
    }
}
