//! What a worker process does with scripts: the same executor, behind messages.

use std::sync::Arc;

use hashbrown::HashMap;
use serde::Deserialize;
use serde::Serialize;

use crate::router::Selection;
use crate::script::CapturedCall;
use crate::script::Executor;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::RunLimits;
use crate::script::RunReport;
#[cfg(feature = "boa")]
use crate::script::boa;
use crate::script::cpu_clock::CpuClock;
use crate::worker::PartBytes;
use crate::worker::PartId;
use crate::worker::Service;

/// A part as it is sent to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum PartContent {
    /// A rule; it is compiled when it is taken in.
    Program(Program),
    /// [`ProviderTable::to_bytes`].
    Table(Vec<u8>),
}

/// What a worker is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Nothing more: the parts were taken in, so the program compiles.
    Check,
    /// A run of the first part over the second.
    Run {
        /// The words of the candidates' selection; none for all.
        candidates: Option<Vec<u64>>,
        call: Box<CapturedCall>,
        limits: RunLimits,
    },
}

/// Compiles and runs scripts for a host in another process.
#[derive(Debug, Default)]
pub struct ScriptService {
    executor: Executor,
    parts: HashMap<PartId, Held>,
    next: u64,
    is_spent: bool,
}

#[derive(Debug)]
enum Held {
    Program(ProgramId),
    Table(Arc<ProviderTable>),
}

// === impl ScriptService ===

impl ScriptService {
    /// A service without rules. Made before the process gives up files and system calls, on the thread that serves, whose
    /// stack is large: it asks the clocks once, since the first look at them opens what the kernel lends.
    #[must_use]
    pub fn new() -> Self {
        let _ = CpuClock::start().elapsed_us();
        #[cfg(feature = "boa")]
        boa::begin_on_large_stack();
        Self::default()
    }

    fn answer(&mut self, parts: &[PartId], request: &[u8]) -> RunReport {
        let request = match postcard::from_bytes(request) {
            Ok(request) => request,
            Err(_) => return refused("the request cannot be read"),
        };
        let Request::Run { candidates, call, limits } = request else { return RunReport::empty() };
        let held = |at: usize| parts.get(at).and_then(|part| self.parts.get(part));
        let (Some(Held::Program(program)), Some(Held::Table(table))) = (held(0), held(1)) else {
            return refused("rule or list is missing");
        };
        let (program, table) = (*program, Arc::clone(table));
        let candidates = match candidates {
            Some(words) => Selection::from_words(table.len(), &words),
            None => Selection::all(table.len()),
        };
        self.executor.run(program, Run::start(table, candidates, *call, limits))
    }
}

impl Service for ScriptService {
    fn install(&mut self, part: PartId, bytes: PartBytes<'_>) -> Result<(), Vec<u8>> {
        let unreadable = || Vec::from(b"unreadable".as_slice());
        self.next += 1;
        let held = match postcard::from_bytes(&bytes).map_err(|_| unreadable())? {
            PartContent::Program(program) => {
                let id = ProgramId(self.next);
                let compiled = self.executor.compile(id, &program);
                compiled.map_err(|error| postcard::to_stdvec(&error).unwrap_or_default())?;
                Held::Program(id)
            }
            PartContent::Table(bytes) => {
                let table = Arc::new(ProviderTable::from_bytes(self.next, &bytes).ok_or_else(unreadable)?);
                self.executor.take_in(&table);
                Held::Table(table)
            }
        };
        self.parts.insert(part, held);
        Ok(())
    }

    fn forget(&mut self, part: PartId) {
        match self.parts.remove(&part) {
            Some(Held::Program(id)) => self.executor.forget(id),
            Some(Held::Table(table)) => self.executor.forget_table(table.number()),
            None => {}
        }
    }

    fn run(&mut self, parts: &[PartId], request: &[u8], _limits: &crate::worker::RunLimits) -> Vec<u8> {
        let report = self.answer(parts, request);
        self.is_spent = matches!(report.result, Err(RunError::Limit { .. }));
        postcard::to_stdvec(&report).unwrap_or_default()
    }

    fn is_spent(&self) -> bool {
        self.is_spent
    }
}

fn refused(why: &str) -> RunReport {
    RunReport { result: Err(RunError::failed(why, None, None)), ..RunReport::empty() }
}
