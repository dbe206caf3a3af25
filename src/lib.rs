//! Decides, for every RPC call, which providers may serve it.

pub mod condition;
pub mod diagnostics;
pub mod rpc;
