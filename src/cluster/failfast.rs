//! `failfast`: one attempt.

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::Tried;
use crate::rpc::Answer;
use crate::rpc::RpcResult;

/// Asks one provider once, as `FailfastClusterInvoker`: for calls that must not happen twice.
#[derive(Debug, Clone, Copy, Default)]
pub struct Failfast;

// === impl Failfast ===

impl Failfast {
    /// The policy's name.
    pub const NAME: &str = "failfast";
}

impl Cluster for Failfast {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(once(Self::NAME, call))
    }
}

/// One attempt; its failure is told as one of `policy`.
pub(super) async fn once(policy: &str, call: &ClusterCall<'_>) -> RpcResult {
    let mut tried = Tried::default();
    let picked = call.pick(&mut tried).await?;
    let result = call.attempt(&picked, &mut tried).await;
    result.map_err(|error| tried.failure(policy, call.site, call.invocation, error))
}
