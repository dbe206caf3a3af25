//! The invokers behind slots, made of provider URLs as they are needed.

use std::sync::Arc;
use std::sync::Weak;

use arc_swap::ArcSwap;
use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::router::InvokerList;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::ProtocolRegistry;
use crate::rpc::Provider;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::contained;

/// Invokers by slot. Readers never wait; whoever misses one makes it.
#[derive(Debug)]
pub struct Invokers {
    protocols: ProtocolRegistry,
    known: ArcSwap<Known>,
    writing: Mutex<()>,
}

#[derive(Debug, Default, Clone)]
struct Known {
    /// The lists that are followed, the newest first: while one replaces another, calls come over both.
    followed: Vec<Arc<Followed>>,
    by_slot: HashMap<InvokerId, Arc<dyn Invoker>>,
}

/// The invokers of one list. PERF: found by position, no provider is compared (`cluster/failover` at 10,000).
#[derive(Debug)]
struct Followed {
    /// No other list gets its address as long as this is here; the list itself may go.
    list: Weak<InvokerList>,
    /// None where an invoker could not be made.
    by_position: Box<[Option<Arc<dyn Invoker>>]>,
    /// Why not, by position.
    refused: HashMap<usize, RpcError>,
}

// === impl Invokers ===

impl Invokers {
    /// No invoker yet; they are made by `protocols`.
    #[must_use]
    pub fn new(protocols: ProtocolRegistry) -> Self {
        Self { protocols, known: ArcSwap::default(), writing: Mutex::default() }
    }

    /// Invokers that are there already: the one at a position of `list` is that of `invokers`.
    #[must_use]
    pub fn of(list: &Arc<InvokerList>, invokers: &[Arc<dyn Invoker>]) -> Self {
        let this = Self::new(ProtocolRegistry::new());
        let by_position = invokers.iter().cloned().map(Some).collect();
        let by_slot = list.ids().iter().copied().zip(invokers.iter().cloned()).collect();
        let followed = vec![Arc::new(Followed { list: Arc::downgrade(list), by_position, refused: HashMap::new() })];
        this.known.store(Arc::new(Known { followed, by_slot }));
        this
    }

    /// The invoker at `position` of `list`.
    ///
    /// # Errors
    ///
    /// The provider's protocol is not registered or refuses its URL, or there is no such position.
    #[inline]
    pub fn get(&self, list: &Arc<InvokerList>, position: usize) -> Result<Arc<dyn Invoker>, RpcError> {
        match self.known.load().of(list).and_then(|followed| followed.by_position.get(position)) {
            Some(Some(found)) => Ok(Arc::clone(found)),
            _ => self.get_or_make(list, position),
        }
    }

    /// The way for lists that nobody follows yet or any more.
    #[cold]
    fn get_or_make(&self, list: &Arc<InvokerList>, position: usize) -> Result<Arc<dyn Invoker>, RpcError> {
        let (Some(id), Some(provider)) = (list.id(position), list.provider(position)) else {
            return Err(RpcError::new(RpcErrorKind::Unknown, format!("the list has no position {position}")));
        };
        if let Some(found) = self.known.load().find(id, provider) {
            return Ok(Arc::clone(found));
        }
        if let Some(error) = self.refusal(list, position) {
            return Err(error);
        }
        let _writing = self.writing.lock();
        let current = self.known.load_full();
        if let Some(found) = current.find(id, provider) {
            return Ok(Arc::clone(found));
        }
        let made = self.make(provider)?;
        let mut known = Known::clone(&current);
        known.by_slot.insert(id, Arc::clone(&made));
        self.known.store(Arc::new(known));
        Ok(made)
    }

    /// The invoker of `provider`; a protocol that panics is one that refuses.
    fn make(&self, provider: &Provider) -> Result<Arc<dyn Invoker>, RpcError> {
        let who = provider.url().protocol().unwrap_or_default();
        contained(who, || self.protocols.refer(provider.url()))?
    }

    /// Why nobody can be called at `position` of `list`: its protocol is not registered, or has refused the URL when the list
    /// came. None where somebody can.
    #[must_use]
    pub fn refusal(&self, list: &Arc<InvokerList>, position: usize) -> Option<RpcError> {
        let known = self.known.load();
        if let Some(followed) = known.of(list) {
            return followed.refused.get(&position).cloned();
        }
        let (id, provider) = (list.id(position)?, list.provider(position)?);
        match known.find(id, provider) {
            Some(_) => None,
            None => self.protocols.of(provider.url()).err(),
        }
    }

    /// Whether slot `id` belongs to `invoker` now, and to no other.
    #[must_use]
    pub fn holds(&self, id: InvokerId, invoker: &Arc<dyn Invoker>) -> bool {
        self.known.load().by_slot.get(&id).is_some_and(|known| Arc::ptr_eq(known, invoker))
    }

    /// Whether the invokers of `list` are there.
    #[must_use]
    #[inline]
    pub fn follows(&self, list: &Arc<InvokerList>) -> bool {
        self.known.load().of(list).is_some()
    }

    /// Makes the invokers of all of `list`; a provider whose URL is what it was keeps its own. Those of the list before
    /// stay until [`Invokers::settle`]. One that cannot be made is left out until the next list: [`Invokers::refusal`] tells why.
    pub fn follow(&self, list: &Arc<InvokerList>) {
        let _writing = self.writing.lock();
        let current = self.known.load_full();
        if current.of(list).is_some() {
            return;
        }
        let mut by_slot = current.by_slot.clone();
        let mut refused = HashMap::new();
        let make = |(position, (id, provider)): (usize, (&InvokerId, &Provider))| {
            let kept = current.find(*id, provider).cloned();
            match kept.map_or_else(|| self.make(provider), Ok) {
                Ok(invoker) => {
                    by_slot.insert(*id, Arc::clone(&invoker));
                    Some(invoker)
                }
                Err(error) => {
                    tracing::warn!(provider = %provider.url(), %error, "provider cannot be called");
                    refused.insert(position, error);
                    None
                }
            }
        };
        let by_position = list.ids().iter().zip(list.providers()).enumerate().map(make).collect();
        let newest = Arc::new(Followed { list: Arc::downgrade(list), by_position, refused });
        let followed = [newest].into_iter().chain(current.followed.first().cloned()).collect();
        self.known.store(Arc::new(Known { followed, by_slot }));
    }

    /// Lets go of every invoker that is not of `list`.
    pub fn settle(&self, list: &Arc<InvokerList>) {
        let _writing = self.writing.lock();
        let current = self.known.load_full();
        let Some(followed) = current.of(list) else { return };
        let by_position = followed.by_position.iter().zip(list.ids());
        let by_slot = by_position.filter_map(|(invoker, id)| Some((*id, Arc::clone(invoker.as_ref()?)))).collect();
        self.known.store(Arc::new(Known { followed: vec![Arc::clone(followed)], by_slot }));
    }

    /// How many invokers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.load().by_slot.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lets go of all.
    pub fn clear(&self) {
        let _writing = self.writing.lock();
        self.known.store(Arc::default());
    }
}

// === impl Known ===

impl Known {
    #[inline]
    fn of(&self, list: &Arc<InvokerList>) -> Option<&Arc<Followed>> {
        self.followed.iter().find(|followed| followed.list.as_ptr() == Arc::as_ptr(list))
    }

    /// A slot may have been given to another address since: the URL decides.
    fn find(&self, id: InvokerId, provider: &Provider) -> Option<&Arc<dyn Invoker>> {
        let invoker = self.by_slot.get(&id)?;
        let (known, wanted) = (invoker.url(), provider.url());
        (known.ptr_eq(wanted) || known == wanted).then_some(invoker)
    }
}
