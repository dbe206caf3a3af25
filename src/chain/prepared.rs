//! A service's rules over its list.

use std::sync::Arc;

use hashbrown::HashMap;
use thiserror::Error;

use crate::chain::BoundChain;
use crate::chain::ConsumerRules;
use crate::chain::PriorityOrder;
use crate::chain::bound::Step;
use crate::chain::consumer_rules::PreparedConsumerRules;
use crate::chain::order::compare;
use crate::chain::reach::Reaches;
use crate::chain::router_parameter::RouterParameter;
use crate::router::Binding;
use crate::router::BuildError;
use crate::router::InvokerList;
use crate::router::PreparedRouter;
use crate::router::Router;
use crate::router::RouterFactoryRegistry;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::rpc::keys;

/// The rules of one service, in order, over one list. Immutable.
#[derive(Debug)]
pub struct PreparedChain {
    list: Arc<InvokerList>,
    entries: Vec<Entry>,
    of_consumers: PreparedConsumerRules,
    order: PriorityOrder,
}

#[derive(Debug, Clone)]
struct Entry {
    router: Arc<dyn Router>,
    prepared: Arc<dyn PreparedRouter>,
    /// The providers that the rule sees, where that is not all of the list.
    reach: Option<Arc<Selection>>,
}

/// A rule that could not be prepared or bound.
#[derive(Debug, Clone, Error)]
#[error("rule {}: {error}", header.id)]
pub struct ChainError {
    /// The rule.
    pub header: Arc<RuleHeader>,
    /// What is wrong.
    pub error: BuildError,
}

// === impl PreparedChain ===

impl PreparedChain {
    /// Prepares `routers` over `list` in the order of [`sort`](crate::chain::sort). What `previous` prepared for the
    /// same rule and the same list is taken over. The rules `of_consumers` are prepared when somebody is bound whom they
    /// are for.
    ///
    /// # Errors
    ///
    /// The first rule that cannot be prepared.
    pub fn build(
        list: Arc<InvokerList>,
        mut routers: Vec<Arc<dyn Router>>,
        of_consumers: ConsumerRules,
        order: PriorityOrder,
        previous: Option<&Self>,
    ) -> Result<Self, ChainError> {
        super::sort(&mut routers, order);
        let is_same_list = previous.is_some_and(|previous| Arc::ptr_eq(&previous.list, &list));
        let known: HashMap<*const (), &Entry> = previous
            .map(|previous| previous.entries.iter().map(|entry| (address(&entry.router), entry)).collect())
            .unwrap_or_default();
        let is_known = |router: &Arc<dyn Router>| is_same_list && known.contains_key(&address(router));
        list.build_columns(routers.iter().filter(|router| !is_known(router)).flat_map(|router| router.provider_keys()));
        let reaches = Reaches::of(&list, routers.iter().map(|router| &**router.header()));
        let prepare = |router: Arc<dyn Router>| {
            let before = known.get(&address(&router));
            let reach = reaches.reach(router.header());
            if let Some(before) = before.filter(|_| is_same_list) {
                return Ok(Entry { reach, ..(*before).clone() });
            }
            let prepared = router
                .prepare(&list, before.map(|before| &*before.prepared))
                .map_err(|error| ChainError { header: Arc::clone(router.header()), error })?;
            Ok(Entry { router, prepared, reach })
        };
        let entries = routers.into_iter().map(prepare).collect::<Result<_, ChainError>>()?;
        list.seal();
        Ok(Self { list, entries, of_consumers: PreparedConsumerRules::new(of_consumers), order })
    }

    /// The list.
    #[must_use]
    pub fn list(&self) -> &Arc<InvokerList> {
        &self.list
    }

    /// The rules in order.
    pub fn headers(&self) -> impl Iterator<Item = &Arc<RuleHeader>> {
        self.entries.iter().map(|entry| entry.router.header())
    }

    /// Whether the chain has exactly these rules, in whatever order they are given.
    #[must_use]
    pub fn has_routers(&self, routers: &[Arc<dyn Router>], of_consumers: &ConsumerRules) -> bool {
        if !self.of_consumers.rules().is_same(of_consumers) {
            return false;
        }
        let mine: hashbrown::HashSet<*const ()> = self.entries.iter().map(|entry| address(&entry.router)).collect();
        mine.len() == routers.len() && routers.iter().all(|router| mine.contains(&address(router)))
    }

    /// Decides all that depends on the consumer alone. `router=` of the consumer URL takes routers away and adds some.
    ///
    /// # Errors
    ///
    /// A rule that cannot be bound, or a name in `router=` that nobody knows.
    pub fn bind(&self, binding: &Binding<'_>, registry: &RouterFactoryRegistry) -> Result<BoundChain, ChainError> {
        let parameter = RouterParameter::of(binding.consumer);
        parameter.check(registry)?;
        let mut entries: Vec<Entry> =
            self.entries.iter().filter(|entry| !parameter.removes(entry.router.header())).cloned().collect();
        let application = binding.consumer.parameter(keys::APPLICATION).unwrap_or_default();
        for (router, prepared) in self.of_consumers.prepare(application, &self.list)? {
            if !parameter.removes(router.header()) {
                self.insert(&mut entries, Entry { router, prepared, reach: None });
            }
        }
        for name in parameter.added() {
            let router = parameter.create(name, self.list.service(), registry)?;
            let header = Arc::clone(router.header());
            let prepared = router.prepare(&self.list, None).map_err(|error| ChainError { header, error })?;
            self.insert(&mut entries, Entry { router, prepared, reach: None });
        }
        let steps = entries
            .into_iter()
            .map(|Entry { router, prepared, reach }| {
                let header = Arc::clone(router.header());
                Step::bind(Arc::clone(&header), prepared, reach, binding).map_err(|error| ChainError { header, error })
            })
            .collect::<Result<_, ChainError>>()?;
        Ok(BoundChain::new(Arc::clone(&self.list), steps))
    }
}

impl PreparedChain {
    /// Puts an entry where it runs: after those that are before it or equal.
    fn insert(&self, entries: &mut Vec<Entry>, entry: Entry) {
        let header = entry.router.header();
        let at = entries.partition_point(|other| compare(other.router.header(), header, self.order).is_le());
        entries.insert(at, entry);
    }
}

fn address(router: &Arc<dyn Router>) -> *const () {
    Arc::as_ptr(router).cast()
}
