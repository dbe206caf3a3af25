//! How a provider URL becomes an invoker, and an invoker something that others can call.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::rpc::Invoker;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::Url;

/// One way of calling: `injvm`, `dubbo`, `tri`.
pub trait Protocol: Send + Sync + fmt::Debug {
    /// The protocol of the URLs it is for.
    fn name(&self) -> &str;

    /// The invoker that calls `provider`. Nothing is connected before it must be: whether it can be reached shows in
    /// [`Invoker::is_available`] and in calls.
    ///
    /// # Errors
    ///
    /// The URL cannot be one of this protocol.
    fn refer(&self, provider: &Url) -> Result<Arc<dyn Invoker>, RpcError>;

    /// Lets others call `invoker` under its URL, until the exporter is dropped.
    ///
    /// # Errors
    ///
    /// The address is taken, or cannot be listened to.
    fn export(&self, invoker: Arc<dyn Invoker>) -> Result<Box<dyn Exporter>, RpcError>;
}

/// Something that is exported. Dropping it ends that; calls that have begun are answered.
pub trait Exporter: Send + Sync + fmt::Debug {
    /// Who answers.
    fn invoker(&self) -> &Arc<dyn Invoker>;
}

/// Protocols by name. A value that is handed down; there is no global one.
#[derive(Debug, Clone, Default)]
pub struct ProtocolRegistry {
    protocols: BTreeMap<String, Arc<dyn Protocol>>,
}

// === impl ProtocolRegistry ===

impl ProtocolRegistry {
    /// A registry without protocols.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `protocol` under its name; one that was there under it is replaced and given back.
    pub fn register(&mut self, protocol: Arc<dyn Protocol>) -> Option<Arc<dyn Protocol>> {
        self.protocols.insert(protocol.name().to_owned(), protocol)
    }

    /// The protocol called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Protocol>> {
        self.protocols.get(name)
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.protocols.keys().map(String::as_str)
    }

    /// The invoker that calls `provider`, by the protocol of its URL.
    ///
    /// # Errors
    ///
    /// No such protocol is registered, or it refuses the URL.
    pub fn refer(&self, provider: &Url) -> Result<Arc<dyn Invoker>, RpcError> {
        self.of(provider)?.refer(provider)
    }

    /// Lets others call `invoker`, by the protocol of its URL.
    ///
    /// # Errors
    ///
    /// No such protocol is registered, or it cannot export the URL.
    pub fn export(&self, invoker: Arc<dyn Invoker>) -> Result<Box<dyn Exporter>, RpcError> {
        self.of(invoker.url())?.export(invoker)
    }

    /// The protocol of `url`.
    ///
    /// # Errors
    ///
    /// No such protocol is registered; the error lists those there are.
    pub fn of(&self, url: &Url) -> Result<&Arc<dyn Protocol>, RpcError> {
        let name = url.protocol().unwrap_or_default();
        self.protocols.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.names().collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            RpcError::new(RpcErrorKind::Unknown, format!("no protocol `{name}` is registered; known: {known}"))
        })
    }
}
