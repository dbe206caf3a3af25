//! The engines of one thread, and the programs they know. Inline runs and workers use the very same.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::rc::Rc;
use std::sync::Arc;

use serde::Deserialize;
use serde::Serialize;

use crate::router::Input;
use crate::router::Selection;
use crate::script::CompileError;
use crate::script::EngineKind;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::ScriptEngine;
#[cfg(feature = "boa")]
use crate::script::boa;
#[cfg(feature = "lua")]
use crate::script::luau;
#[cfg(not(all(feature = "boa", feature = "quickjs", feature = "rhai", feature = "lua")))]
use crate::script::missing;
#[cfg(feature = "quickjs")]
use crate::script::quickjs;
#[cfg(feature = "rhai")]
use crate::script::rhai;

/// The engines of one thread. Engines are made when a program needs them; one that panicked or hit its memory limit is
/// dropped, and its programs are compiled again when they are run.
#[derive(Debug, Default)]
pub struct Executor {
    engines: BTreeMap<u8, Box<dyn ScriptEngine>>,
    programs: BTreeMap<ProgramId, Program>,
}

/// All that is known of a run when it is over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunReport {
    /// The candidates that the script kept, as the words of a [`Selection`]; or why there is no answer.
    pub result: Result<Vec<u64>, RunError>,
    /// The parts of the call that were read, in order.
    pub inputs: Vec<Input>,
    /// The provider parameters that were read.
    pub columns: Vec<String>,
    /// Why the run is impure, if it is.
    pub impurity: Option<String>,
    /// What the script logged.
    pub log: Vec<String>,
    /// How many lines more it would have logged.
    pub log_left_out: u32,
    /// Processor time, in microseconds.
    pub used_us: u64,
}

// === impl Executor ===

impl Executor {
    /// Compiles a program and keeps it under `id`.
    ///
    /// # Errors
    ///
    /// The engine refuses it, or fell over it.
    pub fn compile(&mut self, id: ProgramId, program: &Program) -> Result<(), CompileError> {
        let engine = self.engine(program.engine);
        let compiled = catch_unwind(AssertUnwindSafe(|| engine.compile(id, program)));
        let compiled = compiled.unwrap_or_else(|_| {
            self.drop_engine(program.engine);
            let message = "the engine fell over this text".to_owned();
            Err(CompileError { message, line: None, column: None, help: Some("simplify it".to_owned()) })
        });
        compiled.map(|()| {
            self.programs.insert(id, program.clone());
        })
    }

    /// Whether a program is kept under `id`.
    #[must_use]
    pub fn knows(&self, id: ProgramId) -> bool {
        self.programs.contains_key(&id)
    }

    /// Forgets a program.
    pub fn forget(&mut self, id: ProgramId) {
        if let Some(program) = self.programs.remove(&id)
            && let Some(engine) = self.engines.get_mut(&slot(program.engine))
        {
            engine.forget(id);
        }
    }

    /// Has the engines make what runs over a table need, ahead of them.
    pub fn take_in(&mut self, table: &Arc<ProviderTable>) {
        let kinds: Vec<EngineKind> =
            EngineKind::ALL.into_iter().filter(|it| self.engines.contains_key(&slot(*it))).collect();
        for kind in kinds {
            let engine = self.engine(kind);
            if catch_unwind(AssertUnwindSafe(|| engine.take_in(table))).is_err() {
                self.drop_engine(kind);
            }
        }
    }

    /// Forgets what engines made of the provider table of this number.
    pub fn forget_table(&mut self, number: u64) {
        self.engines.values_mut().for_each(|engine| engine.forget_table(number));
    }

    /// Runs a program over what `run` shows it.
    #[must_use]
    pub fn run(&mut self, id: ProgramId, run: Run) -> RunReport {
        let run = Rc::new(run);
        let result = self.answer(id, &run);
        // Engines look at the clock every so often, and natives never; an answer that comes late is none.
        let result = result.and_then(|kept| if run.is_overdue() { Err(run.overdue(None)) } else { Ok(kept) });
        if let Err(RunError::Limit { .. }) = result
            && let Some(program) = self.programs.get(&id)
        {
            // What a stopped run left behind is unknown.
            self.drop_engine(program.engine);
        }
        let result = result.map(|positions| kept(&positions, run.candidates()).words().to_vec());
        let (log, log_left_out) = run.logged();
        RunReport {
            result,
            inputs: run.inputs(),
            columns: run.columns(),
            impurity: run.impurity().map(String::from),
            log,
            log_left_out,
            used_us: run.used_us(),
        }
    }

    fn answer(&mut self, id: ProgramId, run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        let Some(program) = self.programs.get(&id).cloned() else {
            return Err(RunError::failed("the rule was not compiled here", None, None));
        };
        let engine = self.engine(program.engine);
        if !engine.knows(id) {
            engine.compile(id, &program).map_err(|error| RunError::failed(&error.message, error.line, error.column))?;
        }
        let answer = catch_unwind(AssertUnwindSafe(|| {
            engine.take_in(run.table());
            run.restart_clock();
            engine.run(id, run)
        }));
        answer.unwrap_or_else(|_| {
            self.drop_engine(program.engine);
            Err(RunError::failed("the engine fell over this run", None, None))
        })
    }

    fn engine(&mut self, kind: EngineKind) -> &mut dyn ScriptEngine {
        self.engines.entry(slot(kind)).or_insert_with(|| create(kind)).as_mut()
    }

    /// Drops an engine; one that panicked may panic once more while it is dropped.
    fn drop_engine(&mut self, kind: EngineKind) {
        let engine = self.engines.remove(&slot(kind));
        let _ = catch_unwind(AssertUnwindSafe(|| drop(engine)));
    }
}

// === impl RunReport ===

impl RunReport {
    /// A run that read nothing and kept nobody.
    #[must_use]
    pub(crate) fn empty() -> Self {
        Self {
            result: Ok(Vec::new()),
            inputs: Vec::new(),
            columns: Vec::new(),
            impurity: None,
            log: Vec::new(),
            log_left_out: 0,
            used_us: 0,
        }
    }
}

/// The candidates among `positions`; strangers and repeats are left out.
fn kept(positions: &[u32], candidates: &Selection) -> Selection {
    let mut kept = Selection::from_positions(candidates.list_length(), positions.iter().map(|at| *at as usize));
    kept.intersect(candidates);
    kept
}

fn slot(kind: EngineKind) -> u8 {
    match kind {
        EngineKind::Boa => 0,
        EngineKind::QuickJs => 1,
        EngineKind::Rhai => 2,
        EngineKind::Luau => 3,
    }
}

fn create(kind: EngineKind) -> Box<dyn ScriptEngine> {
    match kind {
        #[cfg(feature = "boa")]
        EngineKind::Boa => boa::create(),
        #[cfg(feature = "quickjs")]
        EngineKind::QuickJs => quickjs::create(),
        #[cfg(feature = "rhai")]
        EngineKind::Rhai => rhai::create(),
        #[cfg(feature = "lua")]
        EngineKind::Luau => luau::create(),
        #[cfg(not(all(feature = "boa", feature = "quickjs", feature = "rhai", feature = "lua")))]
        other => missing::create(other),
    }
}
