//! What is known of invokers at this moment, by slot.
//!
//! States stand in chunks that double in size and are never moved, so that whoever has a slot finds its state without a
//! lock while others add new ones. All of it is atomics: nothing waits for anything, and a reader may see one field
//! before and another after a change.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Acquire;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::Ordering::Release;

use crate::loadbalance::InFlight;
use crate::loadbalance::MeanResponse;
use crate::loadbalance::state_chunk::StateChunk;
use crate::router::Clock;
use crate::rpc::InvokerId;

/// Calls in flight, responses, reported load and availability of every invoker of an engine.
pub struct InvokerStates {
    /// Chunk `n` has `FIRST << n` slots; every 32-bit slot has a place.
    chunks: [OnceLock<StateChunk>; 23],
    unavailable: AtomicUsize,
    /// Moves with every change of somebody's availability.
    epoch: AtomicU64,
    clock: Arc<dyn Clock>,
}

/// Finds states one after another; neighbours are in the same chunk mostly.
#[derive(Debug)]
pub(crate) struct StateCursor<'a> {
    states: &'a InvokerStates,
    chunk: &'a StateChunk,
    first: usize,
}

/// The slots of the first chunk.
const FIRST: usize = 1_024;

// === impl InvokerStates ===

impl InvokerStates {
    /// States in which everybody is available, idle and unknown. `clock` times the calls.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            chunks: [const { OnceLock::new() }; 23],
            unavailable: AtomicUsize::new(0),
            epoch: AtomicU64::new(0),
            clock,
        }
    }

    /// Makes room for `ids`, so that no call has to.
    pub fn reserve(&self, ids: &[InvokerId]) {
        for id in ids {
            self.find(*id);
        }
    }

    /// Counts a call to `id` until what is returned is dropped. `states` is a reference, or an `Arc` where the call moves
    /// between threads.
    pub fn begin<S: Deref<Target = Self>>(states: S, id: InvokerId) -> InFlight<S> {
        let (chunk, at) = states.find(id);
        let generation = chunk.begin(at);
        let start_us = states.clock.now().as_microsecond();
        InFlight::new(states, id, generation, start_us)
    }

    /// How many calls to `id` are in flight, whatever their methods.
    #[must_use]
    pub fn active(&self, id: InvokerId) -> u64 {
        let (chunk, at) = self.find(id);
        chunk.active(at)
    }

    /// How long `id` took to answer in the 30 seconds before `now_ms`.
    #[must_use]
    pub fn mean_response(&self, id: InvokerId, now_ms: i64) -> MeanResponse {
        let (chunk, at) = self.find(id);
        chunk.mean(at, now_ms)
    }

    /// The share of calls to `id` that succeeded in the 30 seconds before `now_ms`; 1 where there was none.
    #[must_use]
    pub fn success_share(&self, id: InvokerId, now_ms: i64) -> f64 {
        let (chunk, at) = self.find(id);
        chunk.success_share(at, now_ms)
    }

    /// The load that `id` reported last; 0 before it reported any.
    #[must_use]
    pub fn reported_load(&self, id: InvokerId) -> f64 {
        let (chunk, at) = self.find(id);
        chunk.load(at)
    }

    /// Takes down the load that `id` reports of itself, in whatever unit all of them use; 0 is idle. What is no number
    /// may be taken down too: `adaptive` then leaves it out of account.
    pub fn report_load(&self, id: InvokerId, load: f64) {
        let (chunk, at) = self.find(id);
        chunk.set_load(at, load);
    }

    /// Whether `id` can be reached.
    #[must_use]
    pub fn is_available(&self, id: InvokerId) -> bool {
        let (chunk, at) = self.find(id);
        chunk.is_available(at)
    }

    /// Says whether `id` can be reached. Everybody can until somebody says otherwise.
    pub fn set_available(&self, id: InvokerId, is_available: bool) {
        let (chunk, at) = self.find(id);
        if !is_available {
            // Counted first: nobody finds the count at 0 while a bit is set.
            self.unavailable.fetch_add(1, Relaxed);
        }
        let has_changed = chunk.set_available(at, is_available);
        if has_changed {
            // Told last: whoever sees the new number sees the change.
            self.epoch.fetch_add(1, Release);
        }
        if has_changed == is_available {
            self.unavailable.fetch_sub(1, Relaxed);
        }
    }

    /// A number that moves whenever somebody becomes available or unavailable.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Acquire)
    }

    /// Whether nobody is unavailable.
    #[must_use]
    #[inline]
    pub fn all_available(&self) -> bool {
        self.unavailable.load(Relaxed) == 0
    }

    /// Forgets what is known of `id`, whose slot somebody else gets
    /// ([`InvokerSlots::reclaim`](crate::rpc::InvokerSlots::reclaim)). Calls in flight to the former owner no longer count.
    pub fn reset(&self, id: InvokerId) {
        self.set_available(id, true);
        let (chunk, at) = self.find(id);
        chunk.reset(at);
    }

    /// The end of a call that began in `generation`.
    pub(crate) fn end(&self, id: InvokerId, generation: u32, start_us: i64, succeeded: bool) {
        let now = self.clock.now();
        let (chunk, at) = self.find(id);
        if chunk.end(at, generation) {
            let elapsed_us = now.as_microsecond().saturating_sub(start_us).max(0) as u64;
            chunk.record(at, now.as_millisecond(), elapsed_us, succeeded);
        }
    }

    pub(crate) fn cursor(&self) -> StateCursor<'_> {
        StateCursor { states: self, chunk: self.chunk(0), first: 0 }
    }

    /// The chunk of a slot, and the place in it.
    #[inline]
    pub(crate) fn find(&self, id: InvokerId) -> (&StateChunk, usize) {
        let number = (id.slot() / FIRST + 1).ilog2() as usize;
        (self.chunk(number), id.slot() - first_of(number))
    }

    #[inline]
    fn chunk(&self, number: usize) -> &StateChunk {
        let [first, ..] = &self.chunks;
        let cell = self.chunks.get(number).unwrap_or(first);
        cell.get_or_init(|| StateChunk::new(FIRST << number))
    }
}

/// The first slot of chunk `number`.
#[inline]
fn first_of(number: usize) -> usize {
    (FIRST << number) - FIRST
}

/// Prints counts, not the states of all slots.
impl fmt::Debug for InvokerStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots: usize = self.chunks.iter().filter_map(OnceLock::get).map(StateChunk::len).sum();
        f.debug_struct("InvokerStates")
            .field("slots", &slots)
            .field("unavailable", &self.unavailable)
            .field("clock", &self.clock)
            .finish()
    }
}

// === impl StateCursor ===

impl<'a> StateCursor<'a> {
    /// The chunk of a slot, and the place in it.
    #[inline]
    pub(crate) fn find(&mut self, id: InvokerId) -> (&'a StateChunk, usize) {
        let at = id.slot().wrapping_sub(self.first);
        if at < self.chunk.len() {
            return (self.chunk, at);
        }
        let (chunk, at) = self.states.find(id);
        (self.chunk, self.first) = (chunk, id.slot() - at);
        (chunk, at)
    }
}
