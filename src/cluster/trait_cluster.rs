//! What every policy is.

use std::fmt;

use crate::cluster::ClusterCall;
use crate::rpc::Answer;

/// A policy for failures.
pub trait Cluster: Send + Sync + fmt::Debug {
    /// The name by which a consumer asks for it.
    fn name(&self) -> &str;

    /// Makes the call, in as many attempts as the policy wants. Dropping the answer gives up what is still under way.
    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a>;
}
