//! A rule's breaker: limit hits and crashes open it, so that what is hostile costs its budget ten times a minute and no
//! more.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use crate::router::RouteError;

/// So many limit hits within [`WINDOW_MS`] open the breaker.
const HITS: usize = 10;
const WINDOW_MS: i64 = 60_000;
/// How long it stays open before one run is tried.
const REST_MS: i64 = 10_000;

/// The breaker of one rule. While nothing is wrong, asking it is one load.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    is_troubled: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the last limit hits were, in milliseconds since 1970; the oldest first.
    hits: Vec<i64>,
    /// When the next run may be tried; none while it is closed.
    trial_at: Option<i64>,
}

/// How a breaker stands, for explanations and status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Runs go through; so many limit hits within the last minute.
    Closed { hits: usize },
    /// Runs do not go through until then.
    Open { hits: usize, trial_in_ms: i64 },
}

// === impl Breaker ===

impl Breaker {
    /// Whether a run may begin at `now_ms`; an open breaker lets one through when its rest is over.
    pub(crate) fn admit(&self, now_ms: i64) -> Result<(), RouteError> {
        if !self.is_troubled.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut state = self.state.lock();
        match state.trial_at {
            Some(at) if now_ms < at => Err(RouteError::Breaker {
                hits: u32::try_from(state.hits.len()).unwrap_or(u32::MAX),
                trial_in_ms: u64::try_from(at - now_ms).unwrap_or_default(),
            }),
            Some(_) => {
                // The trial: others wait for what it comes to.
                state.trial_at = Some(now_ms + REST_MS);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether nothing went wrong lately: then it need not be asked.
    #[cfg_attr(not(feature = "plugins"), allow(dead_code, reason = "plugins ask for it"))]
    pub(crate) fn is_quiet(&self) -> bool {
        !self.is_troubled.load(Ordering::Relaxed)
    }

    /// Counts a limit hit.
    pub(crate) fn count_hit(&self, now_ms: i64) {
        let mut state = self.state.lock();
        self.is_troubled.store(true, Ordering::Relaxed);
        state.hits.retain(|hit| now_ms - hit < WINDOW_MS);
        state.hits.push(now_ms);
        let excess = state.hits.len().saturating_sub(HITS);
        state.hits.drain(..excess);
        if state.trial_at.is_some() || state.hits.len() >= HITS {
            state.trial_at = Some(now_ms + REST_MS);
        }
    }

    /// Takes note of a run that kept its limits: it closes the breaker.
    pub(crate) fn count_success(&self, now_ms: i64) {
        if !self.is_troubled.load(Ordering::Relaxed) {
            return;
        }
        let mut state = self.state.lock();
        if state.trial_at.take().is_some() {
            state.hits.clear();
        }
        state.hits.retain(|hit| now_ms - hit < WINDOW_MS);
        if state.hits.is_empty() {
            self.is_troubled.store(false, Ordering::Relaxed);
        }
    }

    /// How it stands at `now_ms`.
    pub(crate) fn standing(&self, now_ms: i64) -> Standing {
        let state = self.state.lock();
        let hits = state.hits.iter().filter(|hit| now_ms - **hit < WINDOW_MS).count();
        match state.trial_at {
            Some(at) => Standing::Open { hits, trial_in_ms: (at - now_ms).max(0) },
            None => Standing::Closed { hits },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_hits_in_a_minute_open_it_and_a_good_trial_closes_it() {
        let breaker = Breaker::default();
        for at in 0..9 {
            assert!(breaker.admit(at).is_ok());
            breaker.count_hit(at);
        }
        assert!(breaker.admit(9).is_ok());
        breaker.count_hit(9);
        assert!(matches!(breaker.admit(10), Err(RouteError::Breaker { hits: 10, trial_in_ms: 9_999 })));
        assert_eq!(breaker.standing(10), Standing::Open { hits: 10, trial_in_ms: 9_999 });
        assert!(breaker.admit(10_010).is_ok(), "one run is tried");
        assert!(breaker.admit(10_011).is_err(), "and only one");
        breaker.count_hit(10_012);
        assert!(breaker.admit(20_000).is_err());
        assert!(breaker.admit(20_013).is_ok());
        breaker.count_success(20_014);
        assert_eq!(breaker.standing(20_015), Standing::Closed { hits: 0 });
        assert!(breaker.admit(20_016).is_ok());
    }

    #[test]
    fn hits_that_are_a_minute_apart_do_not_add_up() {
        let breaker = Breaker::default();
        for at in 0..40 {
            breaker.count_hit(at * 7_000);
            assert!(breaker.admit(at * 7_000 + 1).is_ok());
        }
    }
}
