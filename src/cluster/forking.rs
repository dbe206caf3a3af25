//! `forking`: several are asked at once, and the first answer counts.

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::Picked;
use crate::cluster::Tried;
use crate::cluster::join::join;
use crate::rpc::Answer;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;

/// Asks `forks` (2) providers at once, as `ForkingClusterInvoker`; the first answer is taken and the others are given up.
/// With 0 forks, or with more than there are, all are asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forking;

// === impl Forking ===

impl Forking {
    /// The policy's name.
    pub const NAME: &str = "forking";

    async fn run(call: &ClusterCall<'_>) -> RpcResult {
        let (chosen, tried) = Self::choose(call).await?;
        let numbered = chosen.iter().zip(0..);
        let attempts = numbered.map(|(picked, number)| Box::pin(call.try_once(picked, number, false)) as _).collect();
        let (mut answer, mut last) = (None, None);
        join(attempts, |_, result: RpcResult| {
            match result {
                Ok(response) => answer = Some(response),
                Err(error) => last = Some(error),
            }
            answer.is_some()
        })
        .await;
        let error = match (answer, last) {
            (Some(response), _) => return Ok(response),
            (None, Some(error)) => error,
            (None, None) => RpcError::new(RpcErrorKind::Unknown, "nobody was asked"),
        };
        Err(tried.failure(Self::NAME, call.site, call.invocation, error))
    }

    /// As many different providers as are asked, chosen one after the other.
    async fn choose(call: &ClusterCall<'_>) -> Result<(Vec<Picked>, Tried), RpcError> {
        let mut tried = Tried::default();
        let first = call.pick(&mut tried).await?;
        let forks = match first.options().forks {
            0 => usize::MAX,
            forks => forks as usize,
        };
        if forks >= first.candidates() {
            let all = call.all().await?;
            all.iter().for_each(|picked| picked.take_down(&mut tried));
            return Ok((all, tried));
        }
        first.take_down(&mut tried);
        let mut chosen = vec![first];
        while chosen.len() < forks {
            let next = call.pick(&mut tried).await?;
            if chosen.iter().any(|picked| picked.id == next.id) {
                break;
            }
            next.take_down(&mut tried);
            chosen.push(next);
        }
        Ok((chosen, tried))
    }
}

impl Cluster for Forking {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(Self::run(call))
    }
}
