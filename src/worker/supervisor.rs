//! The thread of a pool: starts workers, reaps them, has them take parts in, waits for answers on behalf of futures.
//!
//! It alone starts processes: a worker is killed by the kernel when the *thread* that started it ends. It never waits
//! for one worker only: everything it does goes on in small steps between looks at all of them.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;
use std::time::Instant;

use rustix::event::PollFd;
use rustix::event::PollFlags;
use rustix::event::Timespec;

use crate::worker::confinement::Confinement;
use crate::worker::error::JobError;
use crate::worker::error::PoolError;
use crate::worker::frame::Hello;
use crate::worker::link::Broken;
use crate::worker::link::Link;
use crate::worker::pending::Landing;
use crate::worker::pending::Slot;
use crate::worker::pending::land;
use crate::worker::pool::Shared;
use crate::worker::process::Ended;
use crate::worker::process::Process;
use crate::worker::queue::Member;
use crate::worker::queue::Role;
use crate::worker::queue::Wakers;
use crate::worker::turn::Outcome;
use crate::worker::turn::Progress;
use crate::worker::turn::Turn;
use crate::worker::turn::Wait;

/// The pause after a first failure to start a worker; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A job whose answer the supervisor waits for.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) turn: Turn,
    pub(super) owner: u64,
    /// The worker broke before the supervisor took over.
    pub(super) broken: Option<Broken>,
    pub(super) slot: Arc<Slot>,
}

/// A conversation the supervisor is in.
pub(super) struct Errand {
    pub(super) turn: Turn,
    pub(super) purpose: Purpose,
    /// The worker broke, was killed, and has not ended yet.
    broken: Option<Broken>,
    is_speaking: bool,
}

pub(super) enum Purpose {
    Greet,
    Load { is_spare: bool },
    Fly { owner: u64, slot: Arc<Slot> },
}

/// The supervisor's own state.
pub(super) struct Supervisor {
    pub(super) shared: Arc<Shared>,
    /// Every process that was started and is not reaped, with the number of its link.
    processes: Vec<(u64, Arc<Process>)>,
    pub(super) errands: Vec<Errand>,
    next_serial: u64,
    not_before: Instant,
    pause: Duration,
    /// Whoever starts the pool waits for this.
    starter: Option<SyncSender<Result<(), PoolError>>>,
    has_warned: bool,
    /// The count of dropped parts up to which lists were cleaned.
    pub(super) cleaned: u64,
}

// === impl Supervisor ===

impl Supervisor {
    pub(super) fn new(shared: Arc<Shared>, starter: SyncSender<Result<(), PoolError>>) -> Supervisor {
        Supervisor {
            shared,
            processes: Vec::new(),
            errands: Vec::new(),
            next_serial: 1,
            not_before: Instant::now(),
            pause: FIRST_PAUSE,
            starter: Some(starter),
            has_warned: false,
            cleaned: 0,
        }
    }

    pub(super) fn run(mut self) {
        loop {
            self.shared.bell.hush();
            if self.shared.queue.lock().is_stopped {
                return self.stop();
            }
            let flights = std::mem::take(&mut *self.shared.flights.lock());
            for Flight { turn, owner, broken, slot } in flights {
                self.begin(turn, Purpose::Fly { owner, slot }, broken);
            }
            self.run_errands();
            self.reap();
            self.start_missing();
            self.plan_loads();
            let mut wakers = Wakers::new();
            let next_wait = self.shared.queue.lock().expire(Instant::now(), &mut wakers);
            wakers.into_iter().for_each(std::task::Waker::wake);
            self.sleep(next_wait);
        }
    }

    pub(super) fn begin(&mut self, turn: Turn, purpose: Purpose, broken: Option<Broken>) {
        if broken.is_some() {
            turn.link.process.kill();
        }
        self.errands.push(Errand { turn, purpose, broken, is_speaking: true });
    }

    /// Goes on with every conversation as far as that is possible now.
    fn run_errands(&mut self) {
        for mut errand in std::mem::take(&mut self.errands) {
            if errand.broken.is_none() {
                match errand.step() {
                    Ok(None) => {}
                    Ok(Some(outcome)) => {
                        self.finish(errand, outcome);
                        continue;
                    }
                    Err(broken) => {
                        errand.turn.link.process.kill();
                        errand.broken = Some(broken);
                    }
                }
            }
            match (&errand.broken, errand.turn.link.process.ended()) {
                (Some(broken), Some(ended)) => {
                    let broken = broken.clone();
                    self.bury(errand, broken, ended);
                }
                _ => self.errands.push(errand),
            }
        }
    }

    fn finish(&mut self, errand: Errand, outcome: Outcome) {
        let Errand { turn, purpose, .. } = errand;
        match (purpose, outcome) {
            (Purpose::Greet, Outcome::Greeted(hello)) => self.welcome(turn.link, *hello),
            (Purpose::Fly { owner, slot }, outcome) => {
                slot.land(Landing::Answer(land(&self.shared, turn, outcome, owner)));
            }
            (Purpose::Load { is_spare }, _) => self.give_back(turn.link, is_spare),
            (Purpose::Greet, _) => turn.link.process.kill(),
        }
    }

    /// A worker took in what it was given.
    fn give_back(&mut self, link: Box<Link>, is_spare: bool) {
        let mut wakers = Wakers::new();
        let mut queue = self.shared.queue.lock();
        if is_spare && queue.spare.is_none() {
            queue.set_role(&link, Role::Spare);
            queue.spare = Some(link);
        } else {
            queue.put_idle(link, &mut wakers);
        }
        drop(queue);
        wakers.into_iter().for_each(std::task::Waker::wake);
    }

    /// A worker broke in a conversation and has ended.
    fn bury(&mut self, errand: Errand, broken: Broken, ended: Ended) {
        let Errand { mut turn, purpose, .. } = errand;
        let serial = turn.link.serial;
        match purpose {
            Purpose::Greet => {
                let error = self.greeting_error(&turn, broken, ended);
                self.failed(error);
            }
            Purpose::Load { .. } => {
                turn.blame_part();
                let error = turn.verdict(broken, ended);
                tracing::warn!(pid = turn.link.process.pid(), %error, "a worker was lost while it took parts in");
                self.shared.lose(serial, None);
            }
            Purpose::Fly { owner, slot } => {
                let is_gone = broken == Broken::Gone;
                let error = self.shared.explain(&turn, broken, ended);
                self.shared.lose(serial, Some(owner));
                slot.land(match turn.take_job().filter(|_| is_gone) {
                    Some(job) => Landing::Again(job),
                    None => Landing::Answer(Err(error)),
                });
            }
        }
    }

    /// A new worker said hello.
    fn welcome(&mut self, link: Box<Link>, hello: Hello) {
        let ours = self.shared.build();
        if hello.build != ours {
            link.process.kill();
            let program = self.shared.settings.program.clone();
            return self.failed(PoolError::Mismatch { program, ours, theirs: hello.build });
        }
        self.note_confinement(hello.confinement);
        self.pause = FIRST_PAUSE;
        let mut wakers = Wakers::new();
        let mut queue = self.shared.queue.lock();
        queue.failure = None;
        let role = if queue.serving() < queue.target { Role::Idle } else { Role::Spare };
        let (serial, pid) = (link.serial, link.process.pid());
        queue.roster.push(Member { serial, pid, domain: None, role });
        if role == Role::Idle {
            queue.put_idle(link, &mut wakers);
        } else {
            queue.spare = Some(link);
        }
        drop(queue);
        wakers.into_iter().for_each(std::task::Waker::wake);
        tracing::debug!(pid, "a worker is ready");
        if let Some(starter) = self.starter.take() {
            let _ = starter.send(Ok(()));
        }
    }

    fn note_confinement(&mut self, confinement: Confinement) {
        let Confinement { landlock, seccomp } = confinement;
        self.shared.news.lock().confinement = Some(confinement);
        if !confinement.is_complete() && !self.has_warned {
            self.has_warned = true;
            tracing::warn!(
                ?landlock,
                ?seccomp,
                "the kernel lacks a part of what keeps workers in; going on with the rest"
            );
        }
    }

    fn greeting_error(&self, turn: &Turn, broken: Broken, ended: Ended) -> PoolError {
        let program = self.shared.settings.program.clone();
        match broken {
            Broken::Foreign(theirs) => PoolError::Mismatch { program, ours: self.shared.build(), theirs },
            broken => {
                let how = match turn.verdict(broken, ended) {
                    JobError::Crashed { how } => format!("it {how}"),
                    other => other.to_string(),
                };
                PoolError::Handshake { program, how }
            }
        }
    }

    /// A worker could not be started: a pause, and a word to those who would wait in vain.
    fn failed(&mut self, error: PoolError) {
        let why: Arc<str> = error.to_string().into();
        self.not_before = Instant::now() + self.pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.shared.news.lock().last_failure = Some(Arc::clone(&why));
        let mut wakers = Wakers::new();
        let mut queue = self.shared.queue.lock();
        let is_first = queue.failure.replace(Arc::clone(&why)).is_none();
        if let Some(refusal) = self.shared.refusal(&queue) {
            queue.refuse_all(&refusal, &mut wakers);
        }
        drop(queue);
        wakers.into_iter().for_each(std::task::Waker::wake);
        if let Some(starter) = self.starter.take() {
            let _ = starter.send(Err(error));
        } else if is_first {
            tracing::warn!(%error, "a worker could not be started; trying again");
        }
    }

    /// Notices processes that ended.
    fn reap(&mut self) {
        let shared = &self.shared;
        self.processes.retain(|(serial, process)| {
            let has_ended = process.ended().is_some();
            if has_ended {
                shared.lose(*serial, None);
            }
            !has_ended
        });
    }

    fn start_missing(&mut self) {
        while self.is_one_missing() && Instant::now() >= self.not_before {
            let settings = &self.shared.settings;
            match Process::spawn(&settings.program, settings.service, settings.fault.clone()) {
                Ok((process, socket)) => {
                    let serial = self.next_serial;
                    self.next_serial += 1;
                    let process = Arc::new(process);
                    self.processes.push((serial, Arc::clone(&process)));
                    let link = Box::new(Link::new(serial, process, socket));
                    self.begin(Turn::greet(link, Instant::now()), Purpose::Greet, None);
                }
                Err(source) => self.failed(PoolError::Spawn { program: settings.program.clone(), source }),
            }
        }
    }

    /// The serving ones and a spare, less those that are there or on their way.
    fn is_one_missing(&self) -> bool {
        let greeting = self.errands.iter().filter(|errand| matches!(errand.purpose, Purpose::Greet)).count();
        let queue = self.shared.queue.lock();
        queue.roster.len() + greeting < queue.target + 1
    }

    /// Waits until something happens.
    fn sleep(&self, next_wait: Option<Instant>) {
        let waiting = self.errands.iter().filter(|errand| errand.broken.is_none());
        let mut polled = vec![PollFd::new(&self.shared.bell, PollFlags::IN)];
        polled.extend(self.processes.iter().map(|(_, process)| PollFd::new(process, PollFlags::IN)));
        let sockets = waiting.clone().map(|errand| {
            let flags = if errand.is_speaking { PollFlags::OUT } else { PollFlags::IN };
            PollFd::new(&errand.turn.link.socket, flags)
        });
        polled.extend(sockets);
        let spawn = self.is_one_missing().then_some(self.not_before);
        let deadlines = waiting.map(|errand| errand.turn.deadline());
        let end = deadlines.chain(spawn).chain(next_wait).min();
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        // An error is a signal, or no memory: everything is looked at anew either way.
        let _ = rustix::event::poll(&mut polled, left.as_ref());
    }

    /// Ends everything.
    fn stop(&mut self) {
        let gone = || JobError::Unavailable { why: "the pool was stopped".into() };
        self.processes.iter().for_each(|(_, process)| process.kill());
        let mut wakers = Wakers::new();
        let mut queue = self.shared.queue.lock();
        queue.refuse_all(&gone(), &mut wakers);
        queue.idle.clear();
        queue.spare = None;
        queue.roster.clear();
        drop(queue);
        wakers.into_iter().for_each(std::task::Waker::wake);
        let flights = std::mem::take(&mut *self.shared.flights.lock());
        flights.iter().for_each(|flight| flight.slot.land(Landing::Answer(Err(gone()))));
        for errand in self.errands.drain(..) {
            if let Purpose::Fly { slot, .. } = errand.purpose {
                slot.land(Landing::Answer(Err(gone())));
            }
        }
        for (_, process) in self.processes.drain(..) {
            process.wait();
        }
    }
}

// === impl Errand ===

impl Errand {
    /// One step; an outcome when the conversation is over.
    fn step(&mut self) -> Result<Option<Outcome>, Broken> {
        loop {
            match self.turn.advance(Wait::No)? {
                Progress::Done(outcome) => return Ok(Some(outcome)),
                Progress::Listening => self.is_speaking = false,
                Progress::Speaking => self.is_speaking = true,
            }
            let now = Instant::now();
            if now < self.turn.deadline() {
                return Ok(None);
            }
            self.turn.expired(now)?;
        }
    }
}

// === impl Shared ===

impl Shared {
    /// What to tell of a worker that broke in a job.
    pub(super) fn explain(&self, turn: &Turn, broken: Broken, ended: Ended) -> JobError {
        if self.queue.lock().is_stopped {
            return JobError::Unavailable { why: "the pool was stopped".into() };
        }
        turn.verdict(broken, ended)
    }
}
