//! What is being said to one worker: its hello, parts, a run. Three drivers go through the same steps: the thread that
//! waits for an answer, the supervisor on behalf of a future, the supervisor for itself.

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use crate::worker::Limit;
use crate::worker::RunLimits;
use crate::worker::error::JobError;
use crate::worker::fault::Step;
use crate::worker::frame;
use crate::worker::frame::Figures;
use crate::worker::frame::Hello;
use crate::worker::frame::Kind;
use crate::worker::frame::Reader;
use crate::worker::job::Job;
use crate::worker::job::Parts;
use crate::worker::job::Reply;
use crate::worker::link::Broken;
use crate::worker::link::Link;
use crate::worker::link::Received;
use crate::worker::part::Part;
use crate::worker::part::Payload;
use crate::worker::process::Ended;
use crate::worker::process::Ending;
use crate::worker::serve::install_cpu;

/// How long a process may take to say hello.
const HELLO_WALL: Duration = Duration::from_secs(5);

/// How long one install may take on the clock.
const INSTALL_WALL: Duration = Duration::from_secs(10);

/// How long a worker may take over one.
fn install_wall(part: &Part) -> Duration {
    INSTALL_WALL.max(install_cpu(part.payload.len()) * 5)
}

/// How often its wall a run may have in all while the processors are busy elsewhere.
const STARVED_FACTOR: u32 = 10;

/// A conversation with one worker.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) link: Box<Link>,
    pub(super) parts: Parts,
    /// The next part to look at.
    next: usize,
    pub(super) job: Option<Job>,
    stage: Stage,
    since: Instant,
    deadline: Instant,
    /// Nothing was read since `since`.
    is_fresh: bool,
}

/// May one step wait for the worker?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Until the deadline.
    Yes,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Greeting,
    /// The part at this place is being installed.
    Installing(usize),
    Running,
    Over,
}

/// How far a conversation came.
#[derive(Debug)]
pub(super) enum Progress {
    /// It is over.
    Done(Outcome),
    /// The worker has to say something.
    Listening,
    /// The worker has to read something.
    Speaking,
}

/// What came of a conversation whose worker is well.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The worker said hello.
    Greeted(Box<Hello>),
    /// All parts were looked at.
    Loaded,
    /// The job has its answer.
    Answered(Reply),
    /// The job needs a part that the service refuses.
    Rejected(Vec<u8>),
    /// The job is too large to be sent; the worker knows nothing of it.
    TooLarge(usize),
}

// === impl Turn ===

impl Turn {
    /// Waits for a new worker's hello.
    pub(super) fn greet(link: Box<Link>, now: Instant) -> Turn {
        link.process.fault_at(Step::Handshake);
        Turn::new(link, Parts::new(), None, Stage::Greeting, now)
    }

    /// Installs parts.
    pub(super) fn load(link: Box<Link>, parts: Parts, dropped: u64, now: Instant) -> Turn {
        let mut turn = Turn::new(link, parts, None, Stage::Over, now);
        turn.link.forget_dropped(dropped);
        turn
    }

    /// Installs what is missing, then runs.
    pub(super) fn run(link: Box<Link>, mut job: Job, dropped: u64, now: Instant) -> Turn {
        let parts = std::mem::take(&mut job.parts);
        let mut turn = Turn::new(link, parts, Some(job), Stage::Over, now);
        turn.link.forget_dropped(dropped);
        turn
    }

    fn new(link: Box<Link>, parts: Parts, job: Option<Job>, stage: Stage, now: Instant) -> Turn {
        Turn { link, parts, next: 0, job, stage, since: now, deadline: now + HELLO_WALL, is_fresh: true }
    }

    /// When the worker is late.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The job, whole again.
    pub(super) fn take_job(&mut self) -> Option<Job> {
        let mut job = self.job.take()?;
        job.parts = std::mem::take(&mut self.parts);
        Some(job)
    }

    /// Goes on as far as it can; one read may wait.
    pub(super) fn advance(&mut self, wait: Wait) -> Result<Progress, Broken> {
        if self.stage == Stage::Over
            && let Some(outcome) = self.speak()?
        {
            return Ok(Progress::Done(outcome));
        }
        if !self.link.flush()? {
            return Ok(Progress::Speaking);
        }
        let patience = (wait == Wait::Yes).then(|| self.patience());
        self.is_fresh = false;
        match self.link.receive(patience)? {
            Received::Nothing => Ok(Progress::Listening),
            Received::Frame(kind, length) => match self.hear(kind, length)? {
                Some(outcome) => Ok(Progress::Done(outcome)),
                None => self.advance_at_once(),
            },
        }
    }

    /// How long a read may wait. The first one's is the same from run to run, which saves a system call.
    fn patience(&self) -> Duration {
        let now = if self.is_fresh { self.since } else { Instant::now() };
        self.deadline.saturating_duration_since(now)
    }

    /// After an install: says the next thing.
    fn advance_at_once(&mut self) -> Result<Progress, Broken> {
        if let Some(outcome) = self.speak()? {
            return Ok(Progress::Done(outcome));
        }
        Ok(if self.link.flush()? { Progress::Listening } else { Progress::Speaking })
    }

    /// Writes the next thing to the outbox. An outcome if there is nothing left to say.
    fn speak(&mut self) -> Result<Option<Outcome>, Broken> {
        self.since = Instant::now();
        self.is_fresh = true;
        while let Some(part) = self.parts.get(self.next) {
            if self.link.holds(part.id) || (self.job.is_none() && !part.is_fit()) {
                self.next += 1;
                continue;
            }
            return self.speak_part();
        }
        let Some(job) = &self.job else {
            // Parts to forget may still be in the outbox. An idle worker reads them: they always fit.
            return if self.link.flush()? {
                Ok(Some(Outcome::Loaded))
            } else {
                Err(Broken::Nonsense("it reads nothing"))
            };
        };
        let size = job.request.len() + self.parts.len() * 8 + 64;
        if size > frame::TO_WORKER_LIMIT {
            return Ok(Some(Outcome::TooLarge(size)));
        }
        let outbox = self.link.outbox();
        let start = outbox.len();
        frame::write_run(outbox, self.parts.iter().map(|part| part.id), &job.request, &job.limits);
        self.deadline = self.since + job.limits.wall;
        self.stage = Stage::Running;
        self.link.spoil(start, Step::Request);
        let is_written = self.link.flush()?;
        self.link.process.fault_at(Step::RequestWritten);
        // The clock begins when the request is written; a large one takes a while.
        if is_written {
            self.since = Instant::now();
            self.deadline = self.since + job_wall(self.job.as_ref());
        }
        Ok(None)
    }

    fn speak_part(&mut self) -> Result<Option<Outcome>, Broken> {
        let Some(part) = self.parts.get(self.next) else { return Ok(None) };
        self.deadline = self.since + install_wall(part);
        self.stage = Stage::Installing(self.next);
        if let Payload::Bytes(bytes) = &part.payload
            && bytes.len() + 8 > frame::TO_WORKER_LIMIT
        {
            self.stage = Stage::Over;
            part.mark_unfit();
            return Ok(Some(Outcome::TooLarge(bytes.len())));
        }
        if matches!(part.payload, Payload::Shared(_)) && !self.link.flush()? {
            return Err(Broken::Nonsense("it reads nothing"));
        }
        if self.link.domain.is_none() {
            self.link.domain = Some(Arc::clone(&part.domain));
        }
        let outbox = self.link.outbox();
        let start = outbox.len();
        match &part.payload {
            Payload::Bytes(bytes) => {
                let start = frame::begin(outbox, Kind::InstallBytes);
                frame::put_u64(outbox, part.id.0);
                outbox.extend_from_slice(bytes);
                frame::finish(outbox, start);
            }
            Payload::Shared(shared) => {
                let start = frame::begin(outbox, Kind::InstallShared);
                frame::put_u64(outbox, part.id.0);
                frame::put_u64(outbox, shared.length);
                frame::finish(outbox, start);
                self.link.attach(Arc::clone(shared));
            }
        }
        self.link.spoil(start, Step::Install);
        Ok(None)
    }

    /// Takes in a frame of the worker. An outcome if nothing is left to be done.
    fn hear(&mut self, kind: Kind, length: usize) -> Result<Option<Outcome>, Broken> {
        let payload = self.link.payload(length);
        let outcome = match (self.stage, kind) {
            (Stage::Running, Kind::Answer | Kind::LastAnswer) => {
                let mut reader = Reader(payload);
                let figures = Figures::read(&mut reader).ok_or(Broken::Nonsense("an answer without figures"))?;
                let bytes = reader.rest().to_vec();
                self.link.total_cpu = figures.total_cpu;
                self.link.is_spent = kind == Kind::LastAnswer;
                let Figures { cpu, peak: memory_bytes, .. } = figures;
                Some(Outcome::Answered(Reply { bytes, cpu, elapsed: self.since.elapsed(), memory_bytes }))
            }
            (Stage::Installing(place), Kind::Installed | Kind::Rejected) => {
                let mut reader = Reader(payload);
                let part = self.parts.get(place).filter(|part| reader.u64() == Some(part.id.0));
                let (Some(part), Some(cpu)) = (part, reader.u64()) else {
                    return Err(Broken::Nonsense("it installed what it was not asked to"));
                };
                self.next = place + 1;
                let outcome = match (kind, &self.job) {
                    (Kind::Installed, _) => None,
                    (_, Some(_)) => Some(Outcome::Rejected(reader.rest().to_vec())),
                    (_, None) => {
                        part.mark_unfit();
                        None
                    }
                };
                if kind == Kind::Installed {
                    self.link.installed.insert(part.id, Arc::downgrade(part));
                }
                self.link.total_cpu = Duration::from_nanos(cpu);
                outcome
            }
            (Stage::Greeting, Kind::Hello) => match frame::read_hello(payload) {
                Some((_, Some(hello))) => Some(Outcome::Greeted(Box::new(hello))),
                Some((protocol, None)) => return Err(Broken::Foreign(format!("of protocol {protocol}"))),
                None => return Err(Broken::Nonsense("its hello is cut off")),
            },
            (_, Kind::Memory) => {
                return Err(Reader(payload).u64().map_or(Broken::Nonsense("a limit without a figure"), Broken::Memory));
            }
            (_, Kind::Panicked) => return Err(Broken::Panicked(String::from_utf8_lossy(payload).into_owned())),
            _ => return Err(Broken::Nonsense("an answer to another question")),
        };
        self.link.consume(length)?;
        self.stage = Stage::Over;
        Ok(outcome)
    }

    /// The deadline is over and nothing is there to read: more time, or the end.
    pub(super) fn expired(&mut self, now: Instant) -> Result<(), Broken> {
        let elapsed = now.saturating_duration_since(self.since);
        if let (Stage::Running, Some(job)) = (self.stage, &self.job) {
            let RunLimits { cpu, wall, .. } = job.limits;
            let used = self.link.process.cpu().map(|used| used.saturating_sub(self.link.total_cpu));
            if let Some(used) = used {
                if used >= cpu {
                    return Err(Broken::Late(used));
                }
                // It wants to run and was not let: not its fault.
                if elapsed < wall * STARVED_FACTOR && self.link.process.is_runnable() {
                    self.deadline = now + (wall / 4).max(Duration::from_millis(1));
                    return Ok(());
                }
            }
        }
        Err(Broken::Silent(elapsed))
    }

    /// Installing ahead broke a worker: nobody tries that again without need.
    pub(super) fn blame_part(&self) {
        if let (Stage::Installing(place), None) = (self.stage, &self.job)
            && let Some(part) = self.parts.get(place)
        {
            part.mark_unfit();
        }
    }

    /// What to tell of a worker that broke and has ended.
    pub(super) fn verdict(&self, broken: Broken, ended: Ended) -> JobError {
        let (cpu, wall, memory) = match (self.stage, &self.job) {
            (Stage::Running, Some(job)) => (job.limits.cpu, job.limits.wall, job.limits.memory_bytes),
            (Stage::Greeting, _) => (Duration::MAX, HELLO_WALL, 0),
            (Stage::Installing(place), _) => {
                let part = self.parts.get(place);
                let cpu = install_cpu(part.map_or(0, |part| part.payload.len()));
                (cpu, part.map_or(INSTALL_WALL, |part| install_wall(part)), 0)
            }
            _ => (install_cpu(0), INSTALL_WALL, 0),
        };
        match broken {
            Broken::Memory(used) => JobError::Limit(Limit::Memory { used, allowed: memory }),
            Broken::Panicked(words) => JobError::Crashed { how: format!("panicked: {words}") },
            Broken::Nonsense(what) => JobError::Protocol { what },
            Broken::Late(used) => JobError::Limit(Limit::Deadline { used, allowed: cpu }),
            Broken::Silent(used) => JobError::Limit(Limit::Wall { used, allowed: wall }),
            Broken::Foreign(theirs) => JobError::Crashed { how: format!("is {theirs}") },
            Broken::Gone | Broken::Closed => match ended.how {
                Ending::Killed(libc::SIGPROF) => {
                    let used = ended.cpu.map_or(cpu, |all| all.saturating_sub(self.link.total_cpu).max(cpu));
                    JobError::Limit(Limit::Deadline { used, allowed: cpu })
                }
                Ending::Exited(frame::EXIT_PROTOCOL) => {
                    JobError::Protocol { what: "the worker could not read the host" }
                }
                how => JobError::Crashed { how: words_of(how) },
            },
        }
    }
}

fn job_wall(job: Option<&Job>) -> Duration {
    job.map_or(Duration::ZERO, |job| job.limits.wall)
}

fn words_of(ending: Ending) -> String {
    match ending {
        Ending::Exited(frame::EXIT_CONFINEMENT) => "could not be confined".to_owned(),
        Ending::Exited(code) => format!("exited with code {code}"),
        Ending::Killed(libc::SIGSYS) => "was killed: it tried a forbidden system call".to_owned(),
        Ending::Killed(libc::SIGSEGV) => "was killed: it touched memory that is not there".to_owned(),
        Ending::Killed(libc::SIGBUS) => "was killed: it touched memory that is gone".to_owned(),
        Ending::Killed(libc::SIGABRT) => {
            "aborted: no memory, a stack that overflowed, or a failure of its own".to_owned()
        }
        Ending::Killed(libc::SIGKILL) => "was killed".to_owned(),
        Ending::Killed(signal) => format!("was killed by signal {signal}"),
        Ending::Unknown => "is gone".to_owned(),
    }
}
