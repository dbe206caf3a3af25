//! A runtime with the host API and the rules that it knows.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use rquickjs::Array;
use rquickjs::CatchResultExt as _;
use rquickjs::Context;
use rquickjs::Ctx;
use rquickjs::Function;
use rquickjs::Object;
use rquickjs::Persistent;
use rquickjs::Result as JsResult;
use rquickjs::Runtime;
use rquickjs::Value;
use rquickjs::context::EvalOptions;
use rquickjs::context::intrinsic;

use super::host;
use super::outcome;
use super::session::Session;
use crate::script::CompileError;
use crate::script::ProgramId;
use crate::script::Run;
use crate::script::RunError;
use crate::script::javascript::PRELUDE;
use crate::script::javascript::Prepared;

/// How the engine calls a rule's text in stacks of calls.
pub(super) const RULE_FILE: &str = "pointsman-rule";

type Intrinsics = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::MapSet,
    intrinsic::Promise,
    intrinsic::WeakRef,
);

/// A runtime. Whatever it holds of the engine stands before the engine, since fields are dropped in order and the
/// engine must go last.
pub(super) struct Machine {
    rules: BTreeMap<ProgramId, Persistent<Function<'static>>>,
    run: Persistent<Function<'static>>,
    forget: Persistent<Function<'static>>,
    make: Persistent<Function<'static>>,
    context: Context,
    runtime: Runtime,
    session: Rc<Session>,
    tables: BTreeSet<u64>,
    /// Bytes in use when no run was under way, as last measured.
    baseline: usize,
}

// === impl Machine ===

impl Machine {
    /// Native frames and calls of scripts on one stack; a thread has 2 MiB as a rule.
    const STACK_BYTES: usize = 512 << 10;

    /// What a compiler may use.
    const COMPILER_BYTES: usize = 64 << 20;

    pub(super) fn new() -> JsResult<Self> {
        let runtime = Runtime::new()?;
        runtime.set_max_stack_size(Self::STACK_BYTES);
        let context = Context::custom::<Intrinsics>(&runtime)?;
        let session = Rc::new(Session::default());
        let watching = session.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || watching.interrupts())));
        let [run, forget, make] = context.with(|ctx| -> JsResult<_> {
            let prelude: Function<'_> = ctx.eval_with_options(PRELUDE, options("pointsman", true))?;
            let api: Object<'_> = prelude.call((host::create(&ctx, &session)?,)).catch(&ctx).map_err(|error| {
                tracing::error!(error = %error, "the host API does not start");
                rquickjs::Error::Unknown
            })?;
            let function =
                |name: &str| -> JsResult<_> { Ok(Persistent::save(&ctx, api.get::<_, Function<'_>>(name)?)) };
            Ok([function("run")?, function("forget")?, function("make")?])
        })?;
        let baseline = usize::try_from(runtime.memory_usage().malloc_size).unwrap_or(0);
        let (rules, tables) = (BTreeMap::new(), BTreeSet::new());
        Ok(Self { rules, run, forget, make, context, runtime, session, tables, baseline })
    }

    pub(super) fn compile(&mut self, id: ProgramId, prepared: &Prepared) -> Result<(), CompileError> {
        self.session.begin_compiling();
        self.session.note_growth();
        self.baseline += prepared.source().len() * 32;
        self.runtime.set_memory_limit(self.baseline + Self::COMPILER_BYTES);
        let make = self.make.clone();
        let compiled = self.context.with(|ctx| {
            let compile = || -> JsResult<Persistent<Function<'static>>> {
                let made: Value<'_> = ctx.eval_with_options(prepared.source(), options(RULE_FILE, false))?;
                let rule: Function<'_> = make.restore(&ctx)?.call((made, prepared.source()))?;
                Ok(Persistent::save(&ctx, rule))
            };
            compile().map_err(|_| refusal(&ctx, prepared))
        });
        self.session.end();
        self.rules.insert(id, compiled?);
        Ok(())
    }

    pub(super) fn knows(&self, id: ProgramId) -> bool {
        self.rules.contains_key(&id)
    }

    pub(super) fn forget(&mut self, id: ProgramId) {
        self.rules.remove(&id);
    }

    pub(super) fn forget_table(&mut self, number: u64) {
        self.tables.remove(&number);
        let forget = self.forget.clone();
        // A table that stays is only memory.
        let _ = self.context.with(|ctx| forget.restore(&ctx)?.call::<_, ()>((number as f64,)));
    }

    pub(super) fn run(&mut self, id: ProgramId, prepared: &Prepared, run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        let Some(rule) = self.rules.get(&id).cloned() else {
            return Err(RunError::failed("the rule is not known", None, None));
        };
        self.limit_memory(run);
        self.session.begin(run);
        let (show, session) = (self.run.clone(), &self.session);
        let answer = self.context.with(|ctx| {
            let call = || -> JsResult<Object<'_>> {
                let table = run.table();
                let candidates = candidates(&ctx, run)?;
                show.restore(&ctx)?.call((rule.restore(&ctx)?, table.number() as f64, table.len(), candidates))
            };
            match call() {
                Ok(answer) => outcome::read(&answer, prepared, session),
                Err(_) => Err(outcome::thrown(&ctx, prepared, session)),
            }
        });
        self.session.end();
        answer
    }

    /// Whether a run left work for later.
    pub(super) fn has_jobs(&self) -> bool {
        self.runtime.is_job_pending()
    }

    /// Lets a run use so much beyond what rules and tables use. Measuring walks the heap, so it is done only after
    /// something was made that stays.
    fn limit_memory(&mut self, run: &Run) {
        let is_new = self.tables.insert(run.table().number());
        if self.session.take_growth() {
            self.baseline = usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0);
        }
        if is_new {
            self.session.note_growth();
        }
        // The table and its columns are made while a run reads them, and are not its own.
        let table = run.table().len() * 1_024;
        let own = usize::try_from(run.limits().memory_bytes).unwrap_or(usize::MAX);
        self.runtime.set_memory_limit(self.baseline.saturating_add(table).saturating_add(own));
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("rules", &self.rules.len()).field("baseline", &self.baseline).finish()
    }
}

fn options(file: &str, strict: bool) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = strict;
    options.filename = Some(file.to_owned());
    options
}

/// The candidates as places; null for the whole table.
fn candidates<'js>(ctx: &Ctx<'js>, run: &Run) -> JsResult<Value<'js>> {
    let candidates = run.candidates();
    if candidates.count() == run.table().len() {
        return Ok(Value::new_null(ctx.clone()));
    }
    let places = Array::new(ctx.clone())?;
    for (at, place) in candidates.positions().enumerate() {
        places.set(at, place)?;
    }
    Ok(places.into_value())
}

/// Why the engine does not compile a text.
fn refusal(ctx: &Ctx<'_>, prepared: &Prepared) -> CompileError {
    let thrown = ctx.catch();
    let text = |name: &str| outcome::property(&thrown, name).unwrap_or_default();
    let place = outcome::place(&text("stack"), prepared);
    let message = match text("message") {
        none if none.is_empty() => "the engine cannot compile this".to_owned(),
        message => message,
    };
    CompileError { message, line: place.map(|it| it.line), column: place.map(|it| it.column), help: None }
}
