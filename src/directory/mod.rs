//! The invokers of one service: who there is, who may be asked, and how each is called.
//!
//! A [`Directory`] asks the rules and lends what they leave, with a table for the load balance and an invoker for each
//! position. [`StaticDirectory`] holds invokers that never change; the one that follows an engine's providers stands in
//! `runtime`. Routing positions, states and invokers share the slots of [`InvokerId`](crate::rpc::InvokerId), so what is
//! known of an invoker survives every new list.

mod availability;
mod by_method;
mod directory_error;
mod enabled;
mod invokers;
mod listing;
mod merged;
mod method_options;
mod static_directory;
mod trait_directory;

pub use availability::Availability;
pub use availability::Backoff;
pub use by_method::ByMethod;
pub use directory_error::DirectoryError;
pub use enabled::is_enabled;
pub use invokers::Invokers;
pub use listing::Listing;
pub use merged::merged;
pub use method_options::MethodOptions;
pub use static_directory::StaticDirectory;
pub use trait_directory::Directory;
pub use trait_directory::Lend;
