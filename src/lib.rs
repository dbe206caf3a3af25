//! Decides, for every RPC call, which providers may serve it.

pub mod chain;
pub mod condition;
pub mod diagnostics;
pub mod mock;
pub mod router;
pub mod rpc;
pub mod runtime;
