//! The providers of one service in order: immutable, with an index and a slot for each.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::router::Column;
use crate::router::InvokerIndex;
use crate::router::Selection;
use crate::rpc::InvokerId;
use crate::rpc::InvokerSlots;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;

/// The invokers of one service. Lists and indexes never depend on a consumer.
#[derive(Debug)]
pub struct InvokerList {
    service: ServiceKey,
    providers: Box<[Provider]>,
    ids: Box<[InvokerId]>,
    all: Selection,
    index: InvokerIndex,
}

// === impl InvokerList ===

impl InvokerList {
    /// A list of `providers`; slots and index columns of `previous` are taken over where a provider is the same.
    #[must_use]
    pub fn build(service: ServiceKey, providers: Vec<Provider>, slots: &InvokerSlots, previous: Option<&Self>) -> Self {
        let old_positions = previous.map(|previous| previous.positions_of(&providers));
        let ids = match (previous, &old_positions) {
            (Some(previous), Some(old)) => previous.carry_ids(&providers, old, slots),
            _ => slots.assign(providers.iter()),
        };
        let index = match (previous, old_positions) {
            (Some(previous), Some(old)) => InvokerIndex::carrying(&previous.index, old),
            _ => InvokerIndex::default(),
        };
        let all = Selection::all(providers.len());
        Self { service, providers: providers.into(), ids: ids.into(), all, index }
    }

    /// A list for tests and tools: `providers` under `service`, with slots of its own.
    #[must_use]
    pub fn of(service: ServiceKey, providers: Vec<Provider>) -> Self {
        Self::build(service, providers, &InvokerSlots::default(), None)
    }

    /// A list in which every position has a slot of its own, also where two have one address: registries under one roof.
    #[must_use]
    pub fn of_each(service: ServiceKey, providers: Vec<Provider>) -> Self {
        let slots = InvokerSlots::default();
        let ids = slots.assign_each(providers.len());
        Self { ids: ids.into(), ..Self::build(service, providers, &slots, None) }
    }

    /// The service whose providers these are.
    #[must_use]
    pub fn service(&self) -> &ServiceKey {
        &self.service
    }

    /// The providers in order.
    #[must_use]
    pub fn providers(&self) -> &[Provider] {
        &self.providers
    }

    /// The provider at `position`.
    #[must_use]
    pub fn provider(&self, position: usize) -> Option<&Provider> {
        self.providers.get(position)
    }

    /// The slot of the provider at `position`.
    #[must_use]
    pub fn id(&self, position: usize) -> Option<InvokerId> {
        self.ids.get(position).copied()
    }

    /// The slots in order of the providers.
    #[must_use]
    pub fn ids(&self) -> &[InvokerId] {
        &self.ids
    }

    /// How many providers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.providers.len()
    }

    /// Whether there is no provider.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.providers.is_empty()
    }

    /// Every position.
    #[must_use]
    pub fn all(&self) -> &Selection {
        &self.all
    }

    /// The index column of `key`; built when asked for the first time, so never ask on the call path.
    #[must_use]
    pub fn column(&self, key: &str) -> Arc<Column> {
        self.index.column(&self.providers, key)
    }

    /// Builds the index columns of `keys` in one pass over the providers.
    pub fn build_columns<'a>(&self, keys: impl IntoIterator<Item = &'a str>) {
        self.index.build(&self.providers, keys);
    }

    /// Lets go of what was kept of the previous list; called when every rule has been prepared.
    pub fn seal(&self) {
        self.index.seal();
    }

    /// For each of `providers` its position in this list, or `u32::MAX`.
    fn positions_of(&self, providers: &[Provider]) -> Vec<u32> {
        let mut by_url: Option<HashMap<*const u8, u32>> = None;
        let mut expected = 0;
        let find = |provider: &Provider| {
            // Most lists keep their order: the provider after the last one found is tried first.
            if self.providers.get(expected).is_some_and(|old| old.is_same(provider)) {
                expected += 1;
                return expected as u32 - 1;
            }
            let by_url = by_url
                .get_or_insert_with(|| self.providers.iter().map(|old| old.url().as_str().as_ptr()).zip(0..).collect());
            let found = by_url.get(&provider.url().as_str().as_ptr()).copied();
            match found.filter(|at| self.providers.get(*at as usize).is_some_and(|old| old.is_same(provider))) {
                Some(at) => {
                    expected = at as usize + 1;
                    at
                }
                None => {
                    expected += 1;
                    u32::MAX
                }
            }
        };
        providers.iter().map(find).collect()
    }

    fn carry_ids(&self, providers: &[Provider], old: &[u32], slots: &InvokerSlots) -> Vec<InvokerId> {
        let fresh: Vec<&Provider> =
            providers.iter().zip(old).filter(|(_, old)| **old == u32::MAX).map(|(provider, _)| provider).collect();
        let mut fresh_ids = slots.assign(fresh.into_iter()).into_iter();
        old.iter().filter_map(|old| self.ids.get(*old as usize).copied().or_else(|| fresh_ids.next())).collect()
    }
}
