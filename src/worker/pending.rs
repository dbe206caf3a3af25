//! A job on its way: a future, or a wait of the calling thread.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::task::Poll;
use std::task::Wake;
use std::task::Waker;
use std::thread;
use std::thread::Thread;
use std::time::Instant;

use parking_lot::Mutex;
use rustix::event::PollFd;
use rustix::event::PollFlags;
use rustix::event::Timespec;

use crate::worker::error::JobError;
use crate::worker::frame;
use crate::worker::job::Job;
use crate::worker::job::Reply;
use crate::worker::link::Broken;
use crate::worker::link::Link;
use crate::worker::pool::Shared;
use crate::worker::queue::Waiter;
use crate::worker::queue::Wakers;
use crate::worker::supervisor::Flight;
use crate::worker::turn::Outcome;
use crate::worker::turn::Progress;
use crate::worker::turn::Turn;
use crate::worker::turn::Wait;

/// How often a job is given to another worker because the one it got was dead already.
const TRIES: u32 = 3;

/// A job that was asked for. As a future it runs under any executor and blocks none; dropped on the way, its worker is
/// taken back, or killed when its time is over, by the pool.
#[must_use = "nothing happens before the answer is waited for"]
pub struct Pending {
    shared: Arc<Shared>,
    stage: Stage,
    tries: u32,
}

enum Stage {
    New(Job),
    Queued(Arc<Waiter>, Job),
    Flying(Arc<Slot>),
    Over,
}

/// Where the supervisor puts what came of a flight.
#[derive(Debug, Default)]
pub(super) struct Slot {
    state: Mutex<(Option<Landing>, Option<Waker>)>,
}

/// What came of a flight.
#[derive(Debug)]
pub(super) enum Landing {
    Answer(Result<Reply, JobError>),
    /// The worker was dead before it read the job.
    Again(Job),
}

/// Wakes a thread.
struct Unpark(Thread);

// === impl Pending ===

impl Pending {
    pub(super) fn new(shared: Arc<Shared>, job: Job) -> Pending {
        Pending { shared, stage: Stage::New(job), tries: 0 }
    }

    /// Waits on this thread, which writes and reads by itself: no other thread is woken.
    ///
    /// # Errors
    ///
    /// No worker, a limit hit, a crash: see [`JobError`].
    pub fn wait(mut self) -> Result<Reply, JobError> {
        let mut job = match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::New(job) => job,
            polled => {
                self.stage = polled;
                return self.wait_as_future();
            }
        };
        loop {
            let link = self.acquire(&job)?;
            let owner = job.owner;
            let mut turn = Turn::run(link, job, self.shared.dropped.count(), Instant::now());
            match converse(&mut turn) {
                Ok(outcome) => return land(&self.shared, turn, outcome, owner),
                Err(broken) => {
                    turn.link.process.kill();
                    let ended = turn.link.process.wait();
                    let again = self.takes_another(&broken);
                    let error = self.shared.explain(&turn, broken, ended);
                    self.shared.lose(turn.link.serial, Some(owner));
                    match turn.take_job().filter(|_| again) {
                        Some(whole) => job = whole,
                        None => return Err(error),
                    }
                }
            }
        }
    }

    /// For one that was polled before.
    fn wait_as_future(mut self) -> Result<Reply, JobError> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            match Pin::new(&mut self).poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(answer) => return answer,
                Poll::Pending => thread::park(),
            }
        }
    }

    /// A worker for the job, waiting on this thread.
    fn acquire(&self, job: &Job) -> Result<Box<Link>, JobError> {
        check(&self.shared, job)?;
        let mut wakers = Wakers::new();
        let mut queue = self.shared.queue.lock();
        if let Some(refusal) = self.shared.refusal(&queue) {
            return Err(refusal);
        }
        let entered = queue.enter(job, None, &mut wakers);
        drop(queue);
        wakers.into_iter().for_each(Waker::wake);
        let waiter = match entered {
            Ok(link) => return Ok(link),
            Err(waiter) => waiter,
        };
        self.shared.bell.ring();
        let waited = self.shared.settings.queue;
        let end = Instant::now() + waited;
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            if let Some(grant) = waiter.poll(&waker) {
                return grant;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return self.shared.queue.lock().give_up(&waiter).unwrap_or(Err(JobError::Busy { waited }));
            }
            thread::park_timeout(left);
        }
    }

    fn takes_another(&mut self, broken: &Broken) -> bool {
        self.tries += 1;
        *broken == Broken::Gone && self.tries < TRIES && !self.shared.queue.lock().is_stopped
    }

    /// Asks for a worker without waiting.
    fn enter(&self, job: Job) -> Result<Stage, JobError> {
        check(&self.shared, &job)?;
        let mut wakers = Wakers::new();
        let mut queue = self.shared.queue.lock();
        if let Some(refusal) = self.shared.refusal(&queue) {
            return Err(refusal);
        }
        let wait = self.shared.settings.queue;
        let entered = queue.enter(&job, Some((Instant::now() + wait, wait)), &mut wakers);
        drop(queue);
        wakers.into_iter().for_each(Waker::wake);
        Ok(match entered {
            Ok(link) => self.fly(link, job),
            Err(waiter) => {
                self.shared.bell.ring();
                Stage::Queued(waiter, job)
            }
        })
    }

    /// Writes the request and leaves the rest to the supervisor.
    fn fly(&self, link: Box<Link>, job: Job) -> Stage {
        let owner = job.owner;
        let mut turn = Turn::run(link, job, self.shared.dropped.count(), Instant::now());
        let slot = Arc::new(Slot::default());
        match turn.advance(Wait::No) {
            Ok(Progress::Done(outcome)) => {
                slot.land(Landing::Answer(land(&self.shared, turn, outcome, owner)));
            }
            progress => {
                let broken = progress.err();
                self.shared.flights.lock().push(Flight { turn, owner, broken, slot: Arc::clone(&slot) });
                self.shared.bell.ring();
            }
        }
        Stage::Flying(slot)
    }
}

impl Future for Pending {
    type Output = Result<Reply, JobError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            let stage = match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::New(job) => self.enter(job),
                Stage::Queued(waiter, job) => match waiter.poll(context.waker()) {
                    Some(Ok(link)) => Ok(self.fly(link, job)),
                    Some(Err(error)) => Err(error),
                    None => {
                        self.stage = Stage::Queued(waiter, job);
                        return Poll::Pending;
                    }
                },
                Stage::Flying(slot) => match slot.poll(context.waker()) {
                    Some(Landing::Answer(answer)) => return Poll::Ready(answer),
                    Some(Landing::Again(job)) if self.takes_another(&Broken::Gone) => Ok(Stage::New(job)),
                    Some(Landing::Again(_)) => Err(JobError::Crashed { how: "was killed".to_owned() }),
                    None => {
                        self.stage = Stage::Flying(slot);
                        return Poll::Pending;
                    }
                },
                Stage::Over => Err(JobError::Protocol { what: "the answer was taken before" }),
            };
            match stage {
                Ok(stage) => self.stage = stage,
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Stage::Queued(waiter, _) = &self.stage {
            let mut wakers = Wakers::new();
            self.shared.queue.lock().leave(waiter, &mut wakers);
            wakers.into_iter().for_each(Waker::wake);
        }
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match &self.stage {
            Stage::New(_) => "new",
            Stage::Queued(..) => "queued",
            Stage::Flying(_) => "flying",
            Stage::Over => "over",
        };
        formatter.debug_struct("Pending").field("stage", &stage).finish_non_exhaustive()
    }
}

// === impl Slot ===

impl Slot {
    pub(super) fn land(&self, landing: Landing) {
        let mut state = self.state.lock();
        state.0 = Some(landing);
        let waker = state.1.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll(&self, waker: &Waker) -> Option<Landing> {
        let mut state = self.state.lock();
        let landing = state.0.take();
        if landing.is_none() {
            state.1 = Some(waker.clone());
        }
        landing
    }
}

// === impl Unpark ===

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What can be said of a job before it has a worker.
fn check(shared: &Shared, job: &Job) -> Result<(), JobError> {
    let is_ours = job.parts.iter().all(|part| shared.owns(part) && part.domain == job.domain);
    if is_ours { Ok(()) } else { Err(JobError::Protocol { what: "the job names a part of another domain or pool" }) }
}

/// Talks until it is over, waiting on this thread.
fn converse(turn: &mut Turn) -> Result<Outcome, Broken> {
    loop {
        let flags = match turn.advance(Wait::Yes)? {
            Progress::Done(outcome) => return Ok(outcome),
            Progress::Listening => PollFlags::IN,
            Progress::Speaking => PollFlags::OUT,
        };
        let now = Instant::now();
        if now >= turn.deadline() {
            if let Progress::Done(outcome) = turn.advance(Wait::No)? {
                return Ok(outcome);
            }
            if now >= turn.deadline() {
                turn.expired(now)?;
            }
        } else if flags == PollFlags::OUT {
            let left = Timespec::try_from(turn.deadline() - now).ok();
            let _ = rustix::event::poll(&mut [PollFd::new(&turn.link.socket, flags)], left.as_ref());
        }
    }
}

/// Gives the worker of a conversation back; what came of the job.
pub(super) fn land(shared: &Shared, turn: Turn, outcome: Outcome, owner: u64) -> Result<Reply, JobError> {
    shared.take_back(turn.link, owner);
    match outcome {
        Outcome::Answered(reply) => Ok(reply),
        Outcome::Rejected(words) => Err(JobError::Rejected(words)),
        Outcome::TooLarge(bytes) => Err(JobError::TooLarge { bytes, limit: frame::TO_WORKER_LIMIT }),
        Outcome::Greeted(_) | Outcome::Loaded => Err(JobError::Protocol { what: "the job was never asked for" }),
    }
}
