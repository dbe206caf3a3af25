//! A condition rule over one list, and for one consumer.

use std::sync::Arc;

use crate::condition::Then;
use crate::condition::router::CompiledRule;
use crate::condition::then::PreparedThen;
use crate::condition::when::BoundWhen;
use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::BuildError;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::PreparedRouter;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::Selection;
use crate::router::Visitor;

/// A rule over one list, for any consumer.
#[derive(Debug)]
pub(crate) struct PreparedCondition {
    compiled: Arc<CompiledRule>,
    /// None where the rule allows nobody.
    then: Option<PreparedThen>,
}

/// A rule over one list for one consumer.
#[derive(Debug)]
struct BoundCondition {
    when: BoundWhen,
    /// What the `then` side keeps; none where the rule allows nobody.
    keep: Option<Arc<Selection>>,
    /// Whether that is the whole list.
    keeps_all: bool,
}

// === impl PreparedCondition ===

impl PreparedCondition {
    pub(crate) fn new(compiled: Arc<CompiledRule>, list: &Arc<InvokerList>) -> Self {
        let then = match compiled.rule.then() {
            Then::Blocked => None,
            Then::Pairs(pairs) => {
                // `=> &` has a side without a pair: nobody is kept, but nobody is blocked either.
                let nobody = Selection::none(list.len());
                Some(PreparedThen::new(pairs.as_slice().into(), compiled.rule.dialect(), Arc::clone(list), nobody))
            }
        };
        Self { compiled, then }
    }
}

impl PreparedRouter for PreparedCondition {
    fn bind(self: Arc<Self>, binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        let keep = self.then.as_ref().map(|then| then.keep(binding));
        let keeps_all = self.then.as_ref().zip(keep.as_deref()).is_some_and(|(then, keep)| then.is_all(keep));
        let when = BoundWhen::new(Arc::clone(&self.compiled.when), binding.consumer);
        Ok(Arc::new(BoundCondition { when, keep, keeps_all }))
    }
}

// === impl BoundCondition ===

impl BoundRouter for BoundCondition {
    fn inputs(&self) -> &Inputs {
        self.when.inputs()
    }

    fn is_idle(&self) -> bool {
        // PERF: `=> protocol=dubbo` mostly keeps everybody, and is not asked then (`chain/route/documents`).
        self.when.is_refused() || self.keeps_all
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        _candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let (routed, reason) = match (self.when.mismatch(request)?, &self.keep) {
            (Some(mismatch), _) => (Routed::Pass, mismatch),
            (None, Some(keep)) => (Routed::Kept(keep), Reason::Matched),
            (None, None) => (Routed::Blocked, Reason::BlocksEverybody),
        };
        if let Some(visitor) = visitor {
            visitor.reason(reason);
        }
        Ok(routed)
    }
}
