//! The engine that stands for one which this build lacks: it refuses every program.

use std::rc::Rc;
use std::sync::Arc;

use crate::script::CompileError;
use crate::script::EngineKind;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::ScriptEngine;

#[derive(Debug)]
struct Missing(EngineKind);

/// An engine that refuses every program because `kind` is not built in.
pub(crate) fn create(kind: EngineKind) -> Box<dyn ScriptEngine> {
    Box::new(Missing(kind))
}

impl ScriptEngine for Missing {
    fn compile(&mut self, _id: ProgramId, _program: &Program) -> Result<(), CompileError> {
        Err(CompileError {
            message: format!("this build has no engine `{}`", self.0),
            line: None,
            column: None,
            help: Some("build it with the engine's feature, or write the rule in another language".to_owned()),
        })
    }

    fn knows(&self, _id: ProgramId) -> bool {
        false
    }

    fn forget(&mut self, _id: ProgramId) {}

    fn take_in(&mut self, _table: &Arc<ProviderTable>) {}

    fn forget_table(&mut self, _number: u64) {}

    fn run(&mut self, _id: ProgramId, _run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        Err(RunError::failed("this build lacks the engine", None, None))
    }
}
