//! Taking parts in ahead of jobs: which idle worker takes what, and which domain gets a worker that has none.

use std::sync::Arc;
use std::time::Instant;

use crate::worker::job::Parts;
use crate::worker::link::Link;
use crate::worker::queue::Queue;
use crate::worker::queue::Role;
use crate::worker::supervisor::Purpose;
use crate::worker::supervisor::Supervisor;
use crate::worker::turn::Turn;

/// Parts that a worker takes in before it is offered to jobs again.
const PARTS_AT_A_TIME: usize = 8;

// === impl Supervisor ===

impl Supervisor {
    /// Sends parts to idle workers and the spare, unless jobs wait.
    pub(super) fn plan_loads(&mut self) {
        let dropped = self.shared.dropped.count();
        let shared = Arc::clone(&self.shared);
        let mut queue = shared.queue.lock();
        if self.cleaned != dropped {
            self.cleaned = dropped;
            queue.domains.iter_mut().for_each(|domain| domain.parts.retain(|part| part.strong_count() > 0));
            queue.domains.retain(|domain| !domain.parts.is_empty());
        }
        if !queue.waiting.is_empty() || queue.is_stopped {
            return;
        }
        forget_dropped(&mut queue, dropped);
        settle_blank(&mut queue);
        let mut loads = Vec::new();
        for mut link in std::mem::take(&mut queue.idle) {
            let missing = next_parts(&queue, &mut link);
            if missing.is_empty() {
                queue.idle.push(link);
            } else {
                loads.push((link, missing, Purpose::Load { is_spare: false }));
            }
        }
        leave_one_idle(&mut queue, &mut loads);
        if let Some(mut spare) = settle_spare(&mut queue) {
            let missing = next_parts(&queue, &mut spare);
            if missing.is_empty() {
                queue.spare = Some(spare);
            } else {
                loads.push((spare, missing, Purpose::Load { is_spare: true }));
            }
        }
        for (link, _, purpose) in &loads {
            if matches!(purpose, Purpose::Load { is_spare: false }) {
                queue.set_role(link, Role::Loading);
            }
        }
        drop(queue);
        let now = Instant::now();
        for (link, parts, purpose) in loads {
            self.begin(Turn::load(link, parts, dropped, now), purpose, None);
        }
    }
}

/// Takes one worker of each domain back that would load with all others of its domain: a call that comes meanwhile gets
/// it, and brings what it needs. Its turn to load comes when another is done.
fn leave_one_idle(queue: &mut Queue, loads: &mut Vec<(Box<Link>, Parts, Purpose)>) {
    let mut place = 0;
    while let Some((link, ..)) = loads.get(place) {
        let is_last = !queue.idle.iter().any(|other| other.domain == link.domain);
        let with_it = loads.iter().filter(|(other, ..)| other.domain == link.domain).count();
        let before = queue.roster.iter().filter(|it| it.role == Role::Loading && it.domain == link.domain).count();
        if is_last && with_it + before > 1 {
            queue.idle.push(loads.remove(place).0);
        } else {
            place += 1;
        }
    }
}

/// The parts a worker is to take in now. None left: it is up to date.
fn next_parts(queue: &Queue, link: &mut Link) -> Parts {
    let Some(domain) = link.domain.as_ref().and_then(|name| queue.domain(name)) else { return Parts::new() };
    if link.loaded == domain.version {
        return Parts::new();
    }
    let mut missing = queue.missing(link, &domain.name);
    if missing.is_empty() {
        link.loaded = domain.version;
    }
    missing.truncate(PARTS_AT_A_TIME);
    missing
}

/// Tells idle workers which parts are gone.
fn forget_dropped(queue: &mut Queue, dropped: u64) {
    for link in queue.idle.iter_mut().chain(queue.spare.as_mut()) {
        link.forget_dropped(dropped);
        // An idle worker reads: what does not fit, or does not go, means that it is broken.
        if !matches!(link.flush(), Ok(true)) {
            link.process.kill();
        }
    }
}

/// Gives each idle worker without a domain to the domain that has the fewest, as long as that has less than its share.
fn settle_blank(queue: &mut Queue) {
    if queue.domains.is_empty() {
        return;
    }
    let share = (queue.target / queue.domains.len()).max(1);
    loop {
        let mut counts = queue.domains.iter().map(|domain| (serving(queue, &domain.name), &domain.name));
        let Some((fewest, name)) = counts.by_ref().min_by_key(|(count, _)| *count) else { return };
        if fewest >= share {
            return;
        }
        let name = Arc::clone(name);
        if let Some(blank) = queue.idle.iter().position(|link| link.domain.is_none()) {
            let Some(link) = queue.idle.get_mut(blank) else { return };
            link.domain = Some(name);
            let (serial, domain) = (link.serial, link.domain.clone());
            if let Some(member) = queue.roster.iter_mut().find(|member| member.serial == serial) {
                member.domain = domain;
            }
            continue;
        }
        // A domain with nobody takes one from a domain that has more than its share; the next start settles it.
        let is_one_coming = queue.serving() < queue.target;
        let rich = |link: &Link| link.domain.as_ref().is_some_and(|domain| serving(queue, domain) > share);
        if fewest == 0
            && !is_one_coming
            && let Some(place) = queue.idle.iter().position(|link| rich(link))
        {
            queue.replace_idle(place);
        }
        return;
    }
}

/// The spare, with a domain if there is one to have. One whose domain is gone is replaced.
fn settle_spare(queue: &mut Queue) -> Option<Box<Link>> {
    let mut spare = queue.spare.take()?;
    match &spare.domain {
        Some(own) if queue.domain(own).is_none() && !queue.domains.is_empty() => {
            queue.roster.retain(|member| member.serial != spare.serial);
            spare.process.kill();
            return None;
        }
        Some(_) => {}
        None => spare.domain = queue.domains.last().map(|domain| Arc::clone(&domain.name)),
    }
    queue.set_role(&spare, Role::Spare);
    Some(spare)
}

/// How many workers serve a domain.
fn serving(queue: &Queue, domain: &str) -> usize {
    let members = queue.roster.iter().filter(|member| member.role != Role::Spare);
    members.filter(|member| member.domain.as_deref() == Some(domain)).count()
}
