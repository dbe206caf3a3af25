//! The registry of policies, keyed by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cluster::Available;
use crate::cluster::Broadcast;
use crate::cluster::Cluster;
use crate::cluster::Failback;
use crate::cluster::Failfast;
use crate::cluster::Failover;
use crate::cluster::Failsafe;
use crate::cluster::Forking;
use crate::cluster::Mergeable;
use crate::cluster::ZoneAware;
use crate::diagnostics::nearest;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;

/// Policies by name. A value that is handed down; there is no global one.
#[derive(Debug, Clone, Default)]
pub struct ClusterRegistry {
    policies: BTreeMap<String, Arc<dyn Cluster>>,
}

// === impl ClusterRegistry ===

impl ClusterRegistry {
    /// A registry without policies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The nine policies of Dubbo.
    #[must_use]
    pub fn with_defaults() -> Self {
        let policies: [Arc<dyn Cluster>; 9] = [
            Arc::new(Available),
            Arc::new(Broadcast),
            Arc::new(Failback::default()),
            Arc::new(Failfast),
            Arc::new(Failover),
            Arc::new(Failsafe),
            Arc::new(Forking),
            Arc::new(Mergeable),
            Arc::new(ZoneAware),
        ];
        let mut this = Self::new();
        policies.into_iter().for_each(|policy| drop(this.register(policy)));
        this
    }

    /// Adds a policy under its name; one that was there under it is replaced and given back.
    pub fn register(&mut self, policy: Arc<dyn Cluster>) -> Option<Arc<dyn Cluster>> {
        self.policies.insert(policy.name().to_owned(), policy)
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.policies.keys().map(String::as_str)
    }

    /// The policy called `name`. `zoneaware`, as some configurations write it, is `zone-aware`.
    ///
    /// # Errors
    ///
    /// There is none; the error lists those there are and the nearest.
    pub fn policy(&self, name: &str) -> Result<Arc<dyn Cluster>, RpcError> {
        let name = if name.eq_ignore_ascii_case("zoneaware") { ZoneAware::NAME } else { name };
        self.policies.get(name).cloned().ok_or_else(|| {
            let known = self.names().collect::<Vec<_>>().join(", ");
            let nearest = nearest(name, self.names()).map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
            RpcError::new(
                RpcErrorKind::Unknown,
                format!("expected a cluster policy ({known}), found `{name}`{nearest}"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_policy_is_told_with_the_nearest() {
        let registry = ClusterRegistry::with_defaults();
        assert_eq!(registry.policy("zoneaware").unwrap().name(), "zone-aware");
        let error = registry.policy("failovr").unwrap_err();
        assert!(error.message().ends_with("found `failovr`; did you mean `failover`?"), "{error}");
    }
}
