//! What a worker gives up before it serves: core files, files, sockets, descriptors, processes, memory.
#![expect(unsafe_code, reason = "signal dispositions and allocator options are C functions")]

use std::io;

use landlock::ABI;
use landlock::Access as _;
use landlock::AccessFs;
use landlock::AccessNet;
use landlock::CompatLevel;
use landlock::Compatible as _;
use landlock::Ruleset;
use landlock::RulesetAttr as _;
use landlock::RulesetError;
use landlock::RulesetStatus;
use landlock::Scope;
use rustix::process::DumpableBehavior;
use rustix::process::Resource;
use rustix::process::Rlimit;
use rustix::process::Signal;

use crate::worker::confinement::Enforced;
use crate::worker::os::Profile;

/// What a worker may map for data beyond what is mapped when it begins to serve.
const DATA_BYTES: u64 = 512 << 20;

/// Standard input, output and error, and a part that came as shared memory.
const DESCRIPTORS: u64 = 4;

/// A library that is loaded from such a part is opened once more.
const DESCRIPTORS_OF_LOADER: u64 = DESCRIPTORS + 1;

/// All that comes before the second thread: it then holds for both.
pub(in crate::worker) fn before_threads() -> io::Result<()> {
    let host = rustix::process::getppid();
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    set_limit(Resource::Core, 0)?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // A host that died before the line above sends no signal any more.
    if host.is_none() || rustix::process::getppid() != host {
        return Err(io::Error::other("the host is gone"));
    }
    rustix::thread::set_no_new_privs(true)?;
    // SAFETY: the default action is no handler, and the mask is a local that the calls only read.
    unsafe {
        libc::signal(libc::SIGPROF, libc::SIG_DFL);
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
    one_arena();
    one_time_zone();
    Ok(())
}

/// No signal from here on for the thread that asks: what a service does with signals stays on its own thread.
pub(in crate::worker) fn block_signals() {
    // SAFETY: the mask is a local that the calls only read.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

/// UTC. C code that is not told looks for a file when it is first asked for local time.
fn one_time_zone() {
    // SAFETY: both texts end in a zero, no second thread is there yet, and C's time zone is initialised from them.
    unsafe {
        libc::setenv(c"TZ".as_ptr(), c"UTC0".as_ptr(), 1);
        tzset();
    }
}

unsafe extern "C" {
    /// POSIX; reads `TZ`.
    fn tzset();
}

/// One heap for both threads. The others reserve 64 MiB each, and glibc opens a file under `/proc` to shrink them.
#[cfg(target_env = "gnu")]
fn one_arena() {
    // SAFETY: sets a number, and no second thread is there yet.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

#[cfg(not(target_env = "gnu"))]
fn one_arena() {}

/// No file and no TCP from here on, as far as the kernel can.
pub(in crate::worker) fn restrict_files() -> Enforced {
    match try_restrict_files() {
        Ok(RulesetStatus::FullyEnforced) => Enforced::Fully,
        Ok(RulesetStatus::PartiallyEnforced) => Enforced::Partly,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Enforced::No,
    }
}

fn try_restrict_files() -> Result<RulesetStatus, RulesetError> {
    let asked = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))?
        .handle_access(AccessNet::from_all(ABI::V5))?
        .scope(Scope::from_all(ABI::V6))?;
    Ok(asked.create()?.restrict_self()?.ruleset)
}

/// The limit that the second thread's stack must not count for. Reads a file, so it comes before files are closed.
pub(in crate::worker) fn limit_memory() -> io::Result<()> {
    set_limit(Resource::Data, mapped_data()?.saturating_add(DATA_BYTES))
}

/// The limits that closing files must not count for: it takes a descriptor.
pub(in crate::worker) fn limit_the_rest(profile: Profile) -> io::Result<()> {
    let descriptors = if profile == Profile::Loads { DESCRIPTORS_OF_LOADER } else { DESCRIPTORS };
    set_limit(Resource::Nofile, descriptors)?;
    set_limit(Resource::Nproc, 0)?;
    set_limit(Resource::Fsize, 0)?;
    set_limit(Resource::Memlock, 0)
}

/// Bytes mapped for data now, stacks of threads among them.
fn mapped_data() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages: Option<u64> = text.split_ascii_whitespace().nth(5).and_then(|pages| pages.parse().ok());
    let pages = pages.ok_or_else(|| io::Error::other("no figure for data in /proc/self/statm"))?;
    // SAFETY: reads a constant of the system.
    let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Ok(pages.saturating_mul(u64::try_from(page_bytes).unwrap_or(4096)))
}

fn set_limit(resource: Resource, value: u64) -> io::Result<()> {
    Ok(rustix::process::setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}
