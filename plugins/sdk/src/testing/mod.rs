//! Tests of a plugin without a host.
//!
//! [`plugin`] goes through the very functions that a host calls, with blobs as a host writes them, and passes of a call
//! what the manifest declares: an input that was forgotten is absent here as well. [`fuzz`] feeds a plugin with anything.
//!
//! What is not done is the host's part: `force`, `on-error`, limits of time and of log lines.

mod answer;
mod call;
mod declared;
mod fuzz;
mod harness;
mod host;
mod session;
mod url;

pub use self::answer::Failure;
pub use self::answer::Kept;
pub use self::call::CallBuilder;
pub use self::call::call;
pub use self::fuzz::fuzz;
pub use self::fuzz::samples;
pub use self::harness::Harness;
pub use self::harness::Running;
pub use self::harness::plugin;
