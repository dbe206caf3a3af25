//! The engine.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::machine::Machine;
use crate::script::CompileError;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::ScriptEngine;
use crate::script::javascript::Prepared;

/// QuickJS for one thread.
#[derive(Debug, Default)]
struct QuickJs {
    // None until something is compiled, and after a run left work for later.
    machine: Option<Machine>,
    programs: BTreeMap<ProgramId, Prepared>,
}

/// An engine without programs.
pub(crate) fn create() -> Box<dyn ScriptEngine> {
    Box::new(QuickJs::default())
}

// === impl QuickJs ===

impl QuickJs {
    fn machine(machine: &mut Option<Machine>) -> Result<&mut Machine, CompileError> {
        let made = match machine.take() {
            Some(made) => made,
            None => Machine::new().map_err(|_| CompileError {
                message: "the engine does not start".to_owned(),
                line: None,
                column: None,
                help: Some("give the process more memory".to_owned()),
            })?,
        };
        Ok(machine.insert(made))
    }
}

impl ScriptEngine for QuickJs {
    fn compile(&mut self, id: ProgramId, program: &Program) -> Result<(), CompileError> {
        let prepared = Prepared::new(&program.text).map_err(|fault| fault.explain(&program.text))?;
        let compiled = Self::machine(&mut self.machine)?.compile(id, &prepared);
        if compiled.is_err() {
            // A text that made the engine read it otherwise than it was meant may have run.
            self.machine = None;
        }
        compiled?;
        self.programs.insert(id, prepared);
        Ok(())
    }

    fn knows(&self, id: ProgramId) -> bool {
        // One that a new machine would have to compile first is asked for before the clock of a run is started.
        self.programs.contains_key(&id) && self.machine.as_ref().is_some_and(|machine| machine.knows(id))
    }

    fn forget(&mut self, id: ProgramId) {
        self.programs.remove(&id);
        if let Some(machine) = &mut self.machine {
            machine.forget(id);
        }
    }

    fn take_in(&mut self, table: &Arc<ProviderTable>) {
        if let Some(machine) = &mut self.machine {
            machine.take_in(table);
        }
    }

    fn forget_table(&mut self, number: u64) {
        if let Some(machine) = &mut self.machine {
            machine.forget_table(number);
        }
    }

    fn run(&mut self, id: ProgramId, run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        let Some(prepared) = self.programs.get(&id) else {
            return Err(RunError::failed("the rule is not known", None, None));
        };
        let failed = |error: CompileError| RunError::failed(&error.message, error.line, error.column);
        let machine = Self::machine(&mut self.machine).map_err(failed)?;
        if !machine.knows(id) {
            machine.compile(id, prepared).map_err(failed)?;
        }
        let answer = machine.run(id, prepared, run);
        if machine.has_jobs() {
            // What a run put off must not run in the next one.
            self.machine = None;
        }
        answer
    }
}
