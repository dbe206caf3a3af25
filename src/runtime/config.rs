//! How an engine is set up.

use std::hash::BuildHasher;
use std::sync::Arc;

use crate::chain::Guard;
use crate::chain::OnEmpty;
use crate::chain::PriorityOrder;
use crate::router::Clock;
use crate::router::RouterFactoryRegistry;
use crate::router::SystemClock;
use crate::rpc::Provider;
use crate::runtime::Engine;
use crate::runtime::ReloadError;
use crate::runtime::RuleSet;
use crate::runtime::default_registry;

/// Sets an [`Engine`] up: every setting has a default.
#[derive(Debug)]
pub struct EngineBuilder {
    pub(crate) registry: Option<Arc<RouterFactoryRegistry>>,
    pub(crate) rules: RuleSet,
    pub(crate) providers: Vec<Provider>,
    pub(crate) settings: Settings,
}

/// What an engine goes by while it runs.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) priority_order: PriorityOrder,
    pub(crate) on_empty: OnEmpty,
    pub(crate) guard: Guard,
    pub(crate) overrides: Arc<[String]>,
    pub(crate) memo_bytes: usize,
    pub(crate) seed: u64,
    pub(crate) clock: Arc<dyn Clock>,
}

// === impl EngineBuilder ===

impl EngineBuilder {
    /// The memory that all memos of an engine may take together: 64 MiB.
    pub const DEFAULT_MEMO_BYTES: usize = 64 << 20;

    pub(crate) fn new() -> Self {
        Self {
            registry: None,
            rules: RuleSet::default(),
            providers: Vec::new(),
            settings: Settings {
                priority_order: PriorityOrder::default(),
                on_empty: OnEmpty::default(),
                guard: Guard::default(),
                overrides: Arc::default(),
                memo_bytes: Self::DEFAULT_MEMO_BYTES,
                seed: std::hash::RandomState::new().hash_one(0),
                clock: Arc::new(SystemClock),
            },
        }
    }

    /// The factories; [`default_registry`] without this.
    #[must_use]
    pub fn registry(mut self, registry: Arc<RouterFactoryRegistry>) -> Self {
        self.registry = Some(registry);
        self
    }

    /// The first rules.
    #[must_use]
    pub fn rules(mut self, rules: RuleSet) -> Self {
        self.rules = rules;
        self
    }

    /// The first providers, of whatever services.
    #[must_use]
    pub fn providers(mut self, providers: impl IntoIterator<Item = impl Into<Provider>>) -> Self {
        self.providers = providers.into_iter().map(Into::into).collect();
        self
    }

    /// Which priority runs first inside a phase.
    #[must_use]
    pub fn priority_order(mut self, order: PriorityOrder) -> Self {
        self.settings.priority_order = order;
        self
    }

    /// What calls get while rules are missing.
    #[must_use]
    pub fn on_empty(mut self, on_empty: OnEmpty) -> Self {
        self.settings.on_empty = on_empty;
        self
    }

    /// Which changes of rules or providers are refused although nothing is wrong with them.
    #[must_use]
    pub fn guard(mut self, guard: Guard) -> Self {
        self.settings.guard = guard;
        self
    }

    /// Names of parameters by which a consumer overrides every provider.
    #[must_use]
    pub fn overrides(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.settings.overrides = names.into_iter().collect();
        self
    }

    /// Bytes that all memos may take together; 0 switches them off.
    #[must_use]
    pub fn memo_bytes(mut self, bytes: usize) -> Self {
        self.settings.memo_bytes = bytes;
        self
    }

    /// Where random draws begin; by chance without this. Sessions differ from each other, and an engine with the same
    /// seed and sessions opened in the same order draws the same.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// What rules that look at the clock see; the machine's clock without this.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.settings.clock = clock;
        self
    }

    /// Builds the first snapshot.
    ///
    /// # Errors
    ///
    /// A rule that cannot be prepared over the providers.
    pub fn build(self) -> Result<Engine, ReloadError> {
        let registry = match self.registry {
            Some(registry) => registry,
            None => Arc::new(default_registry().map_err(ReloadError::registry)?),
        };
        Engine::start(registry, self.settings, self.rules, self.providers)
    }
}
