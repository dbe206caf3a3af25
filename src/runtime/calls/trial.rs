//! Making calls, so many at a time.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::router::mix;
use crate::rpc::RpcInvocation;
use crate::runtime::CallOptions;
use crate::runtime::Reference;
use crate::runtime::calls::CallOutcome;
use crate::runtime::calls::CallRecord;
use crate::runtime::calls::record::AttemptLog;
use crate::runtime::calls::record::micros;

/// How calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTrial {
    /// How many.
    pub calls: u64,
    /// How many at a time; 0 is 1.
    pub concurrency: usize,
    /// How long a call may take, with all its attempts.
    pub timeout: Option<Duration>,
    /// Where the draws of the first call begin; every call has its own.
    pub seed: u64,
}

// === impl CallTrial ===

impl CallTrial {
    /// What all draws of call `number` come from.
    #[must_use]
    pub fn seed_of(&self, number: u64) -> u64 {
        mix(mix(self.seed).wrapping_add(number))
    }
}

impl Default for CallTrial {
    /// One call, which takes as long as it takes.
    fn default() -> Self {
        Self { calls: 1, concurrency: 1, timeout: None, seed: 0 }
    }
}

/// Calls `reference` as `trial` says, and hands over each call as it ends, until `over` breaks off; what is under way then is
/// given up, as when the future is dropped. It wants a tokio runtime with timers.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
/// use pointsman::runtime::Reference;
/// use pointsman::runtime::calls::{CallTally, CallTrial, try_calls};
/// use pointsman::stand_in::StandIns;
/// use pointsman::transport::StandInProtocol;
/// use pointsman::{Engine, RpcInvocation, Url};
///
/// let provider = Url::parse("dubbo://10.0.0.1:20880/com.shop.OrderService")?;
/// let engine = Engine::builder().providers([provider]).build()?;
/// let stand_ins = StandInProtocol::new("dubbo", Arc::new(StandIns::default()), 7);
/// let reference = Reference::builder("com.shop.OrderService").engine(engine).protocol(Arc::new(stand_ins)).build()?;
/// let call = RpcInvocation::new("com.shop.OrderService", "create");
///
/// let mut tally = CallTally::default();
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// let trial = CallTrial { calls: 100, concurrency: 8, ..CallTrial::default() };
/// runtime.block_on(try_calls(&reference, call, trial, |record| {
///     tally.add(&record);
///     ControlFlow::Continue(())
/// }));
/// assert_eq!(tally.calls(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn try_calls(
    reference: &Reference,
    invocation: RpcInvocation<'static>,
    trial: CallTrial,
    mut over: impl FnMut(CallRecord) -> ControlFlow<()>,
) {
    let invocation = Arc::new(invocation);
    let make = |number| one(reference.clone(), Arc::clone(&invocation), trial, number);
    let mut numbers = 0..trial.calls;
    let mut under_way = JoinSet::new();
    for number in numbers.by_ref().take(trial.concurrency.max(1)) {
        under_way.spawn(make(number));
    }
    while let Some(ended) = under_way.join_next().await {
        match ended {
            Ok(record) => {
                if over(record).is_break() {
                    return;
                }
            }
            // Nobody cancels a call here, and what others bring is contained: it is a fault of our own.
            Err(error) => {
                if let Ok(panic) = error.try_into_panic() {
                    resume_unwind(panic);
                }
            }
        }
        if let Some(number) = numbers.next() {
            under_way.spawn(make(number));
        }
    }
}

async fn one(
    reference: Reference,
    invocation: Arc<RpcInvocation<'static>>,
    trial: CallTrial,
    number: u64,
) -> CallRecord {
    let (log, started) = (AttemptLog::default(), Instant::now());
    let options = CallOptions {
        deadline: trial.timeout.map(|timeout| started + timeout),
        seed: Some(trial.seed_of(number)),
        observer: Some(&log),
        ..CallOptions::default()
    };
    let result = reference.call_with(&*invocation, options).await;
    let elapsed_us = micros(started.elapsed());
    CallRecord { number, attempts: log.into_attempts(), outcome: CallOutcome::of(&result), elapsed_us }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn runs_of_neighbouring_seeds_have_no_draw_in_common() {
        let of = |seed| CallTrial { seed, ..CallTrial::default() };
        let seeds: HashSet<u64> = (0..10).flat_map(|seed| (0..1_000).map(move |n| of(seed).seed_of(n))).collect();
        assert_eq!(seeds.len(), 10_000);
    }
}
