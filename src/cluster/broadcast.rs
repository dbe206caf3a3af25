//! `broadcast`: everybody is asked.

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::Tried;
use crate::rpc::Answer;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;

/// Asks all providers, one after the other, as `BroadcastClusterInvoker`. It answers with the last answer, and fails if one
/// failed: at the end, or as soon as `broadcast.fail.percent` of all have.
#[derive(Debug, Clone, Copy, Default)]
pub struct Broadcast;

// === impl Broadcast ===

impl Broadcast {
    /// The policy's name.
    pub const NAME: &str = "broadcast";

    async fn run(call: &ClusterCall<'_>) -> RpcResult {
        let all = call.all().await?;
        let percent = all.first().map_or(100, |picked| picked.options().broadcast_fail_percent) as usize;
        // As in the original: at least one failure, at most all.
        let enough = (all.len() * percent / 100).max(1);
        let mut tried = Tried::default();
        let (mut answer, mut thrown, mut failure, mut failures) = (None, None, None, 0);
        for picked in &all {
            match call.attempt_as(picked, &mut tried, false).await {
                Ok(response) if response.outcome().is_err() => thrown = Some(response),
                Ok(response) => {
                    answer = Some(response);
                    continue;
                }
                Err(error) => failure = Some(error),
            }
            tracing::warn!(provider = %picked.url(), "a provider failed to take a broadcast");
            failures += 1;
            if percent < 100 && failures == enough {
                break;
            }
        }
        match (failure, thrown.or(answer)) {
            (None, Some(response)) => Ok(response),
            (Some(error), _) => Err(tried.failure(Self::NAME, call.site, call.invocation, error)),
            (None, None) => Err(RpcError::new(RpcErrorKind::Unknown, "nobody was asked")),
        }
    }
}

impl Cluster for Broadcast {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(Self::run(call))
    }
}
