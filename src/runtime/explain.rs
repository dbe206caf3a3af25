//! Walks outside a session's memo: explanations, and decisions that stand by themselves.

use std::sync::Arc;

use crate::chain::BoundChain;
use crate::chain::Call;
use crate::chain::ExplainedStep;
use crate::chain::Explainer;
use crate::chain::OnEmpty;
use crate::chain::Outcome;
use crate::chain::Progress;
use crate::chain::Walk;
use crate::router::Availability;
use crate::router::Binding;
use crate::router::InvokerList;
use crate::router::RouteError;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::Surroundings;
use crate::router::Visitor;
use crate::rpc::Invocation;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::runtime::Engine;
use crate::runtime::OwnedDecision;
use crate::runtime::SelectError;
use crate::runtime::Session;
use crate::runtime::engine::Shared;
use crate::runtime::snapshot::ServiceSnapshot;
use crate::runtime::snapshot::Snapshot;

/// Why a call goes where it goes: the walk that decided, step by step.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// The service.
    pub service: ServiceKey,
    /// The generation of the snapshot that decided.
    pub generation: u64,
    /// The seed of the draws.
    pub seed: u64,
    /// Whether a rule draws, so that another seed may give another answer.
    pub is_drawn: bool,
    /// The list that positions speak of.
    pub list: Arc<InvokerList>,
    /// What each router did, in order; routers after an empty result are not asked.
    pub steps: Vec<ExplainedStep>,
    /// Rules that were not asked because nobody was left.
    pub not_asked: usize,
    /// What is left.
    pub selection: Selection,
    /// The first rule that keeps answers from being remembered.
    pub unmemoisable: Option<Arc<RuleHeader>>,
}

/// A service of one snapshot, and its chain for one consumer.
struct Bound {
    snapshot: Arc<Snapshot>,
    number: usize,
    chain: Arc<BoundChain>,
}

// === impl Engine ===

impl Engine {
    /// Which providers may serve `invocation` of `consumer`; an answer of its own, without a session's memo.
    ///
    /// # Errors
    ///
    /// As [`Session::select`].
    pub fn select(&self, consumer: &Url, invocation: &dyn Invocation) -> Result<OwnedDecision, SelectError> {
        let bound = self.shared.bound(consumer)?;
        let call = self.shared.call(consumer, invocation, bound.seed(&self.shared), bound.availability());
        let mut walk = Walk::default();
        walk_to_end(&bound.chain, &mut walk, &call, None)?;
        bound.decision(&walk, call.seed)
    }

    /// [`Engine::select`] without blocking: where a router needs time, the future waits. No session is held.
    ///
    /// # Errors
    ///
    /// As [`Session::select`].
    pub async fn select_async(
        &self,
        consumer: &Url,
        invocation: &dyn Invocation,
    ) -> Result<OwnedDecision, SelectError> {
        let bound = self.shared.bound(consumer)?;
        let call = self.shared.call(consumer, invocation, bound.seed(&self.shared), bound.availability());
        let mut walk = Walk::default();
        walk.start(&bound.chain);
        while let Progress::Later(ticket) = bound.chain.advance(&mut walk, &call, None)? {
            let settled = ticket.await;
            bound.chain.settle(&mut walk, settled, None)?;
        }
        bound.decision(&walk, call.seed)
    }

    /// Why `invocation` of `consumer` goes where it goes: the same walk, with somebody listening.
    ///
    /// # Errors
    ///
    /// As [`Session::select`].
    pub fn explain(
        &self,
        consumer: &Url,
        invocation: &dyn Invocation,
        seed: Option<u64>,
    ) -> Result<Explanation, SelectError> {
        let bound = self.shared.bound(consumer)?;
        let seed = seed.unwrap_or_else(|| bound.seed(&self.shared));
        let call = self.shared.call(consumer, invocation, seed, bound.availability());
        let (mut walk, mut explainer) = (Walk::default(), Explainer::default());
        walk_to_end(&bound.chain, &mut walk, &call, Some(&mut explainer))?;
        let service = bound.snapshot.services.get(bound.number).ok_or(SelectError::NoService)?;
        let steps = explainer.into_steps();
        Ok(Explanation {
            service: service.key.clone(),
            generation: bound.snapshot.generation,
            seed,
            is_drawn: bound.chain.draws(),
            list: Arc::clone(bound.chain.list()),
            not_asked: bound.chain.step_count() - steps.len(),
            steps,
            selection: walk.candidates().clone(),
            unmemoisable: bound.chain.unmemoisable().or(walk.impure()).cloned(),
        })
    }
}

// === impl Session ===

impl Session {
    /// [`Engine::explain`] by way of a session.
    ///
    /// # Errors
    ///
    /// As [`Session::select`].
    pub fn explain(
        &self,
        consumer: &Url,
        invocation: &dyn Invocation,
        seed: Option<u64>,
    ) -> Result<Explanation, SelectError> {
        Engine { shared: Arc::clone(self.shared()) }.explain(consumer, invocation, seed)
    }
}

// === impl Bound ===

impl Bound {
    /// A seed for one call; none is needed where no rule draws, and then no counter is shared with other threads.
    fn seed(&self, shared: &Shared) -> u64 {
        if self.chain.draws() { shared.next_seed() } else { 0 }
    }

    fn availability(&self) -> &dyn Availability {
        self.snapshot.availability(self.number)
    }

    fn decision(&self, walk: &Walk, seed: u64) -> Result<OwnedDecision, SelectError> {
        Ok(OwnedDecision {
            service: Arc::clone(self.snapshot.services.get(self.number).ok_or(SelectError::NoService)?),
            outcome: Outcome::of(walk),
            generation: self.snapshot.generation,
            rule_set: self.snapshot.rules.id(),
            seed,
        })
    }
}

// === impl Shared ===

impl Shared {
    /// A call among those of a list who can be reached.
    pub(crate) fn call<'a>(
        &'a self,
        consumer: &'a Url,
        invocation: &'a dyn Invocation,
        seed: u64,
        availability: &'a dyn Availability,
    ) -> Call<'a> {
        Call { consumer, invocation, seed, around: Surroundings { clock: &*self.settings.clock, availability } }
    }

    /// The service `key` in `snapshot`; none if it had to be made now and stands in a later snapshot.
    pub(crate) fn find<'a>(
        &self,
        snapshot: &'a Snapshot,
        key: &ServiceKey,
    ) -> Result<Option<(usize, &'a Arc<ServiceSnapshot>)>, SelectError> {
        if snapshot.rules.is_incomplete() && self.settings.on_empty == OnEmpty::Fail {
            return Err(SelectError::RulesMissing);
        }
        match snapshot.service(key) {
            Some((_, service)) if service.chain.list().is_empty() => {
                return Err(SelectError::Forbidden { service: key.clone() });
            }
            Some(found) => return Ok(Some(found)),
            None => {}
        }
        let unknown = || SelectError::UnknownService {
            service: key.clone(),
            known: snapshot.services.iter().map(|service| service.key.as_str()).collect::<Vec<_>>().join(", "),
        };
        self.ask(key).ok_or_else(unknown)??;
        Ok(None)
    }

    fn bound(&self, consumer: &Url) -> Result<Bound, SelectError> {
        let key = consumer.service_key().ok_or(SelectError::NoService)?;
        loop {
            let snapshot = self.snapshot.load_full();
            let Some((number, service)) = self.find(&snapshot, &key)? else { continue };
            let binding = Binding { consumer, overrides: &self.settings.overrides };
            let (_, chain) = service.bindings.bind(&service.chain, &binding, &self.registry)?;
            return Ok(Bound { number, chain, snapshot });
        }
    }
}

/// Walks from the head of a chain to its end, waiting for answers that take time.
pub(crate) fn walk_to_end(
    chain: &BoundChain,
    walk: &mut Walk,
    call: &Call<'_>,
    mut visitor: Option<&mut dyn Visitor>,
) -> Result<(), RouteError> {
    walk.start(chain);
    loop {
        let progress = match &mut visitor {
            Some(visitor) => chain.advance(walk, call, Some(&mut **visitor))?,
            None => chain.advance(walk, call, None)?,
        };
        let Progress::Later(ticket) = progress else { return Ok(()) };
        let settled = ticket.wait();
        match &mut visitor {
            Some(visitor) => chain.settle(walk, settled, Some(&mut **visitor))?,
            None => chain.settle(walk, settled, None)?,
        }
    }
}
