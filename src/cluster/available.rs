//! `available`: the first provider that can be reached.

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::Tried;
use crate::rpc::Answer;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;

/// Asks the first provider of the list that can be reached, once, as `AvailableClusterInvoker`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Available;

// === impl Available ===

impl Available {
    /// The policy's name.
    pub const NAME: &str = "available";

    async fn run(call: &ClusterCall<'_>) -> RpcResult {
        let all = call.all().await?;
        let mut tried = Tried::default();
        let states = call.site.directory().states();
        let Some(picked) = all.iter().find(|picked| states.is_available(picked.id) && picked.invoker.is_available())
        else {
            let none = RpcError::new(RpcErrorKind::Network, format!("none of {} providers can be reached", all.len()));
            return Err(tried.failure(Self::NAME, call.site, call.invocation, none));
        };
        let result = call.attempt(picked, &mut tried).await;
        result.map_err(|error| tried.failure(Self::NAME, call.site, call.invocation, error))
    }
}

impl Cluster for Available {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(Self::run(call))
    }
}
