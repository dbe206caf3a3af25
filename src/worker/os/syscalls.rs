//! The system calls a worker may make. Any other kills it.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::BpfProgram;
use seccompiler::SeccompAction;
use seccompiler::SeccompCmpArgLen;
use seccompiler::SeccompCmpOp;
use seccompiler::SeccompCondition;
use seccompiler::SeccompFilter;
use seccompiler::SeccompRule;
use seccompiler::TargetArch;

use crate::worker::confinement::Enforced;

/// Without a condition on their arguments.
const ALLOWED: &[c_long] = &[
    // The socket, and parts that come through it.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_sendto,
    libc::SYS_ppoll,
    libc::SYS_fstat,
    libc::SYS_close,
    // Memory, without execution.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Locks, clocks, waiting, randomness for hash tables.
    libc::SYS_futex,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_sched_yield,
    libc::SYS_getrandom,
    libc::SYS_restart_syscall,
    // Ending, also by an abort or a stack that overflowed.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// The same calls under older names, where they have them.
#[cfg(target_arch = "x86_64")]
const ALLOWED_BY_OLD_NAMES: &[c_long] = &[libc::SYS_poll, libc::SYS_time];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_BY_OLD_NAMES: &[c_long] = &[];

/// What C's loader needs besides, and what closes the door behind it.
const LOADING: &[c_long] = &[libc::SYS_pread64, libc::SYS_newfstatat, libc::SYS_mprotect, libc::SYS_seccomp];

/// glibc names memory with it where it can.
const PR_SET_VMA: u64 = 0x5356_4d41;

/// Shared memory counts for no limit of a process.
const SHARED: u64 = 1;

const ITIMER_PROF: u32 = libc::ITIMER_PROF.unsigned_abs();

/// How far system calls are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::worker) enum Profile {
    /// Memory, clocks, the socket.
    Closed,
    /// Also what loading native code takes.
    Loads,
}

/// Holds for all threads of the process from here on.
pub(in crate::worker) fn restrict_system_calls(profile: Profile) -> Enforced {
    let is_on = filter(profile).is_some_and(|filter| seccompiler::apply_filter_all_threads(&filter).is_ok());
    if is_on { Enforced::Fully } else { Enforced::No }
}

fn filter(profile: Profile) -> Option<BpfProgram> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    let mut rules = rules().ok()?;
    if profile == Profile::Loads {
        rules.extend(loading().ok()?);
    }
    let filter = SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, architecture).ok()?;
    BpfProgram::try_from(filter).ok()
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// What loading takes besides: code may be mapped, and files be opened to be read, as far as landlock lets them.
fn loading() -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = LOADING.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_mmap, vec![argument(3, SeccompCmpOp::MaskedEq(SHARED), 0)?]);
    let reading = u64::from((libc::O_RDONLY | libc::O_CLOEXEC).unsigned_abs());
    rules.insert(libc::SYS_openat, vec![argument(2, SeccompCmpOp::Eq, reading)?]);
    // What closes the door behind it, and nothing that would open others: the signal at the host's death, dumps.
    let no_new_privileges = u64::from(libc::PR_SET_NO_NEW_PRIVS.unsigned_abs());
    let wishes = [no_new_privileges, PR_SET_VMA].map(|wish| argument(0, SeccompCmpOp::Eq, wish));
    rules.insert(libc::SYS_prctl, wishes.into_iter().collect::<Result<_, _>>()?);
    Ok(rules)
}

fn rules() -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = ALLOWED.iter().chain(ALLOWED_BY_OLD_NAMES).map(|call| (*call, Vec::new())).collect();
    let executable = u64::from(libc::PROT_EXEC.unsigned_abs());
    rules.insert(libc::SYS_mprotect, vec![argument(2, SeccompCmpOp::MaskedEq(executable), 0)?]);
    let conditions =
        [(2, executable), (3, SHARED)].map(|(index, bit)| condition(index, SeccompCmpOp::MaskedEq(bit), 0));
    let private = SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?)?;
    rules.insert(libc::SYS_mmap, vec![private]);
    // The alarm of processor time; others would wake a worker that has nothing to do.
    rules.insert(libc::SYS_setitimer, vec![argument(0, SeccompCmpOp::Eq, u64::from(ITIMER_PROF))?]);
    let own = rustix::process::getpid().as_raw_nonzero().get().unsigned_abs();
    rules.insert(libc::SYS_tgkill, vec![argument(0, SeccompCmpOp::Eq, u64::from(own))?]);
    let looks = [libc::F_GET_SEALS, libc::F_GETFD].map(|look| u64::from(look.unsigned_abs()));
    let looks: Result<Vec<SeccompRule>, _> =
        looks.into_iter().map(|look| argument(1, SeccompCmpOp::Eq, look)).collect();
    rules.insert(libc::SYS_fcntl, looks?);
    Ok(rules)
}

fn argument(index: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![condition(index, operator, value)?])
}

fn condition(index: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)
}
