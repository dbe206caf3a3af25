//! The worker's side: gives everything up, says hello, serves until the host is gone.

use std::any::Any;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd as _;
use std::os::fd::OwnedFd;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::io::IoSliceMut;
use rustix::net::RecvAncillaryBuffer;
use rustix::net::RecvAncillaryMessage;
use rustix::net::RecvFlags;
use rustix::net::SendFlags;

use crate::worker::PartBytes;
use crate::worker::PartId;
use crate::worker::Service;
use crate::worker::alarm::Alarm;
use crate::worker::build;
use crate::worker::confinement::Confinement;
use crate::worker::confinement::Enforced;
use crate::worker::frame;
use crate::worker::frame::Figures;
use crate::worker::frame::Hello;
use crate::worker::frame::Kind;
use crate::worker::frame::Reader;
use crate::worker::os;
use crate::worker::os::Mapping;
use crate::worker::os::Profile;

/// The first argument of a worker process. A program that can be a worker looks for it before anything else.
pub const WORKER_ARGUMENT: &str = "--pointsman-worker-process";

/// The stack of the thread that serves: parsers recurse.
const STACK_BYTES: usize = 256 << 20;

/// Processor time an install may take before it is killed, and what comes on top for each mebibyte: a list of 100,000
/// providers has some thirty.
const INSTALL_CPU: Duration = Duration::from_secs(2);
const INSTALL_CPU_PER_MIB: Duration = Duration::from_secs(1);

/// Processor time an install of so many bytes may take.
pub(super) fn install_cpu(bytes: usize) -> Duration {
    INSTALL_CPU + INSTALL_CPU_PER_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX)
}

/// What an inbox keeps between frames.
const INBOX_BYTES: usize = 64 << 10;

/// Serves a host: confines this process, shakes hands, runs what is asked until the host is gone.
///
/// Standard input must be the socket that the host gave. `make` runs on the serving thread before files and system calls
/// are closed: what a service needs of the system beyond memory and clocks has to be touched there, and nothing of the
/// host's input is there yet.
pub fn serve(make: impl FnOnce() -> Box<dyn Service> + Send) -> ExitCode {
    serve_as(Profile::Closed, make)
}

/// As [`serve`], for a service that loads native code which comes as a part: until its [`Seal`] is closed, memory may be
/// executed and files be opened, as far as landlock lets it, and that is only what has no path.
pub fn serve_loader(make: impl FnOnce(Seal) -> Box<dyn Service> + Send) -> ExitCode {
    serve_as(Profile::Loads, || make(Seal(())))
}

fn serve_as(profile: Profile, make: impl FnOnce() -> Box<dyn Service> + Send) -> ExitCode {
    if os::close_all_but_standard().is_err() || os::before_threads().is_err() {
        return failed();
    }
    let socket = os::standard_input();
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        let serving = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || {
            let service = make();
            let Some(confinement) = confine(profile, &told) else { return failed() };
            Server::new(socket, service).serve(confinement)
        });
        os::block_signals();
        // Landlock holds for the thread that asks; this one asks too and then does nothing but wait.
        let _ = tell.send(os::restrict_files());
        serving.map_or_else(|_| failed(), |serving| serving.join().unwrap_or_else(|_| failed()))
    })
}

/// The rest of what is given up, on the serving thread. `other_thread` tells what landlock did there.
fn confine(profile: Profile, other_thread: &mpsc::Receiver<Enforced>) -> Option<Confinement> {
    let other = other_thread.recv().ok()?;
    os::limit_memory().ok()?;
    // Asked for the first time, a clock looks for the kernel's page with a call that is forbidden later.
    os::own_cpu();
    let landlock = os::restrict_files().min(other);
    os::limit_the_rest(profile).ok()?;
    Some(Confinement { landlock, seccomp: os::restrict_system_calls(profile) })
}

fn failed() -> ExitCode {
    ExitCode::from(u8::try_from(frame::EXIT_CONFINEMENT).unwrap_or(u8::MAX))
}

/// What a service that loads native code has still to give up.
#[derive(Debug)]
pub struct Seal(());

// === impl Seal ===

impl Seal {
    /// From here on the system calls of every other worker are all there are, and no memory becomes executable.
    ///
    /// # Errors
    ///
    /// The kernel refuses; whoever asked should not go on.
    pub fn close(self) -> Result<(), Seal> {
        if os::restrict_system_calls(Profile::Closed) == Enforced::Fully { Ok(()) } else { Err(self) }
    }
}

/// One worker while it serves.
struct Server {
    socket: OwnedFd,
    service: Box<dyn Service>,
    /// Bytes read and not yet used begin at `used` and end at `filled`.
    inbox: Vec<u8>,
    used: usize,
    filled: usize,
    outbox: Vec<u8>,
    alarm: Alarm,
    /// The parts of the run at hand.
    parts: Vec<PartId>,
    /// Shared memory that came and is not installed yet.
    received: Option<OwnedFd>,
}

/// What the host wrote makes no sense, or it is gone.
struct Stop(i32);

// === impl Server ===

impl Server {
    fn new(socket: OwnedFd, service: Box<dyn Service>) -> Server {
        let (inbox, outbox) = (vec![0; INBOX_BYTES], Vec::with_capacity(INBOX_BYTES));
        let (alarm, parts) = (Alarm::default(), Vec::new());
        Server { socket, service, inbox, used: 0, filled: 0, outbox, alarm, parts, received: None }
    }

    fn serve(mut self, confinement: Confinement) -> ! {
        self.outbox.clear();
        frame::write_hello(&mut self.outbox, &Hello { build: build::id(), confinement });
        let Stop(code) = self.answer_all();
        os::exit_now(code)
    }

    /// Ends only by a stop.
    fn answer_all(&mut self) -> Stop {
        loop {
            if let Err(stop) = self.send().and_then(|()| self.answer_one()) {
                return stop;
            }
        }
    }

    /// Reads one frame and does what it asks. What is to be told is in the outbox then.
    fn answer_one(&mut self) -> Result<(), Stop> {
        let (kind, length) = self.receive()?;
        let start = self.used;
        self.used += length;
        // The payload leaves `self` while the service works on it.
        let inbox = std::mem::take(&mut self.inbox);
        let payload = inbox.get(start..start + length).unwrap_or_default();
        let done = match kind {
            Kind::Run => self.run(payload),
            Kind::InstallBytes => self.install_bytes(payload),
            Kind::InstallShared => self.install_shared(payload),
            Kind::Forget => self.forget(payload),
            _ => Err(Stop(frame::EXIT_PROTOCOL)),
        };
        self.inbox = inbox;
        done
    }

    fn run(&mut self, payload: &[u8]) -> Result<(), Stop> {
        let run = frame::read_run(payload, &mut self.parts);
        let (limits, request) = run.ok_or(Stop(frame::EXIT_PROTOCOL))?;
        let before = os::own_cpu();
        self.alarm.begin(before, limits.cpu);
        os::arm(limits.memory_bytes, self.socket.as_raw_fd());
        let ran = catch_unwind(AssertUnwindSafe(|| self.service.run(&self.parts, request, &limits)));
        let peak = os::disarm();
        let total_cpu = os::own_cpu();
        self.alarm.end(total_cpu, limits.cpu);
        let answer = ran.map_err(|panic| self.tell_panic(&*panic))?;
        if answer.len() > INBOX_BYTES {
            self.alarm.silence();
        }
        let kind = if self.service.is_spent() { Kind::LastAnswer } else { Kind::Answer };
        let start = frame::begin(&mut self.outbox, kind);
        Figures { cpu: total_cpu.saturating_sub(before), total_cpu, peak }.write(&mut self.outbox);
        self.outbox.extend_from_slice(&answer);
        frame::finish(&mut self.outbox, start);
        Ok(())
    }

    fn install_bytes(&mut self, payload: &[u8]) -> Result<(), Stop> {
        let mut reader = Reader(payload);
        let part = PartId(reader.u64().ok_or(Stop(frame::EXIT_PROTOCOL))?);
        self.install(part, PartBytes::copied(reader.rest()))
    }

    fn install_shared(&mut self, payload: &[u8]) -> Result<(), Stop> {
        let mut reader = Reader(payload);
        let read = (|| Some((PartId(reader.u64()?), reader.u64()?)))();
        let (part, length) = read.ok_or(Stop(frame::EXIT_PROTOCOL))?;
        let memory = self.received.take().ok_or(Stop(frame::EXIT_PROTOCOL))?;
        let mapping = Mapping::of(&memory, length, frame::SHARED_LIMIT).ok_or(Stop(frame::EXIT_PROTOCOL))?;
        self.install(part, PartBytes::shared(&Arc::new(mapping), &memory))
    }

    fn install(&mut self, part: PartId, bytes: PartBytes<'_>) -> Result<(), Stop> {
        self.alarm.begin(os::own_cpu(), install_cpu(bytes.len()));
        let done = catch_unwind(AssertUnwindSafe(|| self.service.install(part, bytes)));
        self.alarm.silence();
        let done = done.map_err(|panic| self.tell_panic(&*panic))?;
        let kind = if done.is_ok() { Kind::Installed } else { Kind::Rejected };
        let start = frame::begin(&mut self.outbox, kind);
        frame::put_u64(&mut self.outbox, part.0);
        frame::put_u64(&mut self.outbox, frame::nanoseconds(os::own_cpu()));
        if let Err(words) = done {
            self.outbox.extend_from_slice(&words);
        }
        frame::finish(&mut self.outbox, start);
        Ok(())
    }

    fn forget(&mut self, payload: &[u8]) -> Result<(), Stop> {
        let part = PartId(Reader(payload).u64().ok_or(Stop(frame::EXIT_PROTOCOL))?);
        self.alarm.begin(os::own_cpu(), INSTALL_CPU);
        let done = catch_unwind(AssertUnwindSafe(|| self.service.forget(part)));
        self.alarm.silence();
        done.map_err(|panic| self.tell_panic(&*panic))
    }

    /// Tells of a panic at once. After it the service's state is anybody's guess, so the worker ends.
    fn tell_panic(&mut self, panic: &(dyn Any + Send)) -> Stop {
        let words = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
        let words = words.unwrap_or("a panic without words");
        let cut = words.floor_char_boundary(1024);
        self.outbox.clear();
        frame::write(&mut self.outbox, Kind::Panicked, words.get(..cut).unwrap_or_default().as_bytes());
        let _ = self.send();
        Stop(frame::EXIT_TOLD)
    }

    /// Writes what is in the outbox.
    fn send(&mut self) -> Result<(), Stop> {
        let mut rest = self.outbox.as_slice();
        while !rest.is_empty() {
            match rustix::net::send(&self.socket, rest, SendFlags::NOSIGNAL) {
                Ok(sent) => rest = rest.get(sent..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(_) => return Err(Stop(0)),
            }
        }
        self.outbox.clear();
        if self.outbox.capacity() > INBOX_BYTES {
            self.outbox.shrink_to(INBOX_BYTES);
        }
        Ok(())
    }

    /// Waits until a frame is whole; its kind and the length of its payload, which begins at `used`.
    fn receive(&mut self) -> Result<(Kind, usize), Stop> {
        loop {
            let pending = self.inbox.get(self.used..self.filled).unwrap_or_default();
            let needed = match frame::header(pending) {
                Some((length, kind)) => {
                    let kind = Kind::of(kind).ok_or(Stop(frame::EXIT_PROTOCOL))?;
                    if length > frame::TO_WORKER_LIMIT {
                        return Err(Stop(frame::EXIT_PROTOCOL));
                    }
                    if pending.len() >= frame::HEADER + length {
                        self.used += frame::HEADER;
                        return Ok((kind, length));
                    }
                    frame::HEADER + length
                }
                None => frame::HEADER,
            };
            self.make_room(needed);
            self.fill()?;
        }
    }

    /// Moves what is pending to the front if `needed` bytes would not fit behind it.
    fn make_room(&mut self, needed: usize) {
        if self.used == self.filled {
            (self.used, self.filled) = (0, 0);
            if self.inbox.len() > INBOX_BYTES && needed <= INBOX_BYTES {
                self.inbox.truncate(INBOX_BYTES);
                self.inbox.shrink_to_fit();
            }
        }
        if self.used + needed > self.inbox.len() {
            self.inbox.copy_within(self.used..self.filled, 0);
            (self.used, self.filled) = (0, self.filled - self.used);
            if needed > self.inbox.len() {
                self.alarm.silence();
                self.inbox.resize(needed, 0);
            }
        }
    }

    fn fill(&mut self) -> Result<(), Stop> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let free = self.inbox.get_mut(self.filled..).unwrap_or_default();
        let received =
            rustix::net::recvmsg(&self.socket, &mut [IoSliceMut::new(free)], &mut ancillary, RecvFlags::CMSG_CLOEXEC);
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                self.received = descriptors.last();
            }
        }
        match received {
            Ok(message) if message.bytes == 0 => Err(Stop(0)),
            Ok(message) => {
                self.filled += message.bytes;
                Ok(())
            }
            Err(Errno::INTR) => Ok(()),
            Err(_) => Err(Stop(0)),
        }
    }
}
