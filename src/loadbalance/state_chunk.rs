//! A row of invokers' states: what a scan reads stands densely, the rest apart.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Acquire;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::Ordering::Release;

use crate::loadbalance::response_window::MeanResponse;
use crate::loadbalance::response_window::ResponseWindow;

/// The states of neighbouring slots.
#[derive(Debug)]
pub(crate) struct StateChunk {
    /// The generation of the slot above, the calls in flight below.
    active: Box<[AtomicU64]>,
    /// The mean response as last worked out, with its moment.
    means: Box<[AtomicU64]>,
    /// One bit each; set where the invoker is unavailable.
    unavailable: Box<[AtomicU64]>,
    windows: Box<[ResponseWindow]>,
    /// The bits of the load that the invoker reported.
    loads: Box<[AtomicU64]>,
}

// === impl StateChunk ===

impl StateChunk {
    const COUNT: u64 = u32::MAX as u64;

    pub(crate) fn new(length: usize) -> Self {
        let zeros = |length: usize| (0..length).map(|_| AtomicU64::new(0)).collect();
        Self {
            active: zeros(length),
            means: zeros(length),
            unavailable: zeros(length.div_ceil(64)),
            windows: (0..length).map(|_| ResponseWindow::default()).collect(),
            loads: zeros(length),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.active.len()
    }

    /// How many calls are in flight.
    #[inline]
    pub(crate) fn active(&self, at: usize) -> u64 {
        self.active.get(at).map_or(0, |word| word.load(Relaxed) & Self::COUNT)
    }

    /// Counts one more call; the generation in which it counts.
    pub(crate) fn begin(&self, at: usize) -> u32 {
        self.active.get(at).map_or(0, |word| (word.fetch_add(1, Relaxed) >> 32) as u32)
    }

    /// Counts one call less if `generation` still lasts; says whether it does.
    pub(crate) fn end(&self, at: usize, generation: u32) -> bool {
        let less = |word: u64| (word >> 32 == u64::from(generation) && word & Self::COUNT > 0).then(|| word - 1);
        self.active.get(at).is_some_and(|word| word.fetch_update(Relaxed, Relaxed, less).is_ok())
    }

    /// The mean response at `now_ms`.
    #[inline]
    pub(crate) fn mean(&self, at: usize, now_ms: i64) -> MeanResponse {
        let Some(word) = self.means.get(at) else { return MeanResponse::Unknown };
        if let Some(mean) = MeanResponse::unpack(word.load(Relaxed), now_ms) {
            return mean;
        }
        self.refresh_mean(at, now_ms)
    }

    #[cold]
    fn refresh_mean(&self, at: usize, now_ms: i64) -> MeanResponse {
        let (Some(word), Some(window)) = (self.means.get(at), self.windows.get(at)) else {
            return MeanResponse::Unknown;
        };
        let mean = window.mean(now_ms);
        word.store(mean.pack(now_ms), Relaxed);
        mean
    }

    pub(crate) fn record(&self, at: usize, now_ms: i64, elapsed_us: u64, succeeded: bool) {
        if let Some(window) = self.windows.get(at) {
            window.record(now_ms, elapsed_us, succeeded);
            self.refresh_mean(at, now_ms);
        }
    }

    /// The share of the calls in the window that succeeded; 1 where there was none.
    pub(crate) fn success_share(&self, at: usize, now_ms: i64) -> f64 {
        self.windows.get(at).map_or(1.0, |window| window.success_share(now_ms))
    }

    /// The load that was reported last; 0 before.
    pub(crate) fn load(&self, at: usize) -> f64 {
        self.loads.get(at).map_or(0.0, |word| f64::from_bits(word.load(Relaxed)))
    }

    pub(crate) fn set_load(&self, at: usize, load: f64) {
        if let Some(word) = self.loads.get(at) {
            word.store(load.to_bits(), Relaxed);
        }
    }

    #[inline]
    pub(crate) fn is_available(&self, at: usize) -> bool {
        self.unavailable.get(at / 64).is_none_or(|word| word.load(Acquire) >> (at % 64) & 1 == 0)
    }

    /// Says whether that changed anything.
    pub(crate) fn set_available(&self, at: usize, is_available: bool) -> bool {
        let Some(word) = self.unavailable.get(at / 64) else { return false };
        let bit = 1_u64 << (at % 64);
        match is_available {
            true => word.fetch_and(!bit, Release) & bit != 0,
            false => word.fetch_or(bit, Release) & bit == 0,
        }
    }

    /// Forgets everything but availability: a new generation begins, in which calls of the old one do not count.
    pub(crate) fn reset(&self, at: usize) {
        if let Some(word) = self.active.get(at) {
            let next = |word: u64| Some(((word >> 32).wrapping_add(1) & Self::COUNT) << 32);
            // The update always has an answer, so it cannot fail.
            let _ = word.fetch_update(Relaxed, Relaxed, next);
        }
        if let (Some(window), Some(mean), Some(load)) = (self.windows.get(at), self.means.get(at), self.loads.get(at)) {
            window.clear();
            mean.store(0, Relaxed);
            load.store(0, Relaxed);
        }
    }
}
