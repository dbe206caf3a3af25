//! The way for calls of one thread: memo, buffers and counts, and nothing that another thread writes.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use arc_swap::Guard;
use hashbrown::HashMap;

use crate::chain::BoundChain;
use crate::chain::Call;
use crate::chain::CallKey;
use crate::chain::Memo;
use crate::chain::Outcome;
use crate::chain::Progress;
use crate::chain::Walk;
use crate::router::Binding;
use crate::router::FixedClock;
use crate::router::FixedMark;
use crate::router::Input;
use crate::router::Surroundings;
use crate::router::Ticket;
use crate::router::mix;
use crate::rpc::Invocation;
use crate::rpc::Url;
use crate::runtime::Decision;
use crate::runtime::SelectError;
use crate::runtime::bindings::BindingPlace;
use crate::runtime::engine::Shared;
use crate::runtime::explain::walk_to_end;
use crate::runtime::memo_budget::Holding;
use crate::runtime::snapshot::ServiceSnapshot;
use crate::runtime::snapshot::Snapshot;

/// How many consumers a session remembers.
const MAX_CONSUMERS: usize = 1_024;

/// Answers the calls of one thread. Holds neither a list nor a chain between calls.
#[derive(Debug)]
pub struct Session {
    shared: Arc<Shared>,
    consumers: Vec<Remembered>,
    by_consumer: HashMap<Url, usize>,
    last: usize,
    key: CallKey,
    walk: Walk,
    scratch: Outcome,
    counters: Arc<Counters>,
    seed: u64,
    holding: Holding,
}

/// What a session remembers of a consumer: where its service is, and what its calls came to.
#[derive(Debug)]
struct Remembered {
    consumer: Url,
    /// The snapshot for which `number` holds.
    generation: u64,
    number: usize,
    /// The generation of the service for which the rest holds.
    service_generation: u64,
    place: BindingPlace,
    inputs: Option<Arc<[Input]>>,
    draws: bool,
    memo: Memo,
}

/// How far a call is when nothing has been waited for.
pub(crate) enum Begun {
    /// At its end: [`Session::decide`] tells the answer.
    Walked(Looked),
    /// A router needs time: [`Session::finish`] goes on.
    Waiting(Waiting),
}

/// A call for which a router needs time.
pub(crate) struct Waiting {
    snapshot: Arc<Snapshot>,
    at: usize,
    is_remembering: bool,
    seed: Option<u64>,
    moment: Option<Moment>,
    chain: Arc<BoundChain>,
    ticket: Ticket,
}

/// What is known of a call before any walk.
pub(crate) struct Looked {
    snapshot: Guard<Arc<Snapshot>>,
    /// The consumer's place.
    at: usize,
    /// The number of the outcome in the consumer's memo.
    found: Option<usize>,
    is_remembering: bool,
    seed: Option<u64>,
    /// The call's moment, where the memo asks for it: what was found must be found again.
    moment: Option<Moment>,
}

/// What is around a call at the moment when it is looked for.
struct Moment {
    clock: FixedClock,
    mark: FixedMark,
}

/// What a session counts. Only its own thread writes; whoever scrapes reads.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counters {
    pub(crate) calls: AtomicU64,
    pub(crate) hits: AtomicU64,
}

// === impl Session ===

impl Session {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let counters = Arc::new(Counters::default());
        let mut sessions = shared.sessions.lock();
        let holding = shared.memo.holding(sessions.len());
        sessions.push(Arc::downgrade(&counters));
        drop(sessions);
        let seed = shared.next_seed();
        Self {
            shared,
            consumers: Vec::new(),
            by_consumer: HashMap::new(),
            last: 0,
            key: CallKey::default(),
            walk: Walk::default(),
            scratch: Outcome::default(),
            counters,
            seed,
            holding,
        }
    }

    /// Which providers may serve `invocation` of `consumer`; waits where a router needs time.
    ///
    /// The consumer URL names service, group and version. The answer is lent until the next call.
    ///
    /// # Errors
    ///
    /// The service is unknown, a rule cannot be had for this consumer, or a rule failed whose `on-error` is `fail`.
    pub fn select(&mut self, consumer: &Url, invocation: &dyn Invocation) -> Result<Decision<'_>, SelectError> {
        self.select_with(consumer, invocation, None)
    }

    /// [`Session::select`] with the seed of an earlier decision: over the same snapshot it answers the same.
    ///
    /// # Errors
    ///
    /// As [`Session::select`].
    pub fn replay(
        &mut self,
        consumer: &Url,
        invocation: &dyn Invocation,
        seed: u64,
    ) -> Result<Decision<'_>, SelectError> {
        self.select_with(consumer, invocation, Some(seed))
    }

    /// [`Session::select`] without blocking: where a router needs time, the future waits. It holds nothing that another
    /// thread waits for, and one that is dropped leaves the session as it was.
    ///
    /// # Errors
    ///
    /// As [`Session::select`].
    pub async fn select_async(
        &mut self,
        consumer: &Url,
        invocation: &dyn Invocation,
    ) -> Result<Decision<'_>, SelectError> {
        match self.begin(consumer, invocation, None)? {
            Begun::Walked(looked) => self.decide(looked, consumer, invocation),
            Begun::Waiting(waiting) => self.finish(waiting, consumer, invocation).await,
        }
    }

    /// Goes as far as is possible without waiting.
    #[inline]
    pub(crate) fn begin(
        &mut self,
        consumer: &Url,
        invocation: &dyn Invocation,
        seed: Option<u64>,
    ) -> Result<Begun, SelectError> {
        let looked = self.look(consumer, invocation, seed)?;
        if looked.found.is_some() {
            return Ok(Begun::Walked(looked));
        }
        let chain = self.bound(&looked.snapshot, looked.at, consumer)?;
        let availability = looked.snapshot.availability(self.number(looked.at));
        let call = self.shared.call(consumer, invocation, looked.seed.unwrap_or(0), availability);
        self.walk.start(&chain);
        match chain.advance(&mut self.walk, &call, None)? {
            Progress::Done => Ok(Begun::Walked(looked)),
            Progress::Later(ticket) => {
                // A lent snapshot occupies a place of this thread, and the call may wait for long and elsewhere.
                let Looked { snapshot, at, is_remembering, seed, moment, .. } = looked;
                let snapshot = Guard::into_inner(snapshot);
                Ok(Begun::Waiting(Waiting { snapshot, at, is_remembering, seed, moment, chain, ticket }))
            }
        }
    }

    /// Waits, and goes on to the end. Dropped in between, the session is as it was.
    pub(crate) async fn finish(
        &mut self,
        waiting: Waiting,
        consumer: &Url,
        invocation: &dyn Invocation,
    ) -> Result<Decision<'_>, SelectError> {
        let Waiting { snapshot, at, is_remembering, seed, moment, chain, ticket } = waiting;
        let mut walk = std::mem::take(&mut self.walk);
        let number = self.number(at);
        let call = self.shared.call(consumer, invocation, seed.unwrap_or(0), snapshot.availability(number));
        chain.settle(&mut walk, ticket.await, None)?;
        while let Progress::Later(ticket) = chain.advance(&mut walk, &call, None)? {
            chain.settle(&mut walk, ticket.await, None)?;
        }
        self.walk = walk;
        let snapshot = Guard::from_inner(snapshot);
        let looked = Looked { snapshot, at, found: None, is_remembering, seed, moment };
        self.decide(looked, consumer, invocation)
    }

    fn select_with(
        &mut self,
        consumer: &Url,
        invocation: &dyn Invocation,
        seed: Option<u64>,
    ) -> Result<Decision<'_>, SelectError> {
        let looked = self.look(consumer, invocation, seed)?;
        if looked.found.is_none() {
            let Some(known) = self.consumers.get_mut(looked.at) else { return Err(SelectError::NoService) };
            let availability = looked.snapshot.availability(known.number);
            let call = self.shared.call(consumer, invocation, looked.seed.unwrap_or(0), availability);
            walk_chain(&self.shared, &looked.snapshot, known, &call, &mut self.walk)?;
        }
        self.decide(looked, consumer, invocation)
    }

    /// What is known of a call before any walk.
    #[inline]
    fn look(&mut self, consumer: &Url, invocation: &dyn Invocation, seed: Option<u64>) -> Result<Looked, SelectError> {
        Counters::count(&self.counters.calls);
        let (snapshot, at) = loop {
            let snapshot = self.shared.snapshot.load();
            // A swap between the two lines is seen here, and the new snapshot is taken.
            match self.find(consumer).filter(|at| self.is_of(*at, &snapshot)) {
                Some(at) => break (snapshot, at),
                None => self.remember(consumer, &snapshot)?,
            }
        };
        self.last = at;
        let Some(known) = self.consumers.get_mut(at) else { return Err(SelectError::NoService) };
        let seed = if known.draws { Some(seed.unwrap_or_else(|| next_seed(&mut self.seed))) } else { None };
        let is_remembering = known.inputs.is_some() && known.memo.is_worthwhile();
        let (mut found, mut moment) = (None, None);
        if let (true, Some(inputs)) = (is_remembering, &known.inputs) {
            let availability = snapshot.availability(known.number);
            let call = self.shared.call(consumer, invocation, seed.unwrap_or(0), availability);
            moment = known.memo.reads_surroundings().then(|| Moment::of(call.around));
            let call = at_moment(call, moment.as_ref());
            self.key.fill(inputs, invocation, call.around);
            found = known.memo.find(self.key.as_bytes()).filter(|it| known.memo.outcome(*it, &call).is_some());
            if found.is_some() {
                Counters::count(&self.counters.hits);
                known.memo.count_found();
            }
        }
        Ok(Looked { snapshot, at, found, is_remembering, seed, moment })
    }

    /// The answer that was found, or that of the walk, which is then remembered.
    #[inline]
    pub(crate) fn decide<'a>(
        &'a mut self,
        looked: Looked,
        consumer: &Url,
        invocation: &dyn Invocation,
    ) -> Result<Decision<'a>, SelectError> {
        let Looked { snapshot, at, found, is_remembering, seed, moment } = looked;
        let Some(known) = self.consumers.get_mut(at) else { return Err(SelectError::NoService) };
        let service = known.number;
        if let Some(number) = found {
            let availability = snapshot.availability(service);
            let call = self.shared.call(consumer, invocation, seed.unwrap_or(0), availability);
            let call = at_moment(call, moment.as_ref());
            let outcome = known.memo.outcome(number, &call);
            return Ok(Decision { snapshot, service, outcome: outcome.unwrap_or(&self.scratch), seed });
        }
        if is_remembering && self.walk.is_repeatable() {
            self.holding.keep(&self.shared.memo, &mut known.memo, self.key.as_bytes(), &self.walk);
        }
        self.scratch.take(&mut self.walk);
        Ok(Decision { snapshot, service, outcome: &self.scratch, seed })
    }

    /// The chain that was bound when the consumer was remembered.
    fn bound(&self, snapshot: &Snapshot, at: usize, consumer: &Url) -> Result<Arc<BoundChain>, SelectError> {
        let known = self.consumers.get(at).ok_or(SelectError::NoService)?;
        let service = snapshot.services.get(known.number).ok_or(SelectError::NoService)?;
        let (_, chain) = bind(&self.shared, service, consumer)?;
        Ok(chain)
    }

    /// The number of the service of the consumer at a place.
    fn number(&self, at: usize) -> usize {
        self.consumers.get(at).map_or(usize::MAX, |known| known.number)
    }

    fn find(&self, consumer: &Url) -> Option<usize> {
        if self.consumers.get(self.last).is_some_and(|known| known.consumer.ptr_eq(consumer)) {
            return Some(self.last);
        }
        self.by_consumer.get(consumer).copied()
    }

    fn is_of(&self, at: usize, snapshot: &Snapshot) -> bool {
        self.consumers.get(at).is_some_and(|known| known.generation == snapshot.generation)
    }

    /// Finds a consumer's service in `snapshot`, and binds its chain if that is not done yet. A service that has to be
    /// made first is in a later snapshot only.
    fn remember(&mut self, consumer: &Url, snapshot: &Snapshot) -> Result<(), SelectError> {
        let key = consumer.service_key().ok_or(SelectError::NoService)?;
        let Some((number, service)) = self.shared.find(snapshot, &key)? else { return Ok(()) };
        let found = self.find(consumer);
        if let Some(known) = found.and_then(|at| self.consumers.get_mut(at))
            && known.service_generation == service.generation
        {
            known.number = number;
            known.generation = snapshot.generation;
            return Ok(());
        }
        let (place, bound) = bind(&self.shared, service, consumer)?;
        let remembered = Remembered {
            consumer: consumer.clone(),
            generation: snapshot.generation,
            number,
            service_generation: service.generation,
            place,
            inputs: bound.inputs().filter(|_| self.shared.memo.is_on()).cloned(),
            draws: bound.draws(),
            memo: Memo::with_tables(if self.shared.is_balanced.load(Ordering::Relaxed) { Memo::BALANCED } else { 0 }),
        };
        let at = found.unwrap_or_else(|| match self.consumers.len() {
            count if count < MAX_CONSUMERS => count,
            // All places are taken: the one after the last used is given up.
            count => (self.last + 1) % count,
        });
        match self.consumers.get_mut(at) {
            Some(slot) => {
                let given_up = std::mem::replace(slot, remembered);
                self.by_consumer.remove(&given_up.consumer);
                self.holding.give_back(&self.shared.memo, given_up.memo.bytes());
            }
            None => self.consumers.push(remembered),
        }
        self.by_consumer.insert(consumer.clone(), at);
        self.last = at;
        Ok(())
    }

    /// What the session has in common with its engine; for explanations.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.holding.give_back_all(&self.shared.memo);
        self.shared.absorb(&self.counters);
    }
}

/// The call at a moment, if there is one.
fn at_moment<'a>(call: Call<'a>, moment: Option<&'a Moment>) -> Call<'a> {
    let around = moment.map(|moment| Surroundings { clock: &moment.clock, availability: &moment.mark });
    Call { around: around.unwrap_or(call.around), ..call }
}

/// The next seed of a session's draws.
fn next_seed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(1);
    mix(*state)
}

/// Walks the chain that was bound when the consumer was remembered.
fn walk_chain(
    shared: &Shared,
    snapshot: &Snapshot,
    known: &mut Remembered,
    call: &Call<'_>,
    walk: &mut Walk,
) -> Result<(), SelectError> {
    let service = snapshot.services.get(known.number).ok_or(SelectError::NoService)?;
    // PERF: the binding is lent, not counted: a counter that all threads write would slow them all (`chain/threads`).
    let bindings = service.bindings.load();
    if let Some(bound) = bindings.get(known.place) {
        return Ok(walk_to_end(bound, walk, call, None)?);
    }
    let (place, bound) = bind(shared, service, call.consumer)?;
    known.place = place;
    Ok(walk_to_end(&bound, walk, call, None)?)
}

fn bind(
    shared: &Shared,
    service: &ServiceSnapshot,
    consumer: &Url,
) -> Result<(BindingPlace, Arc<BoundChain>), SelectError> {
    let binding = Binding { consumer, overrides: &shared.settings.overrides };
    Ok(service.bindings.bind(&service.chain, &binding, &shared.registry)?)
}

// === impl Moment ===

impl Moment {
    fn of(around: Surroundings<'_>) -> Self {
        Self { clock: FixedClock(around.clock.now()), mark: FixedMark(around.availability.mark()) }
    }
}

// === impl Counters ===

impl Counters {
    /// Adds one. PERF: no read-modify-write; the thread that owns the session is the only writer (`chain/memo`).
    fn count(counter: &AtomicU64) {
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Adds what another has counted; used under the engine's lock only.
    pub(crate) fn add(&self, other: &Self) {
        self.calls.fetch_add(other.calls.load(Ordering::Relaxed), Ordering::Relaxed);
        self.hits.fetch_add(other.hits.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
