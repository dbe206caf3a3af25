//! A chain for one consumer.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::BuildError;
use crate::router::CallLayout;
use crate::router::CallParts;
use crate::router::ConsumerMismatch;
use crate::router::Input;
use crate::router::InvokerList;
use crate::router::PreparedRouter;
use crate::router::RouteError;
use crate::router::RuleHeader;
use crate::router::Selection;

/// A service's rules for one consumer: everything that is known before a call is decided.
#[derive(Debug)]
pub struct BoundChain {
    list: Arc<InvokerList>,
    steps: Vec<Step>,
    /// The steps that can change something; the others are asked only to explain.
    live: Vec<usize>,
    inputs: Option<Arc<[Input]>>,
    unmemoisable: Option<Arc<RuleHeader>>,
    draws: bool,
    /// How calls are written for routers that ask for a blob; none where none does.
    layout: Option<CallLayout>,
}

/// One rule of a bound chain.
#[derive(Debug)]
pub struct Step {
    pub(crate) header: Arc<RuleHeader>,
    pub(crate) state: State,
    /// The providers that the rule sees, where that is not all of the list.
    pub(crate) reach: Option<Arc<Selection>>,
    failures: AtomicU64,
}

#[derive(Debug)]
pub(crate) enum State {
    Disabled,
    OtherConsumer(ConsumerMismatch),
    /// The consumer meets another copy of the rule.
    OwnApplication,
    Bound(Arc<dyn BoundRouter>),
}

// === impl Step ===

impl Step {
    pub(crate) fn bind(
        header: Arc<RuleHeader>,
        prepared: Arc<dyn PreparedRouter>,
        reach: Option<Arc<Selection>>,
        binding: &Binding<'_>,
    ) -> Result<Self, BuildError> {
        let state = if !header.is_enabled {
            State::Disabled
        } else if let Some(mismatch) = header.scope.mismatch(binding.consumer) {
            State::OtherConsumer(mismatch)
        } else if header.scope.excepts(binding.consumer) {
            State::OwnApplication
        } else {
            State::Bound(prepared.bind(binding)?)
        };
        Ok(Self { header, state, reach, failures: AtomicU64::new(0) })
    }

    /// The rule's header.
    #[must_use]
    pub fn header(&self) -> &Arc<RuleHeader> {
        &self.header
    }

    /// Counts a failure, and logs the first.
    pub(crate) fn count_failure(&self, error: &RouteError) {
        if self.failures.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(rule = %self.header.id, router = %self.header.kind, on_error = self.header.on_error.as_str(), %error, "router failed");
        }
    }

    fn sees_anybody(&self) -> bool {
        self.reach.as_ref().is_none_or(|reach| !reach.is_empty())
    }

    fn live_router(&self) -> Option<&dyn BoundRouter> {
        match &self.state {
            // PERF: where a tag document is for the only application, the built-in router has nobody to see, which an
            // intersection of the whole list would find out for each call (`chain/route/documents`).
            State::Bound(router) if !router.is_idle() && self.sees_anybody() => Some(&**router),
            _ => None,
        }
    }
}

// === impl BoundChain ===

impl BoundChain {
    pub(crate) fn new(list: Arc<InvokerList>, steps: Vec<Step>) -> Self {
        let live: Vec<usize> =
            steps.iter().enumerate().filter(|(_, step)| step.live_router().is_some()).map(|(index, _)| index).collect();
        let mut inputs = BTreeSet::new();
        let mut unmemoisable = None;
        let mut draws = false;
        let mut parts: Option<CallParts> = None;
        for (step, router) in steps.iter().filter_map(|step| Some((step, step.live_router()?))) {
            draws |= router.inputs().random;
            if let Some(wanted) = router.call_parts() {
                parts.get_or_insert_default().unite(wanted);
            }
            match router.inputs().memoisable() {
                Some(declared) => inputs.extend(declared.iter().cloned()),
                None => unmemoisable = unmemoisable.or_else(|| Some(Arc::clone(&step.header))),
            }
        }
        let inputs = unmemoisable.is_none().then(|| inputs.into_iter().collect());
        let layout = parts.map(|parts| CallLayout::of(parts, list.service()));
        Self { list, steps, live, inputs, unmemoisable, draws, layout }
    }

    pub(crate) fn layout(&self) -> Option<&CallLayout> {
        self.layout.as_ref()
    }

    /// The list that positions speak of.
    #[must_use]
    pub fn list(&self) -> &Arc<InvokerList> {
        &self.list
    }

    /// The parts of a call on which the answer depends; none if it cannot be remembered.
    #[must_use]
    pub fn inputs(&self) -> Option<&Arc<[Input]>> {
        self.inputs.as_ref()
    }

    /// The first rule that keeps answers from being remembered.
    #[must_use]
    pub fn unmemoisable(&self) -> Option<&Arc<RuleHeader>> {
        self.unmemoisable.as_ref()
    }

    /// Whether some rule draws by chance.
    #[must_use]
    pub fn draws(&self) -> bool {
        self.draws
    }

    /// How many rules the chain has.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Whether all of it would be built the same now.
    #[must_use]
    pub fn is_current(&self) -> bool {
        let is_current = |step: &Step| match &step.state {
            State::Bound(router) => router.is_current(),
            State::Disabled | State::OtherConsumer(_) | State::OwnApplication => true,
        };
        // Only plugins are replaced while their rules stay; a chain without any is not looked through.
        self.layout.is_none() || self.steps.iter().all(is_current)
    }

    /// How often each rule failed since the chain was bound.
    pub fn failures(&self) -> impl Iterator<Item = (&Arc<RuleHeader>, u64)> {
        self.steps.iter().map(|step| (&step.header, step.failures.load(Ordering::Relaxed)))
    }

    /// The step that is asked as the `turn`-th: of all when explaining, else of those that can change something.
    pub(crate) fn step(&self, turn: usize, is_explaining: bool) -> Option<&Step> {
        if is_explaining {
            return self.steps.get(turn);
        }
        self.steps.get(*self.live.get(turn)?)
    }
}
