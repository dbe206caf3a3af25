//! A child process: started, watched, killed, reaped.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::fd::BorrowedFd;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::event::PollFd;
use rustix::event::PollFlags;
use rustix::process::Pid;
use rustix::process::PidfdFlags;
use rustix::process::Signal;
use rustix::process::WaitId;
use rustix::process::WaitIdOptions;

use crate::worker::WORKER_ARGUMENT;
use crate::worker::fault::Fault;
use crate::worker::fault::FaultHook;
use crate::worker::fault::Step;
use crate::worker::os;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Exited(i32),
    Killed(i32),
    /// Somebody else reaped it.
    Unknown,
}

/// A child process. Dropping it kills and reaps it.
#[derive(Debug)]
pub(super) struct Process {
    pid: Pid,
    handle: OwnedFd,
    ended: Mutex<Option<Ended>>,
    fault: Option<Arc<dyn FaultHook>>,
}

/// A process that is no more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) how: Ending,
    /// All processor time it used, if that could be told.
    pub(super) cpu: Option<Duration>,
}

// === impl Process ===

impl Process {
    /// Starts `program` as a worker; the other end of its standard input. The calling thread's end is the worker's end.
    pub(super) fn spawn(
        program: &Path,
        service: Option<&str>,
        fault: Option<Arc<dyn FaultHook>>,
    ) -> io::Result<(Process, UnixStream)> {
        if fault.as_ref().is_some_and(|hook| hook.at(Step::Spawn, 0) != Fault::Nothing) {
            return Err(io::Error::from(rustix::io::Errno::AGAIN));
        }
        let (ours, theirs) = UnixStream::pair()?;
        let child = Command::new(program)
            .arg(WORKER_ARGUMENT)
            .args(service)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pid = Pid::from_child(&child);
        match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => {
                let process = Process { pid, handle, ended: Mutex::new(None), fault };
                process.fault_at(Step::Spawned);
                Ok((process, ours))
            }
            Err(error) => {
                // Not reaped yet, so the number is still its own.
                let _ = rustix::process::kill_process(pid, Signal::KILL);
                let _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
                Err(error.into())
            }
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub(super) fn kill(&self) {
        // The only failure is that it has ended.
        let _ = rustix::process::pidfd_send_signal(&self.handle, Signal::KILL);
    }

    /// How it ended, if it has. Reaps it.
    pub(super) fn ended(&self) -> Option<Ended> {
        let mut ended = self.ended.lock();
        if ended.is_none() {
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            *ended = match rustix::process::waitid(WaitId::PidFd(self.handle.as_fd()), look | WaitIdOptions::NOWAIT) {
                Ok(None) | Err(rustix::io::Errno::INTR) => None,
                Err(_) => Some(Ended { how: Ending::Unknown, cpu: None }),
                Ok(Some(_)) => {
                    self.fault_at(Step::Reap);
                    let cpu = os::cpu_of(self.pid);
                    let status = rustix::process::waitid(WaitId::PidFd(self.handle.as_fd()), look);
                    let how = status.ok().flatten().map_or(Ending::Unknown, |status| {
                        match (status.exit_status(), status.terminating_signal()) {
                            (Some(code), _) => Ending::Exited(code),
                            (None, Some(signal)) => Ending::Killed(signal),
                            (None, None) => Ending::Unknown,
                        }
                    });
                    Some(Ended { how, cpu })
                }
            };
        }
        *ended
    }

    /// Waits until it has ended, which it must be about to.
    pub(super) fn wait(&self) -> Ended {
        loop {
            if let Some(ended) = self.ended() {
                return ended;
            }
            let _ = rustix::event::poll(&mut [PollFd::new(&self.handle, PollFlags::IN)], None);
        }
    }

    /// Processor time used so far.
    pub(super) fn cpu(&self) -> Option<Duration> {
        let ended = self.ended.lock();
        match &*ended {
            // Its number may be another's by now.
            Some(ended) => ended.cpu,
            None => os::cpu_of(self.pid),
        }
    }

    /// True if it runs, wants to run, or waits for memory: it is not idle on its own account.
    pub(super) fn is_runnable(&self) -> bool {
        let Ok(threads) = fs::read_dir(format!("/proc/{}/task", self.pid())) else { return false };
        threads.flatten().any(|thread| thread.path().join("stat").to_str().is_some_and(is_runnable))
    }

    /// What a test wants to go wrong here; a wish to kill is fulfilled at once.
    pub(super) fn fault_at(&self, step: Step) -> Fault {
        let fault = self.fault.as_ref().map_or(Fault::Nothing, |hook| hook.at(step, self.pid()));
        if fault == Fault::Kill {
            self.kill();
        }
        fault
    }
}

impl AsFd for Process {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended.get_mut().is_none() {
            self.kill();
            self.wait();
        }
    }
}

/// The state in a `stat` file stands after the name, which is in parentheses and may hold any character.
fn is_runnable(path: &str) -> bool {
    let Ok(text) = fs::read_to_string(path) else { return false };
    let state = text.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    matches!(state, Some('R' | 'D'))
}
