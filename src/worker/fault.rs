//! Where tests break things on purpose.

use std::fmt::Debug;

/// A moment in the life of a worker, on the host's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Before the process is started. Any fault makes starting fail.
    Spawn,
    /// After the process was started.
    Spawned,
    /// Before the first words of the worker are read.
    Handshake,
    /// A part is about to be written.
    Install,
    /// A request is about to be written.
    Request,
    /// A request was written.
    RequestWritten,
    /// Length and kind of an answer are there.
    ReplyHeader,
    /// The whole answer is there.
    ReplyBody,
    /// A process has ended and is about to be reaped.
    Reap,
}

/// What a [`FaultHook`] wants to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    Nothing,
    /// The worker is killed.
    Kill,
    /// Half of the frame is missing.
    Truncate,
    /// The frame is other bytes.
    Garbage,
    /// The frame says that it is 4 GiB long.
    Overlong,
}

/// Asked at every step. For tests: what a pool promises has to hold whatever goes wrong.
pub trait FaultHook: Debug + Send + Sync {
    /// What is to go wrong now, for the worker `pid` (0 before it was started).
    fn at(&self, step: Step, pid: u32) -> Fault;
}
