//! A state of the machine, with the library and the host's objects in it.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use mlua::Buffer;
use mlua::Function;
use mlua::Lua;
use mlua::LuaOptions;
use mlua::Result;
use mlua::StdLib;
use mlua::Table;
use mlua::Value;
use mlua::state::GcIncParams;
use mlua::state::GcMode;

use crate::router::Selection;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::luau::compile::CHUNK;
use crate::script::luau::compile::Compiled;
use crate::script::luau::compile::compiler;
use crate::script::luau::functions;
use crate::script::luau::host::Host;

/// The most lists that are kept.
const MAX_LISTS: usize = 8;
/// A run that left more behind than this is followed by a full collection.
const MAX_LEFT_BYTES: usize = 8 << 20;

/// A state; it belongs to one thread.
#[derive(Debug)]
pub(super) struct State {
    lua: Lua,
    host: Rc<Host>,
    globals: Table,
    new_list: Function,
    start: Function,
    finish: Function,
    lists: VecDeque<(u64, Table)>,
}

/// A text that the state can run.
#[derive(Debug)]
pub(super) struct Loaded {
    function: Function,
    has_lazy_arguments: bool,
    has_lazy_attachments: bool,
    has_hidden_loop: bool,
}

/// What a run came to.
enum Outcome {
    Positions(Vec<u32>),
    Else(String),
}

// === impl State ===

impl State {
    /// A state without programs.
    pub(super) fn new() -> Result<Self> {
        let libraries =
            StdLib::TABLE | StdLib::OS | StdLib::STRING | StdLib::BIT | StdLib::BUFFER | StdLib::UTF8 | StdLib::MATH;
        let lua = Lua::new_with(libraries, LuaOptions::new())?;
        let host = Rc::new(Host::default());
        let globals = lua.globals();
        let functions = functions::table(&lua, &host)?;
        let buffer: Table = globals.raw_get("buffer")?;
        let (next, set_metatable): (Function, Function) = (globals.raw_get("next")?, globals.raw_get("setmetatable")?);
        let library = lua.load(include_str!("library.lua")).set_name("=lua").set_compiler(compiler());
        library.call::<()>((functions.clone(), globals.clone()))?;
        let trusted = lua.create_table()?;
        globals.for_each(|name: Value, value: Value| trusted.raw_set(name, value))?;
        trusted.raw_set("buffer", buffer)?;
        lua.sandbox(true)?;
        let objects = lua.load(include_str!("host.lua")).set_name("=host").set_compiler(compiler());
        trusted.set_safeenv(true);
        let objects = objects.set_environment(trusted);
        let (new_list, start, finish) = objects.call((functions, globals.clone(), next, set_metatable))?;
        lua.gc_set_mode(GcMode::Incremental(collector()));
        let shared = Rc::clone(&host);
        lua.set_interrupt(move |lua| shared.safepoint(lua));
        Ok(Self { lua, host, globals, new_list, start, finish, lists: VecDeque::new() })
    }

    /// Loads what was compiled.
    pub(super) fn load(&self, compiled: &Compiled) -> Result<Loaded> {
        let chunk = self.lua.load(compiled.bytecode.as_slice()).set_name(format!("={CHUNK}"));
        let function =
            chunk.set_mode(mlua::chunk::ChunkMode::Binary).set_environment(self.globals.clone()).into_function()?;
        Ok(Loaded {
            function,
            has_lazy_arguments: compiled.shape.has_lazy_arguments,
            has_lazy_attachments: compiled.shape.has_lazy_attachments,
            has_hidden_loop: compiled.shape.has_hidden_loop,
        })
    }

    /// Makes the objects of a table, unless they are made.
    pub(super) fn take_in(&mut self, table: &Arc<ProviderTable>) -> Result<()> {
        self.host.show(Some(table));
        let made = self.list(table).map(drop);
        self.host.show(None);
        made
    }

    /// Forgets what was made of the provider table of this number.
    pub(super) fn forget_list(&mut self, number: u64) {
        self.lists.retain(|(kept, _)| *kept != number);
    }

    /// Runs a text.
    pub(super) fn run(&mut self, loaded: &Loaded, run: &Rc<Run>) -> std::result::Result<Vec<u32>, RunError> {
        self.host.begin(run);
        if loaded.has_hidden_loop {
            run.mark_impure("it may visit a table in an order that may change");
        }
        let before = self.lua.used_memory();
        let outcome = self.outcome(loaded, run);
        let outcome = self.host.end(&self.lua, outcome);
        // What the run left in its globals goes now, not with the next run.
        let _ = loaded.function.set_environment(self.globals.clone());
        if self.lua.used_memory().saturating_sub(before) > MAX_LEFT_BYTES {
            // Nothing here has a finaliser that could fail.
            let _ = self.lua.gc_collect();
        }
        match outcome? {
            Outcome::Positions(positions) => Ok(positions),
            Outcome::Else(found) => Err(RunError::WrongResult { found }),
        }
    }

    fn outcome(&mut self, loaded: &Loaded, run: &Rc<Run>) -> Result<Outcome> {
        let list = self.list(run.table())?;
        self.host.arm(&self.lua, run)?;
        let picks = self.picks(run.candidates())?;
        let env: Table = self.start.call((&list, picks, loaded.has_lazy_arguments, loaded.has_lazy_attachments))?;
        // The globals of Lua cannot be changed, so the machine may take the short ways to them.
        env.set_safeenv(true);
        loaded.function.set_environment(env)?;
        let value: Value = loaded.function.call(())?;
        match self.finish.call((&list, value))? {
            (Value::Buffer(found), Value::Number(used)) => Ok(Outcome::Positions(words(&found, used as usize))),
            (Value::Buffer(found), Value::Integer(used)) => {
                Ok(Outcome::Positions(words(&found, usize::try_from(used).unwrap_or(0))))
            }
            (_, Value::String(found)) => Ok(Outcome::Else(found.to_string_lossy())),
            _ => Ok(Outcome::Else("nothing".to_owned())),
        }
    }

    /// The objects of a list, made when it is first seen.
    fn list(&mut self, table: &ProviderTable) -> Result<Table> {
        let number = table.number();
        if let Some((_, list)) = self.lists.iter().find(|(kept, _)| *kept == number) {
            return Ok(list.clone());
        }
        let list: Table = self.new_list.call(table.len())?;
        if self.lists.len() >= MAX_LISTS {
            self.lists.pop_front();
        }
        self.lists.push_back((number, list.clone()));
        Ok(list)
    }

    /// The candidates, or none where they are the whole list.
    fn picks(&self, candidates: &Selection) -> Result<Option<Buffer>> {
        if candidates.count() == candidates.list_length() {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(4 * candidates.count());
        candidates.positions().for_each(|at| bytes.extend(u32::try_from(at).unwrap_or(u32::MAX).to_le_bytes()));
        self.lua.create_buffer(bytes).map(Some)
    }
}

/// The collector's pace. A step must do much for what was allocated since the last one: garbage counts against the
/// memory limit of a run, and a cycle visits the lists as well.
fn collector() -> GcIncParams {
    GcIncParams::default().goal(200).step_multiplier(800).step_size(256)
}

/// The numbers in the first `used` bytes.
fn words(found: &Buffer, used: usize) -> Vec<u32> {
    let bytes = found.to_vec();
    let bytes = bytes.get(..used).unwrap_or_default();
    bytes.chunks_exact(4).filter_map(|word| word.try_into().ok()).map(u32::from_le_bytes).collect()
}
