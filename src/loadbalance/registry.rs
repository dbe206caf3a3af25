//! The registry of policies, keyed by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::nearest;
use crate::loadbalance::Adaptive;
use crate::loadbalance::ConsistentHash;
use crate::loadbalance::LeastActive;
use crate::loadbalance::LoadBalance;
use crate::loadbalance::LoadBalanceError;
use crate::loadbalance::Random;
use crate::loadbalance::RoundRobin;
use crate::loadbalance::ShortestResponse;
use crate::rpc::Provider;
use crate::rpc::Url;
use crate::rpc::keys;

/// Policies by name. A value that is handed down; there is no global one.
///
/// ```
/// use pointsman::loadbalance::LoadBalanceRegistry;
/// use pointsman::rpc::Url;
///
/// let registry = LoadBalanceRegistry::with_defaults();
/// let consumer = Url::parse("consumer://10.0.0.9/S?loadbalance=leastactive&find.loadbalance=consistenthash")?;
/// assert_eq!(registry.choose(&consumer, None, "find").unwrap().name(), "consistenthash");
/// assert_eq!(registry.choose(&consumer, None, "save").unwrap().name(), "leastactive");
///
/// let error = registry.policy("round-robin").unwrap_err();
/// assert!(error.to_string().ends_with("found `round-robin`; did you mean `roundrobin`?"));
/// # Ok::<(), pointsman::rpc::UrlError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct LoadBalanceRegistry {
    policies: BTreeMap<String, Arc<dyn LoadBalance>>,
}

// === impl LoadBalanceRegistry ===

impl LoadBalanceRegistry {
    /// A registry without policies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The six policies of Dubbo. Those with a memory of their own begin with an empty one.
    #[must_use]
    pub fn with_defaults() -> Self {
        let policies: [Arc<dyn LoadBalance>; 6] = [
            Arc::new(Adaptive),
            Arc::new(ConsistentHash::default()),
            Arc::new(LeastActive),
            Arc::new(Random),
            Arc::new(RoundRobin::default()),
            Arc::new(ShortestResponse),
        ];
        Self { policies: policies.into_iter().map(|policy| (policy.name().to_owned(), policy)).collect() }
    }

    /// Adds a policy under its name.
    ///
    /// # Errors
    ///
    /// The name is empty, has other characters than letters, digits, `.`, `_` and `-`, or is taken.
    pub fn register(&mut self, policy: Arc<dyn LoadBalance>) -> Result<(), LoadBalanceError> {
        let name = policy.name().to_owned();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(LoadBalanceError::InvalidName { name });
        }
        if self.policies.contains_key(&name) {
            return Err(LoadBalanceError::DuplicateName { name });
        }
        self.policies.insert(name, policy);
        Ok(())
    }

    /// The registered names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.policies.keys().map(String::as_str)
    }

    /// The policy called `name`.
    ///
    /// # Errors
    ///
    /// There is none; the error lists those there are and the nearest.
    pub fn policy(&self, name: &str) -> Result<Arc<dyn LoadBalance>, LoadBalanceError> {
        self.policies.get(name).cloned().ok_or_else(|| LoadBalanceError::UnknownPolicy {
            name: name.to_owned(),
            known: self.names().collect::<Vec<_>>().join(", "),
            nearest: nearest(name, self.names()).map(str::to_owned),
        })
    }

    /// The policy for calls of `method`: the parameter `loadbalance` of the method or else of the URL, the consumer's
    /// before the provider's, and `random` where neither says anything. `provider` is the first candidate.
    ///
    /// # Errors
    ///
    /// The name is that of no policy.
    pub fn choose(
        &self,
        consumer: &Url,
        provider: Option<&Provider>,
        method: &str,
    ) -> Result<Arc<dyn LoadBalance>, LoadBalanceError> {
        let of_consumer = consumer.method_parameter(method, keys::LOADBALANCE).filter(|name| !name.is_empty());
        let of_provider = || provider?.method_parameter(method, keys::LOADBALANCE).filter(|name| !name.is_empty());
        self.policy(of_consumer.or_else(of_provider).unwrap_or(Random::NAME))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_consumer_decides_then_the_provider_then_it_is_random() {
        let registry = LoadBalanceRegistry::with_defaults();
        let consumer = |text: &str| Url::parse(&format!("consumer://10.0.0.9/S{text}")).unwrap();
        let provider = Provider::new(Url::parse("dubbo://10.0.0.1:1/S?loadbalance=roundrobin").unwrap());
        for (text, provider, expected) in [
            ("", None, "random"),
            ("", Some(&provider), "roundrobin"),
            ("?loadbalance=", Some(&provider), "roundrobin"),
            ("?loadbalance=adaptive", Some(&provider), "adaptive"),
            ("?loadbalance=adaptive&find.loadbalance=random", Some(&provider), "random"),
        ] {
            assert_eq!(registry.choose(&consumer(text), provider, "find").unwrap().name(), expected, "`{text}`");
        }
        let unknown = registry.choose(&consumer("?loadbalance=fastest"), None, "find").unwrap_err();
        let known = "adaptive, consistenthash, leastactive, random, roundrobin, shortestresponse";
        let text = format!("expected the name of a load balancing policy ({known}), found `fastest`");
        assert_eq!(unknown.to_string(), text);
    }

    #[test]
    fn a_name_is_registered_once_and_fits_a_url() {
        let mut registry = LoadBalanceRegistry::new();
        registry.register(Arc::new(Random)).unwrap();
        let taken = LoadBalanceError::DuplicateName { name: "random".to_owned() };
        assert_eq!(registry.register(Arc::new(Random)), Err(taken));
        assert_eq!(registry.names().collect::<Vec<_>>(), ["random"]);
    }
}
