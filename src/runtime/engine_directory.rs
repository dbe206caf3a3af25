//! The directory that follows an engine: its providers, its rules.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::directory::Availability;
use crate::directory::Backoff;
use crate::directory::Directory;
use crate::directory::DirectoryError;
use crate::directory::Lend;
use crate::directory::Listing;
use crate::loadbalance::CandidateTable;
use crate::loadbalance::InvokerStates;
use crate::router::InvokerList;
use crate::rpc::Invocation;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::ProtocolRegistry;
use crate::rpc::ServiceKey;
use crate::rpc::Soon;
use crate::rpc::Url;
use crate::runtime::Decision;
use crate::runtime::Engine;
use crate::runtime::SelectError;
use crate::runtime::following::Following;
use crate::runtime::session::Begun;
use crate::runtime::session_pool::SessionPool;

/// The invokers of one service of an engine, for one consumer. Whatever changes the engine's providers or rules changes
/// what it lends, at once and as a whole.
#[derive(Debug)]
pub struct EngineDirectory {
    consumer: Url,
    sessions: SessionPool,
    following: Arc<Following>,
}

// === impl EngineDirectory ===

impl EngineDirectory {
    /// A directory for `consumer`, whose URL names the service. Providers are called by `protocols`, which are asked for the
    /// invokers of a list before the list is in force: whoever replaces providers waits for that.
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
        let shared = &engine.shared;
        shared.is_balanced.store(true, Relaxed);
        let following = Arc::new(Following::new(service, protocols, &shared.states, &shared.settings.clock, backoff));
        shared.followers.add(&following);
        if let Some((_, service)) = shared.snapshot.load().service(&following.service) {
            following.catch_up(service.chain.list(), || true);
        }
        Ok(Self { consumer, sessions: SessionPool::new(engine), following })
    }

    /// The engine that it follows.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        self.sessions.engine()
    }

    /// Who is set aside.
    #[must_use]
    pub fn availability(&self) -> &Availability {
        &self.following.availability
    }

    fn is_current(&self, list: &Arc<InvokerList>) -> bool {
        let snapshot = self.engine().shared.snapshot.load();
        snapshot.service(&self.following.service).is_some_and(|(_, service)| Arc::ptr_eq(service.chain.list(), list))
    }

    fn lend(&self, decision: &Decision<'_>, invocation: &dyn Invocation, lend: Lend<'_>) -> Result<(), DirectoryError> {
        let Some(list) = decision.list() else { return Ok(()) };
        self.following.catch_up(list, || self.is_current(list));
        let method = invocation.target_method();
        let make = || {
            let facts = self.following.facts(list, method);
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
                && let Some(why) = self.following.why_nobody_can_be_called(list)
            {
                return Err(DirectoryError::Forbidden { service: self.following.service.clone(), why });
            }
            lend(&Listing { list, table, states: self.states(), invokers: &self.following.invokers });
            Ok(())
        })
    }

    fn error(&self, error: SelectError) -> DirectoryError {
        let service = self.following.service.clone();
        match error {
            SelectError::Forbidden { .. } => {
                DirectoryError::Forbidden { service, why: "it has no provider now".to_owned() }
            }
            SelectError::UnknownService { .. } => DirectoryError::Forbidden { service, why: error.to_string() },
            error => DirectoryError::Rules { service, why: error.to_string() },
        }
    }
}

impl Directory for EngineDirectory {
    fn consumer(&self) -> &Url {
        &self.consumer
    }

    fn states(&self) -> &Arc<InvokerStates> {
        &self.engine().shared.states
    }

    fn list<'a>(
        &'a self,
        invocation: &'a dyn Invocation,
        seed: u64,
        lend: Lend<'a>,
    ) -> Soon<'a, Result<(), DirectoryError>> {
        if self.following.is_ended() {
            return Soon::ready(Err(DirectoryError::Destroyed { service: self.following.service.clone() }));
        }
        self.following.availability.keep_looking();
        let mut session = self.sessions.take();
        let waiting = match session.begin(&self.consumer, invocation, Some(seed)) {
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

    fn why_nobody(&self, invocation: &dyn Invocation, seed: u64) -> String {
        let mut text = String::new();
        let Ok(explanation) = self.engine().explain(&self.consumer, invocation, Some(seed)) else { return text };
        for step in explanation.steps.iter().filter(|step| step.before != step.after) {
            let (before, after) = (step.before.count(), step.after.count());
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "  {} {}: {before} -> {after}", step.header.kind, step.header.id);
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn is_available(&self) -> bool {
        let snapshot = self.engine().shared.snapshot.load();
        let service = snapshot.service(&self.following.service);
        !self.following.is_ended()
            && service.is_some_and(|(_, service)| self.following.has_anybody(service.chain.list()))
    }

    fn set_aside(&self, id: InvokerId, invoker: &Arc<dyn Invoker>) {
        // A provider that is gone may fail late: its slot may be another's.
        if self.following.invokers.holds(id, invoker) {
            self.following.availability.set_aside(id, invoker);
        }
    }

    fn destroy(&self) {
        self.following.end();
    }
}
