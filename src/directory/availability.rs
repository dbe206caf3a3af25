//! Invokers that could not be reached are set aside and tried again in the background, less and less often.

use std::sync::Arc;
use std::sync::Weak;
use std::time::Duration;

use hashbrown::HashMap;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio::time::timeout_at;

use crate::loadbalance::InvokerStates;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::contained;

/// How long it takes until an invoker is tried again: `first`, then twice as long each time, at most `most`.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// After the first failure.
    pub first: Duration,
    /// At most.
    pub most: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: Duration::from_secs(1), most: Duration::from_secs(60) }
    }
}

/// Who is set aside. One task looks after all of them, and there is none while nobody is.
#[derive(Debug)]
pub struct Availability {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    states: Arc<InvokerStates>,
    backoff: Backoff,
    aside: Mutex<Aside>,
    /// Somebody was set aside whom the task does not know yet.
    changed: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Aside {
    /// Those that are set aside, and for a while those that are back: whoever fails again at once waits longer.
    invokers: HashMap<InvokerId, Waiting>,
    task: Option<JoinHandle<()>>,
}

#[derive(Debug, Clone)]
struct Waiting {
    invoker: Arc<dyn Invoker>,
    /// When it is looked at again; when it is back, when that is forgotten.
    next: Instant,
    pause: Duration,
    is_back: bool,
}

// === impl Availability ===

impl Availability {
    /// Nobody is set aside. What is found goes into `states`.
    #[must_use]
    pub fn new(states: Arc<InvokerStates>, backoff: Backoff) -> Self {
        Self { inner: Arc::new(Inner { states, backoff, aside: Mutex::default(), changed: Arc::default() }) }
    }

    /// Sets an invoker aside: others go before it until it says that it can be reached. Without a runtime nobody could
    /// look after it, and it stays where it is.
    pub fn set_aside(&self, id: InvokerId, invoker: &Arc<dyn Invoker>) {
        let Ok(runtime) = Handle::try_current() else { return };
        let Backoff { first, most } = self.inner.backoff;
        let mut aside = self.inner.aside.lock();
        let pause = match aside.invokers.get(&id) {
            None => Some(first),
            Some(known) if known.is_back => Some((known.pause * 2).min(most)),
            Some(_) => None,
        };
        if let Some(pause) = pause {
            let waiting = Waiting { invoker: Arc::clone(invoker), next: Instant::now() + pause, pause, is_back: false };
            aside.invokers.insert(id, waiting);
            self.inner.states.set_available(id, false);
            tracing::info!(provider = %invoker.url(), "set aside");
        }
        if !self.look_after(&mut aside, &runtime) {
            self.inner.changed.notify_one();
        }
    }

    /// Sees that there is a task, on `runtime` if there was none or its own is gone; whether it began now.
    fn look_after(&self, aside: &mut Aside, runtime: &Handle) -> bool {
        let is_new = aside.task.as_ref().is_none_or(JoinHandle::is_finished);
        if is_new {
            let task = look_after(Arc::downgrade(&self.inner), Arc::clone(&self.inner.changed));
            aside.task = Some(runtime.spawn(task));
        }
        is_new
    }

    /// Sees that those that are set aside are looked after, though the runtime that did is gone.
    pub fn keep_looking(&self) {
        if self.inner.states.all_available() {
            return;
        }
        // No call waits for another here: whoever has the lock sees to it.
        if let (Ok(runtime), Some(mut aside)) = (Handle::try_current(), self.inner.aside.try_lock())
            && !aside.invokers.is_empty()
        {
            self.look_after(&mut aside, &runtime);
        }
    }

    /// How many are set aside.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.aside.lock().invokers.values().filter(|waiting| !waiting.is_back).count()
    }

    /// Whether nobody is set aside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is nobody to be forgotten: nobody is set aside, or was a while ago.
    #[must_use]
    pub fn is_forgotten(&self) -> bool {
        self.inner.aside.lock().invokers.is_empty()
    }

    /// Forgets those that `keep` refuses: they are no longer in the list.
    pub fn retain(&self, keep: impl Fn(InvokerId) -> bool) {
        let states = &self.inner.states;
        self.inner.aside.lock().invokers.retain(|id, _| {
            let is_kept = keep(*id);
            if !is_kept {
                states.set_available(*id, true);
            }
            is_kept
        });
    }
}

impl Drop for Availability {
    fn drop(&mut self) {
        self.retain(|_| false);
        if let Some(task) = self.inner.aside.lock().task.take() {
            task.abort();
        }
    }
}

/// Tries again whoever's time has come, until nobody is left or nobody is interested.
async fn look_after(inner: Weak<Inner>, changed: Arc<Notify>) {
    loop {
        let Some(strong) = inner.upgrade() else { return };
        let now = Instant::now();
        let due: Vec<(InvokerId, Arc<dyn Invoker>)> = {
            let aside = strong.aside.lock();
            let is_due = |(_, waiting): &(&InvokerId, &Waiting)| waiting.next <= now && !waiting.is_back;
            aside.invokers.iter().filter(is_due).map(|(id, waiting)| (*id, Arc::clone(&waiting.invoker))).collect()
        };
        // Asked without the lock: it is a stranger's code.
        let is_back =
            |invoker: &Arc<dyn Invoker>| contained("is_available", || invoker.is_available()).unwrap_or(false);
        let back: Vec<(InvokerId, bool)> = due.iter().map(|(id, invoker)| (*id, is_back(invoker))).collect();
        let next = strong.take_down(&back, now);
        drop(strong);
        let Some(next) = next else { return };
        // Whichever comes first: who is due is looked up again.
        let _ = timeout_at(next, changed.notified()).await;
    }
}

// === impl Inner ===

impl Inner {
    /// Takes down who is back; says when somebody is to be tried again.
    fn take_down(&self, found: &[(InvokerId, bool)], now: Instant) -> Option<Instant> {
        let mut aside = self.aside.lock();
        for (id, is_back) in found {
            let Some(waiting) = aside.invokers.get_mut(id) else { continue };
            if *is_back {
                self.states.set_available(*id, true);
                tracing::info!(provider = %waiting.invoker.url(), "can be reached again");
                (waiting.is_back, waiting.next) = (true, now + waiting.pause * 2);
            } else {
                waiting.pause = (waiting.pause * 2).min(self.backoff.most);
                waiting.next = now + waiting.pause;
            }
        }
        aside.invokers.retain(|_, waiting| !waiting.is_back || waiting.next > now);
        let next = aside.invokers.values().map(|waiting| waiting.next).min();
        if next.is_none() {
            // Whoever is set aside from now on starts a task of its own.
            aside.task = None;
        }
        next
    }
}
