//! The engine.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use rhai::Array;
use rhai::Dynamic;
use rhai::Engine;
use rhai::OptimizationLevel;

use crate::script::CompileError;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::ScriptEngine;
use crate::script::rhai::call;
use crate::script::rhai::compiled::Compiled;
use crate::script::rhai::host::Host;
use crate::script::rhai::invoker::Invoker;
use crate::script::rhai::library;
use crate::script::rhai::outcome;
use crate::script::rhai::tables::Tables;

/// One interpreter and the programs of a thread.
struct RhaiEngine {
    engine: Engine,
    host: Rc<Host>,
    programs: BTreeMap<ProgramId, Rc<Compiled>>,
    tables: Tables,
}

/// An engine without programs.
pub(crate) fn create() -> Box<dyn ScriptEngine> {
    Box::new(RhaiEngine::new())
}

/// The longest array, nested ones counted in; lists that are longer may be held twice.
const MAX_ARRAY: usize = 32_768;

/// The longest text, and all texts in one value together.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// Bytes of text that a value may hold for each candidate, where that is more.
const TEXT_BYTES_PER_CANDIDATE: usize = 64;

/// The most entries of a map, nested ones counted in.
const MAX_MAP: usize = 16_384;

/// The most variables at a time.
const MAX_VARIABLES: usize = 1_024;

/// The most functions of a program, closures counted in.
const MAX_FUNCTIONS: usize = 512;

/// How deep expressions may nest in a program, and in a function.
const MAX_DEPTH: (usize, usize) = (64, 48);

// === impl RhaiEngine ===

impl RhaiEngine {
    fn new() -> Self {
        let host = Rc::new(Host::new());
        let mut engine = Engine::new_raw();
        engine.register_global_module(library::module(&host).into());
        engine
            .set_optimization_level(OptimizationLevel::None)
            .set_strict_variables(true)
            .set_max_expr_depths(MAX_DEPTH.0, MAX_DEPTH.1)
            .set_max_variables(MAX_VARIABLES)
            .set_max_functions(MAX_FUNCTIONS)
            .set_max_map_size(MAX_MAP)
            .disable_symbol("eval");
        let it = host.clone();
        engine.on_progress(move |_| if it.tick() { None } else { Some(Dynamic::UNIT) });
        let it = host.clone();
        engine.on_print(move |text| it.read(|run| run.log(text)));
        let it = host.clone();
        engine.on_debug(move |text, _, _| it.read(|run| run.log(text)));
        #[expect(deprecated, reason = "marked so because it may change, not because it goes")]
        engine.on_var(|name, index, _| Ok(if index == 0 { call::binding(name) } else { None }));
        Self { engine, host, programs: BTreeMap::new(), tables: Tables::default() }
    }

    fn arm(&mut self, run: &Run) {
        let candidates = run.candidates().count();
        self.engine
            .set_max_call_levels(run.limits().call_depth as usize)
            .set_max_array_size(MAX_ARRAY.max(2 * candidates))
            .set_max_string_size(MAX_TEXT_BYTES.max(TEXT_BYTES_PER_CANDIDATE * candidates));
    }

    fn answer(&self, program: &Compiled, run: &Run) -> Result<Vec<u32>, RunError> {
        let handle = |position: usize| u32::try_from(position).ok().map(|position| Dynamic::from(Invoker(position)));
        let invokers: Array = run.candidates().positions().filter_map(handle).collect();
        let value = program.evaluate(&self.engine, invokers.into());
        let value = value.map_err(|error| outcome::error(&error, &self.host, run))?;
        if let Some(limit) = self.host.stopped() {
            return Err(self.host.limit_error(limit, run, None));
        }
        outcome::positions(value)
    }
}

impl ScriptEngine for RhaiEngine {
    fn compile(&mut self, id: ProgramId, program: &Program) -> Result<(), CompileError> {
        // A text literal may be as long as any text.
        self.engine.set_max_array_size(MAX_ARRAY).set_max_string_size(MAX_TEXT_BYTES);
        let compiled = Compiled::of(&self.engine, &program.text)?;
        self.programs.insert(id, Rc::new(compiled));
        Ok(())
    }

    fn knows(&self, id: ProgramId) -> bool {
        self.programs.contains_key(&id)
    }

    fn forget(&mut self, id: ProgramId) {
        self.programs.remove(&id);
    }

    fn take_in(&mut self, table: &Arc<ProviderTable>) {
        self.tables.columns(table);
    }

    fn forget_table(&mut self, number: u64) {
        self.tables.forget(number);
    }

    fn run(&mut self, id: ProgramId, run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        let Some(program) = self.programs.get(&id).cloned() else {
            return Err(RunError::failed("the rule was not compiled here", None, None));
        };
        self.arm(run);
        let columns = self.tables.columns(run.table());
        self.host.begin(run, columns);
        let answer = self.answer(&program, run);
        self.host.end();
        answer
    }
}

impl fmt::Debug for RhaiEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RhaiEngine").field("programs", &self.programs.keys()).field("host", &self.host).finish()
    }
}
