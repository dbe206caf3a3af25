//! The chain of one service: its rules in order, over one list.
//!
//! A [`PreparedChain`] is rules × providers; [`PreparedChain::bind`] makes a [`BoundChain`] for one consumer; a call is
//! a [`Walk`] through it. Each router narrows what the one before left; an empty result ends the walk. Only here is
//! decided what `force`, `on-error` and a draw mean. Routing and explaining are the same walk, with and without a
//! visitor; the [`Memo`] remembers what a walk came to.

mod bound;
mod call_key;
mod consumer_rules;
mod explanation;
mod guard;
mod memo;
mod on_empty;
mod order;
mod prepared;
mod reach;
mod router_parameter;
mod walk;

pub use bound::BoundChain;
pub use bound::Step;
pub use call_key::CallKey;
pub use consumer_rules::ConsumerRules;
pub use explanation::ExplainedStep;
pub use explanation::Explainer;
pub use explanation::KeptReason;
pub use guard::Guard;
pub use memo::Memo;
pub use memo::Outcome;
pub use on_empty::OnEmpty;
pub use order::PriorityOrder;
pub use order::compare;
pub use order::sort;
pub use prepared::ChainError;
pub use prepared::PreparedChain;
pub use walk::Call;
pub use walk::Progress;
pub use walk::Walk;
