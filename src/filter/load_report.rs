//! Tells consumers that ask for it how busy this machine is.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::router::Clock;
use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::RpcResult;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// Attaches the time and the machine's load to answers whose callers ask for it (`lb_adaptive`), as Dubbo's
/// `ProfilerServerFilter` does: the load average of a minute in percent of the processors. Consumers that balance by
/// `adaptive` ask.
pub struct LoadReportFilter {
    clock: Arc<dyn Clock>,
    load: fn() -> Option<f64>,
    /// The load, and the second in which it was looked at.
    last: Mutex<(i64, Option<f64>)>,
}

// === impl LoadReportFilter ===

impl LoadReportFilter {
    /// The filter's name.
    pub const NAME: &str = "load-report";

    /// A filter that dates its reports by `clock`.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, load: machine_load, last: Mutex::new((i64::MIN, None)) }
    }

    fn report(&self) -> String {
        let now = self.clock.now();
        let mut last = self.last.lock();
        if last.0 != now.as_second() {
            *last = (now.as_second(), (self.load)());
        }
        match last.1 {
            Some(load) => format!("curTime:{},load:{load:.2}", now.as_millisecond()),
            None => format!("curTime:{}", now.as_millisecond()),
        }
    }
}

impl Filter for LoadReportFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, _: &Url) -> Step {
        let is_asked = context.attachment(keys::LB_ADAPTIVE).is_some_and(|asked| !asked.is_empty());
        Step::Pass(is_asked.into())
    }

    fn after(&self, _: &RpcContext<'_>, _: &Url, mark: u64, result: &mut RpcResult) {
        if mark == 1
            && let Ok(response) = result
        {
            response.set_attachment(keys::LB_ADAPTIVE, self.report());
        }
    }
}

impl fmt::Debug for LoadReportFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadReportFilter").field("clock", &self.clock).finish_non_exhaustive()
    }
}

/// The load average of a minute in percent of the processors; none where the system does not tell.
fn machine_load() -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        let [minute, ..] = rustix::system::sysinfo().loads;
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Some(minute as f64 / 65_536.0 * 100.0 / processors as f64)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::FixedClock;
    use crate::rpc::AppResponse;
    use crate::rpc::FilterChain;
    use crate::rpc::FunctionInvoker;
    use crate::rpc::RpcInvocation;

    fn answer(load: fn() -> Option<f64>, call: &RpcInvocation<'_>) -> Option<String> {
        let clock = FixedClock("2026-11-30T22:30:00Z".parse().unwrap());
        let filter = LoadReportFilter { load, ..LoadReportFilter::new(Arc::new(clock)) };
        let invoker =
            FunctionInvoker::new(Url::parse("dubbo://10.0.0.1:1/S").unwrap(), |_| Ok(AppResponse::new(1_i64)));
        let chain = FilterChain::new([Arc::new(filter) as Arc<dyn Filter>]);
        let answer = pollster::block_on(chain.invoke(&invoker, &mut RpcContext::new(call))).unwrap();
        answer.attachment("lb_adaptive").map(str::to_owned)
    }

    #[test]
    fn whoever_asks_is_told_and_nobody_else() {
        let call = RpcInvocation::new("S", "find");
        let asking = call.clone().with_attachment("lb_adaptive", "mem,load");
        assert_eq!(answer(|| Some(12.345), &call), None);
        assert_eq!(answer(|| Some(12.344), &asking).as_deref(), Some("curTime:1796077800000,load:12.34"));
        assert_eq!(answer(|| None, &asking).as_deref(), Some("curTime:1796077800000"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_a_load() {
        assert!(machine_load().is_some_and(|load| load >= 0.0 && load.is_finite()));
    }
}
