//! What was in force of a folder: kept over restarts, with the history of how it came to be.
//!
//! A [`RuleStore`] is a folder of the host's, never of those who write rules. For one rules folder it keeps the last good
//! version of each file, and a record of every change: what came, from where, whether it was taken, and why not.
//!
//! - Contents are kept once each, under their hashes; records name them. Both are bounded: the oldest go.
//! - A record is one line of JSON, appended; what is in force is replaced by rename. A crash in between loses a record, never
//!   a version that serves.
//! - Nothing here may hurt traffic: whoever follows a folder goes on when the store cannot be written, and says so.

mod record;
mod store;

pub use record::HistoryRecord;
pub use record::Operation;
pub use store::KeptFile;
pub use store::MAX_RECORDS;
pub use store::RuleStore;
