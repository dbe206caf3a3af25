//! Rule documents, judged straight from their description: per call, provider by provider, nothing kept.
//!
//! It shares no code with what the crate makes of documents. Condition texts are read by `support::naive`.

mod address;
mod affinity;
mod chain;
mod condition;
mod document;
mod tag;
mod yaml;

pub(crate) use chain::route;
pub(crate) use document::Header;
pub(crate) use yaml::Tree;
pub(crate) use yaml::read as read_yaml;

use crate::vectors::World;

/// The lists that a call may end with, and how often it does.
pub(crate) type Shares = Vec<(Vec<usize>, f64)>;

/// The same lists are one, in the order of their positions.
pub(crate) fn merged(shares: impl IntoIterator<Item = (Vec<usize>, f64)>) -> Shares {
    let mut merged: Shares = Vec::new();
    for (kept, share) in shares {
        match merged.iter_mut().find(|(known, _)| *known == kept) {
            Some((_, sum)) => *sum += share,
            None => merged.push((kept, share)),
        }
    }
    merged.sort_by(|(left, _), (right, _)| left.cmp(right));
    merged
}
