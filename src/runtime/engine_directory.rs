//! The directory that follows an engine: its providers, its rules.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use hashbrown::HashSet;
use parking_lot::Mutex;

use crate::directory::Availability;
use crate::directory::Backoff;
use crate::directory::ByMethod;
use crate::directory::Directory;
use crate::directory::DirectoryError;
use crate::directory::Invokers;
use crate::directory::Lend;
use crate::directory::Listing;
use crate::loadbalance::CandidateTable;
use crate::loadbalance::InvokerStates;
use crate::loadbalance::MethodWeights;
use crate::router::InvokerList;
use crate::router::Selection;
use crate::rpc::Invocation;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::ProtocolRegistry;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::rpc::Soon;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::runtime::Decision;
use crate::runtime::Engine;
use crate::runtime::SelectError;
use crate::runtime::session::Begun;
use crate::runtime::session_pool::SessionPool;

/// The invokers of one service of an engine, for one consumer. Whatever changes the engine's providers or rules changes
/// what it lends, at once and as a whole.
#[derive(Debug)]
pub struct EngineDirectory {
    consumer: Url,
    service: ServiceKey,
    sessions: SessionPool,
    invokers: Invokers,
    facts: ByMethod<ListFacts>,
    availability: Availability,
    /// The list that the invokers were made for, by address: it is compared, never looked at.
    followed: AtomicUsize,
    following: Mutex<()>,
    is_destroyed: AtomicBool,
}

/// What is worked out once for a list and a method.
#[derive(Debug)]
struct ListFacts {
    weights: Arc<MethodWeights>,
    /// Those that can and may be called; none where that is everybody.
    callable: Option<Selection>,
}

// === impl EngineDirectory ===

impl EngineDirectory {
    /// A directory for `consumer`, whose URL names the service. Providers are called by `protocols`.
    ///
    /// # Errors
    ///
    /// The consumer URL names no service.
    pub fn new(
        engine: Engine,
        consumer: Url,
        protocols: ProtocolRegistry,
        backoff: Backoff,
    ) -> Result<Self, DirectoryError> {
        let Some(service) = consumer.service_key() else {
            let (service, why) = (ServiceKey::parse(""), "the consumer URL names no service".to_owned());
            return Err(DirectoryError::Forbidden { service, why });
        };
        engine.shared.is_balanced.store(true, Relaxed);
        Ok(Self {
            consumer,
            service,
            invokers: Invokers::new(protocols),
            facts: ByMethod::default(),
            availability: Availability::new(Arc::clone(&engine.shared.states), backoff),
            sessions: SessionPool::new(engine),
            followed: AtomicUsize::new(0),
            following: Mutex::default(),
            is_destroyed: AtomicBool::new(false),
        })
    }

    /// The engine that it follows.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        self.sessions.engine()
    }

    /// Who is set aside.
    #[must_use]
    pub fn availability(&self) -> &Availability {
        &self.availability
    }

    fn lend(&self, decision: &Decision<'_>, invocation: &dyn Invocation, lend: Lend<'_>) -> Result<(), DirectoryError> {
        let Some(list) = decision.list() else { return Ok(()) };
        if self.followed.load(Relaxed) != Arc::as_ptr(list) as usize {
            self.follow(list);
        }
        let method = invocation.target_method();
        let make = || {
            let facts = self.facts.get(list, method, || self.facts_of(list, method));
            let weights = Arc::clone(&facts.weights);
            match &facts.callable {
                None => CandidateTable::of(weights, list, decision.selection()),
                Some(callable) => {
                    let mut left = callable.clone();
                    left.intersect(decision.selection());
                    CandidateTable::of(weights, list, &left)
                }
            }
        };
        decision.tables().lend(method, make, |table| {
            if table.is_empty()
                && let Some(why) = self.why_nobody_can_be_called(list)
            {
                return Err(DirectoryError::Forbidden { service: self.service.clone(), why });
            }
            lend(&Listing { list, table, states: self.states(), invokers: &self.invokers });
            Ok(())
        })
    }

    fn facts_of(&self, list: &InvokerList, method: &str) -> ListFacts {
        let now_ms = self.engine().shared.settings.clock.now().as_millisecond();
        let providers = list.ids().iter().zip(list.providers());
        let is_callable =
            |(id, provider): (&InvokerId, &Provider)| is_enabled(provider) && self.invokers.speaks(*id, provider);
        let callable: Vec<bool> = providers.map(is_callable).collect();
        let is_everybody = callable.iter().all(|is_callable| *is_callable);
        let positions = callable.iter().enumerate().filter_map(|(at, is_callable)| is_callable.then_some(at));
        ListFacts {
            weights: Arc::new(MethodWeights::of(list, method, now_ms)),
            callable: (!is_everybody).then(|| Selection::from_positions(list.len(), positions)),
        }
    }

    /// Makes the invokers of a new list. One call does it; the others take or make what they need meanwhile.
    fn follow(&self, list: &Arc<InvokerList>) {
        let Some(_following) = self.following.try_lock() else { return };
        self.states().reserve(list.ids());
        self.invokers.follow(list);
        if !self.availability.is_empty() {
            let ids: HashSet<InvokerId> = list.ids().iter().copied().collect();
            self.availability.retain(|id| ids.contains(&id));
        }
        self.followed.store(Arc::as_ptr(list) as usize, Relaxed);
    }

    /// Why nobody of `list` can be called, whatever rules say; nothing where somebody can.
    fn why_nobody_can_be_called(&self, list: &InvokerList) -> Option<String> {
        let mut disabled = 0;
        let mut protocols: Vec<&str> = Vec::new();
        for (id, provider) in list.ids().iter().zip(list.providers()) {
            if !is_enabled(provider) {
                disabled += 1;
            } else if self.invokers.speaks(*id, provider) {
                return None;
            } else {
                let name = provider.url().protocol().unwrap_or_default();
                if !protocols.contains(&name) {
                    protocols.push(name);
                }
            }
        }
        Some(match (disabled, list.len()) {
            (0, all) => format!("no protocol of its {all} providers is registered: {}", protocols.join(", ")),
            (disabled, all) if disabled == all => format!("all {all} providers are disabled"),
            (disabled, all) => {
                format!(
                    "of {all} providers {disabled} are disabled, and no protocol of the others is registered: {}",
                    protocols.join(", ")
                )
            }
        })
    }

    fn error(&self, error: SelectError) -> DirectoryError {
        let service = self.service.clone();
        match error {
            SelectError::Forbidden { .. } => {
                DirectoryError::Forbidden { service, why: "it has no provider now".to_owned() }
            }
            SelectError::UnknownService { .. } => DirectoryError::Forbidden { service, why: error.to_string() },
            error => DirectoryError::Rules { service, why: error.to_string() },
        }
    }
}

/// Whether a provider may be called: its parameter `disabled`, else `enabled`, as in `RegistryDirectory.toInvokers`.
fn is_enabled(provider: &Provider) -> bool {
    let is = |key: &str, word: &str| provider.raw(key).map(|value| value.eq_ignore_ascii_case(word));
    match is(keys::DISABLED, "true") {
        Some(is_disabled) => !is_disabled,
        None => is(keys::ENABLED, "false") != Some(true),
    }
}

impl Directory for EngineDirectory {
    fn consumer(&self) -> &Url {
        &self.consumer
    }

    fn states(&self) -> &Arc<InvokerStates> {
        &self.engine().shared.states
    }

    fn list<'a>(&'a self, invocation: &'a dyn Invocation, lend: Lend<'a>) -> Soon<'a, Result<(), DirectoryError>> {
        if self.is_destroyed.load(Relaxed) {
            return Soon::ready(Err(DirectoryError::Destroyed { service: self.service.clone() }));
        }
        let mut session = self.sessions.take();
        let waiting = match session.begin(&self.consumer, invocation) {
            Ok(Begun::Waiting(waiting)) => waiting,
            Ok(Begun::Walked(looked)) => {
                let told = match session.decide(looked, &self.consumer, invocation) {
                    Ok(decision) => self.lend(&decision, invocation, lend),
                    Err(error) => Err(self.error(error)),
                };
                self.sessions.put(session);
                return Soon::ready(told);
            }
            Err(error) => {
                self.sessions.put(session);
                return Soon::ready(Err(self.error(error)));
            }
        };
        Soon::later(async move {
            let told = match session.finish(waiting, &self.consumer, invocation).await {
                Ok(decision) => self.lend(&decision, invocation, lend),
                Err(error) => Err(self.error(error)),
            };
            self.sessions.put(session);
            told
        })
    }

    fn why_nobody(&self, invocation: &dyn Invocation) -> String {
        let mut text = String::new();
        let Ok(explanation) = self.engine().explain(&self.consumer, invocation, None) else { return text };
        for step in explanation.steps.iter().filter(|step| step.before != step.after) {
            let (before, after) = (step.before.count(), step.after.count());
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "  {} {}: {before} -> {after}", step.header.kind, step.header.id);
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn set_aside(&self, id: InvokerId, invoker: &Arc<dyn Invoker>) {
        self.availability.set_aside(id, invoker);
    }

    fn destroy(&self) {
        self.is_destroyed.store(true, Relaxed);
        self.availability.retain(|_| false);
        self.invokers.clear();
    }
}
