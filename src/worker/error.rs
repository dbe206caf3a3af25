//! Why a job has no answer, and why a pool could not start.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

/// A limit that was hit. The worker that hit it was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Limit {
    /// More processor time than allowed, and no answer.
    #[error("deadline of {allowed:?} hit: {used:?} of processor time used")]
    Deadline {
        /// Processor time used, as far as it is known.
        used: Duration,
        /// Processor time allowed.
        allowed: Duration,
    },
    /// No answer in time, though the processor time allowed was not used up.
    #[error("no answer within {allowed:?}: waited {used:?}")]
    Wall {
        /// Time since the request was written.
        used: Duration,
        /// Time allowed.
        allowed: Duration,
    },
    /// More memory than allowed.
    #[error("memory limit of {allowed} bytes hit: {used} bytes wanted")]
    Memory {
        /// Bytes the run held or was about to hold.
        used: u64,
        /// Bytes allowed.
        allowed: u64,
    },
}

/// Why a job has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JobError {
    /// No worker was free in time. No fault of the job's.
    #[error("no worker was free within {waited:?}")]
    Busy {
        /// How long the job waited.
        waited: Duration,
    },
    /// A limit was hit, by the run or by installing a part for it.
    #[error(transparent)]
    Limit(Limit),
    /// The worker ended in the middle of the job.
    #[error("the worker {how}")]
    Crashed {
        /// What it did: `aborted`, `panicked: …`.
        how: String,
    },
    /// One side wrote what the other cannot read.
    #[error("host and worker do not understand one another: {what}")]
    Protocol {
        /// What was wrong.
        what: &'static str,
    },
    /// The service refused a part of the job.
    #[error("a part was rejected by the worker")]
    Rejected(Vec<u8>),
    /// The request or a part is larger than a worker takes in.
    #[error("{bytes} bytes are too many for one message: at most {limit}")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
        /// What a worker takes in.
        limit: usize,
    },
    /// There are no workers.
    #[error("there are no workers: {why}")]
    Unavailable {
        /// Why.
        why: Arc<str>,
    },
}

/// Why a pool could not start, or a worker could not be added to it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PoolError {
    /// The program could not be started.
    #[error("cannot start `{}` as a worker: {source}", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The program runs, and is no worker.
    #[error("`{}` did not say hello as a worker: {how}", program.display())]
    Handshake {
        /// The program.
        program: PathBuf,
        /// What it did instead.
        how: String,
    },
    /// The program is a worker of another build.
    #[error("`{}` is a worker of build `{theirs}`, and the host is build `{ours}`", program.display())]
    Mismatch {
        /// The program.
        program: PathBuf,
        /// The build of the host.
        ours: String,
        /// The build of the worker.
        theirs: String,
    },
    /// The pool's own thread could not be set up.
    #[error("cannot set up the pool: {source}")]
    Supervisor {
        /// What the system says.
        source: io::Error,
    },
}
