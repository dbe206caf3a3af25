//! One worker as the host sees it: process, socket, buffers, what it holds.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::Weak;
use std::time::Duration;

use rustix::io::Errno;
use rustix::io::IoSlice;
use rustix::net::RecvFlags;
use rustix::net::SendAncillaryBuffer;
use rustix::net::SendAncillaryMessage;
use rustix::net::SendFlags;
use rustix::net::sockopt::Timeout;

use crate::worker::PartId;
use crate::worker::fault::Fault;
use crate::worker::fault::Step;
use crate::worker::frame;
use crate::worker::frame::Kind;
use crate::worker::part::Part;
use crate::worker::part::SharedBytes;
use crate::worker::process::Process;

/// What the buffers keep between frames.
const BUFFER_BYTES: usize = 16 << 10;

/// One worker.
#[derive(Debug)]
pub(super) struct Link {
    /// Unique in the pool; process ids come again.
    pub(super) serial: u64,
    pub(super) process: Arc<Process>,
    pub(super) socket: UnixStream,
    /// Set with the first part or job, never changed.
    pub(super) domain: Option<Arc<str>>,
    pub(super) installed: BTreeMap<PartId, Weak<Part>>,
    /// The count of dropped parts up to which it has forgotten.
    pub(super) forgot: u64,
    /// The version of its domain's list of parts that it has taken in.
    pub(super) loaded: u64,
    /// Processor time it had used at its last answer.
    pub(super) total_cpu: Duration,
    /// It said that it is unfit for another run.
    pub(super) is_spent: bool,
    outbox: Vec<u8>,
    sent: usize,
    attached: Option<Arc<SharedBytes>>,
    inbox: Vec<u8>,
    filled: usize,
    is_header_seen: bool,
    timeout: Option<Duration>,
}

/// What reading gave.
#[derive(Debug, Clone, Copy)]
pub(super) enum Received {
    /// A frame; its payload is [`Link::payload`] until [`Link::consume`].
    Frame(Kind, usize),
    /// Nothing yet.
    Nothing,
}

/// Why no more can be said to a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// It was gone before it read what was written.
    Gone,
    /// It closed its end.
    Closed,
    /// It wrote what is no answer.
    Nonsense(&'static str),
    /// It told that it is at its memory limit.
    Memory(u64),
    /// It told of a panic.
    Panicked(String),
    /// It used its processor time up and did not end.
    Late(Duration),
    /// It did not answer in time.
    Silent(Duration),
    /// It said hello as another build.
    Foreign(String),
}

// === impl Link ===

impl Link {
    pub(super) fn new(serial: u64, process: Arc<Process>, socket: UnixStream) -> Link {
        Link {
            serial,
            process,
            socket,
            domain: None,
            installed: BTreeMap::new(),
            forgot: 0,
            loaded: 0,
            total_cpu: Duration::ZERO,
            is_spent: false,
            outbox: Vec::with_capacity(BUFFER_BYTES),
            sent: 0,
            attached: None,
            inbox: vec![0; BUFFER_BYTES],
            filled: 0,
            is_header_seen: false,
            timeout: None,
        }
    }

    pub(super) fn holds(&self, part: PartId) -> bool {
        self.installed.contains_key(&part)
    }

    /// Where the next frame is written.
    pub(super) fn outbox(&mut self) -> &mut Vec<u8> {
        &mut self.outbox
    }

    /// Goes with the first byte of the outbox. What stands in it before must be sent.
    pub(super) fn attach(&mut self, memory: Arc<SharedBytes>) {
        self.attached = Some(memory);
    }

    /// Drops parts that the host has dropped: writes that to the outbox.
    pub(super) fn forget_dropped(&mut self, dropped: u64) {
        if self.forgot == dropped {
            return;
        }
        self.forgot = dropped;
        let outbox = &mut self.outbox;
        self.installed.retain(|part, holder| {
            let is_there = holder.strong_count() > 0;
            if !is_there {
                frame::write(outbox, Kind::Forget, &part.0.to_le_bytes());
            }
            is_there
        });
    }

    /// Applies what a test wants to go wrong with the frame at `start` of the outbox.
    pub(super) fn spoil(&mut self, start: usize, step: Step) {
        let fault = self.process.fault_at(step);
        spoil(&mut self.outbox, start, fault);
    }

    /// Writes what is in the outbox without waiting; true when all of it is written.
    pub(super) fn flush(&mut self) -> Result<bool, Broken> {
        while let Some(rest) = self.outbox.get(self.sent..).filter(|rest| !rest.is_empty()) {
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            let sent = match &self.attached {
                None => rustix::net::send(&self.socket, rest, flags),
                Some(shared) => {
                    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
                    let mut ancillary = SendAncillaryBuffer::new(&mut space);
                    let descriptors = [shared.memory.as_fd()];
                    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
                    rustix::net::sendmsg(&self.socket, &[IoSlice::new(rest)], &mut ancillary, flags)
                }
            };
            match sent {
                Ok(sent) => {
                    self.sent += sent;
                    self.attached = None;
                }
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(_) => return Err(Broken::Gone),
            }
        }
        self.outbox.clear();
        self.sent = 0;
        if self.outbox.capacity() > BUFFER_BYTES {
            self.outbox.shrink_to(BUFFER_BYTES);
        }
        Ok(true)
    }

    /// Reads; waits for at most `patience` if there is one, else not at all.
    pub(super) fn receive(&mut self, patience: Option<Duration>) -> Result<Received, Broken> {
        if let Some(found) = self.frame()? {
            return Ok(found);
        }
        let flags = match patience {
            Some(patience) => {
                self.set_timeout(patience);
                RecvFlags::empty()
            }
            None => RecvFlags::DONTWAIT,
        };
        let free = self.inbox.get_mut(self.filled..).unwrap_or_default();
        match rustix::net::recv(&self.socket, free, flags) {
            Ok((_, 0)) => {
                Err(if self.filled > 0 { Broken::Nonsense("an answer ended in the middle") } else { Broken::Closed })
            }
            Ok((_, read)) => {
                self.filled += read;
                Ok(self.frame()?.unwrap_or(Received::Nothing))
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(Received::Nothing),
            Err(_) => Err(Broken::Gone),
        }
    }

    pub(super) fn payload(&self, length: usize) -> &[u8] {
        self.inbox.get(frame::HEADER..frame::HEADER + length).unwrap_or_default()
    }

    /// The frame was used. A worker never writes two in a row, so nothing may be behind it.
    pub(super) fn consume(&mut self, length: usize) -> Result<(), Broken> {
        let has_more = self.filled > frame::HEADER + length;
        self.filled = 0;
        self.is_header_seen = false;
        if self.inbox.len() > BUFFER_BYTES {
            self.inbox.truncate(BUFFER_BYTES);
            self.inbox.shrink_to_fit();
        }
        if has_more { Err(Broken::Nonsense("it wrote more than was asked")) } else { Ok(()) }
    }

    /// The frame at the front of the inbox if it is whole; makes room for it if it is not.
    fn frame(&mut self) -> Result<Option<Received>, Broken> {
        let Some((mut length, mut kind)) = frame::header(self.inbox.get(..self.filled).unwrap_or_default()) else {
            return Ok(None);
        };
        if !self.is_header_seen {
            self.is_header_seen = true;
            self.spoil_inbox(Step::ReplyHeader)?;
            (length, kind) = frame::header(&self.inbox).unwrap_or((length, kind));
        }
        if length > frame::TO_HOST_LIMIT {
            return Err(Broken::Nonsense("an answer is longer than any answer may be"));
        }
        let Some(kind) = Kind::of(kind) else { return Err(Broken::Nonsense("an answer of no known kind")) };
        let whole = frame::HEADER + length;
        if self.filled >= whole {
            self.spoil_inbox(Step::ReplyBody)?;
            return Ok(Some(Received::Frame(kind, length)));
        }
        if whole > self.inbox.len() {
            self.inbox.resize(whole, 0);
        }
        Ok(None)
    }

    fn spoil_inbox(&mut self, step: Step) -> Result<(), Broken> {
        match self.process.fault_at(step) {
            Fault::Truncate => Err(Broken::Nonsense("an answer ended in the middle")),
            Fault::Overlong if step == Step::ReplyBody => Err(Broken::Nonsense("it wrote more than was asked")),
            fault => {
                spoil(&mut self.inbox, 0, fault);
                Ok(())
            }
        }
    }

    // PERF: a blocking read with a timeout of its own is one system call, `poll` and a read are two.
    fn set_timeout(&mut self, timeout: Duration) {
        let timeout = timeout.max(Duration::from_millis(1));
        if self.timeout != Some(timeout) {
            // A timeout that cannot be set leaves the one before: the read ends then, and time is looked at anew.
            if rustix::net::sockopt::set_socket_timeout(&self.socket, Timeout::Recv, Some(timeout)).is_ok() {
                self.timeout = Some(timeout);
            }
        }
    }
}

fn spoil(bytes: &mut Vec<u8>, start: usize, fault: Fault) {
    match fault {
        Fault::Nothing | Fault::Kill => {}
        Fault::Truncate => bytes.truncate(start + (bytes.len() - start) / 2),
        Fault::Garbage => bytes.iter_mut().skip(start).enumerate().for_each(|(at, byte)| *byte = (at as u8) ^ 0xA5),
        Fault::Overlong => bytes.iter_mut().skip(start).take(4).for_each(|byte| *byte = 0xFF),
    }
}
