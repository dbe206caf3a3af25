//! Tells the operator which calls took longer than their callers wait.

use std::time::Duration;

use tokio::time::Instant;

use crate::rpc::Filter;
use crate::rpc::Invocation as _;
use crate::rpc::RpcContext;
use crate::rpc::RpcResult;
use crate::rpc::Step;
use crate::rpc::Url;
use crate::rpc::keys;

/// Logs calls that took longer than their `timeout`: what the caller attached, else what the service's URL sets for the
/// method. The answer is given all the same. As `TimeoutFilter`.
#[derive(Debug)]
pub struct TimeoutFilter {
    /// From here marks count.
    base: Instant,
}

/// The bits of a mark that hold the limit; those above hold when the call began. Both are milliseconds.
const LIMIT_BITS: u32 = 24;
const MAX_LIMIT: u64 = (1 << LIMIT_BITS) - 1;

// === impl TimeoutFilter ===

impl TimeoutFilter {
    /// The filter's name.
    pub const NAME: &str = "timeout";

    fn elapsed(&self) -> u64 {
        u64::try_from(self.base.elapsed().as_millis()).unwrap_or(u64::MAX >> LIMIT_BITS)
    }

    /// How long the call took and might have taken, if it took longer.
    fn overrun(&self, mark: u64) -> Option<(Duration, Duration)> {
        let (start, limit) = (mark >> LIMIT_BITS, mark & MAX_LIMIT);
        let took = self.elapsed().saturating_sub(start);
        (limit > 0 && took > limit).then(|| (Duration::from_millis(took), Duration::from_millis(limit)))
    }
}

impl Default for TimeoutFilter {
    fn default() -> Self {
        Self { base: Instant::now() }
    }
}

impl Filter for TimeoutFilter {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn before(&self, context: &mut RpcContext<'_>, url: &Url) -> Step {
        let of_url = || url.method_parameter(context.target_method(), keys::TIMEOUT);
        let limit = context.attachment(keys::TIMEOUT).or_else(of_url).and_then(|text| text.parse::<u64>().ok());
        Step::Pass(limit.map_or(0, |limit| (self.elapsed() << LIMIT_BITS) | limit.min(MAX_LIMIT)))
    }

    fn after(&self, context: &RpcContext<'_>, url: &Url, mark: u64, _: &mut RpcResult) {
        if let Some((took, limit)) = self.overrun(mark) {
            let (service, method) = (context.service(), context.target_method());
            let address = url.address().unwrap_or_default();
            tracing::warn!(service, method, address, ?took, timeout = ?limit, "took longer than its caller waits");
        }
    }

    fn given_up(&self, url: &Url, mark: u64) {
        if let Some((took, limit)) = self.overrun(mark) {
            let service = url.service_interface().unwrap_or_default();
            tracing::warn!(service, ?took, timeout = ?limit, "was given up by a caller that waits no longer");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::RpcInvocation;

    #[tokio::test(start_paused = true)]
    async fn a_call_overruns_what_its_caller_or_else_the_url_says() {
        for (query, attached, limit_ms) in [
            ("", None, None),
            ("timeout=30", None, Some(30)),
            ("timeout=30&find.timeout=40", None, Some(40)),
            ("timeout=30", Some("20"), Some(20)),
            ("", Some("x"), None),
            ("timeout=0", None, None),
            ("timeout=99999999999", None, None),
        ] {
            let filter = TimeoutFilter::default();
            tokio::time::advance(Duration::from_secs(3_600)).await;
            let url = Url::parse(&format!("dubbo://h:1/S?{query}")).unwrap();
            let call = RpcInvocation::new("S", "find");
            let mut context = RpcContext::new(&call);
            if let Some(timeout) = attached {
                context.set_attachment(keys::TIMEOUT, timeout);
            }
            let Step::Pass(mark) = filter.before(&mut context, &url) else { panic!("passes always") };
            tokio::time::advance(Duration::from_millis(limit_ms.unwrap_or(5_000))).await;
            assert_eq!(filter.overrun(mark), None, "`{query}` {attached:?}");
            tokio::time::advance(Duration::from_millis(1)).await;
            let expected = limit_ms.map(|limit| (Duration::from_millis(limit + 1), Duration::from_millis(limit)));
            assert_eq!(filter.overrun(mark), expected, "`{query}` {attached:?}");
        }
    }
}
