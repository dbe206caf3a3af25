//! A provider as layers, and the slot that names it for good.

use std::sync::Arc;

use hashbrown::HashMap;
use hashbrown::HashSet;
use parking_lot::Mutex;

use crate::rpc::Url;
use crate::rpc::keys;

/// The slot of an invoker: service, protocol and address. It survives generations of lists, so that counters,
/// breakers and balancer state can sit in dense arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InvokerId(u32);

/// Gives out [`InvokerId`]s: the same service, protocol and address get the same one, also after they were gone for a
/// while ([`InvokerSlots::is_crowded`] says for how long).
#[derive(Debug, Default)]
pub struct InvokerSlots {
    table: Mutex<SlotTable>,
}

#[derive(Debug, Default)]
struct SlotTable {
    slots: HashMap<Box<str>, u32>,
    /// Slots that nobody has any more.
    free: Vec<u32>,
    next: u32,
}

/// A provider: its URL, what its service adds, what a configurator overrides. Layers are shared, never copied.
#[derive(Debug, Clone)]
pub struct Provider {
    instance: Url,
    layers: Option<Arc<Layers>>,
}

#[derive(Debug)]
struct Layers {
    service: Option<Url>,
    overrides: Option<Url>,
}

// === impl InvokerId ===

impl InvokerId {
    /// The slot's number, counted from 0 without gaps.
    #[must_use]
    pub const fn slot(self) -> usize {
        self.0 as usize
    }
}

// === impl InvokerSlots ===

impl InvokerSlots {
    /// The slots of `providers`, in order; new ones are given out where needed. What counts is the service that a
    /// provider offers, not the list that it stands in.
    #[must_use]
    pub fn assign<'a>(&self, providers: impl Iterator<Item = &'a Provider>) -> Vec<InvokerId> {
        let mut table = self.table.lock();
        let mut key = String::new();
        providers
            .map(|provider| {
                let url = provider.url();
                let parts = [
                    url.protocol(),
                    url.address(),
                    url.non_empty_parameter(keys::GROUP),
                    url.service_interface(),
                    url.non_empty_parameter(keys::VERSION),
                ];
                key.clear();
                for part in parts {
                    key.push_str(part.unwrap_or_default());
                    key.push(' ');
                }
                InvokerId(table.slot(&key))
            })
            .collect()
    }

    /// So many slots that nobody else gets, whatever is offered there.
    #[must_use]
    pub fn assign_each(&self, count: usize) -> Vec<InvokerId> {
        let mut table = self.table.lock();
        (0..count).map(|number| InvokerId(table.slot(&format!("#{number}")))).collect()
    }

    /// Whether so many more slots are taken than the `live` ones that it is time to [`InvokerSlots::reclaim`].
    #[must_use]
    pub fn is_crowded(&self, live: usize) -> bool {
        const SPARE: usize = 4_096;
        self.table.lock().slots.len() > 2 * live + SPARE
    }

    /// Takes back the slots of invokers that are not among `live` and tells which; they are given out again, so whoever
    /// keeps something by slot forgets it for these. Without this, addresses that change with every deployment would
    /// fill the memory.
    pub fn reclaim(&self, live: impl Iterator<Item = InvokerId>) -> Vec<InvokerId> {
        let live: HashSet<u32> = live.map(|id| id.0).collect();
        let mut table = self.table.lock();
        let SlotTable { slots, free, .. } = &mut *table;
        let before = free.len();
        slots.retain(|_, slot| {
            let is_live = live.contains(slot);
            if !is_live {
                free.push(*slot);
            }
            is_live
        });
        free.iter().skip(before).copied().map(InvokerId).collect()
    }
}

// === impl SlotTable ===

impl SlotTable {
    fn slot(&mut self, key: &str) -> u32 {
        if let Some(slot) = self.slots.get(key) {
            return *slot;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        self.slots.insert(key.into(), slot);
        slot
    }
}

// === impl Provider ===

impl Provider {
    /// A provider that is one URL.
    #[must_use]
    pub fn new(instance: Url) -> Self {
        Self { instance, layers: None }
    }

    /// Adds the layers below (`service`: what all instances share) and above (`overrides`: a configurator's).
    #[must_use]
    pub fn with_layers(self, service: Option<Url>, overrides: Option<Url>) -> Self {
        Self { instance: self.instance, layers: Some(Arc::new(Layers { service, overrides })) }
    }

    /// The instance's own URL.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.instance
    }

    /// A part of the URL or a parameter: the override's, else the instance's, else the service's.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<&str> {
        let Some(layers) = &self.layers else { return self.instance.raw(key) };
        let overridden = layers.overrides.as_ref().and_then(|url| url.parameter(key));
        overridden
            .or_else(|| self.instance.raw(key))
            .or_else(|| layers.service.as_ref().and_then(|url| url.parameter(key)))
    }

    /// The parameter `key` of method `method`: the one of the method alone in the override, the instance, the service, else
    /// the plain one in the same order ([`Url::method_parameter`] tells what is whose).
    #[must_use]
    pub fn method_parameter(&self, method: &str, key: &str) -> Option<&str> {
        let Some(layers) = &self.layers else { return self.instance.method_parameter(method, key) };
        let layers =
            || [layers.overrides.as_ref(), Some(&self.instance), layers.service.as_ref()].into_iter().flatten();
        let own = layers().find_map(|url| url.own_method_parameter(method, key));
        own.or_else(|| layers().find_map(|url| url.non_empty_parameter(key)))
    }

    /// The application that exported it: `remote.application`, else `application`.
    #[must_use]
    pub fn application(&self) -> Option<&str> {
        self.raw(keys::REMOTE_APPLICATION).filter(|name| !name.is_empty()).or_else(|| self.raw(keys::APPLICATION))
    }

    /// Whether both are the same URL object with the same layers: nothing about them can differ.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let same_layers = match (&self.layers, &other.layers) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        };
        same_layers && self.instance.ptr_eq(&other.instance)
    }
}

impl From<Url> for Provider {
    fn from(url: Url) -> Self {
        Self::new(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_addresses_that_are_gone_are_given_out_again() {
        let slots = InvokerSlots::default();
        let provider = |host: usize| Provider::new(Url::parse(&format!("dubbo://h{host}:1/S")).unwrap());
        let stays = slots.assign([provider(0)].iter());
        for host in 1..100_000 {
            let id = slots.assign([provider(host)].iter());
            if slots.is_crowded(2) {
                slots.reclaim(stays.iter().chain(&id).copied());
            }
            assert!(id[0].slot() < 8_192, "{id:?}");
        }
        assert_eq!(slots.assign([provider(0)].iter()), stays);
    }

    #[test]
    fn a_parameter_of_a_method_wins_over_a_plain_one_of_any_layer() {
        let url = |text: &str| Url::parse(text).unwrap();
        let provider = Provider::new(url("dubbo://h:1/S?find.weight=7&weight=1"));
        assert_eq!(provider.method_parameter("find", "weight"), Some("7"));
        let provider = provider.with_layers(Some(url("?warmup=9&save.weight=3")), Some(url("?weight=5")));
        let weights = ["find", "save", "drop"].map(|method| provider.method_parameter(method, "weight"));
        assert_eq!(weights, [Some("7"), Some("3"), Some("5")]);
        assert_eq!(provider.method_parameter("find", "warmup"), Some("9"));
    }

    #[test]
    fn an_override_wins_over_the_instance_and_that_over_its_service() {
        let url = |text: &str| Url::parse(text).unwrap();
        let layers = (Some(url("?a=service&b=service&c=service")), Some(url("?a=override&host=nowhere")));
        let provider = Provider::new(url("dubbo://h:1/S?a=instance&b=instance")).with_layers(layers.0, layers.1);
        let raw = ["a", "b", "c", "d", "port"].map(|key| provider.raw(key));
        assert_eq!(raw, [Some("override"), Some("instance"), Some("service"), None, Some("1")]);
    }
}
