//! The engine.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use boa_engine::object::builtins::JsFunction;

use crate::script::CompileError;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::ScriptEngine;
use crate::script::boa::failure;
use crate::script::boa::machine::Machine;
use crate::script::boa::stack::give_back;
use crate::script::boa::stack::with_room;
use crate::script::javascript::Place;
use crate::script::javascript::Prepared;

/// An engine without programs.
pub(crate) fn create() -> Box<dyn ScriptEngine> {
    Box::new(BoaEngine::default())
}

/// A machine, made when the first program comes, and the rules in it.
#[derive(Default)]
struct BoaEngine {
    // INVARIANT: the functions belong to the machine; without it there are none.
    rules: BTreeMap<ProgramId, Rule>,
    machine: Option<Machine>,
}

struct Rule {
    function: JsFunction,
    prepared: Prepared,
}

// === impl BoaEngine ===

impl BoaEngine {
    fn machine(&mut self) -> Result<&mut Machine, CompileError> {
        if self.machine.is_none() {
            self.machine = Some(Machine::create().map_err(|error| {
                let message = format!("the engine did not start: {error}");
                CompileError { message, line: None, column: None, help: None }
            })?);
        }
        self.machine.as_mut().ok_or_else(|| unreadable("the engine did not start", None))
    }

    /// Drops the machine and all that belongs to it.
    fn reset(&mut self) {
        self.rules.clear();
        self.machine = None;
        // What a context made is garbage from now on, and only a collection frees it.
        boa_engine::gc::force_collect();
    }
}

impl fmt::Debug for BoaEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoaEngine").field("rules", &self.rules.keys()).finish_non_exhaustive()
    }
}

impl Drop for BoaEngine {
    fn drop(&mut self) {
        with_room(|| self.reset());
        give_back();
    }
}

impl ScriptEngine for BoaEngine {
    fn compile(&mut self, id: ProgramId, program: &Program) -> Result<(), CompileError> {
        let prepared = Prepared::ticking(&program.text).map_err(|fault| fault.explain(&program.text))?;
        if let Some(place) = prepared.expression() {
            let help = Some("set `engine=quickjs`, or use `startsWith`, `indexOf`, `split`".to_owned());
            return Err(CompileError {
                help,
                ..unreadable("regular expressions are left out of this engine", Some(place))
            });
        }
        let function = with_room(|| {
            let machine = self.machine()?;
            machine.compile(prepared.source()).map_err(|error| {
                let (message, place) = failure::of_source(prepared.source()).unwrap_or_else(|| {
                    let thrown = machine.explain(&error);
                    (thrown.message, thrown.place)
                });
                unreadable(&message, place.and_then(|(line, column)| prepared.locate(line, column)))
            })
        })?;
        self.rules.insert(id, Rule { function, prepared });
        Ok(())
    }

    fn knows(&self, id: ProgramId) -> bool {
        self.rules.contains_key(&id)
    }

    fn forget(&mut self, id: ProgramId) {
        self.rules.remove(&id);
    }

    fn take_in(&mut self, table: &Arc<ProviderTable>) {
        if let Some(machine) = &mut self.machine {
            // The run over it makes it again, and says what is wrong.
            let _ = with_room(|| machine.take_in(table));
        }
    }

    fn forget_table(&mut self, number: u64) {
        if let Some(machine) = &mut self.machine
            && with_room(|| machine.forget_table(number)).is_err()
        {
            self.reset();
        }
    }

    fn run(&mut self, id: ProgramId, run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        let (Some(rule), Some(machine)) = (self.rules.get(&id), &mut self.machine) else {
            return Err(RunError::failed("the rule was not compiled here", None, None));
        };
        let answer = with_room(|| machine.run(&rule.function, run)).map_err(|error| located(error, &rule.prepared));
        if machine.is_broken() {
            self.reset();
        }
        answer
    }
}

fn unreadable(message: &str, place: Option<Place>) -> CompileError {
    let (line, column) = (place.map(|place| place.line), place.map(|place| place.column));
    CompileError { message: message.to_owned(), line, column, help: None }
}

/// The error with lines of the rule's own text instead of those of its source.
fn located(error: RunError, prepared: &Prepared) -> RunError {
    let place = |line: Option<u32>, column: Option<u32>| prepared.locate(line?, column.unwrap_or(1));
    match error {
        RunError::Limit { which, used, allowed, line } => {
            RunError::Limit { which, used, allowed, line: place(line, None).map(|place| place.line) }
        }
        RunError::Failed { message, line, column } => {
            // boa keeps no place of a plain name, only that of the call around it.
            let unknown = message.strip_prefix("ReferenceError: ").and_then(|it| it.strip_suffix(" is not defined"));
            let mentioned = unknown.and_then(|name| prepared.mention(name));
            let place = mentioned.or_else(|| place(line, column));
            RunError::Failed { message, line: place.map(|place| place.line), column: place.map(|place| place.column) }
        }
        other => other,
    }
}
