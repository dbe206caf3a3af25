//! Which positions of a list cannot be reached, worked out when that changes.

use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::loadbalance::InvokerStates;
use crate::router::Availability;
use crate::router::InvokerList;
use crate::router::availability_mark;

/// Who of one list can be reached. Looking costs nothing while everybody can, and little until the next change.
#[derive(Debug)]
pub struct ListAvailability {
    states: Arc<InvokerStates>,
    list: Arc<InvokerList>,
    known: ArcSwap<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The states' epoch in which this held.
    epoch: u64,
    mark: u64,
    unavailable: Vec<u32>,
}

// === impl ListAvailability ===

impl ListAvailability {
    /// Who of `list` can be reached, by `states`.
    #[must_use]
    pub fn new(states: Arc<InvokerStates>, list: Arc<InvokerList>) -> Self {
        Self { states, list, known: ArcSwap::default() }
    }

    fn known(&self) -> Arc<Known> {
        // Read first: what changes during the scan has a later epoch, and is looked at again.
        let epoch = self.states.epoch();
        let known = self.known.load();
        if known.epoch == epoch {
            return Arc::clone(&known);
        }
        let ids = self.list.ids().iter().zip(0..);
        let unavailable: Vec<u32> =
            ids.filter(|(id, _)| !self.states.is_available(**id)).map(|(_, position)| position).collect();
        let fresh = Arc::new(Known { epoch, mark: availability_mark(&unavailable), unavailable });
        self.known.store(Arc::clone(&fresh));
        fresh
    }
}

impl Availability for ListAvailability {
    fn mark(&self) -> u64 {
        if self.states.all_available() { 0 } else { self.known().mark }
    }

    fn unavailable(&self) -> Vec<u32> {
        if self.states.all_available() { Vec::new() } else { self.known().unavailable.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::SystemClock;
    use crate::rpc::Provider;
    use crate::rpc::ServiceKey;
    use crate::rpc::Url;

    #[test]
    fn a_change_is_seen_and_one_that_is_undone_is_the_state_before() {
        let urls = ["a", "b", "c"].map(|host| Url::parse(&format!("dubbo://{host}:1/S")).unwrap());
        let list = Arc::new(InvokerList::of(ServiceKey::parse("S"), urls.map(Provider::new).to_vec()));
        let states = Arc::new(InvokerStates::new(Arc::new(SystemClock)));
        let availability = ListAvailability::new(Arc::clone(&states), Arc::clone(&list));
        let mut seen = Vec::new();
        for (position, is_available) in [(1, false), (2, false), (2, true), (1, true)] {
            states.set_available(list.id(position).unwrap(), is_available);
            seen.push((availability.unavailable(), availability.mark()));
        }
        assert_eq!(seen.iter().map(|(who, _)| who.clone()).collect::<Vec<_>>(), [vec![1], vec![1, 2], vec![1], vec![]]);
        assert_eq!((seen[0].1, seen[3].1), (seen[2].1, 0));
        assert_ne!(seen[0].1, seen[1].1);
    }
}
