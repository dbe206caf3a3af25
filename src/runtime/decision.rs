//! What a call gets: the providers that may serve it, with the generation that decided; or why not.

use std::sync::Arc;

use arc_swap::Guard;
use thiserror::Error;

use crate::chain::ChainError;
use crate::chain::Outcome;
use crate::loadbalance::BalanceTables;
use crate::router::InvokerList;
use crate::router::RouteError;
use crate::router::Selection;
use crate::rpc::InvokerId;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::runtime::ReloadError;
use crate::runtime::snapshot::ServiceSnapshot;
use crate::runtime::snapshot::Snapshot;

/// An answer that a session lends: valid until the session's next call.
#[derive(Debug)]
pub struct Decision<'a> {
    pub(crate) snapshot: Guard<Arc<Snapshot>>,
    pub(crate) service: usize,
    pub(crate) outcome: &'a Outcome,
    pub(crate) seed: Option<u64>,
}

/// An answer that stands by itself.
#[derive(Debug, Clone)]
pub struct OwnedDecision {
    pub(crate) service: Arc<ServiceSnapshot>,
    pub(crate) outcome: Outcome,
    pub(crate) generation: u64,
    pub(crate) rule_set: u64,
    pub(crate) seed: u64,
}

/// Why a call cannot be decided. An empty [`Decision`] is no error: rules may leave nobody.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The consumer URL names no service.
    #[error("expected an interface or a path in the consumer URL")]
    NoService,
    /// No provider offers the service.
    #[error("no provider offers `{service}`; known services: {known}")]
    UnknownService {
        /// The service asked for.
        service: ServiceKey,
        /// The services there are.
        known: String,
    },
    /// The service is known and has no provider now.
    #[error("`{service}` has no provider")]
    Forbidden {
        /// The service.
        service: ServiceKey,
    },
    /// Rules are missing that have no earlier good version, and `on-empty` is `fail`.
    #[error("some rules could not be read and have no earlier good version")]
    RulesMissing,
    /// A rule cannot be had for this consumer.
    #[error(transparent)]
    Bind(#[from] ChainError),
    /// A rule failed whose `on-error` is `fail`.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// The service's chain could not be built.
    #[error(transparent)]
    Build(#[from] ReloadError),
}

// === impl Decision ===

impl Decision<'_> {
    /// The positions left, over [`Decision::list`].
    #[must_use]
    pub fn selection(&self) -> &Selection {
        self.outcome.selection()
    }

    /// Whether nobody is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.selection().is_empty()
    }

    /// What load balances keep beside the answer.
    pub(crate) fn tables(&self) -> &BalanceTables {
        self.outcome.tables()
    }

    /// The list that the positions speak of.
    #[must_use]
    pub fn list(&self) -> Option<&Arc<InvokerList>> {
        self.snapshot.services.get(self.service).map(|service| service.chain.list())
    }

    /// The providers left, in the order of the list, each with its slot.
    pub fn providers(&self) -> impl Iterator<Item = (InvokerId, &Provider)> {
        let list = self.list();
        self.selection().positions().filter_map(move |position| list?.id(position).zip(list?.provider(position)))
    }

    /// The generation of the snapshot that decided.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.snapshot.generation
    }

    /// The id of the rule set that decided.
    #[must_use]
    pub fn rule_set(&self) -> u64 {
        self.snapshot.rules.id()
    }

    /// The seed of the draws; none where no rule draws. The same seed gives the same answer again.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The answer, free of the session.
    #[must_use]
    pub fn to_owned(&self) -> Option<OwnedDecision> {
        Some(OwnedDecision {
            service: Arc::clone(self.snapshot.services.get(self.service)?),
            outcome: self.outcome.clone(),
            generation: self.generation(),
            rule_set: self.rule_set(),
            seed: self.seed.unwrap_or(0),
        })
    }
}

// === impl OwnedDecision ===

impl OwnedDecision {
    /// The positions left, over [`OwnedDecision::list`].
    #[must_use]
    pub fn selection(&self) -> &Selection {
        self.outcome.selection()
    }

    /// Whether nobody is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.selection().is_empty()
    }

    /// The service.
    #[must_use]
    pub fn service(&self) -> &ServiceKey {
        &self.service.key
    }

    /// The list that the positions speak of.
    #[must_use]
    pub fn list(&self) -> &Arc<InvokerList> {
        self.service.chain.list()
    }

    /// The providers left, in the order of the list, each with its slot.
    pub fn providers(&self) -> impl Iterator<Item = (InvokerId, &Provider)> {
        let list = self.list();
        self.selection().positions().filter_map(move |position| list.id(position).zip(list.provider(position)))
    }

    /// The generation of the snapshot that decided.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The id of the rule set that decided.
    #[must_use]
    pub fn rule_set(&self) -> u64 {
        self.rule_set
    }

    /// The seed of the draws, if there were any.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }
}
