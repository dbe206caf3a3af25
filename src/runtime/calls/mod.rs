//! Calls that are made to be looked at: what became of each, and what many of them come to.
//!
//! [`try_calls`] makes calls through a [`Reference`](crate::runtime::Reference), so many at a time, and hands over a
//! [`CallRecord`] of each: its attempts, its outcome, its time. A [`CallTally`] counts records, and a [`CallReport`] is what
//! it counted: the spread over providers beside the shares that weights give them, failures by kind, times.
//!
//! - Records and reports are plain data that can be serialised; whoever prints them knows how.
//! - All draws come from one seed. On a paused clock the same seed gives the same records.

mod candidates;
mod clock;
mod latency;
mod record;
mod report;
mod tally;
mod trial;

pub use candidates::CallCandidate;
pub use candidates::CallCandidates;
pub use clock::RunningClock;
pub use latency::LatencySummary;
pub use record::CallAttempt;
pub use record::CallOutcome;
pub use record::CallRecord;
pub use report::CallReport;
pub use report::FailureCount;
pub use report::ProviderShare;
pub use tally::CallTally;
pub use trial::CallTrial;
pub use trial::try_calls;
