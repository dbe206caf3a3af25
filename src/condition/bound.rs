//! A condition rule for one consumer: what is left is to look at the call.

use std::borrow::Cow;
use std::sync::Arc;

use crate::condition::router::CompiledRule;
use crate::condition::router::WhenPair;
use crate::router::BoundRouter;
use crate::router::Inputs;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::Selection;
use crate::router::Visitor;
use crate::rpc::Url;

/// A `when` pair that is not fulfilled, with the value that was seen.
type Unfulfilled<'a> = (&'a WhenPair, Option<Cow<'a, str>>);

/// A rule over one list for one consumer.
#[derive(Debug)]
pub(crate) struct BoundCondition {
    compiled: Arc<CompiledRule>,
    inputs: Inputs,
    /// What the `then` side keeps; none where the rule allows nobody.
    keep: Option<Arc<Selection>>,
    /// The first `when` pair that this consumer does not fulfil, with the value it has.
    refused: Option<(usize, Option<Box<str>>)>,
}

// === impl BoundCondition ===

impl BoundCondition {
    pub(crate) fn new(compiled: Arc<CompiledRule>, consumer: &Url, keep: Option<Arc<Selection>>) -> Self {
        let dialect = compiled.rule.dialect();
        let refused = compiled.of_consumer.iter().enumerate().find_map(|(index, when)| {
            let value = consumer.raw(when.pair.key().as_str());
            (!when.pair.accepts(value, dialect)).then(|| (index, value.map(Into::into)))
        });
        let inputs = if refused.is_some() { Inputs::none() } else { compiled.inputs.clone() };
        Self { inputs, keep, refused, compiled }
    }

    /// The first pair that is not fulfilled, with the value that was seen; none if the rule applies.
    fn mismatch<'a>(&'a self, request: &RouteRequest<'a>) -> Result<Option<Unfulfilled<'a>>, RouteError> {
        if let Some((index, seen)) = &self.refused {
            return Ok(self.compiled.of_consumer.get(*index).map(|when| (when, seen.as_deref().map(Cow::Borrowed))));
        }
        for (input, when) in &self.compiled.of_call {
            let seen = request.read(input)?;
            if !when.pair.accepts(seen.as_deref(), self.compiled.rule.dialect()) {
                return Ok(Some((when, seen)));
            }
        }
        Ok(None)
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
        _candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let (routed, reason) = match (self.mismatch(request)?, &self.keep) {
            (Some((when, seen)), _) => (Routed::Pass, Reason::Mismatch { key: &when.key, wanted: &when.wanted, seen }),
            (None, Some(keep)) => (Routed::Kept(keep), Reason::Matched),
            (None, None) => (Routed::Blocked, Reason::BlocksEverybody),
        };
        if let Some(visitor) = visitor {
            visitor.reason(reason);
        }
        Ok(routed)
    }
}
