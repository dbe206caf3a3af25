//! Calls and changes at the same time: answers, memory, locks. A binary of its own, because its allocator counts.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a test reports by panicking")]

#[path = "../../benches/workload/mod.rs"]
mod workload;

#[path = "../../benches/support/fixture.rs"]
mod fixture;

#[path = "../support/counting.rs"]
mod counting;

mod churn;
#[cfg(target_os = "linux")]
mod no_futex;
mod protocol;

use parking_lot::Mutex;
use parking_lot::MutexGuard;

/// One test at a time: they count bytes, and want the processors.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock()
}
