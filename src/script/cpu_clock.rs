//! Processor time of the calling thread.

use std::time::Duration;
use std::time::Instant;

/// Counts from when it was started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuClock {
    started: Instant,
    started_us: u64,
}

// === impl CpuClock ===

impl CpuClock {
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), started_us: thread_time_us() }
    }

    pub(crate) fn elapsed_us(&self) -> u64 {
        thread_time_us().saturating_sub(self.started_us)
    }

    /// Whether so much was used. No thread uses more than passes on the wall, and that clock costs a tenth: the other one
    /// is read only when it could be so.
    pub(crate) fn has_used(&self, time: Duration) -> bool {
        self.passed() >= time && u128::from(self.elapsed_us()) >= time.as_micros()
    }

    /// What has passed on the wall.
    pub(crate) fn passed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(target_os = "linux")]
fn thread_time_us() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds * 1_000_000 + u64::try_from(time.tv_nsec).unwrap_or_default() / 1_000
}

/// Elsewhere the time on the wall stands in: a deadline may then come early, never late.
#[cfg(not(target_os = "linux"))]
fn thread_time_us() -> u64 {
    use std::sync::OnceLock;

    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
}
