//! How a reference is set up.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use percent_encoding::AsciiSet;
use percent_encoding::CONTROLS;
use percent_encoding::utf8_percent_encode;

use crate::cluster::ClusterRegistry;
use crate::cluster::ClusterSite;
use crate::cluster::Failover;
use crate::cluster::MockCluster;
use crate::directory::Backoff;
use crate::directory::Directory;
use crate::filter::FilterRegistry;
use crate::filter::Side;
use crate::loadbalance::LoadBalanceRegistry;
use crate::router::Clock;
use crate::router::SystemClock;
use crate::rpc::FilterChain;
use crate::rpc::Protocol;
use crate::rpc::ProtocolRegistry;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::runtime::Engine;
use crate::runtime::EngineDirectory;
use crate::runtime::Reference;

/// Sets a [`Reference`] up: every setting but where providers come from has a default.
#[derive(Debug)]
pub struct ReferenceBuilder {
    service: String,
    consumer: Option<Url>,
    parameters: Vec<(String, String)>,
    directory: Option<Arc<dyn Directory>>,
    engine: Option<Engine>,
    protocols: ProtocolRegistry,
    filters: Option<FilterChain>,
    filter_registry: FilterRegistry,
    clusters: ClusterRegistry,
    balances: LoadBalanceRegistry,
    clock: Arc<dyn Clock>,
    backoff: Backoff,
    seed: u64,
}

// === impl ReferenceBuilder ===

impl ReferenceBuilder {
    pub(crate) fn new(service: &str) -> Self {
        Self {
            service: service.to_owned(),
            consumer: None,
            parameters: Vec::new(),
            directory: None,
            engine: None,
            protocols: ProtocolRegistry::new(),
            filters: None,
            filter_registry: FilterRegistry::with_defaults(),
            clusters: ClusterRegistry::with_defaults(),
            balances: LoadBalanceRegistry::with_defaults(),
            clock: Arc::new(SystemClock),
            backoff: Backoff::default(),
            seed: std::hash::RandomState::new().hash_one(0),
        }
    }

    /// The consumer's URL as a whole; it names the service itself.
    #[must_use]
    pub fn consumer(mut self, consumer: Url) -> Self {
        self.consumer = Some(consumer);
        self
    }

    /// Sets a parameter of the consumer, as `cluster`, `loadbalance`, `retries`, `create.timeout`, `application`. What the
    /// consumer sets wins over what a provider sets.
    #[must_use]
    pub fn parameter(mut self, key: &str, value: &str) -> Self {
        self.parameters.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Where the providers are. Its consumer is the reference's.
    #[must_use]
    pub fn directory(mut self, directory: Arc<dyn Directory>) -> Self {
        self.directory = Some(directory);
        self
    }

    /// The engine whose providers and rules count.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Adds a way to call the engine's providers.
    #[must_use]
    pub fn protocol(mut self, protocol: Arc<dyn Protocol>) -> Self {
        self.protocols.register(protocol);
        self
    }

    /// What stands around every attempt, instead of what the registry of filters says.
    #[must_use]
    pub fn filters(mut self, filters: FilterChain) -> Self {
        self.filters = Some(filters);
        self
    }

    /// The filters there are; which of them stand around attempts, the consumer's parameters say.
    #[must_use]
    pub fn filter_registry(mut self, filters: FilterRegistry) -> Self {
        self.filter_registry = filters;
        self
    }

    /// The cluster policies there are.
    #[must_use]
    pub fn clusters(mut self, clusters: ClusterRegistry) -> Self {
        self.clusters = clusters;
        self
    }

    /// The load balances there are.
    #[must_use]
    pub fn load_balances(mut self, balances: LoadBalanceRegistry) -> Self {
        self.balances = balances;
        self
    }

    /// What time it is; the machine's clock without this.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// How often providers that could not be reached are tried again.
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Where draws begin; by chance without this.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The reference.
    ///
    /// # Errors
    ///
    /// There is neither a directory nor an engine, a parameter makes no URL, or the consumer asks for an unknown cluster
    /// policy or filter.
    pub fn build(self) -> Result<Reference, RpcError> {
        let directory = match (self.directory, self.engine) {
            (Some(directory), None) if self.consumer.is_none() && self.parameters.is_empty() => directory,
            (Some(_), None) => {
                return Err(refused("a directory brings its own consumer: set its parameters there"));
            }
            (None, Some(engine)) => {
                let consumer = consumer_of(&self.service, self.consumer, &self.parameters)?;
                Arc::new(EngineDirectory::new(engine, consumer, self.protocols, self.backoff)?) as Arc<dyn Directory>
            }
            (Some(_), Some(_)) => return Err(refused("expected a directory or an engine, found both")),
            (None, None) => return Err(refused("expected a directory or an engine: nobody could be called")),
        };
        let policy = directory.consumer().parameter_or(keys::CLUSTER, Failover::NAME);
        let cluster = MockCluster::around(self.clusters.policy(policy)?, directory.consumer());
        let filters = match self.filters {
            Some(filters) => filters,
            None => self.filter_registry.chain(Side::Consumer, directory.consumer())?,
        };
        let site = ClusterSite::new(directory, filters, self.balances, self.clock, self.seed);
        Ok(Reference { site: Arc::new(site), cluster })
    }
}

/// What would end a parameter's value, or change it; everything else stands as it is.
const RESERVED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'=').add(b'?');

/// The consumer's URL with its parameters.
fn consumer_of(service: &str, consumer: Option<Url>, parameters: &[(String, String)]) -> Result<Url, RpcError> {
    let mut text = match consumer {
        Some(consumer) => consumer.as_str().to_owned(),
        None => format!("consumer://127.0.0.1/{service}?side=consumer"),
    };
    for (key, value) in parameters {
        let separator = if text.contains('?') { '&' } else { '?' };
        let value = utf8_percent_encode(value, RESERVED);
        text.push_str(&format!("{separator}{key}={value}"));
    }
    Url::parse(&text).map_err(|error| refused(&format!("`{text}` is no consumer URL: {error}")).caused_by(error))
}

fn refused(message: &str) -> RpcError {
    RpcError::new(RpcErrorKind::Unknown, message)
}
