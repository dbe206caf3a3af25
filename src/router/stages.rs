//! The four stages of a rule: [`Router`], [`PreparedRouter`], [`BoundRouter`], and what is passed between them.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::router::BuildError;
use crate::router::CallParts;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::Visitor;
use crate::rpc::Url;

/// One compiled rule. Immutable; knows no provider list and no consumer.
pub trait Router: Send + Sync + fmt::Debug {
    /// Name, place, order and flags of the rule.
    fn header(&self) -> &Arc<RuleHeader>;

    /// Which parts of a call it may look at.
    fn inputs(&self) -> &Inputs;

    /// The keys of providers whose index columns [`Router::prepare`] will ask for; they are built together before.
    fn provider_keys(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether a rule that is compiled from the same text now would be the same. False once what it was made by has been
    /// replaced, as a plugin can be.
    fn is_current(&self) -> bool {
        true
    }

    /// Off the call path, once a list. `previous` is what this rule or the one it replaces was over the list before;
    /// ask with `as &dyn Any` whether it is of the own kind.
    ///
    /// # Errors
    ///
    /// The rule cannot be had over this list; the chain is not built and the last good one stays.
    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        previous: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError>;
}

/// A rule over one list.
pub trait PreparedRouter: Any + Send + Sync + fmt::Debug {
    /// Once a consumer, off the call path: all that depends on the consumer alone.
    ///
    /// # Errors
    ///
    /// The rule cannot be had for this consumer; calls of it fail with this error.
    fn bind(self: Arc<Self>, binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError>;
}

/// A rule over one list for one consumer. Routing builds no index, compiles nothing and takes no lock.
pub trait BoundRouter: Send + Sync + fmt::Debug {
    /// What is still read of a call, now that the consumer is known; a part of [`Router::inputs`].
    fn inputs(&self) -> &Inputs;

    /// Whether the answer is [`Routed::Pass`] for every call of this consumer; such a router is asked only to explain.
    fn is_idle(&self) -> bool {
        false
    }

    /// As [`Router::is_current`], for routers that a consumer's URL asked for: no rule set has those.
    fn is_current(&self) -> bool {
        true
    }

    /// What it finds in [`RouteRequest::blob`]; none for a router that does not ask for it.
    fn call_parts(&self) -> Option<&CallParts> {
        None
    }

    /// Answers for one call, of which `candidates` are left; tells `visitor` why, if somebody asks. The chain intersects
    /// the answer with the candidates, so that only a router whose opinion depends on them has to look.
    ///
    /// # Errors
    ///
    /// The chain decides by the rule's `on-error` what a failure means.
    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError>;
}

/// For whom a chain is bound.
#[derive(Debug, Clone, Copy)]
pub struct Binding<'a> {
    /// The consumer.
    pub consumer: &'a Url,
    /// Names of parameters by which the consumer overrides every provider; empty unless the host lists some.
    pub overrides: &'a [String],
}

// === impl Binding ===

impl<'a> Binding<'a> {
    /// A binding without overrides.
    #[must_use]
    pub const fn of(consumer: &'a Url) -> Self {
        Self { consumer, overrides: &[] }
    }

    /// The value by which the consumer overrides every provider's `key`, if it does.
    #[must_use]
    pub fn overridden(&self, key: &str) -> Option<&'a str> {
        if !self.overrides.iter().any(|name| name == key) {
            return None;
        }
        self.consumer.parameter(key)
    }
}
