//! The registry of router factories, keyed by URL protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::nearest;
use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::Router;
use crate::router::RouterFactory;
use crate::router::RuleDefinition;
use crate::rpc::Url;
use crate::rpc::keys;

/// The protocol whose rule names the factory in its parameter `router`, as older consoles write.
const ROUTE: &str = "route";

/// Factories by protocol. A value that is handed down; there is no global one.
#[derive(Debug, Clone, Default)]
pub struct RouterFactoryRegistry {
    factories: BTreeMap<String, Arc<dyn RouterFactory>>,
}

// === impl RouterFactoryRegistry ===

impl RouterFactoryRegistry {
    /// A registry without factories.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a factory under its protocol.
    ///
    /// # Errors
    ///
    /// The name is not `[A-Za-z][A-Za-z0-9+.-]*`, is `route`, or is taken.
    pub fn register(&mut self, factory: Arc<dyn RouterFactory>) -> Result<(), BuildError> {
        let protocol = factory.protocol().to_owned();
        if !is_name(&protocol) || protocol == ROUTE {
            return Err(BuildError::InvalidProtocol { protocol });
        }
        if self.factories.contains_key(&protocol) {
            return Err(BuildError::DuplicateProtocol { protocol });
        }
        self.factories.insert(protocol, factory);
        Ok(())
    }

    /// The registered protocols in order.
    pub fn protocols(&self) -> impl Iterator<Item = &str> {
        self.factories.keys().map(String::as_str)
    }

    /// The factory called `name`.
    ///
    /// # Errors
    ///
    /// There is none; the error lists those there are and the nearest.
    pub fn factory(&self, name: &str) -> Result<&Arc<dyn RouterFactory>, BuildError> {
        self.factories.get(name).ok_or_else(|| BuildError::UnknownProtocol {
            protocol: name.to_owned(),
            known: self.protocols().collect::<Vec<_>>().join(", "),
            nearest: nearest(name, self.protocols()).map(str::to_owned),
        })
    }

    /// Compiles a rule with the factory of its URL's protocol; `route://…?router=NAME` names the factory by parameter.
    ///
    /// # Errors
    ///
    /// No such factory, or what the factory says.
    pub fn create_router(
        &self,
        definition: &RuleDefinition,
        context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        self.factory(kind_of(&definition.url)?)?.create_router(definition, context)
    }
}

/// The name of the factory that a rule URL asks for.
fn kind_of(url: &Url) -> Result<&str, BuildError> {
    match url.protocol() {
        Some(ROUTE) => url.non_empty_parameter(keys::ROUTER).ok_or(BuildError::MissingRouterName),
        Some(protocol) => Ok(protocol),
        None => Err(BuildError::MissingProtocol),
    }
}

/// `[A-Za-z][A-Za-z0-9+.-]*`.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
}
