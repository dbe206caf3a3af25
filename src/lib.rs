//! Decides, for every RPC call, which providers may serve it.

pub mod diagnostics;
pub mod rpc;
pub mod source;
