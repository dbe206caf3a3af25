//! Decides, for every RPC call, which providers may serve it.

pub mod chain;
#[cfg(feature = "cli")]
pub mod cli;
pub mod condition;
pub mod diagnostics;
pub mod mock;
pub mod router;
pub mod rpc;
pub mod runtime;
pub mod source;
