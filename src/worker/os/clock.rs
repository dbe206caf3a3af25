//! Processor time: what a process has used, and the alarm that kills it when it used too much.
#![expect(unsafe_code, reason = "the clocks of other processes and interval timers are C functions")]

use std::time::Duration;

use rustix::process::Pid;
use rustix::time::ClockId;
use rustix::time::Timespec;

/// Processor time this process has used.
pub(in crate::worker) fn own_cpu() -> Duration {
    duration(rustix::time::clock_gettime(ClockId::ProcessCPUTime))
}

/// Processor time that the process `pid` has used; nothing when it cannot be told.
pub(in crate::worker) fn cpu_of(pid: Pid) -> Option<Duration> {
    let mut clock: libc::clockid_t = 0;
    // SAFETY: `clock` is a valid place for the answer, and the call keeps no pointer.
    if unsafe { libc::clock_getcpuclockid(pid.as_raw_nonzero().get(), &raw mut clock) } != 0 {
        return None;
    }
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid place for the answer, and the call keeps no pointer.
    if unsafe { libc::clock_gettime(clock, &raw mut now) } != 0 {
        return None;
    }
    Some(Duration::new(u64::try_from(now.tv_sec).ok()?, u32::try_from(now.tv_nsec).ok()?))
}

/// From now on, `budget` of processor time kills this process by SIGPROF.
pub(in crate::worker) fn arm_timer(budget: Duration) {
    set_timer(budget.max(Duration::from_micros(1)));
}

/// Takes the alarm back.
pub(in crate::worker) fn disarm_timer() {
    set_timer(Duration::ZERO);
}

fn set_timer(value: Duration) {
    let timer = libc::itimerval {
        it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
        it_value: libc::timeval {
            tv_sec: libc::time_t::try_from(value.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_usec: value.subsec_micros().into(),
        },
    };
    // SAFETY: the pointer is valid for the call, which keeps none; a null pointer asks for no old value.
    unsafe { libc::setitimer(libc::ITIMER_PROF, &raw const timer, std::ptr::null_mut()) };
}

fn duration(time: Timespec) -> Duration {
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
