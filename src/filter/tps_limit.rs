//! Bounds the calls that a provider takes in a time.

use std::time::Duration;

use hashbrown::HashMap;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// `tps` and `tps.interval`: at most so many calls are taken in an interval; more are refused at once with
/// [`RpcErrorKind::LimitExceeded`]. As `TpsLimitFilter` with `DefaultTPSLimiter`.
///
/// A method with a `tps` of its own has a count of its own, all others share the service's; in Dubbo there is one count,
/// which begins anew whenever the rate differs from the one before.
#[derive(Debug)]
pub struct TpsLimitFilter {
    of_service: Option<Window>,
    of_methods: HashMap<Box<str>, Option<Window>>,
}

/// A count that begins anew after each interval.
#[derive(Debug)]
struct Window {
    rate: u64,
    interval: Duration,
    now: Mutex<Count>,
}

#[derive(Debug)]
struct Count {
    start: Option<Instant>,
    calls: u64,
}

// === impl TpsLimitFilter ===

impl TpsLimitFilter {
    /// The filter's name.
    pub const NAME: &str = "tps";
    /// How long `tps` counts without `tps.interval`: a minute, as `DEFAULT_TPS_LIMIT_INTERVAL`.
    pub const INTERVAL: Duration = Duration::from_secs(60);

    /// The filter of `service`.
    #[must_use]
    pub fn new(service: &Url) -> Self {
        let interval = |text: Option<&str>| {
            let millis = text.and_then(|text| text.parse().ok()).filter(|millis| *millis > 0);
            millis.map_or(Self::INTERVAL, Duration::from_millis)
        };
        let methods = service.parameters().filter_map(|(name, _)| {
            let method = name.strip_suffix(keys::TPS)?.strip_suffix('.')?;
            let rate = service.own_method_parameter(method, keys::TPS)?;
            let interval = interval(service.method_parameter(method, keys::TPS_INTERVAL));
            Some((method.into(), Window::new(rate, interval)))
        });
        Self {
            of_methods: methods.collect(),
            of_service: service
                .parameter(keys::TPS)
                .and_then(|rate| Window::new(rate, interval(service.parameter(keys::TPS_INTERVAL)))),
        }
    }
}

impl Filter for TpsLimitFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        let method = context.target_method();
        let window = self.of_methods.get(method).unwrap_or(&self.of_service);
        let Some(window) = window.as_ref().filter(|window| !window.takes(Instant::now())) else {
            return Step::Pass(0);
        };
        let (rate, interval) = (window.rate, window.interval.as_millis());
        let message = format!("`{method}` was called more than {rate} times (`tps`) within {interval} ms");
        Step::Answer(Err(RpcError::new(RpcErrorKind::LimitExceeded, message)))
    }
}

// === impl Window ===

impl Window {
    /// None where `rate` is no positive number: that is no limit.
    fn new(rate: &str, interval: Duration) -> Option<Self> {
        let rate = rate.parse().ok().filter(|rate| *rate > 0)?;
        Some(Self { rate, interval, now: Mutex::new(Count { start: None, calls: 0 }) })
    }

    fn takes(&self, now: Instant) -> bool {
        let mut count = self.now.lock();
        if count.start.is_none_or(|start| now.saturating_duration_since(start) >= self.interval) {
            *count = Count { start: Some(now), calls: 0 };
        }
        let takes = count.calls < self.rate;
        count.calls += u64::from(takes);
        takes
    }
}
