//! What is set for the calls of one method.

use std::time::Duration;

use crate::directory::merged;
use crate::rpc::Provider;
use crate::rpc::Url;
use crate::rpc::keys;

/// What a consumer and its providers set for calls of one method, with Dubbo's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodOptions {
    /// `loadbalance`.
    pub load_balance: Option<Box<str>>,
    /// `retries`: attempts after the first; 2.
    pub retries: u32,
    /// `forks`: how many are asked at once; 2.
    pub forks: u32,
    /// `broadcast.fail.percent`: from which share of failures on a broadcast fails; 100 means that any failure fails it at
    /// the end.
    pub broadcast_fail_percent: u32,
    /// `sticky`.
    pub is_sticky: bool,
    /// `merger`.
    pub merger: Option<Box<str>>,
    /// Ours, `retry.budget`: how many retries a call may cause on average; none is no bound.
    pub retry_budget: Option<f64>,
}

// === impl MethodOptions ===

impl MethodOptions {
    /// How long an attempt may take where nobody says: one second, as `DEFAULT_TIMEOUT`.
    pub const TIMEOUT: Duration = Duration::from_millis(1_000);
    /// Two, as `DEFAULT_RETRIES`.
    pub const RETRIES: u32 = 2;
    /// Two, as `DEFAULT_FORKS`.
    pub const FORKS: u32 = 2;

    /// What `consumer` and `provider` set for `method`. What cannot be read counts as not set.
    #[must_use]
    pub fn read(consumer: &Url, provider: Option<&Provider>, method: &str) -> Self {
        let text = |key: &str| merged(consumer, provider, method, key);
        let owned = |key: &str| text(key).map(Into::into);
        let number = |key: &str| text(key).and_then(|value| value.parse::<i64>().ok());
        Self {
            load_balance: owned(keys::LOADBALANCE),
            retries: retries(number(keys::RETRIES)).unwrap_or(Self::RETRIES),
            forks: number(keys::FORKS).and_then(|forks| u32::try_from(forks).ok()).unwrap_or(Self::FORKS),
            broadcast_fail_percent: number(keys::BROADCAST_FAIL_PERCENT)
                .and_then(|percent| u32::try_from(percent).ok())
                .filter(|percent| *percent <= 100)
                .unwrap_or(100),
            is_sticky: text(keys::STICKY).is_some_and(|value| value.eq_ignore_ascii_case("true")),
            merger: owned(keys::MERGER),
            retry_budget: text(keys::RETRY_BUDGET).and_then(|value| value.parse().ok()).filter(|share| *share >= 0.0),
        }
    }
}

/// A negative number of retries is none at all, as in `FailoverClusterInvoker.calculateInvokeTimes`.
fn retries(number: Option<i64>) -> Option<u32> {
    number.map(|number| u32::try_from(number.max(0)).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_or_cannot_be_read_has_its_default() {
        let read =
            |query: &str| MethodOptions::read(&Url::parse(&format!("consumer://c/S?{query}")).unwrap(), None, "find");
        let plain = read("");
        assert_eq!((plain.retries, plain.forks, plain.is_sticky), (2, 2, false));
        assert_eq!(read("retries=&sticky=x&forks=-1"), plain);
        assert_eq!((read("retries=-1").retries, read("find.retries=5&retries=1").retries), (0, 5));
        assert_eq!(read("broadcast.fail.percent=101").broadcast_fail_percent, 100);
    }
}
