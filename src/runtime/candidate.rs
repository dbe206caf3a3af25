//! A second rule set beside the one in force, over the same lists: what would change if it were in force.

use std::sync::Arc;

use crate::chain::BoundChain;
use crate::chain::Walk;
use crate::router::Binding;
use crate::router::InvokerList;
use crate::router::Selection;
use crate::rpc::Invocation;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::runtime::Engine;
use crate::runtime::ReloadError;
use crate::runtime::RuleSet;
use crate::runtime::SelectError;
use crate::runtime::engine::Shared;
use crate::runtime::explain::walk_to_end;
use crate::runtime::snapshot::Snapshot;

/// A rule set that decides nothing: it is asked what it would decide. It stands beside the snapshot that was in force
/// when it was made, over the very same lists, whatever the engine does since.
#[derive(Debug)]
pub struct Candidate {
    shared: Arc<Shared>,
    enforced: Arc<Snapshot>,
    candidate: Arc<Snapshot>,
}

/// One call under two rule sets, with one seed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Comparison {
    /// The service.
    pub service: ServiceKey,
    /// The generation of the rules in force.
    pub generation: u64,
    /// The list that positions speak of.
    pub list: Arc<InvokerList>,
    /// What the rules in force leave.
    pub enforced: Selection,
    /// What the candidate leaves.
    pub candidate: Selection,
    /// How the two stand to each other.
    pub relation: Relation,
}

/// How a candidate's answer stands to the one in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Relation {
    /// The same providers.
    Equal,
    /// Some of them.
    Narrower,
    /// They and others.
    Wider,
    /// Some of them, and others.
    Overlapping,
    /// Others only.
    Disjoint,
    /// Nobody: never equal, also where nobody was left before.
    Empty,
}

// === impl Engine ===

impl Engine {
    /// Puts `rules` beside those in force. Nothing changes for calls.
    ///
    /// ```
    /// use pointsman::runtime::{Engine, Relation, RuleSet};
    /// use pointsman::{RpcInvocation, Url};
    /// let providers = ["dubbo://10.1.0.1:20880/Orders?region=a", "dubbo://10.2.0.1:20880/Orders?region=b"];
    /// let engine = Engine::builder().providers(providers.map(|text| Url::parse(text).unwrap())).build().unwrap();
    /// let candidate = engine.candidate(RuleSet::from_conditions(["=> region=a"]).unwrap()).unwrap();
    /// let consumer = Url::parse("consumer://10.1.0.9/Orders").unwrap();
    /// let comparison = candidate.compare(&consumer, &RpcInvocation::new("Orders", "find"), None).unwrap();
    /// assert_eq!(comparison.relation, Relation::Narrower);
    /// ```
    ///
    /// # Errors
    ///
    /// A rule cannot be prepared over the lists.
    pub fn candidate(&self, rules: RuleSet) -> Result<Candidate, ReloadError> {
        let enforced = self.shared.snapshot.load_full();
        let candidate = Arc::new(self.shared.beside(&enforced, rules)?);
        Ok(Candidate { shared: Arc::clone(&self.shared), enforced, candidate })
    }
}

// === impl Candidate ===

impl Candidate {
    /// Routes one call by both rule sets; draws of both begin with one seed.
    ///
    /// # Errors
    ///
    /// As [`Session::select`](crate::runtime::Session::select), for the one or the other.
    pub fn compare(
        &self,
        consumer: &Url,
        invocation: &dyn Invocation,
        seed: Option<u64>,
    ) -> Result<Comparison, SelectError> {
        let key = consumer.service_key().ok_or(SelectError::NoService)?;
        let seed = seed.unwrap_or_else(|| self.shared.next_seed());
        let (before, enforced) = self.route(&self.enforced, &key, consumer, invocation, seed)?;
        let (_, candidate) = self.route(&self.candidate, &key, consumer, invocation, seed)?;
        let relation = Relation::of(&enforced, &candidate);
        let (list, generation) = (Arc::clone(before.list()), self.enforced.generation);
        Ok(Comparison { service: key, generation, list, enforced, candidate, relation })
    }

    fn route(
        &self,
        snapshot: &Snapshot,
        key: &ServiceKey,
        consumer: &Url,
        invocation: &dyn Invocation,
        seed: u64,
    ) -> Result<(Arc<BoundChain>, Selection), SelectError> {
        let Some((_, service)) = self.shared.find(snapshot, key)? else { return Err(SelectError::NoService) };
        let binding = Binding { consumer, overrides: &self.shared.settings.overrides };
        let (_, chain) = service.bindings.bind(&service.chain, &binding, &self.shared.registry)?;
        let mut walk = Walk::default();
        walk_to_end(&chain, &mut walk, &self.shared.call(consumer, invocation, seed, &service.availability), None)?;
        let selection = walk.candidates().clone();
        Ok((chain, selection))
    }
}

// === impl Relation ===

impl Relation {
    /// How `candidate` stands to `enforced`, two sets over one list.
    #[must_use]
    pub fn of(enforced: &Selection, candidate: &Selection) -> Self {
        let common = enforced.count_in(candidate);
        let is_part = |one: &Selection| common == one.count();
        if candidate.is_empty() {
            Self::Empty
        } else if common == 0 && !enforced.is_empty() {
            Self::Disjoint
        } else {
            match (is_part(enforced), is_part(candidate)) {
                (true, true) => Self::Equal,
                (true, false) => Self::Wider,
                (false, true) => Self::Narrower,
                (false, false) => Self::Overlapping,
            }
        }
    }

    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Narrower => "narrower",
            Self::Wider => "wider",
            Self::Overlapping => "overlapping",
            Self::Disjoint => "disjoint",
            Self::Empty => "empty",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_answer_is_never_equal() {
        let of = |positions: &[usize]| Selection::from_positions(4, positions.iter().copied());
        for (enforced, candidate, expected) in [
            (&[0, 1][..], &[0, 1][..], Relation::Equal),
            (&[0, 1], &[0], Relation::Narrower),
            (&[0], &[0, 1], Relation::Wider),
            (&[], &[1], Relation::Wider),
            (&[0, 1], &[1, 2], Relation::Overlapping),
            (&[0, 1], &[2, 3], Relation::Disjoint),
            (&[0, 1], &[], Relation::Empty),
            (&[], &[], Relation::Empty),
        ] {
            assert_eq!(Relation::of(&of(enforced), &of(candidate)), expected, "{enforced:?} {candidate:?}");
        }
    }
}
