//! What a run may use up.

use std::time::Duration;

use serde::Deserialize;
use serde::Serialize;

/// The host's limits, the same words for every language. A rule may lower its deadline, and raise nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// `deadline`: processor time in the engine, whatever the number of candidates: 20 ms.
    pub deadline: Duration,
    /// `deadline-per-candidate`: what each candidate adds to it: 5 µs.
    pub deadline_per_candidate: Duration,
    /// `memory`: bytes that one run may allocate beyond compiled rules and lists: 32 MiB.
    pub memory_bytes: u64,
    /// `operations`: steps of the engine, where it counts them: 5,000,000.
    pub operations: u64,
    /// `call-depth`: calls inside of calls: 128.
    pub call_depth: u32,
    /// `source-bytes`: bytes of a rule's text: 64 KiB.
    pub source_bytes: u64,
    /// `log-lines`: lines that a run may log: 20.
    pub log_lines: u32,
    /// `log-bytes`: bytes that a run may log: 4 KiB.
    pub log_bytes: u32,
}

/// The limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Processor time in the engine.
    pub deadline: Duration,
    /// Bytes beyond compiled rules and lists.
    pub memory_bytes: u64,
    /// Steps of the engine.
    pub operations: u64,
    /// Calls inside of calls.
    pub call_depth: u32,
    /// Lines to the log.
    pub log_lines: u32,
    /// Bytes to the log.
    pub log_bytes: u32,
}

// === impl Limits ===

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_millis(20),
            deadline_per_candidate: Duration::from_micros(5),
            memory_bytes: 32 << 20,
            operations: 5_000_000,
            call_depth: 128,
            source_bytes: 64 << 10,
            log_lines: 20,
            log_bytes: 4 << 10,
        }
    }
}

impl Limits {
    /// How many times the deadline a run may take on the wall.
    pub const WALL: u32 = 5;

    /// The limits of a run over so many candidates; `lower` is the rule's own deadline.
    ///
    /// ```
    /// use std::time::Duration;
    /// use pointsman::script::Limits;
    /// let limits = Limits::default();
    /// assert_eq!(limits.for_run(1_000, None).deadline, Duration::from_millis(25));
    /// assert_eq!(limits.for_run(1_000, Some(Duration::from_millis(3))).deadline, Duration::from_millis(3));
    /// ```
    #[must_use]
    pub fn for_run(&self, candidates: usize, lower: Option<Duration>) -> RunLimits {
        let candidates = u32::try_from(candidates).unwrap_or(u32::MAX);
        let deadline = self.deadline.saturating_add(self.deadline_per_candidate.saturating_mul(candidates));
        RunLimits {
            deadline: lower.map_or(deadline, |lower| lower.min(deadline)),
            memory_bytes: self.memory_bytes,
            operations: self.operations,
            call_depth: self.call_depth,
            log_lines: self.log_lines,
            log_bytes: self.log_bytes,
        }
    }
}

// === impl RunLimits ===

impl RunLimits {
    /// The time on the wall behind the deadline.
    #[must_use]
    pub fn wall(&self) -> Duration {
        self.deadline.saturating_mul(Limits::WALL)
    }
}
