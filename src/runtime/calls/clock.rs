//! A clock that goes as tokio's time goes.

use jiff::SignedDuration;
use jiff::Timestamp;
use tokio::time::Instant;

use crate::router::Clock;

/// A clock that began at some time and goes on as tokio's time does: paused, it stands still with it.
#[derive(Debug, Clone, Copy)]
pub struct RunningClock {
    start: Timestamp,
    began: Instant,
}

// === impl RunningClock ===

impl RunningClock {
    /// A clock that shows `start` now. To follow a paused time it must be made by a task of its runtime.
    #[must_use]
    pub fn starting_at(start: Timestamp) -> Self {
        Self { start, began: Instant::now() }
    }
}

impl Clock for RunningClock {
    fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.began.elapsed()).unwrap_or(SignedDuration::MAX);
        self.start.checked_add(passed).unwrap_or(Timestamp::MAX)
    }
}
