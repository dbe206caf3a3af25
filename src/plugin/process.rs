//! A plugin in supervised processes of its own: the host's side.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::task::Context;
use std::task::Poll;

use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::plugin::PluginSettings;
use crate::plugin::answer::Refusal;
use crate::plugin::answer::RouteAnswer;
use crate::plugin::answer::bytes_of;
use crate::plugin::providers::ProviderBlob;
use crate::plugin::service::CONTENT;
use crate::plugin::service::PartContent;
use crate::plugin::service::Request;
use crate::plugin::sink::Sink;
use crate::router::Selection;
use crate::worker::Job;
use crate::worker::JobError;
use crate::worker::Part;
use crate::worker::Parts;
use crate::worker::Payload;
use crate::worker::Pending;
use crate::worker::Pool;
use crate::worker::PoolSettings;
use crate::worker::Reply;
use crate::worker::RunLimits;

/// The second argument of a worker that loads plugins.
pub const PLUGIN_SERVICE: &str = "plugins";

const DOMAIN: &str = "plugin";
/// What one call may allocate is the process's business: its heap is the plugin's own, and the process is limited.
const MEMORY_BYTES: u64 = 256 << 20;

/// The processes of one plugin.
#[derive(Debug)]
pub(crate) struct PluginProcess {
    pool: Pool,
    library: Arc<Part>,
    domain: Arc<str>,
    limits: RunLimits,
    lists: Mutex<HashMap<u64, Weak<Part>>>,
    next_owner: AtomicU64,
    sink: Sink,
}

/// A router in those processes.
#[derive(Debug)]
pub(crate) struct RemoteRouter {
    process: Arc<PluginProcess>,
    part: Arc<Part>,
}

/// A router over a list, in those processes.
#[derive(Debug)]
pub(crate) struct RemoteSnapshot {
    process: Arc<PluginProcess>,
    /// Library, router, providers, snapshot: in the order in which they must be there.
    parts: Parts,
}

/// A route that is on its way.
#[derive(Debug)]
pub(crate) struct RemoteRoute {
    pending: Pending,
}

// === impl PluginProcess ===

impl PluginProcess {
    /// Starts processes and has one load the library.
    ///
    /// # Errors
    ///
    /// No process can be started, or the library is refused there.
    pub(crate) fn start(library: Payload, settings: &PluginSettings, sink: Sink) -> Result<Arc<Self>, Refusal> {
        let Some(program) = &settings.program else {
            return Err(Refusal::unusable("the host names no program for worker processes"));
        };
        let mut pool = PoolSettings::new(program);
        pool.service = Some(PLUGIN_SERVICE);
        pool.workers = settings.workers.max(1);
        pool.queue = settings.limits.queue;
        let pool = Pool::start(pool).map_err(|error| Refusal::unusable(error.to_string()))?;
        let library = pool.part(DOMAIN, library);
        let deadline = settings.limits.deadline;
        let limits = RunLimits { cpu: deadline, wall: deadline * 5, memory_bytes: MEMORY_BYTES };
        let (domain, lists, next_owner) = (DOMAIN.into(), Mutex::default(), AtomicU64::new(0));
        let process = Self { pool, library, domain, limits, lists, next_owner, sink };
        process.check([Arc::clone(&process.library)].into_iter().collect())?;
        process.pool.preload(&[Arc::clone(&process.library)]);
        Ok(Arc::new(process))
    }

    /// Has a worker take parts in.
    fn check(&self, parts: Parts) -> Result<(), Refusal> {
        let (answer, _) = read(self.run(parts, encoded(&Request::Check)).wait()).map_err(|error| refusal(&error))?;
        self.sink.take_over(&answer.said);
        Ok(())
    }

    pub(crate) fn sink(&self) -> &Sink {
        &self.sink
    }

    fn run(&self, parts: Parts, request: Vec<u8>) -> Pending {
        // An owner may hold half of a pool; this one is the plugin's alone, so each call is an owner of its own.
        let owner = self.next_owner.fetch_add(1, Ordering::Relaxed);
        let job = Job { domain: Arc::clone(&self.domain), owner, parts, request, limits: self.limits };
        self.pool.run(job)
    }

    pub(crate) fn new_router(self: &Arc<Self>, config: &str) -> Result<Arc<RemoteRouter>, Refusal> {
        let part = self.pool.part(DOMAIN, content(&PartContent::Router { config }));
        self.check([Arc::clone(&self.library), Arc::clone(&part)].into_iter().collect())?;
        self.pool.preload(&[Arc::clone(&part)]);
        Ok(Arc::new(RemoteRouter { process: Arc::clone(self), part }))
    }

    /// The part of a list; all routers over it share one.
    fn list(&self, providers: &ProviderBlob) -> Arc<Part> {
        let mut lists = self.lists.lock();
        if let Some(part) = lists.get(&providers.number()).and_then(Weak::upgrade) {
            return part;
        }
        lists.retain(|_, part| part.strong_count() > 0);
        let part = self.pool.part(DOMAIN, providers.payload());
        lists.insert(providers.number(), Arc::downgrade(&part));
        part
    }
}

// === impl RemoteRouter ===

impl RemoteRouter {
    pub(crate) fn snapshot(&self, providers: &ProviderBlob) -> Result<RemoteSnapshot, Refusal> {
        let process = &self.process;
        let list = process.list(providers);
        let numbers = PartContent::Snapshot { router: self.part.id().number(), providers: list.id().number() };
        let part = process.pool.part(DOMAIN, content(&numbers));
        let parts: Parts = [Arc::clone(&process.library), Arc::clone(&self.part), list, part].into_iter().collect();
        process.check(parts.clone())?;
        process.pool.preload(&parts);
        Ok(RemoteSnapshot { process: Arc::clone(process), parts })
    }
}

// === impl RemoteSnapshot ===

impl RemoteSnapshot {
    pub(crate) fn start(
        &self,
        consumer: &[u8],
        request: &[u8],
        candidates: &Selection,
        is_explaining: bool,
    ) -> RemoteRoute {
        let is_all = candidates.count() == candidates.list_length();
        let words = if is_all { &[] } else { candidates.words() };
        let input = bytes_of(words);
        let request = Request::Route { consumer, request, input: &input, is_explaining };
        RemoteRoute { pending: self.process.run(self.parts.clone(), encoded(&request)) }
    }
}

// === impl RemoteRoute ===

impl RemoteRoute {
    pub(crate) fn wait(self) -> Result<(RouteAnswer, Reply), JobError> {
        read(self.pending.wait())
    }

    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(RouteAnswer, Reply), JobError>> {
        Pin::new(&mut self.pending).poll(context).map(read)
    }
}

fn read(reply: Result<Reply, JobError>) -> Result<(RouteAnswer, Reply), JobError> {
    let reply = reply?;
    let what = "the answer cannot be read";
    let answer = postcard::from_bytes(&reply.bytes).map_err(|_| JobError::Protocol { what })?;
    Ok((answer, reply))
}

fn content(content: &PartContent<'_>) -> Vec<u8> {
    let mut bytes = vec![CONTENT];
    bytes.extend(encoded(content));
    bytes
}

/// A message as bytes; what is in memory can always be written.
fn encoded(message: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).unwrap_or_default()
}

/// Why parts were not taken in.
fn refusal(error: &JobError) -> Refusal {
    if let JobError::Rejected(bytes) = error
        && let Ok(refusal) = postcard::from_bytes(bytes)
    {
        return refusal;
    }
    Refusal::unusable(error.to_string())
}
