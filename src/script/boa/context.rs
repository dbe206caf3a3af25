//! A context from which nothing outside can be reached.

use std::cell::RefCell;
use std::rc::Rc;

use boa_engine::Context;
use boa_engine::JsError;
use boa_engine::JsNativeError;
use boa_engine::JsResult;
use boa_engine::JsString;
use boa_engine::context::HostHooks;
use boa_engine::context::time::Clock;
use boa_engine::context::time::JsInstant;
use boa_engine::job::Job;
use boa_engine::job::JobExecutor;
use boa_engine::module::IdleModuleLoader;
use boa_engine::realm::Realm;

use crate::script::Run;
use crate::script::RunError;
use crate::script::boa::providers::Columns;

/// What the host functions of a context work on.
#[derive(Debug)]
pub(super) struct Current {
    run: RefCell<Option<Rc<Run>>>,
    /// Set when a host function found the deadline over; the script is not told, it is stopped.
    pub(super) stopped: RefCell<Option<RunError>>,
    /// The parameters of providers that rules looked at.
    pub(super) columns: RefCell<Columns>,
}

// === impl Current ===

impl Current {
    fn new() -> Self {
        Self { run: RefCell::default(), stopped: RefCell::default(), columns: RefCell::default() }
    }

    pub(super) fn begin(&self, run: &Rc<Run>) {
        self.run.replace(Some(Rc::clone(run)));
        self.stopped.replace(None);
        self.columns.borrow_mut().begin();
    }

    pub(super) fn end(&self) {
        self.run.replace(None);
    }

    /// The run that is on. None while the prelude is evaluated.
    pub(super) fn run(&self) -> Option<Rc<Run>> {
        self.run.borrow().clone()
    }
}

/// No code from text, no clock, no large buffers.
struct Hooks;

impl HostHooks for Hooks {
    fn ensure_can_compile_strings(
        &self,
        _realm: Realm,
        _parameters: &[JsString],
        _body: &JsString,
        _direct: bool,
        _context: &mut Context,
    ) -> JsResult<()> {
        Err(JsError::from_native(JsNativeError::eval().with_message("code from text is not allowed")))
    }

    fn utc_now(&self) -> i64 {
        0
    }

    fn local_timezone_offset_seconds(&self, _unix_time_seconds: i64) -> i32 {
        0
    }

    fn max_buffer_size(&self, _context: &mut Context) -> u64 {
        MAX_BUFFER_BYTES
    }
}

/// Array buffers are for the host's answers; rules have no use for large ones.
const MAX_BUFFER_BYTES: u64 = 1 << 20;

/// Jobs are dropped when they are made: promises never resolve.
struct NoJobs;

impl JobExecutor for NoJobs {
    fn enqueue_job(self: Rc<Self>, _job: Job, _context: &mut Context) {}

    fn run_jobs(self: Rc<Self>, _context: &mut Context) -> JsResult<()> {
        Ok(())
    }
}

/// A clock that stands: what rules may know of the time is a host function's answer.
struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> JsInstant {
        JsInstant::new(0, 0)
    }

    fn system_time_millis(&self) -> i64 {
        0
    }
}

/// A context of the language alone.
pub(super) fn create() -> JsResult<Context> {
    let mut context = Context::builder()
        .host_hooks(Rc::new(Hooks))
        .job_executor(Rc::new(NoJobs))
        .module_loader(Rc::new(IdleModuleLoader))
        .clock(Rc::new(StoppedClock))
        .can_block(false)
        .build()?;
    context.insert_data(Current::new());
    context.runtime_limits_mut().set_backtrace_limit(16);
    Ok(context)
}
