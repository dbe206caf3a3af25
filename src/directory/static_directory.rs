//! Invokers that never change.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::directory::Availability;
use crate::directory::Backoff;
use crate::directory::Directory;
use crate::directory::DirectoryError;
use crate::directory::Invokers;
use crate::directory::Lend;
use crate::directory::Listing;
use crate::loadbalance::BalanceTables;
use crate::loadbalance::CandidateTable;
use crate::loadbalance::InvokerStates;
use crate::router::Clock;
use crate::router::InvokerList;
use crate::rpc::Invocation;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::rpc::Soon;
use crate::rpc::Url;

/// The same invokers for every call, without rules: registries under one roof, tests, a service whose addresses are known.
#[derive(Debug)]
pub struct StaticDirectory {
    consumer: Url,
    service: ServiceKey,
    list: Arc<InvokerList>,
    tables: BalanceTables,
    invokers: Invokers,
    states: Arc<InvokerStates>,
    availability: Availability,
    clock: Arc<dyn Clock>,
    is_destroyed: AtomicBool,
}

// === impl StaticDirectory ===

impl StaticDirectory {
    /// `invokers` for `consumer`, in this order, each by itself whatever its URL.
    ///
    /// # Errors
    ///
    /// The consumer names no service.
    pub fn new(consumer: Url, invokers: &[Arc<dyn Invoker>], clock: Arc<dyn Clock>) -> Result<Self, DirectoryError> {
        let Some(service) = consumer.service_key() else {
            let (service, why) = (ServiceKey::parse(""), "the consumer URL names no service".to_owned());
            return Err(DirectoryError::Forbidden { service, why });
        };
        let providers = invokers.iter().map(|invoker| Provider::new(invoker.url().clone())).collect();
        let list = Arc::new(InvokerList::of_each(service.clone(), providers));
        let states = Arc::new(InvokerStates::new(Arc::clone(&clock)));
        states.reserve(list.ids());
        Ok(Self {
            consumer,
            service,
            invokers: Invokers::of(&list, invokers),
            list,
            tables: BalanceTables::default(),
            availability: Availability::new(Arc::clone(&states), Backoff::default()),
            states,
            clock,
            is_destroyed: AtomicBool::new(false),
        })
    }
}

impl Directory for StaticDirectory {
    fn consumer(&self) -> &Url {
        &self.consumer
    }

    fn states(&self) -> &Arc<InvokerStates> {
        &self.states
    }

    fn list<'a>(
        &'a self,
        invocation: &'a dyn Invocation,
        _: u64,
        lend: Lend<'a>,
    ) -> Soon<'a, Result<(), DirectoryError>> {
        if self.is_destroyed.load(Relaxed) {
            return Soon::ready(Err(DirectoryError::Destroyed { service: self.service.clone() }));
        }
        if self.list.is_empty() {
            let why = "it has no provider".to_owned();
            return Soon::ready(Err(DirectoryError::Forbidden { service: self.service.clone(), why }));
        }
        self.availability.keep_looking();
        let method = invocation.target_method();
        let make = || CandidateTable::build(&self.list, self.list.all(), method, self.clock.now().as_millisecond());
        self.tables.lend(method, make, |table| {
            lend(&Listing { list: &self.list, table, states: &self.states, invokers: &self.invokers });
        });
        Soon::ready(Ok(()))
    }

    fn is_available(&self) -> bool {
        let is_available = |position: usize| {
            let can_be_reached = self.list.id(position).is_some_and(|id| self.states.is_available(id));
            can_be_reached && self.invokers.get(&self.list, position).is_ok_and(|invoker| invoker.is_available())
        };
        !self.is_destroyed.load(Relaxed) && (0..self.list.len()).any(is_available)
    }

    fn set_aside(&self, id: InvokerId, invoker: &Arc<dyn Invoker>) {
        self.availability.set_aside(id, invoker);
    }

    fn destroy(&self) {
        self.is_destroyed.store(true, Relaxed);
        self.availability.retain(|_| false);
    }
}
