//! The rules of consumer applications: prepared for a list only when a consumer of theirs is bound.

use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::chain::ChainError;
use crate::router::InvokerList;
use crate::router::PreparedRouter;
use crate::router::Router;

/// Rules by the consumer application that they are for. There may be thousands of applications, and every service is
/// called by a few: the others' rules cost a service nothing.
#[derive(Debug, Clone, Default)]
pub struct ConsumerRules {
    by_application: Arc<HashMap<String, Vec<Arc<dyn Router>>>>,
}

/// What a chain has prepared of them so far.
#[derive(Default)]
pub(crate) struct PreparedConsumerRules {
    rules: ConsumerRules,
    /// By the router's address.
    prepared: Mutex<HashMap<usize, Arc<dyn PreparedRouter>>>,
}

/// A rule, and the rule over the one list.
type PreparedRule = (Arc<dyn Router>, Arc<dyn PreparedRouter>);

// === impl ConsumerRules ===

impl ConsumerRules {
    /// Rules of documents, each with the application whose consumers it is for.
    #[must_use]
    pub fn new<'a>(rules: impl IntoIterator<Item = (&'a str, Arc<dyn Router>)>) -> Self {
        let mut by_application: HashMap<String, Vec<Arc<dyn Router>>> = HashMap::new();
        for (application, router) in rules {
            by_application.entry_ref(application).or_default().push(router);
        }
        Self { by_application: Arc::new(by_application) }
    }

    /// The rules for consumers of `application`, in the order given.
    #[must_use]
    pub fn of(&self, application: &str) -> &[Arc<dyn Router>] {
        self.by_application.get(application).map_or(&[], Vec::as_slice)
    }

    /// Whether both hold the very same rules.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let is_same = |one: &[Arc<dyn Router>], other: &[Arc<dyn Router>]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other))
        };
        Arc::ptr_eq(&self.by_application, &other.by_application)
            || (self.by_application.len() == other.by_application.len()
                && self.by_application.iter().all(|(name, rules)| is_same(rules, other.of(name))))
    }
}

// === impl PreparedConsumerRules ===

impl PreparedConsumerRules {
    pub(crate) fn new(rules: ConsumerRules) -> Self {
        Self { rules, prepared: Mutex::default() }
    }

    pub(crate) fn rules(&self) -> &ConsumerRules {
        &self.rules
    }

    /// The rules for consumers of `application` over `list`, which is always the same one.
    pub(crate) fn prepare(&self, application: &str, list: &Arc<InvokerList>) -> Result<Vec<PreparedRule>, ChainError> {
        let prepare = |router: &Arc<dyn Router>| {
            let name = Arc::as_ptr(router).cast::<()>().addr();
            if let Some(prepared) = self.prepared.lock().get(&name) {
                return Ok((Arc::clone(router), Arc::clone(prepared)));
            }
            let prepared = router
                .prepare(list, None)
                .map_err(|error| ChainError { header: Arc::clone(router.header()), error })?;
            self.prepared.lock().insert(name, Arc::clone(&prepared));
            Ok((Arc::clone(router), prepared))
        };
        self.rules.of(application).iter().map(prepare).collect()
    }
}

impl fmt::Debug for PreparedConsumerRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedConsumerRules({})", self.prepared.lock().len())
    }
}
