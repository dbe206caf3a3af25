//! Runs on the calling thread, for text that the host trusts.
//!
//! Engines belong to one thread, so each thread keeps an executor for each host; a host that is gone, and programs and
//! tables that are gone, are forgotten when the thread runs the next script.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use crate::script::CompileError;
use crate::script::Executor;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::Run;
use crate::script::RunReport;

thread_local! {
    static EXECUTORS: RefCell<Vec<OfHost>> = {
        // What a thread keeps ends in the opposite order of its beginning, and boa's heap must outlive boa's engines.
        #[cfg(feature = "boa")]
        crate::script::boa::begin_heap();
        RefCell::default()
    };
}

/// What all threads of one host have in common.
#[derive(Debug, Default)]
pub(crate) struct Inline {
    forgotten: Mutex<Vec<Forgotten>>,
    /// How many were forgotten since the host began; those that `forgotten` no longer holds too.
    count: AtomicUsize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Forgotten {
    Program(ProgramId),
    Table(u64),
}

/// One thread's executor for one host.
struct OfHost {
    host: Weak<Inline>,
    executor: Executor,
    /// How much of what the host forgot this thread has forgotten.
    seen: usize,
}

/// How many are kept for threads that come late; one that is further behind begins anew.
const KEPT: usize = 4_096;

// === impl Inline ===

impl Inline {
    /// Compiles a program on this thread; other threads compile it when they run it first.
    pub(crate) fn compile(self: &Arc<Self>, id: ProgramId, program: &Program) -> Result<(), CompileError> {
        self.with_executor(|executor| executor.compile(id, program))
    }

    /// Runs a program on this thread.
    pub(crate) fn run(self: &Arc<Self>, id: ProgramId, program: &Program, run: Run) -> RunReport {
        self.with_executor(|executor| {
            if !executor.knows(id) {
                // What does not compile on this thread says so when it is run.
                let _ = executor.compile(id, program);
            }
            executor.run(id, run)
        })
    }

    /// Has all threads forget something.
    pub(crate) fn forget(&self, what: Forgotten) {
        let mut forgotten = self.forgotten.lock();
        forgotten.push(what);
        if forgotten.len() > 2 * KEPT {
            forgotten.drain(..KEPT);
        }
        self.count.fetch_add(1, Ordering::Release);
    }

    fn with_executor<T>(self: &Arc<Self>, work: impl FnOnce(&mut Executor) -> T) -> T {
        EXECUTORS.with(|executors| {
            // It is borrowed where somebody who was told of a run began another one on the same thread.
            let Ok(mut executors) = executors.try_borrow_mut() else { return work(&mut Executor::default()) };
            match self.of_thread(&mut executors) {
                Some(own) => work(&mut own.executor),
                None => work(&mut Executor::default()),
            }
        })
    }

    fn of_thread<'a>(self: &Arc<Self>, executors: &'a mut Vec<OfHost>) -> Option<&'a mut OfHost> {
        let is_own = |known: &OfHost| std::ptr::eq(known.host.as_ptr(), Arc::as_ptr(self));
        let at = executors.iter().position(is_own).unwrap_or_else(|| {
            executors.retain(|known| known.host.strong_count() > 0);
            let seen = self.count.load(Ordering::Acquire);
            executors.push(OfHost { host: Arc::downgrade(self), executor: Executor::default(), seen });
            executors.len() - 1
        });
        let own = executors.get_mut(at)?;
        self.catch_up(own);
        Some(own)
    }

    /// Forgets what the host has forgotten since this thread last looked.
    fn catch_up(&self, own: &mut OfHost) {
        if own.seen == self.count.load(Ordering::Acquire) {
            return;
        }
        let forgotten = self.forgotten.lock();
        let count = self.count.load(Ordering::Acquire);
        let behind = count - own.seen;
        own.seen = count;
        if behind > forgotten.len() {
            own.executor = Executor::default();
            return;
        }
        for what in forgotten.iter().rev().take(behind) {
            match what {
                Forgotten::Program(id) => own.executor.forget(*id),
                Forgotten::Table(number) => own.executor.forget_table(*number),
            }
        }
    }
}
