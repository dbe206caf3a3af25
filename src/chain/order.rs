//! The order of the rules of a chain: phase, priority, path, line.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::router::Router;
use crate::router::RuleHeader;

/// Which priority runs first inside a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PriorityOrder {
    /// The greater first, as Dubbo's manual says.
    #[default]
    Descending,
    /// The smaller first, as Dubbo's code does.
    Ascending,
}

/// Puts rules into the order in which a chain asks them.
pub fn sort(routers: &mut [Arc<dyn Router>], order: PriorityOrder) {
    routers.sort_by(|one, other| compare(one.header(), other.header(), order));
}

/// The order of two rules; ties go by path bytewise, then by line.
#[must_use]
pub fn compare(one: &RuleHeader, other: &RuleHeader, order: PriorityOrder) -> Ordering {
    let by_priority = match order {
        PriorityOrder::Descending => other.priority.cmp(&one.priority),
        PriorityOrder::Ascending => one.priority.cmp(&other.priority),
    };
    (one.phase.cmp(&other.phase))
        .then(by_priority)
        .then_with(|| one.id.source().cmp(other.id.source()))
        .then_with(|| one.id.line().cmp(&other.id.line()))
}
