//! The invokers behind slots, made of provider URLs as they are needed.

use std::sync::Arc;

use arc_swap::ArcSwap;
use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::router::InvokerList;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::ProtocolRegistry;
use crate::rpc::Provider;
use crate::rpc::RpcError;

/// Invokers by slot. Readers never wait; whoever misses one makes it.
#[derive(Debug)]
pub struct Invokers {
    protocols: ProtocolRegistry,
    slots: ArcSwap<Slots>,
    writing: Mutex<()>,
}

type Slots = HashMap<InvokerId, Arc<dyn Invoker>>;

// === impl Invokers ===

impl Invokers {
    /// No invoker yet; they are made by `protocols`.
    #[must_use]
    pub fn new(protocols: ProtocolRegistry) -> Self {
        Self { protocols, slots: ArcSwap::default(), writing: Mutex::default() }
    }

    /// Invokers that are there already: the one at a position of `list` is that of `invokers`.
    #[must_use]
    pub fn of(list: &InvokerList, invokers: &[Arc<dyn Invoker>]) -> Self {
        let this = Self::new(ProtocolRegistry::new());
        let slots = list.ids().iter().copied().zip(invokers.iter().cloned()).collect();
        this.slots.store(Arc::new(slots));
        this
    }

    /// The invoker of `provider`, whose slot is `id`.
    ///
    /// # Errors
    ///
    /// Its protocol is not registered, or refuses the URL.
    #[inline]
    pub fn get(&self, id: InvokerId, provider: &Provider) -> Result<Arc<dyn Invoker>, RpcError> {
        if let Some(found) = find(&self.slots.load(), id, provider) {
            return Ok(Arc::clone(found));
        }
        let _writing = self.writing.lock();
        let current = self.slots.load_full();
        if let Some(found) = find(&current, id, provider) {
            return Ok(Arc::clone(found));
        }
        let made = self.protocols.refer(provider.url())?;
        let mut slots = Slots::clone(&current);
        slots.insert(id, Arc::clone(&made));
        self.slots.store(Arc::new(slots));
        Ok(made)
    }

    /// Whether `provider` can be called at all: it speaks a protocol that is registered, or its invoker is there.
    #[must_use]
    pub fn speaks(&self, id: InvokerId, provider: &Provider) -> bool {
        let name = provider.url().protocol().unwrap_or_default();
        self.protocols.get(name).is_some() || find(&self.slots.load(), id, provider).is_some()
    }

    /// Makes the invokers of all of `list` and lets go of all others. A provider whose URL is what it was keeps its own. One
    /// that cannot be made is left out: whoever calls it is told why.
    pub fn follow(&self, list: &InvokerList) {
        let _writing = self.writing.lock();
        let current = self.slots.load_full();
        let mut slots = Slots::with_capacity(list.len());
        for (id, provider) in list.ids().iter().zip(list.providers()) {
            let kept = find(&current, *id, provider).cloned();
            match kept.map_or_else(|| self.protocols.refer(provider.url()), Ok) {
                Ok(invoker) => drop(slots.insert(*id, invoker)),
                Err(error) => tracing::warn!(provider = %provider.url(), %error, "provider cannot be called"),
            }
        }
        self.slots.store(Arc::new(slots));
    }

    /// How many invokers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.load().len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lets go of all.
    pub fn clear(&self) {
        let _writing = self.writing.lock();
        self.slots.store(Arc::default());
    }
}

/// A slot may have been given to another address since: the URL decides.
fn find<'a>(slots: &'a Slots, id: InvokerId, provider: &Provider) -> Option<&'a Arc<dyn Invoker>> {
    let invoker = slots.get(&id)?;
    let (known, wanted) = (invoker.url(), provider.url());
    (known.ptr_eq(wanted) || known == wanted).then_some(invoker)
}
