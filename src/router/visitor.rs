//! How a decision is told while it is made: explanation, and later metrics, are visitors of the same walk.

use std::borrow::Cow;
use std::sync::Arc;

use crate::router::ConsumerMismatch;
use crate::router::RouteError;
use crate::router::RuleHeader;
use crate::router::Selection;

/// Follows one walk through a chain.
pub trait Visitor {
    /// A router is asked; `candidates` came in.
    fn enter(&mut self, header: &Arc<RuleHeader>, candidates: &Selection);
    /// The router that was entered says why.
    fn reason(&mut self, reason: Reason<'_>);
    /// The router that was entered is done; `candidates` go on.
    fn leave(&mut self, effect: Effect, candidates: &Selection);
}

/// Why a router answered as it did. Borrowed: keeping it is up to the visitor.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Reason<'a> {
    /// The rule is switched off.
    Disabled,
    /// The rule is for other consumers.
    OtherConsumer(&'a ConsumerMismatch),
    /// A condition about consumer or call is not fulfilled.
    Mismatch {
        /// The key that was looked at.
        key: &'a Arc<str>,
        /// The condition as the rule has it.
        wanted: &'a Arc<str>,
        /// The value that was seen.
        seen: Option<Cow<'a, str>>,
    },
    /// Every condition about consumer and call is fulfilled.
    Matched,
    /// Every condition is fulfilled, and the rule allows nobody.
    BlocksEverybody,
    /// What another kind of router has to say.
    Note(Cow<'a, str>),
    /// The router failed.
    Failed(&'a RouteError),
}

/// What the chain made of a router's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// The candidates stayed: no opinion, or all were kept.
    Passed,
    /// Some candidates were removed.
    Narrowed,
    /// Nobody was left and `force` is off: the rule is void for this call.
    Fallback,
    /// Nobody is left, and that stands.
    Emptied,
    /// The router failed, and its `on-error` lets the candidates pass.
    FailedOpen,
}
