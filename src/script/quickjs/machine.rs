//! A runtime with the host API and the rules that it knows.

use std::collections::BTreeMap;
use std::collections::VecDeque;
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
use super::invokers::Invokers;
use super::outcome;
use super::session::Session;
use crate::script::CompileError;
use crate::script::ProgramId;
use crate::script::ProviderTable;
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

/// A compiled rule.
type Rule = Persistent<Function<'static>>;

/// A runtime. Whatever it holds of the engine stands before the engine, since fields are dropped in order and the
/// engine must go last.
pub(super) struct Machine {
    rules: BTreeMap<ProgramId, Rule>,
    /// Tables that were seen, the oldest first.
    tables: VecDeque<Invokers>,
    run: Persistent<Function<'static>>,
    take_in: Persistent<Function<'static>>,
    forget: Persistent<Function<'static>>,
    make: Persistent<Function<'static>>,
    context: Context,
    runtime: Runtime,
    session: Rc<Session>,
    /// Bytes in use when no run was under way, as last measured.
    baseline: usize,
}

// === impl Machine ===

impl Machine {
    /// Native frames and calls of scripts on one stack; a thread has 2 MiB as a rule.
    const STACK_BYTES: usize = 512 << 10;

    /// Tables that are kept; one more takes the place of the oldest.
    const MOST_TABLES: usize = 8;

    /// What a compiler may use.
    const COMPILER_BYTES: usize = 64 << 20;

    pub(super) fn new() -> JsResult<Self> {
        let runtime = Runtime::new()?;
        runtime.set_max_stack_size(Self::STACK_BYTES);
        let context = Context::custom::<Intrinsics>(&runtime)?;
        let session = Rc::new(Session::default());
        let watching = session.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || watching.interrupts())));
        let [run, take_in, forget, make] = context.with(|ctx| -> JsResult<_> {
            let prelude: Function<'_> = ctx.eval_with_options(PRELUDE, options("pointsman", true))?;
            let api: Object<'_> = prelude.call((host::create(&ctx, &session)?,)).catch(&ctx).map_err(|error| {
                tracing::error!(error = %error, "the host API does not start");
                rquickjs::Error::Unknown
            })?;
            let function =
                |name: &str| -> JsResult<_> { Ok(Persistent::save(&ctx, api.get::<_, Function<'_>>(name)?)) };
            Ok([function("run")?, function("takeIn")?, function("forget")?, function("make")?])
        })?;
        let baseline = usize::try_from(runtime.memory_usage().malloc_size).unwrap_or(0);
        let (rules, tables) = (BTreeMap::new(), VecDeque::new());
        Ok(Self { rules, tables, run, take_in, forget, make, context, runtime, session, baseline })
    }

    pub(super) fn compile(&mut self, id: ProgramId, prepared: &Prepared) -> Result<(), CompileError> {
        self.session.begin_compiling();
        self.session.note_growth();
        self.baseline += prepared.source().len() * 32;
        self.runtime.set_memory_limit(self.baseline + Self::COMPILER_BYTES);
        let make = self.make.clone();
        let compiled = self.context.with(|ctx| {
            let compile = || -> JsResult<Rule> {
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

    /// Makes the objects of a table, unless they are made.
    pub(super) fn take_in(&mut self, table: &ProviderTable) {
        let (number, count) = (table.number(), table.len());
        if self.tables.iter().any(|known| known.number() == number) {
            return;
        }
        if self.tables.len() >= Self::MOST_TABLES
            && let Some(oldest) = self.tables.front().map(Invokers::number)
        {
            self.forget_table(oldest);
        }
        self.session.note_growth();
        self.runtime.set_memory_limit(0);
        let take_in = self.take_in.clone();
        let made = self.context.with(|ctx| {
            let invokers = take_in.restore(&ctx)?.call((number as f64, count))?;
            Invokers::new(&ctx, number, invokers)
        });
        // A run over a table that was not made says so.
        self.tables.extend(made.ok());
    }

    pub(super) fn forget_table(&mut self, number: u64) {
        self.tables.retain(|table| table.number() != number);
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
        let answer = self.call(&rule, prepared, run);
        self.session.end();
        answer
    }

    fn call(&mut self, rule: &Rule, prepared: &Prepared, run: &Run) -> Result<Vec<u32>, RunError> {
        let number = run.table().number();
        let Some(table) = self.tables.iter().find(|table| table.number() == number) else {
            return Err(RunError::failed("the engine has no memory for the list of providers", None, None));
        };
        let (show, session) = (self.run.clone(), &self.session);
        self.context.with(|ctx| {
            let call = || -> JsResult<Result<Vec<u32>, RunError>> {
                let (count, candidates) = (run.table().len(), candidates(&ctx, run)?);
                let arguments = (rule.clone().restore(&ctx)?, number as f64, count, candidates);
                let answer: Object<'_> = show.restore(&ctx)?.call(arguments)?;
                let Some(list) = outcome::list(&answer, session)? else {
                    return Ok(Err(outcome::failure(&answer, prepared, session)));
                };
                table.places(&list).map(Ok)
            };
            call().unwrap_or_else(|_| Err(outcome::thrown(&ctx, prepared, session)))
        })
    }

    /// Whether a run left work for later.
    pub(super) fn has_jobs(&self) -> bool {
        self.runtime.is_job_pending()
    }

    /// Lets a run use so much beyond what rules and tables use. Measuring walks the heap, so it is done only after
    /// something was made that stays.
    fn limit_memory(&mut self, run: &Run) {
        if self.session.take_growth() {
            self.baseline = usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0);
        }
        // Columns are made while a run reads them, and are not its own.
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
