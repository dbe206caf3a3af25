//! `failover`: another provider is asked, up to `retries` times.

use tokio::time::Instant;

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::Tried;
use crate::rpc::Answer;
use crate::rpc::RpcResult;

/// Asks one provider after the other, up to `retries` (2) after the first, as `FailoverClusterInvoker`. The default.
///
/// Every attempt asks the directory anew, so a list or a rule that changes in between counts at once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Failover;

// === impl Failover ===

impl Failover {
    /// The policy's name.
    pub const NAME: &str = "failover";

    async fn run(call: &ClusterCall<'_>) -> RpcResult {
        let mut tried = Tried::default();
        loop {
            let picked = match call.pick(&mut tried).await {
                Ok(picked) => picked,
                Err(error) if tried.attempts() == 0 => return Err(error),
                Err(error) => return Err(tried.failure(Self::NAME, call.site, call.invocation, error)),
            };
            let options = picked.options();
            if tried.attempts() == 0
                && let Some(share) = options.retry_budget
            {
                call.site.budget().pay_in(share);
            }
            let attempts = call.site.attempts(call.invocation, options);
            let error = match call.attempt(&picked, &mut tried).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let is_late = call.deadline.is_some_and(|deadline| deadline <= Instant::now());
            let is_over = tried.attempts() >= attempts || is_late;
            if is_over || (options.retry_budget.is_some() && !call.site.budget().take_out()) {
                return Err(tried.failure(Self::NAME, call.site, call.invocation, error));
            }
            tracing::debug!(provider = %picked.url(), %error, "asking another provider");
        }
    }
}

impl Cluster for Failover {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(Self::run(call))
    }
}
