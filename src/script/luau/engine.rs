//! The engine: programs, and the state that runs them.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::chunk::Compiler;

use crate::script::CompileError;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::ScriptEngine;
use crate::script::luau::compile;
use crate::script::luau::errors;
use crate::script::luau::state::Loaded;
use crate::script::luau::state::State;

/// Luau with the programs of a thread.
#[derive(Debug)]
struct LuauEngine {
    // INVARIANT: what was loaded into the state is dropped before it.
    programs: BTreeMap<ProgramId, Loaded>,
    state: Option<State>,
    compiler: Compiler,
}

/// An engine without programs.
pub(crate) fn create() -> Box<dyn ScriptEngine> {
    Box::new(LuauEngine { programs: BTreeMap::new(), state: None, compiler: compile::compiler() })
}

// === impl LuauEngine ===

impl LuauEngine {
    fn state(&mut self) -> mlua::Result<&mut State> {
        if self.state.is_none() {
            self.state = Some(State::new()?);
        }
        self.state.as_mut().ok_or_else(|| mlua::Error::runtime("there is no state"))
    }
}

impl ScriptEngine for LuauEngine {
    fn compile(&mut self, id: ProgramId, program: &Program) -> Result<(), CompileError> {
        let compiled = compile::compile(&self.compiler, &program.text)?;
        let loaded = self.state().and_then(|state| state.load(&compiled)).map_err(|error| CompileError {
            message: error.to_string(),
            line: None,
            column: None,
            help: Some("simplify it".to_owned()),
        })?;
        self.programs.insert(id, loaded);
        Ok(())
    }

    fn knows(&self, id: ProgramId) -> bool {
        self.programs.contains_key(&id)
    }

    fn forget(&mut self, id: ProgramId) {
        self.programs.remove(&id);
    }

    fn take_in(&mut self, table: &Arc<ProviderTable>) {
        if let Some(state) = &mut self.state {
            // The run over it makes it again, and says what is wrong.
            let _ = state.take_in(table);
        }
    }

    fn forget_table(&mut self, number: u64) {
        if let Some(state) = &mut self.state {
            state.forget_list(number);
        }
    }

    fn run(&mut self, id: ProgramId, run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        let Some(loaded) = self.programs.get(&id) else {
            return Err(RunError::failed("the rule was not compiled here", None, None));
        };
        match &mut self.state {
            Some(state) => state.run(loaded, run),
            None => Err(errors::failure(&mlua::Error::runtime("there is no state"))),
        }
    }
}
