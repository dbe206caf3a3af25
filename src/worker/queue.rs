//! Who gets which worker: idle workers, the spare, jobs that wait, in one place under one lock.
//!
//! First come, first served among the jobs that may run: a job whose owner holds its half already lets others pass. A
//! job gets an idle worker of its domain, best one that holds its parts; else one that serves no domain yet; else the
//! worker that was idle longest is replaced, for which the job waits.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::Weak;
use std::task::Waker;
use std::time::Duration;
use std::time::Instant;

use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::worker::PartId;
use crate::worker::error::JobError;
use crate::worker::job::Job;
use crate::worker::job::Parts;
use crate::worker::link::Link;
use crate::worker::part::Part;

/// Whom to wake once the lock is open.
pub(super) type Wakers = SmallVec<[Waker; 2]>;

/// Everything that the lock of a pool guards.
#[derive(Debug)]
pub(super) struct Queue {
    /// How many workers serve, the spare apart.
    pub(super) target: usize,
    /// Workers that wait for a job; the last was used last.
    // PERF: a link is moved on every job, from here to a turn and back: a pointer, not a quarter of a kilobyte.
    #[expect(clippy::vec_box, reason = "links move in and out on every job")]
    pub(super) idle: Vec<Box<Link>>,
    /// Takes over when a worker is lost, if it holds what its domain needs.
    pub(super) spare: Option<Box<Link>>,
    /// Every worker that said hello and is not lost.
    pub(super) roster: Vec<Member>,
    pub(super) waiting: VecDeque<Arc<Waiter>>,
    owners: Vec<(u64, usize)>,
    pub(super) domains: Vec<Domain>,
    /// Why there may be no workers at all: the last failure to start one, while it lasts.
    pub(super) failure: Option<Arc<str>>,
    pub(super) is_stopped: bool,
    /// Workers lost since the start.
    pub(super) lost: u64,
}

/// A worker that said hello.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) serial: u64,
    pub(super) pid: u32,
    pub(super) domain: Option<Arc<str>>,
    pub(super) role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Idle,
    Busy,
    Loading,
    Spare,
}

/// The parts that workers of a domain take in ahead of jobs.
#[derive(Debug)]
pub(super) struct Domain {
    pub(super) name: Arc<str>,
    pub(super) version: u64,
    pub(super) parts: Vec<Weak<Part>>,
}

/// A job in the queue.
#[derive(Debug)]
pub(super) struct Waiter {
    domain: Arc<str>,
    owner: u64,
    parts: SmallVec<[PartId; 2]>,
    /// When the wait ends, and how long it was then.
    watched: Option<(Instant, Duration)>,
    /// What it got, and whom to wake for it.
    granted: Mutex<(Option<Grant>, Option<Waker>)>,
}

pub(super) type Grant = Result<Box<Link>, JobError>;

// === impl Queue ===

impl Queue {
    pub(super) fn new(target: usize) -> Queue {
        Queue {
            target,
            idle: Vec::with_capacity(target + 1),
            spare: None,
            roster: Vec::with_capacity(target + 1),
            waiting: VecDeque::new(),
            owners: Vec::new(),
            domains: Vec::new(),
            failure: None,
            is_stopped: false,
            lost: 0,
        }
    }

    /// A worker at once, or a place in the queue.
    ///
    /// `watched` is when the supervisor shall end the wait; without it the one who waits does.
    pub(super) fn enter(
        &mut self,
        job: &Job,
        watched: Option<(Instant, Duration)>,
        wakers: &mut Wakers,
    ) -> Result<Box<Link>, Arc<Waiter>> {
        if self.waiting.is_empty()
            && self.may_run(job.owner)
            && let Some(place) = self.best_for(&job.domain, |link| job.parts.iter().all(|part| link.holds(part.id)))
        {
            let link = self.idle.remove(place);
            return Ok(self.hand_out(link, &job.domain, job.owner));
        }
        let parts = job.parts.iter().map(|part| part.id).collect();
        let granted = Mutex::new((None, None));
        let domain = Arc::clone(&job.domain);
        let waiter = Arc::new(Waiter { domain, owner: job.owner, parts, watched, granted });
        self.waiting.push_back(Arc::clone(&waiter));
        self.dispatch(wakers);
        Err(waiter)
    }

    /// The job waits no more. A worker it got meanwhile comes back.
    pub(super) fn leave(&mut self, waiter: &Arc<Waiter>, wakers: &mut Wakers) {
        self.waiting.retain(|other| !Arc::ptr_eq(other, waiter));
        let granted = waiter.granted.lock().0.take();
        if let Some(Ok(link)) = granted {
            self.take_back(link, waiter.owner, wakers);
        }
    }

    /// The job waits no more, unless it just got something.
    pub(super) fn give_up(&mut self, waiter: &Arc<Waiter>) -> Option<Grant> {
        self.waiting.retain(|other| !Arc::ptr_eq(other, waiter));
        waiter.granted.lock().0.take()
    }

    /// A worker is done with a job.
    pub(super) fn take_back(&mut self, link: Box<Link>, owner: u64, wakers: &mut Wakers) {
        self.release(owner);
        self.put_idle(link, wakers);
    }

    /// A worker waits for jobs.
    pub(super) fn put_idle(&mut self, link: Box<Link>, wakers: &mut Wakers) {
        if self.is_stopped {
            return;
        }
        self.set_role(&link, Role::Idle);
        self.idle.push(link);
        self.dispatch(wakers);
    }

    /// A worker is lost. `owner` held it. The spare takes over if it can.
    pub(super) fn lose(&mut self, serial: u64, owner: Option<u64>, wakers: &mut Wakers) {
        if let Some(owner) = owner {
            self.release(owner);
        }
        let Some(place) = self.roster.iter().position(|member| member.serial == serial) else {
            // Known already; the owner may have jobs that wait.
            return self.dispatch(wakers);
        };
        let member = self.roster.remove(place);
        self.lost += 1;
        self.idle.retain(|link| link.serial != serial);
        if self.spare.as_ref().is_some_and(|spare| spare.serial == serial) {
            self.spare = None;
        }
        if member.role != Role::Spare
            && let Some(spare) = self.spare.take()
        {
            if self.can_stand_in(&spare, &member) {
                self.put_idle(spare, wakers);
            } else {
                self.spare = Some(spare);
            }
        }
        self.dispatch(wakers);
    }

    /// Ends the waits that are over; when the next one will be.
    pub(super) fn expire(&mut self, now: Instant, wakers: &mut Wakers) -> Option<Instant> {
        let mut next = None;
        self.waiting.retain(|waiter| match waiter.watched {
            Some((end, waited)) if end <= now => {
                wakers.extend(waiter.grant(Err(JobError::Busy { waited })));
                false
            }
            Some((end, _)) => {
                next = Some(next.map_or(end, |next: Instant| next.min(end)));
                true
            }
            None => true,
        });
        next
    }

    /// How many workers serve.
    pub(super) fn serving(&self) -> usize {
        self.roster.iter().filter(|member| member.role != Role::Spare).count()
    }

    /// Refuses all who wait.
    pub(super) fn refuse_all(&mut self, why: &JobError, wakers: &mut Wakers) {
        for waiter in self.waiting.drain(..) {
            wakers.extend(waiter.grant(Err(why.clone())));
        }
    }

    pub(super) fn domain(&self, name: &str) -> Option<&Domain> {
        self.domains.iter().find(|domain| &*domain.name == name)
    }

    /// The parts that a worker of this domain should hold and does not.
    pub(super) fn missing(&self, link: &Link, domain: &str) -> Parts {
        let parts = self.domain(domain).into_iter().flat_map(|domain| &domain.parts).filter_map(Weak::upgrade);
        parts.filter(|part| part.is_fit() && !link.holds(part.id)).collect()
    }

    pub(super) fn set_role(&mut self, link: &Link, role: Role) {
        if let Some(member) = self.roster.iter_mut().find(|member| member.serial == link.serial) {
            member.role = role;
            if member.domain.is_none() {
                member.domain.clone_from(&link.domain);
            }
        }
    }

    fn can_stand_in(&self, spare: &Link, lost: &Member) -> bool {
        match (&lost.domain, &spare.domain) {
            (None, None) => true,
            (Some(domain), Some(own)) => domain == own && self.missing(spare, domain).is_empty(),
            (Some(domain), None) => self.missing(spare, domain).is_empty(),
            (None, Some(_)) => false,
        }
    }

    /// Gives idle workers to those who wait.
    pub(super) fn dispatch(&mut self, wakers: &mut Wakers) {
        // Workers that are on their way and promised to somebody before in the queue.
        let mut coming = self.target.saturating_sub(self.serving());
        let mut place = 0;
        while let Some(waiter) = self.waiting.get(place) {
            let waiter = Arc::clone(waiter);
            if !self.may_run(waiter.owner) {
                place += 1;
                continue;
            }
            let found = self.best_for(&waiter.domain, |link| waiter.parts.iter().all(|part| link.holds(*part)));
            if let Some(idle) = found {
                let link = self.idle.remove(idle);
                self.waiting.remove(place);
                let link = self.hand_out(link, &waiter.domain, waiter.owner);
                wakers.extend(waiter.grant(Ok(link)));
                continue;
            }
            place += 1;
            if coming > 0 {
                coming -= 1;
            } else if !self.idle.is_empty() {
                // The longest unused of another domain. The supervisor sees its end and starts one anew.
                self.replace_idle(0);
            }
            if self.idle.is_empty() {
                break;
            }
        }
    }

    /// Ends an idle worker; another is started in its place.
    pub(super) fn replace_idle(&mut self, place: usize) {
        let link = self.idle.remove(place);
        self.roster.retain(|member| member.serial != link.serial);
        link.process.kill();
    }

    fn hand_out(&mut self, mut link: Box<Link>, domain: &Arc<str>, owner: u64) -> Box<Link> {
        if link.domain.is_none() {
            link.domain = Some(Arc::clone(domain));
        }
        self.set_role(&link, Role::Busy);
        match self.owners.iter_mut().find(|(other, _)| *other == owner) {
            Some((_, count)) => *count += 1,
            None => self.owners.push((owner, 1)),
        }
        link
    }

    fn release(&mut self, owner: u64) {
        if let Some(place) = self.owners.iter().position(|(other, _)| *other == owner)
            && let Some((_, count)) = self.owners.get_mut(place)
        {
            *count -= 1;
            if *count == 0 {
                self.owners.swap_remove(place);
            }
        }
    }

    fn may_run(&self, owner: u64) -> bool {
        let held = self.owners.iter().find(|(other, _)| *other == owner).map_or(0, |(_, count)| *count);
        held < (self.target / 2).max(1)
    }

    /// The place of the idle worker to take for a domain, the last used first.
    fn best_for(&self, domain: &str, holds_all: impl Fn(&Link) -> bool) -> Option<usize> {
        let mut best = None;
        let mut best_rank = 0;
        for (place, link) in self.idle.iter().enumerate() {
            let rank = match &link.domain {
                Some(own) if &**own != domain => 0,
                Some(_) if holds_all(link) => 3,
                Some(_) => 2,
                None => 1,
            };
            if rank > 0 && rank >= best_rank {
                (best, best_rank) = (Some(place), rank);
            }
        }
        best
    }
}

// === impl Waiter ===

impl Waiter {
    /// What it got, if anything; else `waker` is called when it gets something.
    pub(super) fn poll(&self, waker: &Waker) -> Option<Grant> {
        let mut granted = self.granted.lock();
        let grant = granted.0.take();
        if grant.is_none() {
            granted.1 = Some(waker.clone());
        }
        grant
    }

    fn grant(&self, grant: Grant) -> Option<Waker> {
        let mut granted = self.granted.lock();
        granted.0 = Some(grant);
        granted.1.take()
    }
}
