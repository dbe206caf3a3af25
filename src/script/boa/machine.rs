//! A context with the host API in it, and the script that calls rules.

use std::path::Path;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::task::Waker;

use boa_engine::Context;
use boa_engine::EngineError;
use boa_engine::JsError;
use boa_engine::JsNativeError;
use boa_engine::JsObject;
use boa_engine::JsResult;
use boa_engine::JsString;
use boa_engine::JsValue;
use boa_engine::RuntimeLimitError;
use boa_engine::Script;
use boa_engine::Source;
use boa_engine::object::builtins::JsArray;
use boa_engine::object::builtins::JsFunction;
use boa_engine::property::PropertyKey;

use crate::router::Limit;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::RunLimits;
use crate::script::boa::context;
use crate::script::boa::context::Current;
use crate::script::boa::failure;
use crate::script::boa::failure::Place;
use crate::script::boa::host;
use crate::script::boa::providers;
use crate::script::javascript::PRELUDE;

/// Instructions between two looks at the clock, weighed as boa weighs them: some 10 µs.
const BUDGET: u32 = 2_048;

/// Iterations of loops in one call of a function, for each microsecond of the deadline. No loop of boa's is as fast, so
/// that the clock comes first wherever it is read; where it is not, in what natives call back, this bounds a loop.
const ITERATIONS_PER_US: u64 = 100;

/// Frames that are not the rule's: the entry script, the prelude's, and those of natives that call back.
const OWN_FRAMES: usize = 8;

/// Values on boa's stack: registers and arguments of all frames.
const STACK_VALUES: usize = 1 << 16;

/// The script that calls a rule. It lives in a realm of its own, so that rules see none of its names.
const ENTRY: &str = "run(route, table, count, null)";

/// What replaces natives that this engine cannot stop.
const NATIVES: &str = include_str!("natives.js");

/// A context with the host API in it.
pub(super) struct Machine {
    context: Context,
    entry: Script,
    /// The global object of the entry script's realm.
    arguments: JsObject,
    /// The getter of an error's frames.
    stack: JsFunction,
    /// The prelude's function that makes a table.
    take_in: JsFunction,
    /// The prelude's function that drops what was kept of a table.
    forget: JsFunction,
    /// The prelude's function that makes a rule of what its source came to.
    make: JsFunction,
    /// The table that was taken in last: it is there.
    taken_in: Option<u64>,
    is_broken: bool,
}

/// How a run ended.
enum Ending {
    Returned(JsValue),
    Threw(JsError),
    Stopped(RunError),
}

// === impl Machine ===

impl Machine {
    /// Evaluates the prelude.
    pub(super) fn create() -> JsResult<Self> {
        let mut context = context::create()?;
        let stack = stack_getter(&mut context)?;
        let host = host::create(&mut context)?;
        let source = Source::from_bytes(PRELUDE).with_path(Path::new("prelude"));
        let prelude = context.eval(source)?;
        let tame = context.eval(Source::from_bytes(NATIVES).with_path(Path::new("natives")))?;
        host.create_data_property_or_throw(JsString::from("tame"), tame, &mut context)?;
        let made = callable(&prelude)?.call(&JsValue::undefined(), &[host.into()], &mut context)?;
        let made = made.as_object().ok_or_else(|| JsNativeError::typ().with_message("an object was expected"))?;
        let mut part = |name: &str| made.get(JsString::from(name), &mut context);
        let (run, take_in) = (part("run")?, callable(&part("takeIn")?)?);
        let (forget, make) = (callable(&part("forget")?)?, callable(&part("make")?)?);
        let rules = context.realm().clone();
        let own = context.create_realm()?;
        context.enter_realm(own);
        let arguments = context.global_object();
        arguments.create_data_property_or_throw(JsString::from("run"), run, &mut context)?;
        for name in ["route", "table", "count"] {
            arguments.create_data_property_or_throw(JsString::from(name), JsValue::null(), &mut context)?;
        }
        let entry = Script::parse(Source::from_bytes(ENTRY), None, &mut context)?;
        entry.codeblock(&mut context)?;
        context.enter_realm(rules);
        Ok(Self { context, entry, arguments, stack, take_in, forget, make, taken_in: None, is_broken: false })
    }

    /// Makes the objects of a table, unless they are made.
    pub(super) fn take_in(&mut self, table: &ProviderTable) -> JsResult<()> {
        if self.taken_in == Some(table.number()) {
            return Ok(());
        }
        let limits = self.context.runtime_limits_mut();
        limits.set_loop_iteration_limit(u64::MAX);
        limits.set_recursion_limit(OWN_FRAMES);
        let arguments = [JsValue::from(table.number() as f64), JsValue::from(table.len() as f64)];
        self.take_in.call(&JsValue::undefined(), &arguments, &mut self.context)?;
        self.taken_in = Some(table.number());
        Ok(())
    }

    /// Forgets what was made of a table.
    pub(super) fn forget_table(&mut self, number: u64) -> JsResult<()> {
        self.taken_in = None;
        if let Some(current) = self.context.get_data::<Current>() {
            current.columns.borrow_mut().forget(number);
        }
        self.forget.call(&JsValue::undefined(), &[JsValue::from(number as f64)], &mut self.context).map(|_| ())
    }

    /// Compiles the source of a rule. Nothing of the rule's own text runs.
    pub(super) fn compile(&mut self, source: &str) -> JsResult<JsFunction> {
        self.context.runtime_limits_mut().set_recursion_limit(OWN_FRAMES);
        let text = Source::from_bytes(source).with_path(Path::new(failure::RULE_PATH));
        let made = Script::parse(text, None, &mut self.context)?.evaluate(&mut self.context)?;
        let source = JsString::from(source).into();
        callable(&self.make.call(&JsValue::undefined(), &[made, source], &mut self.context)?)
    }

    /// Whether the engine found a fault of its own, after which it is not to be used.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// What an error says.
    pub(super) fn explain(&mut self, error: &JsError) -> failure::Thrown {
        failure::of_error(error, &self.stack, &mut self.context)
    }

    /// Calls a rule's function; the places that it kept.
    pub(super) fn run(&mut self, route: &JsFunction, run: &Rc<Run>) -> Result<Vec<u32>, RunError> {
        self.limit(run.limits());
        if let Some(current) = self.context.get_data::<Current>() {
            current.begin(run);
        }
        let ending = match self.set_arguments(route, run) {
            Ok(()) => self.poll(run),
            Err(error) => Ending::Threw(error),
        };
        let stopped = self.context.get_data::<Current>().and_then(|current| {
            current.end();
            current.stopped.take()
        });
        match (stopped, ending) {
            (Some(error), _) | (None, Ending::Stopped(error)) => Err(error),
            (None, Ending::Returned(value)) => self.answer(&value, run.table().number()),
            (None, Ending::Threw(error)) => Err(self.failure(&error, run)),
        }
    }

    /// What the prelude made of the rule's value.
    fn answer(&mut self, value: &JsValue, table: u64) -> Result<Vec<u32>, RunError> {
        let broken = || RunError::failed("the engine fell over this run", None, None);
        let object = value.as_object().ok_or_else(broken)?;
        let part = |name: &str, context: &mut Context| object.get(JsString::from(name), context).ok();
        let text = |name: &str, context: &mut Context| {
            part(name, context).and_then(|text| text.as_string()).map(|text| text.to_std_string_lossy())
        };
        let context = &mut self.context;
        if let Some(message) = text("message", context) {
            let place = text("stack", context).and_then(|frames| failure::place(&frames));
            // As every other engine words it.
            let message = message.replace("not a callable function", "not a function");
            return Err(RunError::failed(&message, place.map(|place| place.0), place.map(|place| place.1)));
        }
        if let Some(found) = text("found", context) {
            return Err(RunError::WrongResult { found });
        }
        let list = part("list", context).and_then(|list| list.as_object()).ok_or_else(broken)?;
        let list = JsArray::from_object(list).map_err(|_| broken())?;
        let length = list.length(context).map_err(|_| broken())?;
        Ok(providers::places(&list, length, table))
    }

    fn limit(&mut self, limits: &RunLimits) {
        let iterations = u64::try_from(limits.deadline.as_micros()).unwrap_or(u64::MAX);
        let iterations = iterations.saturating_mul(ITERATIONS_PER_US).min(limits.operations);
        let own = self.context.runtime_limits_mut();
        own.set_loop_iteration_limit(iterations);
        own.set_recursion_limit(OWN_FRAMES + limits.call_depth as usize);
        own.set_stack_size_limit(STACK_VALUES);
    }

    fn set_arguments(&mut self, route: &JsFunction, run: &Run) -> JsResult<()> {
        let table = run.table();
        let arguments = [
            ("route", JsValue::from(route.clone())),
            // A number of the language is exact up to 2^53, which no host counts to.
            ("table", JsValue::from(table.number() as f64)),
            ("count", JsValue::from(table.len() as f64)),
        ];
        for (name, value) in arguments {
            self.arguments.set(JsString::from(name), value, true, &mut self.context)?;
        }
        Ok(())
    }

    /// Runs the entry script until it is over or late.
    fn poll(&mut self, run: &Run) -> Ending {
        let late = {
            let mut script = pin!(self.entry.evaluate_async_with_budget(&mut self.context, BUDGET));
            let mut task = std::task::Context::from_waker(Waker::noop());
            loop {
                match script.as_mut().poll(&mut task) {
                    Poll::Ready(Ok(value)) => return Ending::Returned(value),
                    Poll::Ready(Err(error)) => return Ending::Threw(error),
                    Poll::Pending if run.is_overdue() => break true,
                    Poll::Pending => {}
                }
            }
        };
        debug_assert!(late, "a run that is not late goes on");
        // The frames are still there; whoever asked drops the engine.
        Ending::Stopped(run.overdue(failure::place_of_frames(&self.context).map(|place| place.0)))
    }

    fn failure(&mut self, error: &JsError, run: &Run) -> RunError {
        let thrown = self.explain(error);
        let line = thrown.place.map(|place| place.0);
        let reached = |which, allowed: u64| RunError::Limit { which, used: allowed, allowed, line };
        match error.as_engine() {
            Some(EngineError::RuntimeLimit(_)) if run.is_overdue() => run.overdue(line),
            Some(EngineError::RuntimeLimit(RuntimeLimitError::LoopIteration)) => {
                let allowed = self.context.runtime_limits().loop_iteration_limit();
                // A bound that stands for the time is told as the time.
                if allowed < run.limits().operations { run.overdue(line) } else { reached(Limit::Operations, allowed) }
            }
            Some(EngineError::RuntimeLimit(_)) => reached(Limit::CallDepth, u64::from(run.limits().call_depth)),
            Some(_) => {
                self.is_broken = true;
                RunError::failed("the engine fell over this run", line, None)
            }
            None => RunError::failed(&thrown.message, line, thrown.place.map(|place: Place| place.1)),
        }
    }
}

fn callable(value: &JsValue) -> JsResult<JsFunction> {
    let function = value.as_object().and_then(JsFunction::from_object);
    function.ok_or_else(|| JsError::from_native(JsNativeError::typ().with_message("a function was expected")))
}

fn stack_getter(context: &mut Context) -> JsResult<JsFunction> {
    let prototype = context.intrinsics().constructors().error().prototype();
    let accessor = prototype.borrow().properties().get(&PropertyKey::from(JsString::from("stack")));
    let getter = accessor.and_then(|accessor| accessor.get().cloned());
    callable(&getter.unwrap_or_default())
}
