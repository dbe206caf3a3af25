//! Chains bound for consumers, by the consumer's value; shared by all sessions, bounded, read without a lock.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use arc_swap::Guard;
use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::chain::BoundChain;
use crate::chain::ChainError;
use crate::chain::PreparedChain;
use crate::router::Binding;
use crate::router::RouterFactoryRegistry;
use crate::rpc::Url;

/// How many consumers of one service are kept bound; beyond that all are forgotten and bound again when they call.
pub(crate) const MAX_BINDINGS: usize = 1_024;

#[derive(Default)]
pub(crate) struct Bindings {
    bound: ArcSwap<BindingMap>,
    writing: Mutex<()>,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct BindingMap {
    by_consumer: HashMap<Url, Arc<BoundChain>>,
}

// === impl Bindings ===

impl Bindings {
    /// The bindings as they are now.
    pub(crate) fn load(&self) -> Guard<Arc<BindingMap>> {
        self.bound.load()
    }

    /// The chain for a consumer; bound now if it is not yet.
    pub(crate) fn bind(
        &self,
        chain: &PreparedChain,
        binding: &Binding<'_>,
        registry: &RouterFactoryRegistry,
    ) -> Result<Arc<BoundChain>, ChainError> {
        if let Some(bound) = self.load().get(binding.consumer) {
            return Ok(Arc::clone(bound));
        }
        let bound = Arc::new(chain.bind(binding, registry)?);
        let _writing = self.writing.lock();
        let mut map = BindingMap::clone(&self.bound.load());
        if map.by_consumer.len() >= MAX_BINDINGS {
            map.by_consumer.clear();
        }
        map.by_consumer.insert(binding.consumer.clone(), Arc::clone(&bound));
        self.bound.store(Arc::new(map));
        Ok(bound)
    }

    pub(crate) fn all(&self) -> Vec<Arc<BoundChain>> {
        self.bound.load().by_consumer.values().cloned().collect()
    }
}

impl fmt::Debug for Bindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bindings({})", self.bound.load().by_consumer.len())
    }
}

// === impl BindingMap ===

impl BindingMap {
    pub(crate) fn get(&self, consumer: &Url) -> Option<&Arc<BoundChain>> {
        self.by_consumer.get(consumer)
    }
}
