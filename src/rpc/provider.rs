//! A provider as layers, and the slot that names it for good.

use std::sync::Arc;

use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::rpc::Url;
use crate::rpc::keys;

/// The slot of an invoker: service, protocol and address. It survives generations of lists, so that counters,
/// breakers and balancer state can sit in dense arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InvokerId(u32);

/// Gives out [`InvokerId`]s: the same service, protocol and address always get the same one.
#[derive(Debug, Default)]
pub struct InvokerSlots {
    slots: Mutex<HashMap<Box<str>, u32>>,
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
    /// The slots of `providers`, in order; new ones are given out where needed.
    #[must_use]
    pub fn assign<'a>(&self, service: &str, providers: impl Iterator<Item = &'a Provider>) -> Vec<InvokerId> {
        let mut slots = self.slots.lock();
        let mut key = String::new();
        providers
            .map(|provider| {
                key.clear();
                for part in [provider.url().protocol(), Some("://"), provider.url().address(), Some("/"), Some(service)]
                {
                    key.push_str(part.unwrap_or_default());
                }
                if let Some(slot) = slots.get(key.as_str()) {
                    return InvokerId(*slot);
                }
                let slot = u32::try_from(slots.len()).unwrap_or(u32::MAX);
                slots.insert(key.as_str().into(), slot);
                InvokerId(slot)
            })
            .collect()
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
