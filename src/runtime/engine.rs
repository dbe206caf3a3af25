//! The engine: one snapshot that calls read, and one writer at a time that replaces it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use crate::chain::Guard;
use crate::diagnostics::Finding;
use crate::loadbalance::InvokerStates;
use crate::mock::MockSelector;
use crate::router::Router;
use crate::router::RouterFactoryRegistry;
use crate::router::mix;
use crate::rpc::InvokerSlots;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::runtime::EngineBuilder;
use crate::runtime::ReloadError;
use crate::runtime::RuleSet;
use crate::runtime::ServiceFeed;
use crate::runtime::Session;
use crate::runtime::config::Settings;
use crate::runtime::followers::Followers;
use crate::runtime::memo_budget::MemoBudget;
use crate::runtime::services::Services;
use crate::runtime::services::offers;
use crate::runtime::services::read_urls;
use crate::runtime::session::Counters;
use crate::runtime::snapshot::ServiceSnapshot;
use crate::runtime::snapshot::Snapshot;
use crate::runtime::snapshot::Workshop;
use crate::tag::TagRouter;

/// How many services asked for with wildcards or lists are kept; beyond that all are forgotten and made again when they
/// are asked for.
const MAX_ASKED: usize = 1_024;

/// Decides for every call which providers may serve it. Cheap to clone; all clones are one engine.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
}

/// What an engine and its sessions have in common.
pub(crate) struct Shared {
    pub(crate) snapshot: ArcSwap<Snapshot>,
    pub(crate) registry: Arc<RouterFactoryRegistry>,
    pub(crate) settings: Settings,
    pub(crate) memo: MemoBudget,
    pub(crate) sessions: Mutex<Vec<std::sync::Weak<Counters>>>,
    /// Counts of sessions that have ended.
    pub(crate) ended: Counters,
    pub(crate) next_seed: AtomicU64,
    /// What is known of the invokers of all services.
    pub(crate) states: Arc<InvokerStates>,
    pub(crate) followers: Followers,
    /// Whether load balances keep tables with what is remembered.
    pub(crate) is_balanced: AtomicBool,
    writer: Mutex<Writer>,
    slots: InvokerSlots,
    /// Stand in every chain.
    built_in: Vec<Arc<dyn Router>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// What the next change begins with. Cheap to clone: all that is large is shared.
#[derive(Clone)]
struct Writer {
    services: Services,
    rules: RuleSet,
    /// Services that consumers asked for with wildcards or lists: rebuilt with the others.
    asked: BTreeSet<ServiceKey>,
    generation: u64,
}

// === impl Writer ===

impl Writer {
    fn read_providers<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Result<(), Vec<Finding>> {
        let providers = read_urls(texts.into_iter(), &self.services).map_err(|errors| {
            let finding =
                |(index, error)| Finding::error("providers::wrong_url", format!("provider {}: {error}", index + 1));
            errors.into_iter().map(finding).collect::<Vec<_>>()
        })?;
        self.services = self.services.regroup(providers);
        Ok(())
    }
}

// === impl Engine ===

impl Engine {
    /// Begins to set up an engine.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder::new()
    }

    pub(crate) fn start(
        registry: Arc<RouterFactoryRegistry>,
        settings: Settings,
        rules: RuleSet,
        providers: Vec<Provider>,
    ) -> Result<Self, ReloadError> {
        let built_in: Vec<Arc<dyn Router>> = vec![
            Arc::new(MockSelector::built_in().map_err(ReloadError::registry)?),
            Arc::new(TagRouter::built_in().map_err(ReloadError::registry)?),
        ];
        let next_seed = AtomicU64::new(settings.seed);
        let writer =
            Writer { services: Services::default(), rules: RuleSet::default(), asked: BTreeSet::new(), generation: 0 };
        let engine = Self {
            shared: Arc::new(Shared {
                snapshot: ArcSwap::default(),
                registry,
                memo: MemoBudget::new(settings.memo_bytes),
                states: Arc::new(InvokerStates::new(Arc::clone(&settings.clock))),
                followers: Followers::default(),
                is_balanced: AtomicBool::new(false),
                settings,
                sessions: Mutex::default(),
                ended: Counters::default(),
                next_seed,
                writer: Mutex::new(writer),
                slots: InvokerSlots::default(),
                built_in,
            }),
        };
        engine.shared.change(|writer| {
            writer.services = writer.services.regroup(providers);
            writer.rules = rules;
            Ok(Change::Everything)
        })?;
        Ok(engine)
    }

    /// A session: the way for calls of one thread.
    #[must_use]
    pub fn session(&self) -> Session {
        Session::new(Arc::clone(&self.shared))
    }

    /// Replaces all rules. Services whose rules stay the same keep chain and memo.
    ///
    /// # Errors
    ///
    /// A rule cannot be prepared; the old rules stay in force.
    pub fn replace_rules(&self, rules: RuleSet) -> Result<u64, ReloadError> {
        self.shared.change(|writer| {
            writer.rules = rules;
            Ok(Change::Rules)
        })
    }

    /// Replaces the providers of all services. A provider whose URL is the same object keeps its place in the index.
    ///
    /// # Errors
    ///
    /// A rule cannot be prepared over the new lists; the old lists stay in force.
    pub fn replace_providers(
        &self,
        providers: impl IntoIterator<Item = impl Into<Provider>>,
    ) -> Result<u64, ReloadError> {
        let providers = providers.into_iter().map(Into::into).collect();
        self.shared.change(|writer| {
            writer.services = writer.services.regroup(providers);
            Ok(Change::Everything)
        })
    }

    /// Replaces the providers of all services by what is read from `texts`; texts that are the same as before are not
    /// read again.
    ///
    /// # Errors
    ///
    /// A text is no URL, or a rule cannot be prepared; the old lists stay in force.
    pub fn replace_provider_texts<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Result<u64, ReloadError> {
        self.shared.change(|writer| {
            writer.read_providers(texts)?;
            Ok(Change::Everything)
        })
    }

    /// Replaces all rules and, where there are `texts`, the providers of all services, at once: no call sees the new
    /// rules over the old providers. Texts that are the same as before are not read again.
    ///
    /// # Errors
    ///
    /// A text is no URL, or a rule cannot be prepared; everything stays as it was.
    pub fn replace_rules_and_providers<'a>(
        &self,
        rules: RuleSet,
        texts: Option<impl IntoIterator<Item = &'a str>>,
    ) -> Result<u64, ReloadError> {
        self.shared.change(|writer| {
            writer.rules = rules;
            let Some(texts) = texts else { return Ok(Change::Rules) };
            writer.read_providers(texts)?;
            Ok(Change::Everything)
        })
    }

    /// Replaces the providers of one service; all others stay as they are. Without providers the service is known, and
    /// its calls are [`SelectError::Forbidden`](crate::runtime::SelectError::Forbidden).
    ///
    /// # Errors
    ///
    /// A provider offers another service, or a rule cannot be prepared over the new list; the old one stays in force.
    pub fn replace_service(
        &self,
        service: &ServiceKey,
        providers: impl IntoIterator<Item = impl Into<Provider>>,
    ) -> Result<u64, ReloadError> {
        let providers: Vec<Provider> = providers.into_iter().map(Into::into).collect();
        self.shared.change(|writer| {
            let strangers: Vec<Finding> = strangers(service, &providers);
            if !strangers.is_empty() {
                return Err(strangers);
            }
            writer.services.replace(service.clone(), providers);
            Ok(Change::Service(service.clone()))
        })
    }

    /// The way in for a registry that tells the providers of `service`, list after list.
    #[must_use]
    pub fn feed(&self, service: ServiceKey) -> ServiceFeed {
        ServiceFeed::new(self.clone(), service)
    }

    /// Forgets a service: nobody offers it any more.
    ///
    /// # Errors
    ///
    /// None in practice: nothing new is prepared.
    pub fn remove_service(&self, service: &ServiceKey) -> Result<u64, ReloadError> {
        self.shared.change(|writer| {
            writer.services.remove(service);
            Ok(Change::Service(service.clone()))
        })
    }

    /// What is known of the invokers of all services now. References feed it; rules that ask `isAvailable()` read it.
    #[must_use]
    pub fn invoker_states(&self) -> &Arc<InvokerStates> {
        &self.shared.states
    }

    /// Whether some consumer's chain has a router that has been replaced since.
    pub(crate) fn has_stale_bindings(&self) -> bool {
        self.shared.snapshot.load().services.iter().any(|service| !service.bindings.is_current())
    }

    /// The generation in force.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.shared.snapshot.load().generation
    }

    /// The services that were built in `generation`, if that is the one in force.
    pub(crate) fn services_of(&self, generation: u64) -> Vec<ServiceKey> {
        let snapshot = self.shared.snapshot.load();
        let changed = snapshot.services.iter().filter(|service| service.generation == generation);
        changed.map(|service| service.key.clone()).collect()
    }

    /// The services that providers offer, in order.
    #[must_use]
    pub fn services(&self) -> Vec<ServiceKey> {
        self.shared.writer.lock().services.keys().cloned().collect()
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let snapshot = self.shared.snapshot.load();
        f.debug_struct("Engine")
            .field("generation", &snapshot.generation)
            .field("services", &snapshot.services.len())
            .field("rules", &snapshot.rules.routers().len())
            .finish()
    }
}

/// How far a change reaches.
enum Change {
    Everything,
    Rules,
    Service(ServiceKey),
}

// === impl Change ===

impl Change {
    /// The providers of `key` if they may have changed; none if they surely did not.
    fn providers(&self, key: &ServiceKey, services: &Services, is_new: bool) -> Option<Vec<Provider>> {
        let may_have_changed = match self {
            Self::Everything => true,
            Self::Rules => is_new,
            Self::Service(changed) => is_new || key == changed || key.accepts(changed),
        };
        may_have_changed.then(|| services.providers_for(key).unwrap_or_default())
    }
}

// === impl Shared ===

impl Shared {
    /// Makes a service that a consumer asks for with wildcards or lists; none if no provider fits.
    pub(crate) fn ask(&self, key: &ServiceKey) -> Option<Result<u64, ReloadError>> {
        if !self.writer.lock().services.has_providers_for(key) {
            return None;
        }
        Some(self.change(|writer| {
            if writer.asked.len() >= MAX_ASKED {
                writer.asked.clear();
            }
            writer.asked.insert(key.clone());
            Ok(Change::Rules)
        }))
    }

    fn change(&self, change: impl FnOnce(&mut Writer) -> Result<Change, Vec<Finding>>) -> Result<u64, ReloadError> {
        let mut writer = self.writer.lock();
        let current = self.snapshot.load_full();
        // Everything is built from a copy: neither an error nor a panic leaves half a change behind.
        let mut next = writer.clone();
        next.generation += 1;
        let change = change(&mut next).map_err(|findings| ReloadError {
            generation: current.generation,
            findings,
            rule_source: None,
        })?;
        next.asked.retain(|key| next.services.has_providers_for(key));
        let snapshot = self.build(&next, &change, &current)?;
        if self.settings.guard == Guard::NotEmpty && !matches!(change, Change::Service(_)) {
            self.require_somebody(&current, &snapshot)?;
        }
        self.reclaim_slots(&[&current, &snapshot]);
        let generation = next.generation;
        *writer = next;
        let prepared = self.followers.prepare(&current, &snapshot);
        self.snapshot.store(Arc::new(snapshot));
        prepared.settle();
        tracing::info!(generation, "snapshot replaced");
        Ok(generation)
    }

    fn build(&self, writer: &Writer, change: &Change, current: &Snapshot) -> Result<Snapshot, ReloadError> {
        let generation = writer.generation;
        let workshop = Workshop {
            slots: &self.slots,
            states: &self.states,
            order: self.settings.priority_order,
            built_in: &self.built_in,
            generation,
        };
        let rules_are_same = writer.rules.is_same(&current.rules);
        let wild = writer.asked.iter().filter(|key| !writer.services.contains(key));
        let build = |key: &ServiceKey| {
            let previous = current.service(key).map(|(_, service)| service);
            let providers = change.providers(key, &writer.services, previous.is_none());
            if let (None, true, Some(previous)) = (&providers, rules_are_same, previous)
                && previous.bindings.is_current()
            {
                return Ok(Arc::clone(previous));
            }
            ServiceSnapshot::build(key, providers, &writer.rules, previous, workshop)
                .map_err(|error| ReloadError::chain(current.generation, &error))
        };
        let services = writer.services.keys().chain(wild).map(build).collect::<Result<Vec<_>, ReloadError>>()?;
        Ok(Snapshot::of(generation, writer.rules.clone(), services, current, &*self.settings.clock))
    }

    /// A snapshot of `rules` over the lists of `current`.
    pub(crate) fn beside(&self, current: &Snapshot, rules: RuleSet) -> Result<Snapshot, ReloadError> {
        let generation = current.generation;
        let order = self.settings.priority_order;
        let workshop =
            Workshop { slots: &self.slots, states: &self.states, order, built_in: &self.built_in, generation };
        let build = |service: &Arc<ServiceSnapshot>| {
            ServiceSnapshot::build(&service.key, None, &rules, Some(service), workshop)
                .map_err(|error| ReloadError::chain(generation, &error))
        };
        let services = current.services.iter().map(build).collect::<Result<Vec<_>, ReloadError>>()?;
        Ok(Snapshot::of(generation, rules, services, current, &*self.settings.clock))
    }

    /// Gives slots back that neither of two snapshots uses.
    fn reclaim_slots(&self, snapshots: &[&Snapshot]) {
        let lists = || snapshots.iter().flat_map(|snapshot| &snapshot.services).map(|service| service.chain.list());
        if self.slots.is_crowded(lists().map(|list| list.len()).sum()) {
            let given_back = self.slots.reclaim(lists().flat_map(|list| list.ids()).copied());
            given_back.into_iter().for_each(|id| self.states.reset(id));
        }
    }

    /// Takes a session's counts over when it ends.
    pub(crate) fn absorb(&self, counters: &Counters) {
        self.ended.add(counters);
        self.sessions.lock().retain(|other| other.strong_count() > 0 && !std::ptr::eq(other.as_ptr(), counters));
    }

    /// A seed that nobody else has: a session's first, or a single call's.
    pub(crate) fn next_seed(&self) -> u64 {
        mix(self.next_seed.fetch_add(1, Ordering::Relaxed))
    }
}

/// A finding for each provider that does not offer `service`.
fn strangers(service: &ServiceKey, providers: &[Provider]) -> Vec<Finding> {
    let others = providers.iter().filter(|provider| !offers(provider.url(), service));
    let finding = |provider: &Provider| {
        let found = provider.url().service_key().map_or_else(|| "no service".to_owned(), |key| format!("`{key}`"));
        let address = provider.url().address().unwrap_or_default();
        Finding::error(
            "providers::other_service",
            format!("expected providers of `{service}`, found {found} at {address}"),
        )
        .with_help("give each service its own providers")
    };
    others.map(finding).collect()
}
