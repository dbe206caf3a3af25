//! What stands in for providers when a call is tried without them: how long they take, how they fail, what they answer.
//!
//! A [`StandIns`] is a list of entries, read from a folder's `stand-ins.yaml` ([`read_stand_ins`]) or put together by a
//! program. Of each provider the first entry that fits it says how it behaves ([`StandIn`]); one that no entry fits answers
//! at once with its own address. `docs/cli.md` has the table of keys.
//!
//! - Nothing is called here and no time passes: [`StandIn::draw`] says what one call comes to, and who calls makes it true.
//! - A draw is made of a number that is handed in, so the same number gives the same call again.

mod behaviour;
mod entry;
mod latency;
mod pattern;
mod reader;
mod stand_ins;

pub use behaviour::Failure;
pub use behaviour::FailureKind;
pub use behaviour::Planned;
pub use behaviour::StandIn;
pub use entry::StandInEntry;
pub use latency::Latency;
pub use latency::read_duration;
pub use pattern::NamePattern;
pub use reader::read_stand_ins;
pub use stand_ins::StandIns;
