//! `failback`: what failed is tried again in the background.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::ClusterSite;
use crate::cluster::Tried;
use crate::directory::merged;
use crate::rpc::Answer;
use crate::rpc::AppResponse;
use crate::rpc::Provider;
use crate::rpc::RpcInvocation;
use crate::rpc::Value;
use crate::rpc::keys;

/// Asks one provider once; a failure is answered with null, and the call is made again in the background every five seconds,
/// `retries` (3) times at most, until it succeeds, at others than those that failed where there are any: for notifications.
/// As `FailbackClusterInvoker`.
///
/// At most a hundred calls wait to be made again; one more is given up, and the log says so.
#[derive(Debug, Clone)]
pub struct Failback {
    waiting: Arc<AtomicUsize>,
    period: Duration,
    most: usize,
}

/// A place among those that wait; given back however the task ends.
struct Place(Arc<AtomicUsize>);

// === impl Failback ===

impl Failback {
    /// The policy's name.
    pub const NAME: &str = "failback";
    /// `DEFAULT_FAILBACK_TIMES` of the original.
    const RETRIES: u32 = 3;
    /// `failbacktasks` of the original.
    const MOST: usize = 100;

    /// Calls are made again after `period`, and at most `most` wait for that.
    #[must_use]
    pub fn new(period: Duration, most: usize) -> Self {
        Self { waiting: Arc::default(), period, most }
    }

    /// How many calls wait to be made again.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    /// How often a call is made again: what it sets for itself, else the consumer, else the provider. What is no number, or a
    /// negative one, counts as not set.
    fn retries(call: &ClusterCall<'_>, provider: Option<&Provider>) -> u32 {
        let number = |text: &str| text.parse().ok();
        let own = call.invocation.attachment(keys::RETRIES).and_then(number);
        let set = || merged(call.site.directory().consumer(), provider, call.method, keys::RETRIES).and_then(number);
        own.or_else(set).unwrap_or(Self::RETRIES)
    }

    /// Makes the call again later, if there is a place and a runtime.
    fn again(&self, call: &ClusterCall<'_>, retries: u32, tried: Tried) {
        let (service, method) = (call.invocation.service(), call.method);
        let Ok(runtime) = Handle::try_current() else {
            tracing::error!(service, method, "given up: without a runtime there is no background");
            return;
        };
        let Some(place) = Place::take(&self.waiting, self.most) else {
            tracing::error!(service, method, most = self.most, "given up: too many calls wait to be made again");
            return;
        };
        let (site, invocation) = (Arc::clone(call.site), RpcInvocation::copied(call.invocation));
        runtime.spawn(run_again(site, invocation, self.period, retries, tried, place));
    }
}

impl Default for Failback {
    fn default() -> Self {
        Self::new(Duration::from_secs(5), Self::MOST)
    }
}

impl Cluster for Failback {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(async move {
            let mut tried = Tried::default();
            let (error, provider) = match call.pick(&mut tried).await {
                Err(error) => (error, None),
                Ok(picked) => match call.attempt(&picked, &mut tried).await {
                    Ok(response) => return Ok(response),
                    Err(error) => {
                        let error = tried.failure(Self::NAME, call.site, call.invocation, error);
                        (error, Some(Provider::new(picked.url().clone())))
                    }
                },
            };
            tracing::warn!(%error, "it will be tried again");
            let retries = Self::retries(call, provider.as_ref());
            if retries > 0 {
                self.again(call, retries, tried);
            }
            Ok(AppResponse::new(Value::Null))
        })
    }
}

/// Makes the call again until it succeeds or `retries` are used up.
async fn run_again(
    site: Arc<ClusterSite>,
    invocation: RpcInvocation<'static>,
    period: Duration,
    retries: u32,
    mut tried: Tried,
    _place: Place,
) {
    for left in (0..retries).rev() {
        sleep(period).await;
        let call = ClusterCall::new(&site, &invocation);
        let result = match call.pick(&mut tried).await {
            Ok(picked) => call.attempt(&picked, &mut tried).await,
            Err(error) => Err(error),
        };
        match result {
            Ok(_) => return,
            Err(error) => tracing::warn!(%error, left, "tried again without success"),
        }
    }
    tracing::error!(consumer = site.consumer_name(), "given up: all retries are used up");
}

// === impl Place ===

impl Place {
    fn take(waiting: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let one_more = |count: usize| (count < most).then_some(count + 1);
        waiting.try_update(Relaxed, Relaxed, one_more).ok()?;
        Some(Self(Arc::clone(waiting)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
