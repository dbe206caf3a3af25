//! What a registry knows of a filter.

use std::fmt;
use std::sync::Arc;

use crate::filter::Activation;
use crate::filter::Side;
use crate::rpc::Filter;
use crate::rpc::RpcError;
use crate::rpc::Url;

type Create = dyn Fn(&Url) -> Result<Arc<dyn Filter>, RpcError> + Send + Sync;

/// A filter as it is registered: its name, where and when it stands in a chain, and how it is made. What `@Activate` and
/// the extension's file say in Dubbo.
///
/// Without more it stands on both sides, with order 0, always.
#[derive(Clone)]
pub struct FilterDefinition {
    name: Box<str>,
    side: Option<Side>,
    order: i32,
    activation: Activation,
    create: Arc<Create>,
}

// === impl FilterDefinition ===

impl FilterDefinition {
    /// A filter that is made anew for each chain, of the URL that the chain is for: the consumer's or the service's.
    #[must_use]
    pub fn new(name: &str, create: impl Fn(&Url) -> Result<Arc<dyn Filter>, RpcError> + Send + Sync + 'static) -> Self {
        Self { name: name.into(), side: None, order: 0, activation: Activation::Always, create: Arc::new(create) }
    }

    /// One filter for all chains, under its own name.
    #[must_use]
    pub fn shared(filter: Arc<dyn Filter>) -> Self {
        let name = filter.name().to_owned();
        Self::new(&name, move |_| Ok(Arc::clone(&filter)))
    }

    /// The same on one side alone.
    #[must_use]
    pub fn on(mut self, side: Side) -> Self {
        self.side = Some(side);
        self
    }

    /// The same with `order`: lower ones see a call first and its answer last. Filters of one order are sorted by name.
    #[must_use]
    pub fn order(mut self, order: i32) -> Self {
        self.order = order;
        self
    }

    /// The same, in a chain without being named when `activation` says so.
    #[must_use]
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_on(&self, side: Side) -> bool {
        self.side.is_none_or(|own| own == side)
    }

    pub(super) fn is_active(&self, url: &Url) -> bool {
        self.activation.is_active(url)
    }

    /// By which filters of a chain are sorted.
    pub(super) fn rank(&self) -> (i32, &str) {
        (self.order, &self.name)
    }

    pub(super) fn create(&self, url: &Url) -> Result<Arc<dyn Filter>, RpcError> {
        (self.create)(url)
    }
}

impl fmt::Debug for FilterDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilterDefinition")
            .field("name", &self.name)
            .field("side", &self.side)
            .field("order", &self.order)
            .field("activation", &self.activation)
            .finish_non_exhaustive()
    }
}
