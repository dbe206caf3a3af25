//! What calls see: service → list and chain. Immutable but for the cache of bindings.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::chain::ChainError;
use crate::chain::PreparedChain;
use crate::chain::PriorityOrder;
use crate::loadbalance::InvokerStates;
use crate::loadbalance::ListAvailability;
use crate::router::Availability;
use crate::router::Clock;
use crate::router::Everybody;
use crate::router::InvokerList;
use crate::router::Router;
use crate::rpc::InvokerSlots;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::runtime::RuleSet;
use crate::runtime::SourceStatus;
use crate::runtime::bindings::Bindings;
use crate::runtime::source_status::FileState;

/// All services at one moment.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) generation: u64,
    pub(crate) rules: RuleSet,
    pub(crate) services: Vec<Arc<ServiceSnapshot>>,
    pub(crate) by_key: Arc<HashMap<ServiceKey, usize>>,
    /// The files of the rule set, in its order.
    pub(crate) sources: Arc<[SourceStatus]>,
}

/// One service at one moment.
#[derive(Debug)]
pub(crate) struct ServiceSnapshot {
    pub(crate) key: ServiceKey,
    pub(crate) chain: PreparedChain,
    pub(crate) bindings: Bindings,
    pub(crate) availability: ListAvailability,
    /// The engine's generation in which this service last changed.
    pub(crate) generation: u64,
}

/// What building services takes besides rules and providers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workshop<'a> {
    pub(crate) slots: &'a InvokerSlots,
    pub(crate) states: &'a Arc<InvokerStates>,
    pub(crate) order: PriorityOrder,
    /// Stand in every chain.
    pub(crate) built_in: &'a [Arc<dyn Router>],
    pub(crate) generation: u64,
}

// === impl Snapshot ===

impl Snapshot {
    pub(crate) fn service(&self, key: &ServiceKey) -> Option<(usize, &Arc<ServiceSnapshot>)> {
        let number = *self.by_key.get(key)?;
        Some((number, self.services.get(number)?))
    }

    /// Who can be reached of the service of a number.
    pub(crate) fn availability(&self, number: usize) -> &dyn Availability {
        self.services.get(number).map_or(&Everybody, |service| &service.availability as _)
    }

    /// A snapshot of `services`, whose numbers are their places.
    pub(crate) fn of(
        generation: u64,
        rules: RuleSet,
        services: Vec<Arc<ServiceSnapshot>>,
        previous: &Self,
        clock: &dyn Clock,
    ) -> Self {
        let sources = sources_of(&rules, previous, clock);
        let same_keys = services.len() == previous.services.len()
            && services.iter().zip(&previous.services).all(|(one, other)| one.key == other.key);
        let by_key = if same_keys {
            Arc::clone(&previous.by_key)
        } else {
            Arc::new(services.iter().map(|service| service.key.clone()).zip(0..).collect())
        };
        Self { generation, rules, services, by_key, sources }
    }
}

// === impl ServiceSnapshot ===

impl ServiceSnapshot {
    /// Builds a service; what `previous` has unchanged is taken over, and `previous` itself if nothing changed.
    pub(crate) fn build(
        key: &ServiceKey,
        providers: Option<Vec<Provider>>,
        rules: &RuleSet,
        previous: Option<&Arc<Self>>,
        workshop: Workshop<'_>,
    ) -> Result<Arc<Self>, ChainError> {
        let previous_list = previous.map(|service| service.chain.list());
        let list = match (providers, previous_list) {
            (Some(providers), Some(list)) if is_same(list.providers(), &providers) => Arc::clone(list),
            (None, Some(list)) => Arc::clone(list),
            (providers, list) => Arc::new(InvokerList::build(
                key.clone(),
                providers.unwrap_or_default(),
                workshop.slots,
                list.map(|list| &**list),
            )),
        };
        let places = rules.index().places(key, &list, rules.routers());
        let covering = places.into_iter().filter_map(|place| rules.routers().get(place));
        let routers: Vec<Arc<dyn Router>> = workshop.built_in.iter().chain(covering).cloned().collect();
        let of_consumers = rules.index().of_consumers();
        if let Some(previous) = previous
            && Arc::ptr_eq(previous.chain.list(), &list)
            && previous.chain.has_routers(&routers, of_consumers)
            && previous.bindings.is_current()
        {
            return Ok(Arc::clone(previous));
        }
        let before = previous.map(|service| &service.chain);
        let availability = ListAvailability::new(Arc::clone(workshop.states), Arc::clone(&list));
        let chain = PreparedChain::build(list, routers, of_consumers.clone(), workshop.order, before)?;
        let generation = workshop.generation;
        let bindings = Bindings::default();
        Ok(Arc::new(Self { key: key.clone(), chain, bindings, availability, generation }))
    }
}

fn sources_of(rules: &RuleSet, previous: &Snapshot, clock: &dyn Clock) -> Arc<[SourceStatus]> {
    let status_before = |name: &str| {
        let at = previous.sources.binary_search_by(|old| old.source.as_bytes().cmp(name.as_bytes())).ok()?;
        previous.sources.get(at)
    };
    let of = |file: &FileState| SourceStatus::of(file, status_before(&file.name), || clock.now());
    rules.files().iter().map(of).collect()
}

fn is_same(one: &[Provider], other: &[Provider]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
}
