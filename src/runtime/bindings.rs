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
    /// Counts how often all was forgotten; places of another epoch say nothing.
    epoch: u32,
    by_consumer: HashMap<Url, u32>,
    chains: Vec<Arc<BoundChain>>,
}

/// Where a consumer's chain stands among a service's bindings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BindingPlace {
    epoch: u32,
    number: u32,
}

// === impl Bindings ===

impl Bindings {
    /// The bindings as they are now.
    pub(crate) fn load(&self) -> Guard<Arc<BindingMap>> {
        self.bound.load()
    }

    /// The chain for a consumer and its place; bound now if it is not yet.
    pub(crate) fn bind(
        &self,
        chain: &PreparedChain,
        binding: &Binding<'_>,
        registry: &RouterFactoryRegistry,
    ) -> Result<(BindingPlace, Arc<BoundChain>), ChainError> {
        if let Some(found) = self.load().find(binding.consumer) {
            return Ok(found);
        }
        let bound = Arc::new(chain.bind(binding, registry)?);
        let _writing = self.writing.lock();
        let mut map = BindingMap::clone(&self.bound.load());
        if let Some(found) = map.find(binding.consumer) {
            return Ok(found);
        }
        if map.chains.len() >= MAX_BINDINGS {
            map = BindingMap { epoch: map.epoch + 1, ..BindingMap::default() };
        }
        let place = BindingPlace { epoch: map.epoch, number: map.chains.len() as u32 };
        map.by_consumer.insert(binding.consumer.clone(), place.number);
        map.chains.push(Arc::clone(&bound));
        self.bound.store(Arc::new(map));
        Ok((place, bound))
    }

    /// Whether all would be bound the same now.
    pub(crate) fn is_current(&self) -> bool {
        self.bound.load().chains.iter().all(|chain| chain.is_current())
    }

    /// Some of the consumers that are bound, in order of their URLs.
    pub(crate) fn consumers(&self, most: usize) -> Vec<Url> {
        let mut consumers: Vec<Url> = self.bound.load().by_consumer.keys().cloned().collect();
        consumers.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        consumers.truncate(most);
        consumers
    }

    pub(crate) fn all(&self) -> Vec<Arc<BoundChain>> {
        self.bound.load().chains.clone()
    }
}

impl fmt::Debug for Bindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bindings({})", self.bound.load().chains.len())
    }
}

// === impl BindingMap ===

impl BindingMap {
    /// The chain at a place; none if all was forgotten since.
    pub(crate) fn get(&self, place: BindingPlace) -> Option<&Arc<BoundChain>> {
        self.chains.get(place.number as usize).filter(|_| place.epoch == self.epoch)
    }

    fn find(&self, consumer: &Url) -> Option<(BindingPlace, Arc<BoundChain>)> {
        let number = *self.by_consumer.get(consumer)?;
        let chain = self.chains.get(number as usize)?;
        Some((BindingPlace { epoch: self.epoch, number }, Arc::clone(chain)))
    }
}
