//! Sessions for calls that no thread owns: whoever calls takes one and puts it back.

use std::fmt;

use crossbeam_queue::ArrayQueue;

use crate::runtime::Engine;
use crate::runtime::Session;

/// Idle sessions. Neither taking nor putting back waits.
pub(crate) struct SessionPool {
    engine: Engine,
    /// PERF: boxed, since a session is large and moves twice a call (`cluster/failover`).
    idle: ArrayQueue<Box<Session>>,
}

/// So many sessions stay open while nobody calls.
const IDLE: usize = 64;

// === impl SessionPool ===

impl SessionPool {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, idle: ArrayQueue::new(IDLE) }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// An idle session, or a new one. One that is never put back is closed when it is dropped.
    #[inline]
    pub(crate) fn take(&self) -> Box<Session> {
        self.idle.pop().unwrap_or_else(|| Box::new(self.engine.session()))
    }

    #[inline]
    pub(crate) fn put(&self, session: Box<Session>) {
        // Where all places are taken it is closed.
        drop(self.idle.push(session));
    }
}

impl fmt::Debug for SessionPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionPool").field("idle", &self.idle.len()).finish_non_exhaustive()
    }
}
