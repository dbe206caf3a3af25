//! Which rules a service may meet, found without going through all of them.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::chain::ConsumerRules;
use crate::router::InvokerList;
use crate::router::Phase;
use crate::router::Reach;
use crate::router::Router;
use crate::router::RuleHeader;
use crate::rpc::ServiceKey;
use crate::rpc::keys;

/// The places of a set's rules, by whom they are for.
#[derive(Debug, Default)]
pub(crate) struct RuleIndex {
    by_service: HashMap<ServiceKey, Vec<usize>>,
    by_provider_application: HashMap<String, Vec<usize>>,
    of_consumers: ConsumerRules,
    /// Rules that have to be looked at for every service.
    others: Vec<usize>,
}

// === impl RuleIndex ===

impl RuleIndex {
    /// An index of `routers`; what `previous` has of consumers is taken over where it is the same.
    pub(crate) fn of(routers: &[Arc<dyn Router>], previous: Option<&Self>) -> Self {
        let (mut index, mut of_consumers) = (Self::default(), Vec::new());
        for (place, router) in routers.iter().enumerate() {
            let scope = &router.header().scope;
            if let Some(service) = &scope.service {
                index.by_service.entry_ref(service).or_default().push(place);
            } else if let Reach::Application(application) = &scope.providers {
                index.by_provider_application.entry_ref(application.as_str()).or_default().push(place);
            } else if let Some(application) = consumer_application(router.header()) {
                of_consumers.push((application, Arc::clone(router)));
            } else {
                index.others.push(place);
            }
        }
        index.of_consumers = ConsumerRules::new(of_consumers);
        if let Some(previous) = previous.filter(|previous| previous.of_consumers.is_same(&index.of_consumers)) {
            index.of_consumers = previous.of_consumers.clone();
        }
        index
    }

    pub(crate) fn of_consumers(&self) -> &ConsumerRules {
        &self.of_consumers
    }

    /// The places of the rules for the service `key` with the providers of `list`, in the set's order.
    pub(crate) fn places(&self, key: &ServiceKey, list: &InvokerList, routers: &[Arc<dyn Router>]) -> Vec<usize> {
        let covers = |place: &&usize| routers.get(**place).is_some_and(|router| router.header().scope.covers(key));
        let mut places: Vec<usize> = self.others.iter().filter(covers).copied().collect();
        places.extend(self.by_service.get(key).into_iter().flatten());
        if !self.by_provider_application.is_empty() {
            for column in [keys::REMOTE_APPLICATION, keys::APPLICATION].map(|key| list.column(key)) {
                let of_values = column.values().filter_map(|(_, value)| self.by_provider_application.get(value));
                places.extend(of_values.flatten());
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// The application whose consumers a rule of a document is for, if it is for those alone.
fn consumer_application(header: &RuleHeader) -> Option<&str> {
    let is_late = matches!(header.phase, Phase::ConsumerApplication | Phase::Affinity);
    header.scope.application.as_deref().filter(|_| is_late)
}
