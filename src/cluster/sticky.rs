//! Calls that stay with the provider that was chosen last.

use arc_swap::ArcSwap;
use hashbrown::HashMap;

use crate::directory::Listing;
use crate::rpc::InvokerId;

/// The last provider of each method.
#[derive(Debug, Default)]
pub(super) struct Sticky {
    last: ArcSwap<HashMap<Box<str>, InvokerId>>,
}

/// How many methods are remembered; beyond that all are forgotten.
const MAX_METHODS: usize = 256;

// === impl Sticky ===

impl Sticky {
    /// Where the last provider of `method` stands, as long as rules leave it, it can be reached, and this call has not
    /// tried it.
    pub(super) fn find(&self, method: &str, listing: &Listing<'_>, avoid: &[usize]) -> Option<usize> {
        let id = *self.last.load().get(method)?;
        let index = listing.table.ids().iter().position(|other| *other == id)?;
        let position = listing.table.position(index)?;
        (listing.states.is_available(id) && !avoid.contains(&position)).then_some(position)
    }

    /// Stays with `id` from now on.
    pub(super) fn keep(&self, method: &str, id: Option<InvokerId>) {
        let Some(id) = id.filter(|id| self.last.load().get(method) != Some(id)) else { return };
        self.last.rcu(|last| {
            let mut last = HashMap::clone(last);
            if last.len() >= MAX_METHODS {
                last.clear();
            }
            last.insert(method.into(), id);
            last
        });
    }
}
