//! Supervised worker processes, for what must not run in the host. Linux only.
//!
//! A [`Pool`] keeps child processes of one program, each confined to memory, clocks and one socket. A [`Job`] names what
//! a run needs to be there ([`Part`]s: compiled rules, lists), a request and [`RunLimits`]; its answer is bytes or the
//! reason why there are none ([`JobError`]). In the child, [`serve`] runs a [`Service`]. What services do is not known
//! here.
//!
//! # What a job goes through
//!
//! 1. **Queue.** An idle worker of the job's domain, best one that holds its parts; else one that serves no domain yet;
//!    else the worker of another domain that was idle longest is replaced. No worker within [`PoolSettings::queue`]:
//!    [`JobError::Busy`]. First come, first served among those that may run; jobs of one owner hold at most half of the
//!    workers, and at least one.
//! 2. **Install.** Parts that the worker lacks. [`Pool::preload`] does that off the path of calls. An install may use 2 s
//!    of processor time and 10 s in all.
//! 3. **Run.** The clocks begin when the request is written: neither queueing nor installing counts.
//! 4. **Answer.** Copied once, checked and used as that copy.
//!
//! A future ([`Pending`]) writes the request and leaves reading to the pool's thread, so it blocks no executor;
//! [`Pending::wait`] writes and reads on the calling thread and wakes no other. A pending that is dropped on its way costs
//! the pool nothing but the rest of its run.
//!
//! # What stops a run
//!
//! | what | by | told as |
//! |---|---|---|
//! | processor time | the service at its own deadline; a little later `SIGPROF` | [`Limit::Deadline`] |
//! | time on the clock | the host, unless the worker wants to run and is not let: then up to ten times its wall | [`Limit::Wall`] |
//! | memory of the run | [`CountingAllocator`], before the allocation that would be too much | [`Limit::Memory`] |
//! | memory of the process | `RLIMIT_DATA`, 512 MiB above what is mapped at the start | [`Limit::Memory`] or a crash |
//! | a crash, a panic, a forbidden system call | the kernel | [`JobError::Crashed`] |
//!
//! Whatever stops a run ends its worker. The spare takes over if it holds what the domain preloads; a new process is
//! started in either case.
//!
//! # What keeps a worker in
//!
//! In this order: every descriptor but the socket closed; not dumpable, no core file; killed with the thread that
//! started it; no new privileges; landlock (no file, no TCP); limits on data, descriptors, processes and files; a list of
//! allowed system calls, any other kills. Its environment is empty but for `TZ=UTC0`. The service's thread has a stack of 256 MiB, reserved
//! before memory is limited. Where the kernel lacks landlock or seccomp, the hello says so, the host logs it once, shows
//! it ([`PoolStatus::confinement`]) and goes on with the rest.
//!
//! # What a pool promises
//!
//! - Host and worker are of one build, or the worker is not used.
//! - Two domains never share a process.
//! - Lengths are checked before anything is allocated for them, on both sides.
//! - A pool that lost all its workers, or cannot start any (no program, no descriptors, no processes), answers
//!   [`JobError::Unavailable`] at once, tries again after 10 ms, doubling to 1 s, and comes back by itself.
//! - No process is left when the last [`Pool`] is dropped, and none outlives the host.
//!
//! # A program as its own worker
//!
//! ```no_run
//! # #[derive(Default)] struct Upper;
//! # impl pointsman::worker::Service for Upper {
//! #     fn install(&mut self, _: pointsman::worker::PartId, _: pointsman::worker::PartBytes<'_>) -> Result<(), Vec<u8>> { Ok(()) }
//! #     fn forget(&mut self, _: pointsman::worker::PartId) {}
//! #     fn run(&mut self, _: &[pointsman::worker::PartId], request: &[u8], _: &pointsman::worker::RunLimits) -> Vec<u8> {
//! #         request.to_ascii_uppercase()
//! #     }
//! # }
//! use std::process::ExitCode;
//!
//! use pointsman::worker::CountingAllocator;
//! use pointsman::worker::Job;
//! use pointsman::worker::Pool;
//! use pointsman::worker::PoolSettings;
//! use pointsman::worker::WORKER_ARGUMENT;
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! fn main() -> ExitCode {
//!     if std::env::args_os().nth(1).is_some_and(|argument| argument == WORKER_ARGUMENT) {
//!         return pointsman::worker::serve(|| Box::new(Upper));
//!     }
//!     let pool = Pool::start(PoolSettings::new("/proc/self/exe")).unwrap();
//!     let reply = pool.run(Job::new("examples", b"hello".to_vec())).wait().unwrap();
//!     assert_eq!(reply.bytes, b"HELLO");
//!     ExitCode::SUCCESS
//! }
//! ```

mod alarm;
mod bell;
mod build;
mod confinement;
mod error;
mod fault;
mod frame;
mod job;
mod link;
mod loading;
mod os;
mod part;
mod pending;
mod pool;
mod process;
mod queue;
mod serve;
mod service;
mod supervisor;
mod turn;

pub use confinement::Confinement;
pub use confinement::Enforced;
pub use error::JobError;
pub use error::Limit;
pub use error::PoolError;
#[doc(hidden)]
pub use fault::Fault;
#[doc(hidden)]
pub use fault::FaultHook;
#[doc(hidden)]
pub use fault::Step;
pub use job::Job;
pub use job::Parts;
pub use job::Reply;
pub use os::CountingAllocator;
pub use part::Part;
pub use part::Payload;
pub use part::SharedBytes;
pub use pending::Pending;
pub use pool::Activity;
pub use pool::Pool;
pub use pool::PoolSettings;
pub use pool::PoolStatus;
pub use pool::WorkerStatus;
pub use serve::Seal;
pub use serve::WORKER_ARGUMENT;
pub use serve::serve;
pub use serve::serve_loader;
pub use service::KeptBytes;
pub use service::PartBytes;
pub use service::PartId;
pub use service::RunLimits;
pub use service::Service;
