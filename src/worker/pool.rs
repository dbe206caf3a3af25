//! The pool: settings, starting, stopping, status.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::worker::PartId;
use crate::worker::bell::Bell;
use crate::worker::build;
use crate::worker::confinement::Confinement;
use crate::worker::error::JobError;
use crate::worker::error::PoolError;
use crate::worker::fault::FaultHook;
use crate::worker::job::Job;
use crate::worker::link::Link;
use crate::worker::part::Dropped;
use crate::worker::part::Part;
use crate::worker::part::Payload;
use crate::worker::pending::Pending;
use crate::worker::queue::Domain;
use crate::worker::queue::Queue;
use crate::worker::queue::Role;
use crate::worker::queue::Wakers;
use crate::worker::supervisor::Flight;
use crate::worker::supervisor::Supervisor;

/// How long a job waits for a worker by default.
const QUEUE: Duration = Duration::from_millis(100);

/// The most workers a pool has by default.
const DEFAULT_WORKERS: usize = 4;

/// How a pool is set up.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PoolSettings {
    /// The program that is started as a worker; it must call [`serve`](crate::worker::serve) when its first argument is
    /// [`WORKER_ARGUMENT`](crate::worker::WORKER_ARGUMENT).
    pub program: PathBuf,
    /// Its second argument, where the program serves in more than one way.
    pub service: Option<&'static str>,
    /// Workers that serve, at least one; the spare comes on top.
    pub workers: usize,
    /// The longest a job waits for a worker.
    pub queue: Duration,
    /// The build that workers must be of; the host's own if not given.
    #[doc(hidden)]
    pub build: Option<String>,
    /// Breaks things on purpose. For tests.
    #[doc(hidden)]
    pub fault: Option<Arc<dyn FaultHook>>,
}

/// Worker processes that take jobs. Cheap to clone; when the last clone is dropped, all workers are killed and reaped.
#[derive(Debug, Clone)]
pub struct Pool {
    handle: Arc<Handle>,
}

/// A pool at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PoolStatus {
    /// The workers that said hello, the spare among them.
    pub workers: Vec<WorkerStatus>,
    /// Jobs that wait for a worker.
    pub waiting: usize,
    /// Workers lost since the start, for whatever reason; each was replaced.
    pub restarts: u64,
    /// What keeps workers in; nothing before the first said hello.
    pub confinement: Option<Confinement>,
    /// Why a worker could not be started, the last time that happened.
    pub last_failure: Option<Arc<str>>,
}

/// A worker at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerStatus {
    /// Its process.
    pub pid: u32,
    /// The domain it serves, if any yet.
    pub domain: Option<Arc<str>>,
    /// What it is doing.
    pub activity: Activity,
}

/// What a worker is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// It waits for a job.
    Idle,
    /// It has a job.
    Busy,
    /// It takes parts in ahead of jobs.
    Loading,
    /// It waits to take over from another.
    Spare,
}

/// What the pool, its supervisor and jobs in flight share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: PoolSettings,
    pub(super) queue: Mutex<Queue>,
    pub(super) bell: Arc<Bell>,
    pub(super) dropped: Arc<Dropped>,
    /// Jobs whose answers the supervisor waits for.
    pub(super) flights: Mutex<Vec<Flight>>,
    pub(super) news: Mutex<News>,
    next_part: AtomicU64,
}

/// What the supervisor found out about workers.
#[derive(Debug, Default)]
pub(super) struct News {
    pub(super) confinement: Option<Confinement>,
    pub(super) last_failure: Option<Arc<str>>,
}

#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    supervisor: Option<JoinHandle<()>>,
}

// === impl PoolSettings ===

impl PoolSettings {
    /// As many workers as there are processors, at most four; 100 ms in the queue.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> PoolSettings {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let workers = cores.min(DEFAULT_WORKERS);
        PoolSettings { program: program.into(), service: None, workers, queue: QUEUE, build: None, fault: None }
    }
}

// === impl Pool ===

impl Pool {
    /// Starts workers; returns when the first has said hello. The others follow by themselves.
    ///
    /// # Errors
    ///
    /// The program cannot be started, is no worker, or is of another build.
    pub fn start(mut settings: PoolSettings) -> Result<Pool, PoolError> {
        // Workers start elsewhere, so a relative path would mean something else there.
        settings.program = std::path::absolute(&settings.program).unwrap_or(settings.program);
        let bell = Arc::new(Bell::new().map_err(|source| PoolError::Supervisor { source })?);
        let dropped = Arc::new(Dropped::new(Arc::clone(&bell)));
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue::new(settings.workers.max(1))),
            settings,
            bell,
            dropped,
            flights: Mutex::default(),
            news: Mutex::default(),
            next_part: AtomicU64::new(1),
        });
        let (tell, told) = mpsc::sync_channel(1);
        let supervisor = Supervisor::new(Arc::clone(&shared), tell);
        let thread = thread::Builder::new().name("pointsman-workers".to_owned()).spawn(move || supervisor.run());
        let supervisor = Some(thread.map_err(|source| PoolError::Supervisor { source })?);
        let handle = Arc::new(Handle { shared, supervisor });
        let gone = || PoolError::Supervisor { source: std::io::Error::other("the supervisor ended") };
        told.recv().unwrap_or_else(|_| Err(gone()))?;
        Ok(Pool { handle })
    }

    /// A part that workers of `domain` can hold. No worker has it before a job needs it or it is preloaded.
    pub fn part(&self, domain: &str, payload: impl Into<Payload>) -> Arc<Part> {
        let shared = &self.handle.shared;
        Arc::new(Part {
            id: PartId(shared.next_part.fetch_add(1, Ordering::Relaxed)),
            domain: shared.domain_name(domain),
            payload: payload.into(),
            dropped: Arc::clone(&shared.dropped),
            is_unfit: false.into(),
        })
    }

    /// Has workers and the spare take parts in, off the path of calls, for as long as the parts live.
    pub fn preload(&self, parts: &[Arc<Part>]) {
        let shared = &self.handle.shared;
        let mut queue = shared.queue.lock();
        for part in parts.iter().filter(|part| shared.owns(part)) {
            let place = queue.domains.iter().position(|domain| domain.name == part.domain);
            // The domain of the last preloaded part stands last.
            let mut domain = match place {
                Some(place) => queue.domains.remove(place),
                None => Domain { name: Arc::clone(&part.domain), version: 0, parts: Vec::new() },
            };
            let weak = Arc::downgrade(part);
            if !domain.parts.iter().any(|other| other.ptr_eq(&weak)) {
                domain.parts.push(weak);
                domain.version += 1;
            }
            queue.domains.push(domain);
        }
        drop(queue);
        shared.bell.ring();
    }

    /// Asks for a run. Nothing happens before the answer is waited for, as a future or by [`Pending::wait`].
    pub fn run(&self, job: Job) -> Pending {
        Pending::new(Arc::clone(&self.handle.shared), job)
    }

    /// How the pool is doing.
    #[must_use]
    pub fn status(&self) -> PoolStatus {
        let queue = self.handle.shared.queue.lock();
        let workers = queue.roster.iter().map(|member| WorkerStatus {
            pid: member.pid,
            domain: member.domain.clone(),
            activity: match member.role {
                Role::Idle => Activity::Idle,
                Role::Busy => Activity::Busy,
                Role::Loading => Activity::Loading,
                Role::Spare => Activity::Spare,
            },
        });
        let (workers, waiting, restarts) = (workers.collect(), queue.waiting.len(), queue.lost);
        drop(queue);
        let news = self.handle.shared.news.lock();
        let (confinement, last_failure) = (news.confinement, news.last_failure.clone());
        PoolStatus { workers, waiting, restarts, confinement, last_failure }
    }
}

// === impl Shared ===

impl Shared {
    /// True if the part is of this pool: numbers of another mean something else here.
    pub(super) fn owns(&self, part: &Part) -> bool {
        Arc::ptr_eq(&part.dropped, &self.dropped)
    }

    pub(super) fn build(&self) -> String {
        self.settings.build.clone().unwrap_or_else(build::id)
    }

    /// A worker is done with a job. One that says it is unfit for another is replaced.
    pub(super) fn take_back(&self, link: Box<Link>, owner: u64) {
        if link.is_spent {
            return self.lose(link.serial, Some(owner));
        }
        let mut wakers = Wakers::new();
        let is_behind_on_parts = link.forgot != self.dropped.count();
        let mut queue = self.queue.lock();
        let version = link.domain.as_ref().and_then(|domain| queue.domain(domain)).map_or(0, |domain| domain.version);
        let is_behind = is_behind_on_parts || link.loaded < version;
        queue.take_back(link, owner, &mut wakers);
        let is_calm = queue.waiting.is_empty();
        drop(queue);
        if is_behind && is_calm {
            self.bell.ring();
        }
        wakers.into_iter().for_each(std::task::Waker::wake);
    }

    /// A worker is lost.
    pub(super) fn lose(&self, serial: u64, owner: Option<u64>) {
        let mut wakers = Wakers::new();
        self.queue.lock().lose(serial, owner, &mut wakers);
        self.bell.ring();
        wakers.into_iter().for_each(std::task::Waker::wake);
    }

    /// Why nobody can be served now, if so.
    pub(super) fn refusal(&self, queue: &Queue) -> Option<JobError> {
        if queue.is_stopped {
            return Some(JobError::Unavailable { why: "the pool was stopped".into() });
        }
        let why = queue.failure.clone().filter(|_| queue.serving() == 0)?;
        Some(JobError::Unavailable { why })
    }

    /// One allocation for each domain, as long as the pool knows it.
    fn domain_name(&self, name: &str) -> Arc<str> {
        self.queue.lock().domain(name).map_or_else(|| name.into(), |domain| Arc::clone(&domain.name))
    }
}

// === impl Handle ===

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.queue.lock().is_stopped = true;
        self.shared.bell.ring();
        if let Some(supervisor) = self.supervisor.take() {
            // A waker that the supervisor called may have owned the last pool.
            if supervisor.thread().id() != thread::current().id() {
                let _ = supervisor.join();
            }
        }
    }
}
