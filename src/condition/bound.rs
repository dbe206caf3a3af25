//! A condition rule for one consumer: what is left is to look at the call.

use std::sync::Arc;

use crate::condition::router::CompiledRule;
use crate::router::BoundRouter;
use crate::router::Inputs;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::Selection;
use crate::router::Visitor;
use crate::rpc::Url;

/// A rule over one list for one consumer.
#[derive(Debug)]
pub(crate) struct BoundCondition {
    compiled: Arc<CompiledRule>,
    inputs: Inputs,
    /// What the `then` side keeps; none where the rule allows nobody.
    keep: Option<Arc<Selection>>,
    /// The first `when` pair that this consumer does not fulfil, with the value it has.
    refused: Option<(usize, Option<Box<str>>)>,
    /// The `when` pairs that look at the call, by their place among all pairs.
    pending: Vec<usize>,
}

// === impl BoundCondition ===

impl BoundCondition {
    pub(crate) fn new(compiled: Arc<CompiledRule>, consumer: &Url, keep: Option<Arc<Selection>>) -> Self {
        let dialect = compiled.rule.dialect();
        let pairs = || compiled.rule.when().pairs().iter().zip(&compiled.when).enumerate();
        let refused = pairs().filter(|(_, (_, pair))| pair.input.is_none()).find_map(|(index, (pair, _))| {
            let value = consumer.raw(pair.key().as_str());
            (!pair.accepts(value, dialect)).then(|| (index, value.map(Into::into)))
        });
        let pending: Vec<usize> =
            pairs().filter(|(_, (_, pair))| pair.input.is_some()).map(|(index, _)| index).collect();
        let inputs = match refused {
            Some(_) => Inputs::none(),
            None => compiled.inputs.clone(),
        };
        Self { inputs, keep, refused, pending, compiled }
    }

    fn mismatch<'a>(&'a self, index: usize, seen: Option<std::borrow::Cow<'a, str>>) -> Option<Reason<'a>> {
        let pair = self.compiled.when.get(index)?;
        Some(Reason::Mismatch { key: &pair.key, wanted: &pair.wanted, seen })
    }
}

impl BoundRouter for BoundCondition {
    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn is_idle(&self) -> bool {
        self.refused.is_some()
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let mut reason = None;
        let routed = if let Some((index, seen)) = &self.refused {
            reason = self.mismatch(*index, seen.as_deref().map(Into::into));
            Routed::Pass
        } else {
            let mut routed = self.keep.as_deref().map_or(Routed::Blocked, Routed::Kept);
            let pairs = self.compiled.rule.when().pairs();
            for index in &self.pending {
                let Some((pair, input)) =
                    pairs.get(*index).zip(self.compiled.when.get(*index).and_then(|pair| pair.input.as_ref()))
                else {
                    continue;
                };
                let seen = request.read(input)?;
                if !pair.accepts(seen.as_deref(), self.compiled.rule.dialect()) {
                    reason = visitor.as_ref().and_then(|_| self.mismatch(*index, seen));
                    routed = Routed::Pass;
                    break;
                }
            }
            routed
        };
        if let Some(visitor) = visitor {
            visitor.reason(match (&routed, reason) {
                (_, Some(reason)) => reason,
                (Routed::Blocked, None) => Reason::BlocksEverybody,
                _ => Reason::Matched,
            });
        }
        Ok(routed)
    }
}
