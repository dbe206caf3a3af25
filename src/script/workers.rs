//! Runs in worker processes.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Weak;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;
use std::time::Instant;

use parking_lot::Mutex;

use crate::router::Answer;
use crate::router::Limit;
use crate::router::RouteError;
use crate::router::Selection;
use crate::router::Settled;
use crate::router::Ticket;
use crate::script::CapturedCall;
use crate::script::CompileError;
use crate::script::Program;
use crate::script::ProviderTable;
use crate::script::RunLimits;
use crate::script::RunReport;
use crate::script::report::settle;
use crate::script::router::ScriptRule;
use crate::script::service::PartContent;
use crate::script::service::Request;
use crate::worker;
use crate::worker::Job;
use crate::worker::JobError;
use crate::worker::Part;
use crate::worker::Payload;
use crate::worker::Pending;
use crate::worker::Pool;

/// How long a rule that is loaded waits for a worker to compile it.
const COMPILE_WAIT: Duration = Duration::from_secs(5);

/// From so many bytes on a table is worth a descriptor of the host. Smaller ones are copied to each worker: a host with
/// a thousand services would have no descriptors left for its own connections.
const SHARED_FROM: usize = 64 << 10;

/// Which rules may share a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Domain {
    /// None: each rule has its own.
    Rule,
    /// Those of one [`ScriptHost`](crate::script::ScriptHost), which has one source of rules.
    #[default]
    Source,
    /// All.
    All,
}

/// A pool as one host uses it.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    pub(crate) pool: Pool,
    pub(crate) domain: Domain,
}

/// A program that workers hold.
#[derive(Debug)]
pub(crate) struct PlacedProgram {
    part: Arc<Part>,
    domain: Arc<str>,
    owner: u64,
}

/// A table as the workers of each domain hold it: once, however many rules run over it.
#[derive(Debug)]
pub(crate) struct PlacedTable {
    payload: Payload,
    parts: Mutex<Vec<Weak<Part>>>,
}

/// An answer that a worker is working on.
struct OnItsWay {
    pending: Option<Pending>,
    rule: Arc<ScriptRule>,
    call: CapturedCall,
    candidates: Selection,
    limits: RunLimits,
}

// === impl Workers ===

impl Workers {
    /// Has a worker compile a program. `owner` is the rule's number, `host` its host's.
    pub(crate) fn compile(&self, program: &Program, owner: u64, host: u64) -> Result<PlacedProgram, CompileError> {
        let domain: Arc<str> = match self.domain {
            Domain::Rule => format!("rule {owner} of {host}"),
            Domain::Source => format!("host {host}"),
            Domain::All => "all".to_owned(),
        }
        .into();
        let content = PartContent::Program(program.clone());
        let part = self.pool.part(&domain, encoded(&content));
        let request = encoded(&Request::Check);
        let limits = worker::RunLimits::default();
        let started = Instant::now();
        loop {
            let parts = [Arc::clone(&part)].into_iter().collect();
            let job = Job { domain: Arc::clone(&domain), owner, parts, request: request.clone(), limits };
            match self.pool.run(job).wait() {
                Ok(_) => return Ok(PlacedProgram { part, domain, owner }),
                Err(JobError::Busy { .. }) if started.elapsed() < COMPILE_WAIT => {}
                Err(error) => return Err(refusal(&error)),
            }
        }
    }

    /// Has the workers of a program's domain take it and a table in, off the path of calls.
    pub(crate) fn place(&self, program: &PlacedProgram, table: &PlacedTable) -> Arc<Part> {
        let table = table.part(&self.pool, &program.domain);
        self.pool.preload(&[Arc::clone(&program.part), Arc::clone(&table)]);
        table
    }

    pub(crate) fn start(
        &self,
        program: &PlacedProgram,
        table: &Arc<Part>,
        candidates: &Selection,
        call: CapturedCall,
        limits: RunLimits,
        rule: &Arc<ScriptRule>,
    ) -> Ticket {
        let is_all = candidates.count() == candidates.list_length();
        let words = (!is_all).then(|| candidates.words().to_vec());
        let request = Request::Run { candidates: words, call: Box::new(call), limits };
        let job = Job {
            domain: Arc::clone(&program.domain),
            owner: program.owner,
            parts: [Arc::clone(&program.part), Arc::clone(table)].into_iter().collect(),
            request: encoded(&request),
            limits: worker::RunLimits { cpu: limits.deadline, wall: limits.wall(), memory_bytes: limits.memory_bytes },
        };
        let Request::Run { call, .. } = request else { return Ticket::new(std::future::ready(Ok(Settled::default()))) };
        let pending = Some(self.pool.run(job));
        let rule = Arc::clone(rule);
        Ticket::of(OnItsWay { pending, rule, call: *call, candidates: candidates.clone(), limits })
    }
}

// === impl PlacedTable ===

impl PlacedTable {
    /// The bytes of a table; if they are many, in memory that all workers read.
    pub(crate) fn of(table: &ProviderTable) -> Self {
        let bytes = encoded(&PartContent::Table(table.to_bytes()));
        let shared = if bytes.len() >= SHARED_FROM { Payload::shared(&bytes).ok() } else { None };
        // Without descriptors each worker gets a copy.
        let payload = shared.unwrap_or_else(|| bytes.into());
        Self { payload, parts: Mutex::default() }
    }

    /// The part of a domain; it lasts as long as a rule of that domain has it.
    fn part(&self, pool: &Pool, domain: &str) -> Arc<Part> {
        let mut parts = self.parts.lock();
        parts.retain(|part| part.strong_count() > 0);
        if let Some(known) = parts.iter().filter_map(Weak::upgrade).find(|part| part.domain() == domain) {
            return known;
        }
        let part = pool.part(domain, self.payload.clone());
        parts.push(Arc::downgrade(&part));
        part
    }
}

// === impl OnItsWay ===

impl OnItsWay {
    fn settle(&self, reply: Result<worker::Reply, JobError>) -> Result<Settled, RouteError> {
        let report = reply.and_then(|reply| {
            let what = "the report cannot be read";
            postcard::from_bytes::<RunReport>(&reply.bytes).map_err(|_| JobError::Protocol { what })
        });
        match report {
            Ok(report) => settle(&self.rule, &self.call, &self.candidates, &self.limits, report),
            Err(error) => Err(self.failure(&error)),
        }
    }

    /// What a lost worker means; limits and deaths count at the rule's breaker, a busy pool does not.
    fn failure(&self, error: &JobError) -> RouteError {
        let rule = Arc::clone(&self.rule.name);
        let limit = |which, used, allowed| RouteError::Limit { which, used, allowed, rule, line: None };
        let us = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let error = match error {
            JobError::Busy { waited } => {
                return RouteError::Busy { waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX) };
            }
            JobError::Unavailable { .. } | JobError::Protocol { .. } | JobError::TooLarge { .. } => {
                return RouteError::Failed { message: error.to_string().into() };
            }
            JobError::Limit(worker::Limit::Deadline { used, allowed }) => {
                limit(Limit::Deadline, us(*used), us(*allowed))
            }
            JobError::Limit(worker::Limit::Wall { used, allowed }) => limit(Limit::Wall, us(*used), us(*allowed)),
            JobError::Limit(worker::Limit::Memory { used, allowed }) => limit(Limit::Memory, *used, *allowed),
            other => RouteError::Failed { message: other.to_string().into() },
        };
        self.rule.breaker.count_hit(self.call.now_ms);
        error
    }
}

impl Future for OnItsWay {
    type Output = Result<Settled, RouteError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(pending) = &mut self.pending else { return Poll::Ready(Ok(Settled::default())) };
        match Pin::new(pending).poll(context) {
            Poll::Ready(reply) => {
                self.pending = None;
                Poll::Ready(self.settle(reply))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Answer for OnItsWay {
    fn wait(mut self: Pin<Box<Self>>) -> Result<Settled, RouteError> {
        let Some(pending) = self.pending.take() else { return Ok(Settled::default()) };
        let reply = pending.wait();
        self.settle(reply)
    }
}

/// A message as bytes; what is in memory can always be written.
fn encoded(message: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).unwrap_or_default()
}

/// Why no worker compiled a program.
fn refusal(error: &JobError) -> CompileError {
    if let JobError::Rejected(bytes) = error
        && let Ok(error) = postcard::from_bytes(bytes)
    {
        return error;
    }
    let help = match error {
        JobError::Limit(_) | JobError::Crashed { .. } => {
            "the text is too much for the parser: make it shorter or flatter"
        }
        _ => "see the state of the workers, and load the rule again",
    };
    let message = format!("it could not be compiled: {error}");
    CompileError { message, line: None, column: None, help: Some(help.to_owned()) }
}
