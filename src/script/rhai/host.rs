//! What the functions that scripts call work on: the run of this moment, and the columns of its table.

use std::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::Position;

use crate::router::Limit;
use crate::script::Run;
use crate::script::RunError;
use crate::script::rhai::columns::Columns;
use crate::script::rhai::columns::Part;
use crate::script::rhai::meter::Meter;

/// Shared by an engine and the functions registered with it. Outside of a run it shows nothing.
pub(super) struct Host {
    current: RefCell<Option<Current>>,
    meter: Meter,
    runs: Cell<u64>,
}

struct Current {
    run: Rc<Run>,
    columns: Rc<Columns>,
    // What this run wrote to URLs; gone with it.
    rewritten: BTreeMap<(u32, Part), Dynamic>,
}

// === impl Host ===

impl Host {
    pub(super) fn new() -> Self {
        Self { current: RefCell::new(None), meter: Meter::new(), runs: Cell::new(0) }
    }

    /// Begins a run.
    pub(super) fn begin(&self, run: &Rc<Run>, columns: Rc<Columns>) {
        self.runs.set(self.runs.get() + 1);
        self.meter.start(run);
        *self.current.borrow_mut() = Some(Current { run: run.clone(), columns, rewritten: BTreeMap::new() });
    }

    /// Ends the run, whatever it came to.
    pub(super) fn end(&self) {
        *self.current.borrow_mut() = None;
    }

    /// Counts one operation; whether to go on.
    pub(super) fn tick(&self) -> bool {
        self.meter.tick(|| self.run())
    }

    /// Counts work that grows with an argument.
    ///
    /// # Errors
    ///
    /// The run is to stop.
    pub(super) fn charge(&self, operations: usize) -> Result<(), Box<EvalAltResult>> {
        let go_on = self.meter.charge(operations, || self.run());
        let stop = || Box::new(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE));
        if go_on { Ok(()) } else { Err(stop()) }
    }

    /// Why the run was stopped, if it was.
    pub(super) fn stopped(&self) -> Option<Limit> {
        self.meter.stopped()
    }

    /// The error of a run that hit `limit`.
    pub(super) fn limit_error(&self, limit: Limit, run: &Run, line: Option<u32>) -> RunError {
        self.meter.error(limit, run, line)
    }

    /// Reads from the run.
    pub(super) fn read<T: Default>(&self, read: impl FnOnce(&Run) -> T) -> T {
        self.run().map(|run| read(&run)).unwrap_or_default()
    }

    /// The parameter `key` of the provider at `position`; `()` if it has none.
    pub(super) fn parameter(&self, position: u32, key: &str) -> Dynamic {
        let current = self.current.borrow();
        let Some(current) = current.as_ref() else {
            return Dynamic::UNIT;
        };
        current.columns.parameter(position, key, self.runs.get(), &current.run)
    }

    /// A part of the URL at `position`, as this run sees it.
    pub(super) fn part(&self, position: u32, part: Part) -> Dynamic {
        let current = self.current.borrow();
        let Some(current) = current.as_ref() else {
            return Dynamic::UNIT;
        };
        if !current.rewritten.is_empty() {
            if let Some(value) = current.rewritten.get(&(position, part)) {
                return value.clone();
            }
            if part == Part::Address
                && let Some(address) = current.rewritten_address(position)
            {
                return address;
            }
        }
        current.columns.part(position, part)
    }

    fn run(&self) -> Option<Rc<Run>> {
        self.current.borrow().as_ref().map(|current| current.run.clone())
    }

    /// Writes a part of this run's copy of the URL at `position`.
    pub(super) fn rewrite(&self, position: u32, part: Part, value: Dynamic) {
        if let Some(current) = self.current.borrow_mut().as_mut() {
            current.rewritten.insert((position, part), value);
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("meter", &self.meter).finish_non_exhaustive()
    }
}

// === impl Current ===

impl Current {
    /// The address of a URL whose host or port was written.
    fn rewritten_address(&self, position: u32) -> Option<Dynamic> {
        let (host, port) = (self.rewritten.get(&(position, Part::Host)), self.rewritten.get(&(position, Part::Port)));
        if host.is_none() && port.is_none() {
            return None;
        }
        let of = |written: Option<&Dynamic>, part| written.cloned().unwrap_or(self.columns.part(position, part));
        let (host, port) = (of(host, Part::Host), of(port, Part::Port));
        Some(if port.is_unit() { host } else { format!("{host}:{port}").into() })
    }
}
