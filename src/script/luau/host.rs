//! What the state shares with the engine: the run that is on, and the limits that it has or has hit.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::Error;
use mlua::Lua;
use mlua::Result;
use mlua::VmState;

use crate::router::Limit;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::luau::compile::CHUNK;
use crate::script::luau::errors;

/// The clock is read after so many safepoints at most; a read costs as much as ten of them.
const CLOCK_EVERY: u32 = 128;
/// Every so many safepoints the stack is measured.
const DEPTH_EVERY: u32 = 32;
/// So much time may pass between two reads of the clock: where long functions of the library lie between safepoints, it
/// is read after fewer of them.
const CLOCK_WITHIN_US: u64 = 200;
/// Frames that are not the rule's: the text itself, and what of the library is called by it.
const OTHER_FRAMES: usize = 2;

/// The run that is on. Holds nothing of the state, which holds this.
#[derive(Debug, Default)]
pub(super) struct Host {
    run: RefCell<Option<Rc<Run>>>,
    /// The table of the run, or the one that is made ready for runs.
    table: RefCell<Option<Arc<ProviderTable>>>,
    /// Safepoints until the next look.
    left: Cell<u32>,
    /// Safepoints since the clock was read; so many that it is read again; and what it said.
    since: Cell<u32>,
    interval: Cell<u32>,
    read_us: Cell<u64>,
    is_stopped: Cell<bool>,
    stop: RefCell<Option<RunError>>,
    /// The limit of the state's memory, while there is one.
    memory: Cell<Option<usize>>,
    /// What was in use when the limit was lifted.
    lifted_at: Cell<Option<usize>>,
}

// === impl Host ===

impl Host {
    /// Begins a run.
    pub(super) fn begin(&self, run: &Rc<Run>) {
        *self.run.borrow_mut() = Some(Rc::clone(run));
        self.show(Some(run.table()));
        *self.stop.borrow_mut() = None;
        self.interval.set(DEPTH_EVERY);
        self.since.set(0);
        self.read_us.set(0);
        self.left.set(DEPTH_EVERY);
        self.is_stopped.set(false);
        self.lifted_at.set(None);
    }

    /// Sets the memory limit of the run.
    pub(super) fn arm(&self, lua: &Lua, run: &Run) -> Result<()> {
        let bytes = usize::try_from(run.limits().memory_bytes).unwrap_or(usize::MAX);
        let limit = lua.used_memory().saturating_add(bytes);
        self.memory.set(Some(limit));
        lua.set_memory_limit(limit).map(drop)
    }

    /// Ends the run: what stopped it wins over what the script made of that.
    pub(super) fn end<T>(&self, lua: &Lua, answer: Result<T>) -> std::result::Result<T, RunError> {
        // The state has an allocator of its own, so this cannot fail.
        let _ = lua.set_memory_limit(0);
        self.memory.set(None);
        let run = self.run.borrow_mut().take();
        self.show(None);
        if let Some(stop) = self.stop.borrow_mut().take() {
            return Err(stop);
        }
        answer.map_err(|error| match run {
            Some(run) if errors::is_memory(&error) => memory_error(&run, None),
            Some(run) if errors::is_depth(&error) => {
                let allowed = u64::from(run.limits().call_depth);
                let line = errors::line(&error);
                RunError::Limit { which: Limit::CallDepth, used: allowed + 1, allowed, line }
            }
            _ => errors::failure(&error),
        })
    }

    /// Sets the table that functions answer from.
    pub(super) fn show(&self, table: Option<&Arc<ProviderTable>>) {
        *self.table.borrow_mut() = table.cloned();
    }

    /// The table that functions answer from.
    pub(super) fn table(&self) -> Result<Arc<ProviderTable>> {
        self.table.borrow().clone().ok_or_else(|| Error::runtime("no list is shown"))
    }

    /// The run that is on.
    pub(super) fn run(&self) -> Result<Rc<Run>> {
        self.run.borrow().clone().ok_or_else(|| Error::runtime("no run is on"))
    }

    /// Called at every safepoint.
    pub(super) fn safepoint(&self, lua: &Lua) -> Result<VmState> {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        if left == 0 || self.is_stopped.get() {
            self.look(lua)?;
        }
        Ok(VmState::Continue)
    }

    #[cold]
    fn look(&self, lua: &Lua) -> Result<()> {
        if self.is_stopped.get() {
            return Err(stopped());
        }
        let Some(run) = self.run.borrow().clone() else { return Ok(()) };
        let depth = run.limits().call_depth;
        if lua.inspect_stack(depth as usize + OTHER_FRAMES, |_| ()).is_some() {
            let (used, allowed) = (u64::from(depth) + 1, u64::from(depth));
            return self.stop(RunError::Limit { which: Limit::CallDepth, used, allowed, line: line_of_rule(lua) });
        }
        let interval = self.interval.get();
        let since = self.since.get() + interval.min(DEPTH_EVERY);
        self.since.set(since);
        if since >= interval {
            self.read_clock(lua, &run)?;
        }
        self.left.set(self.interval.get().min(DEPTH_EVERY));
        Ok(())
    }

    /// Stops a run that is overdue, and says after how many safepoints the clock is read again.
    fn read_clock(&self, lua: &Lua, run: &Run) -> Result<()> {
        if run.is_overdue() {
            return self.stop(run.overdue(line_of_rule(lua)));
        }
        let now_us = run.passed_us();
        let passed_us = now_us.saturating_sub(self.read_us.replace(now_us)).max(1);
        let fitting = u64::from(self.since.replace(0)) * CLOCK_WITHIN_US / passed_us;
        self.interval.set(u32::try_from(fitting).unwrap_or(CLOCK_EVERY).clamp(1, CLOCK_EVERY));
        Ok(())
    }

    fn stop(&self, error: RunError) -> Result<()> {
        self.stop.borrow_mut().get_or_insert(error);
        self.is_stopped.set(true);
        Err(stopped())
    }

    /// An error that a script caught: a limit is raised again.
    pub(super) fn caught(&self, lua: &Lua, error: &Error) -> Result<()> {
        if self.is_stopped.get() {
            return Err(stopped());
        }
        match errors::is_memory(error) {
            true => self.stop(memory_error(&*self.run()?, line_of_rule(lua))),
            false => Ok(()),
        }
    }

    /// Lifts the memory limit: what is allocated from now on belongs to the list, not to the run.
    pub(super) fn lift(&self, lua: &Lua) -> Result<()> {
        if self.memory.get().is_some() && self.lifted_at.get().is_none() {
            self.lifted_at.set(Some(lua.used_memory()));
            lua.set_memory_limit(0)?;
        }
        Ok(())
    }

    /// Sets the limit again, raised by what was allocated since.
    pub(super) fn settle(&self, lua: &Lua) -> Result<()> {
        if let (Some(limit), Some(lifted_at)) = (self.memory.get(), self.lifted_at.take()) {
            let limit = limit.saturating_add(lua.used_memory().saturating_sub(lifted_at));
            self.memory.set(Some(limit));
            lua.set_memory_limit(limit)?;
        }
        Ok(())
    }
}

fn stopped() -> Error {
    Error::runtime("stopped")
}

fn memory_error(run: &Run, line: Option<u32>) -> RunError {
    let allowed = run.limits().memory_bytes;
    RunError::Limit { which: Limit::Memory, used: allowed, allowed, line }
}

/// The line of the innermost function of the rule that is running.
fn line_of_rule(lua: &Lua) -> Option<u32> {
    let line_at = |level: usize| {
        lua.inspect_stack(level, |frame| {
            let is_rule = frame.source().short_src.as_deref() == Some(CHUNK);
            is_rule.then(|| frame.current_line()).flatten()
        })
    };
    (0..1_000).map_while(line_at).flatten().next().and_then(|line| u32::try_from(line).ok())
}
