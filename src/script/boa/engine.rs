//! The engine.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use boa_engine::object::builtins::JsFunction;

use crate::script::CompileError;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::Run;
use crate::script::RunError;
use crate::script::ScriptEngine;
use crate::script::javascript::PRELUDE;
use crate::script::boa::machine::Machine;
use crate::script::boa::stack::with_room;

/// An engine without programs.
pub(crate) fn create() -> Box<dyn ScriptEngine> {
    Box::new(BoaEngine::default())
}

/// A machine, made when the first program comes, and the functions that programs became.
#[derive(Default)]
struct BoaEngine {
    // INVARIANT: the functions belong to the machine; without it there are none.
    programs: BTreeMap<ProgramId, JsFunction>,
    machine: Option<Machine>,
}

impl fmt::Debug for BoaEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoaEngine").field("programs", &self.programs.keys()).finish_non_exhaustive()
    }
}

impl ScriptEngine for BoaEngine {
    fn compile(&mut self, id: ProgramId, program: &Program) -> Result<(), CompileError> {
        let text = format!("(function(guard){{return function(invokers,invocation,context){{{}}}}})", program.text);
        with_room(|| {
            if self.machine.is_none() {
                let m = Machine::create(PRELUDE); if let Err(e) = &m { panic!("{}", e.to_string()) } self.machine = Some(m.unwrap());
            }
            let machine = self.machine.as_mut().unwrap();
            match machine.compile(&text) {
                Ok(f) => { self.programs.insert(id, f); Ok(()) }
                Err(e) => Err(CompileError { message: machine.explain(&e).message, line: None, column: None, help: None }),
            }
        })
    }
    fn knows(&self, id: ProgramId) -> bool { self.programs.contains_key(&id) }
    fn forget(&mut self, id: ProgramId) { self.programs.remove(&id); }
    fn forget_table(&mut self, _number: u64) {}
    fn run(&mut self, id: ProgramId, run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        let f = self.programs.get(&id).unwrap().clone();
        let m = self.machine.as_mut().unwrap();
        with_room(|| m.run(&f, run))
    }
}

impl Drop for BoaEngine {
    fn drop(&mut self) {
        with_room(|| {
            self.programs.clear();
            self.machine = None;
            boa_engine::gc::force_collect();
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::all, clippy::unwrap_used, clippy::print_stderr)]
    use super::*;
    use std::sync::Arc;
    use crate::script::*;
    use crate::router::Selection;
    #[test]
    fn scratch() {
        let text = std::fs::read_to_string(std::env::var("SCRATCH").unwrap()).unwrap();
        let call = CapturedCall {
            service: "S".to_owned(), method: "create".to_owned(), target_method: "create".to_owned(),
            parameter_types: vec![], arguments: vec![], attachments: vec![("region".to_owned(), "hangzhou".to_owned())], consumer: String::new(),
            now_ms: 1_764_541_800_000, zone: "Asia/Shanghai".to_owned(), seed: 1,
        };
        let n: usize = std::env::var("N").map_or(3, |n| n.parse().unwrap());
        let urls: Vec<String> = (0..n).map(|i| format!("dubbo://10.0.{}.{}:20880/com.foo.S?region={}&application=a", i / 256, i % 256, ["hangzhou", "beijing", "x"][i % 3])).collect();
        let table = ProviderTable::from_bytes(1, &postcard::to_stdvec(&("S", urls.iter().map(|s| s.as_str()).collect::<Vec<&str>>())).unwrap()).unwrap();
        let mut ex = Executor::default();
        let t = std::time::Instant::now();
        let p = Program { engine: EngineKind::Boa, name: "x".into(), text: text.as_str().into() };
        eprintln!("{:?} {:?}", ex.compile(ProgramId(1), &p), t.elapsed());
        let table = Arc::new(table);
        for i in 0..std::env::var("R").map_or(1, |n| n.parse().unwrap()) {
        let t = std::time::Instant::now();
        let r = ex.run(ProgramId(1), Run::start(Arc::clone(&table), Selection::all(n), call.clone(), Limits::default().for_run(n, None)));
        if i < 3 || i % 100 == 0 { eprintln!("{:?} {:?} {:?} {:?}", r.result.map(|r| r.into_iter().take(2).collect::<Vec<_>>()), t.elapsed(), r.log, r.used_us); }
        }
        let t = std::time::Instant::now();
        drop(ex);
        eprintln!("dropped {:?}", t.elapsed());
    }
}
