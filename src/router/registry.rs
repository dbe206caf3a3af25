//! The registry of router factories, keyed by URL protocol.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostics::Finding;
use crate::diagnostics::nearest;
use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::FactorySource;
use crate::router::OfferedFile;
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
    sources: Vec<Arc<dyn FactorySource>>,
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

    /// Adds factories that come and go. A name that is registered is never theirs.
    pub fn add_source(&mut self, source: Arc<dyn FactorySource>) {
        self.sources.push(source);
    }

    /// Offers files to the sources; what they say of them.
    pub fn offer(&self, files: &[OfferedFile]) -> Vec<Finding> {
        if self.sources.is_empty() {
            return files.iter().map(|file| without_source(&file.name)).collect();
        }
        self.sources.iter().flat_map(|source| source.offer(files)).collect()
    }

    /// The files on which sources depend besides those that are offered.
    #[must_use]
    pub fn watched_files(&self) -> Vec<PathBuf> {
        self.sources.iter().flat_map(|source| source.watched_files()).collect()
    }

    /// The registered protocols in order, those of sources after them.
    #[must_use]
    pub fn protocols(&self) -> Vec<String> {
        let coming = self.sources.iter().flat_map(|source| source.protocols());
        self.factories.keys().cloned().chain(coming).collect()
    }

    /// The factory called `name`.
    ///
    /// # Errors
    ///
    /// There is none; the error lists those there are and the nearest.
    pub fn factory(&self, name: &str) -> Result<Arc<dyn RouterFactory>, BuildError> {
        let registered = self.factories.get(name).cloned();
        let found = registered.or_else(|| self.sources.iter().find_map(|source| source.factory(name)));
        found.ok_or_else(|| {
            let known = self.protocols();
            BuildError::UnknownProtocol {
                protocol: name.to_owned(),
                nearest: nearest(name, known.iter().map(String::as_str)).map(str::to_owned),
                known: known.join(", "),
            }
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

fn without_source(name: &str) -> Finding {
    Finding::error("plugin::no_host", "plugins cannot be loaded here")
        .with_help(
            "the command loads them on Linux; a program that embeds the engine gives its registry a `PluginHost`",
        )
        .in_file(name)
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
