//! `failsafe`: a failure is logged, and the answer is empty.

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::failfast::once;
use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::Value;

/// Asks one provider once; a failure is logged and answered with null, as `FailsafeClusterInvoker`: for audit logs and the
/// like. That rules leave nobody is such a failure too.
#[derive(Debug, Clone, Copy, Default)]
pub struct Failsafe;

// === impl Failsafe ===

impl Failsafe {
    /// The policy's name.
    pub const NAME: &str = "failsafe";
}

impl Cluster for Failsafe {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(async move {
            once(Self::NAME, call).await.or_else(|error| {
                tracing::warn!(%error, "ignored");
                Ok(AppResponse::new(Value::Null))
            })
        })
    }
}
