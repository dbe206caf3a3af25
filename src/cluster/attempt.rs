//! Choosing a provider, and trying it.

use std::sync::Arc;

use tokio::time::Instant;

use crate::cluster::AttemptRecord;
use crate::cluster::ClusterCall;
use crate::cluster::Tried;
use crate::cluster::reported_load;
use crate::cluster::site::MethodPlan;
use crate::cluster::terms::Terms;
use crate::directory::Lend;
use crate::directory::Listing;
use crate::directory::MethodOptions;
use crate::loadbalance::BalanceCall;
use crate::loadbalance::InvokerStates;
use crate::router::mix;
use crate::rpc::Invoker;
use crate::rpc::InvokerId;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::Soon;
use crate::rpc::Url;
use crate::rpc::until;

/// A provider that was chosen for an attempt.
#[derive(Debug, Clone)]
pub struct Picked {
    /// Its slot.
    pub id: InvokerId,
    /// How it is called.
    pub invoker: Arc<dyn Invoker>,
    plan: Arc<MethodPlan>,
    terms: Terms,
    is_balanced: bool,
    candidates: usize,
    known: usize,
}

// === impl Picked ===

impl Picked {
    /// What is set for calls of the method.
    #[must_use]
    pub fn options(&self) -> &MethodOptions {
        &self.plan.options
    }

    /// The provider as it was registered.
    #[must_use]
    pub fn url(&self) -> &Url {
        self.invoker.url()
    }

    /// How many providers rules left, this one among them.
    #[must_use]
    pub fn candidates(&self) -> usize {
        self.candidates
    }

    pub(super) fn take_down(&self, tried: &mut Tried) {
        tried.add(self.id, self.invoker.url(), self.candidates, self.known);
    }
}

// === impl ClusterCall ===

impl ClusterCall<'_> {
    /// Asks the directory anew and chooses one of the providers that rules leave, not tried and available ones first.
    ///
    /// # Errors
    ///
    /// The directory lends nothing, rules leave nobody, or the provider's protocol is unknown.
    pub async fn pick(&self, tried: &mut Tried) -> Result<Picked, RpcError> {
        let (mut picked, seed) = (None, Self::route_seed(self.seed, tried.attempts()));
        let lend = &mut |listing: &Listing<'_>| picked = Some(self.choose(listing, tried, seed));
        self.list(seed, lend).await?;
        picked.unwrap_or_else(|| Err(self.nobody(0, seed)))
    }

    /// Every provider that rules leave, in the order of the list.
    ///
    /// # Errors
    ///
    /// As [`ClusterCall::pick`].
    pub async fn all(&self) -> Result<Vec<Picked>, RpcError> {
        let (mut all, seed) = (None, Self::route_seed(self.seed, 0));
        let lend = &mut |listing: &Listing<'_>| {
            let plan = self.site.plan(listing.list, listing.table.position(0).unwrap_or(0), self.method);
            let take = |position| self.picked(listing, position, &plan, false);
            all = Some(match listing.table.len() {
                0 => Err(self.nobody(listing.list.len(), seed)),
                _ => listing.table.positions().map(take).collect(),
            });
        };
        self.list(seed, lend).await?;
        all.unwrap_or_else(|| Err(self.nobody(0, seed)))
    }

    /// Asks the directory; rules that need time have it until the call's deadline.
    async fn list(&self, seed: u64, lend: Lend<'_>) -> Result<(), RpcError> {
        match self.site.directory().list(self.invocation, seed, lend) {
            Soon::Ready(Some(listed)) => Ok(listed?),
            later => match until(self.deadline, later).await {
                Ok(listed) => Ok(listed?),
                Err(error) if error.kind() != RpcErrorKind::Timeout => Err(error),
                Err(_) => {
                    let message = format!("the rules for {} had not decided by its deadline", self.title());
                    Err(RpcError::new(RpcErrorKind::Timeout, message))
                }
            },
        }
    }

    /// The call as texts name it.
    pub(super) fn title(&self) -> String {
        format!("`{}.{}` of {}", self.invocation.service(), self.method, self.site.consumer_name())
    }

    fn choose(&self, listing: &Listing<'_>, tried: &mut Tried, seed: u64) -> Result<Picked, RpcError> {
        if listing.table.is_empty() {
            return Err(self.nobody(listing.list.len(), seed));
        }
        let plan = self.site.plan(listing.list, listing.table.position(0).unwrap_or(0), self.method);
        let attempts = tried.attempts();
        let avoid = tried.positions(listing.list);
        let is_sticky = plan.options.is_sticky;
        if is_sticky && let Some(position) = self.site.sticky().find(self.method, listing, avoid) {
            return self.picked(listing, position, &plan, false);
        }
        let call = BalanceCall {
            invocation: self.invocation,
            consumer: Some(self.site.directory().consumer()),
            method: self.method,
            seed: mix(self.seed ^ u64::from(attempts)),
            now_ms: self.site.now_ms(),
        };
        let balance = plan.balance.as_ref().map_err(|error| {
            RpcError::new(error.kind(), format!("{}: {}", self.title(), error.message())).caused_by(error.clone())
        })?;
        let position = balance.select(&listing.candidates(avoid), &call);
        let position = position.ok_or_else(|| self.nobody(listing.list.len(), seed))?;
        if is_sticky {
            self.site.sticky().keep(self.method, listing.list.id(position));
        }
        self.picked(listing, position, &plan, true)
    }

    pub(super) fn picked(
        &self,
        listing: &Listing<'_>,
        position: usize,
        plan: &Arc<MethodPlan>,
        is_balanced: bool,
    ) -> Result<Picked, RpcError> {
        let (id, invoker) = listing.invoker(position)?;
        let terms = self.site.terms(self.invocation, listing.list, position, plan);
        Ok(Picked {
            id,
            invoker,
            plan: Arc::clone(plan),
            terms,
            is_balanced,
            candidates: listing.table.len(),
            known: listing.list.len(),
        })
    }

    /// Tries the provider, through the filters, until its timeout or the call's deadline. Every attempt has a context of its
    /// own: what filters set for one provider does not reach the next.
    pub async fn attempt(&self, picked: &Picked, tried: &mut Tried) -> RpcResult {
        let is_retry = tried.attempts() > 0;
        self.attempt_as(picked, tried, is_retry).await
    }

    /// [`ClusterCall::attempt`], where those before need not have failed.
    pub(super) async fn attempt_as(&self, picked: &Picked, tried: &mut Tried, is_retry: bool) -> RpcResult {
        if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            // Nobody is asked any more, so nobody is taken down.
            return Err(too_late());
        }
        let number = tried.attempts();
        picked.take_down(tried);
        self.try_once(picked, number, is_retry).await
    }

    /// One attempt, that is not taken down.
    pub(super) async fn try_once(&self, picked: &Picked, number: u32, is_retry: bool) -> RpcResult {
        let started = Instant::now();
        if self.deadline.is_some_and(|deadline| deadline <= started) {
            return Err(too_late());
        }
        let end = (!picked.invoker.limits_itself()).then(|| started + picked.terms.timeout());
        let deadline = [self.deadline, end].into_iter().flatten().min();
        // PERF: set in place, since a context is large to move (`cluster/failover`).
        let mut context = RpcContext::new(self.invocation);
        (context.deadline, context.mode, context.attempt) = (deadline, self.mode, number);
        let wants_load = picked.plan.balance.as_ref().is_ok_and(|balance| balance.wants_load());
        if wants_load {
            reported_load::ask(&mut context);
        }
        let directory = self.site.directory();
        let in_flight = InvokerStates::begin(&**directory.states(), picked.id);
        let mut result = self.site.filters().invoke_masked(picked.terms.filters, &*picked.invoker, &mut context).await;
        match &mut result {
            Ok(response) => {
                in_flight.succeed();
                if wants_load {
                    reported_load::take_down(directory.states(), picked.id, response);
                }
            }
            Err(error) => {
                in_flight.fail();
                if error.kind() == RpcErrorKind::Network {
                    directory.set_aside(picked.id, &picked.invoker);
                }
            }
        }
        if let Some(observer) = self.observer {
            observer.attempted(&AttemptRecord {
                number,
                is_retry,
                provider: picked.invoker.url(),
                candidates: picked.candidates,
                known: picked.known,
                load_balance: picked
                    .plan
                    .balance
                    .as_ref()
                    .ok()
                    .filter(|_| picked.is_balanced)
                    .map_or("", |it| it.name()),
                result: &result,
                elapsed: started.elapsed(),
            });
        }
        result
    }

    /// The failure of a call that rules leave to nobody.
    fn nobody(&self, known: usize, seed: u64) -> RpcError {
        let why = self.site.directory().why_nobody(self.invocation, seed);
        let why = if why.is_empty() { why } else { format!("\n{why}") };
        RpcError::new(
            RpcErrorKind::NoInvokerAvailableAfterFilter,
            format!("rules leave none of {known} providers to {}{why}", self.title()),
        )
    }
}

fn too_late() -> RpcError {
    RpcError::new(RpcErrorKind::TimeoutTerminate, "its deadline has passed")
}
