//! What all calls of one consumer to one service have in common.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use hashbrown::HashMap;
use parking_lot::RwLock;

use crate::cluster::RetryBudget;
use crate::cluster::sticky::Sticky;
use crate::cluster::terms::Terms;
use crate::cluster::terms::TermsTable;
use crate::directory::ByMethod;
use crate::directory::Directory;
use crate::directory::MethodOptions;
use crate::directory::merged;
use crate::loadbalance::LoadBalance;
use crate::loadbalance::LoadBalanceRegistry;
use crate::loadbalance::Random;
use crate::router::Clock;
use crate::router::InvokerList;
use crate::router::mix;
use crate::rpc::FilterChain;
use crate::rpc::FilterMask;
use crate::rpc::Invocation;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::keys;

/// Directory, load balances and filters of one consumer and service, and what their calls remember.
#[derive(Debug)]
pub struct ClusterSite {
    directory: Arc<dyn Directory>,
    filters: FilterChain,
    balances: LoadBalanceRegistry,
    clock: Arc<dyn Clock>,
    plans: ByMethod<MethodPlan>,
    sticky: Sticky,
    budget: RetryBudget,
    next_seed: AtomicU64,
    consumer_name: Box<str>,
}

/// What calls of one method over one list need.
#[derive(Debug)]
pub(super) struct MethodPlan {
    /// The position whose provider's options these are.
    first: usize,
    pub(super) options: MethodOptions,
    /// The load balance, or why there is none.
    pub(super) balance: Result<Arc<dyn LoadBalance>, RpcError>,
    terms: Arc<TermsTable>,
    /// The plans of calls whose first candidate is another.
    others: RwLock<HashMap<usize, Arc<MethodPlan>>>,
}

/// For so many different first candidates a plan is kept; for others it is made each time.
const MAX_FIRSTS: usize = 256;

// === impl ClusterSite ===

impl ClusterSite {
    /// A site of `directory`, whose draws begin with `seed`.
    #[must_use]
    pub fn new(
        directory: Arc<dyn Directory>,
        filters: FilterChain,
        balances: LoadBalanceRegistry,
        clock: Arc<dyn Clock>,
        seed: u64,
    ) -> Self {
        let consumer = directory.consumer();
        let application = consumer.non_empty_parameter(keys::APPLICATION).unwrap_or("without a name");
        let consumer_name = format!("{application} at {}", consumer.address().unwrap_or("an unknown address")).into();
        Self {
            directory,
            filters,
            balances,
            clock,
            plans: ByMethod::default(),
            sticky: Sticky::default(),
            budget: RetryBudget::default(),
            next_seed: AtomicU64::new(mix(seed)),
            consumer_name,
        }
    }

    /// Who may be asked.
    #[must_use]
    pub fn directory(&self) -> &dyn Directory {
        &*self.directory
    }

    /// What stands around every attempt.
    #[must_use]
    pub fn filters(&self) -> &FilterChain {
        &self.filters
    }

    /// How many retries there may be.
    #[must_use]
    pub fn budget(&self) -> &RetryBudget {
        &self.budget
    }

    /// The consumer in texts.
    #[must_use]
    pub fn consumer_name(&self) -> &str {
        &self.consumer_name
    }

    /// The seed of the next call.
    #[must_use]
    pub fn next_seed(&self) -> u64 {
        mix(self.next_seed.fetch_add(1, Relaxed))
    }

    pub(super) fn sticky(&self) -> &Sticky {
        &self.sticky
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    /// What calls of `method` over `list` need; what providers set is read from the one at `first`, the first that rules
    /// leave, as in `AbstractClusterInvoker.invoke`.
    pub(super) fn plan(&self, list: &Arc<InvokerList>, first: usize, method: &str) -> Arc<MethodPlan> {
        let make = |terms: Arc<TermsTable>| {
            let options = MethodOptions::read(self.directory.consumer(), list.provider(first), method);
            let name = options.load_balance.as_deref().unwrap_or(Random::NAME);
            let refused = |error: crate::loadbalance::LoadBalanceError| {
                RpcError::new(RpcErrorKind::Unknown, error.to_string()).caused_by(error)
            };
            let balance = self.balances.policy(name).map_err(refused);
            MethodPlan { first, options, balance, terms, others: RwLock::default() }
        };
        let plan = self.plans.get(list, method, || make(Arc::new(TermsTable::new(list.len()))));
        if plan.first == first {
            return plan;
        }
        // Rules leave other providers to this call, which may set something else.
        if let Some(other) = plan.others.read().get(&first) {
            return Arc::clone(other);
        }
        let other = Arc::new(make(Arc::clone(&plan.terms)));
        let mut others = plan.others.write();
        if others.len() < MAX_FIRSTS {
            others.insert(first, Arc::clone(&other));
        }
        other
    }

    /// How an attempt at `position` is made. Its timeout is what the call sets for itself, else the consumer, else the
    /// provider.
    pub(super) fn terms(
        &self,
        invocation: &dyn Invocation,
        list: &InvokerList,
        position: usize,
        plan: &MethodPlan,
    ) -> Terms {
        let terms = plan.terms.get(position, || {
            let (consumer, provider) = (self.directory.consumer(), list.provider(position));
            let text = merged(consumer, provider, invocation.target_method(), keys::TIMEOUT);
            Terms {
                timeout_ms: millis(text).unwrap_or(MethodOptions::TIMEOUT.as_millis() as u32),
                filters: provider.map_or(FilterMask::ALL, |provider| self.filters.mask(provider.url())),
            }
        });
        match millis(invocation.attachment(keys::TIMEOUT)) {
            Some(timeout_ms) => Terms { timeout_ms, ..terms },
            None => terms,
        }
    }

    /// How many attempts `invocation` may have: what it sets for itself, else the method's option.
    pub(super) fn attempts(&self, invocation: &dyn Invocation, options: &MethodOptions) -> u32 {
        let of_call = invocation.attachment(keys::RETRIES).and_then(|text| text.parse::<i64>().ok());
        let retries = of_call.map_or(options.retries, |retries| u32::try_from(retries.max(0)).unwrap_or(u32::MAX));
        retries.saturating_add(1)
    }
}

/// A time in milliseconds, 49 days at most; what is no positive number counts as not set.
fn millis(text: Option<&str>) -> Option<u32> {
    let millis: u64 = text?.parse().ok()?;
    u32::try_from(millis).map_or(Some(u32::MAX), Some).filter(|millis| *millis > 0)
}
