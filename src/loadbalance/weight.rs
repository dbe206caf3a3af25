//! The weight of an invoker: its full weight, and what counts of it while it warms up.
//!
//! Follows Dubbo 3.3 (`AbstractLoadBalance.getWeight`, linear); 2.7.23 was quadratic. Where Dubbo refuses a call because
//! a number is none, dubbo-go takes the default, and so do we.

use crate::router::InvokerList;
use crate::rpc::Provider;
use crate::rpc::keys;

/// What an invoker's weight is made of.
///
/// ```
/// use pointsman::loadbalance::Weight;
/// use pointsman::rpc::{Provider, Url};
/// let url = "dubbo://10.0.0.1:20880/S?weight=200&timestamp=1000000&warmup=60000";
/// let weight = Weight::of(&Provider::new(Url::parse(url)?), "find");
/// assert_eq!((weight.full(), weight.at(1_015_000), weight.at(1_060_000)), (200, 50, 200));
/// # Ok::<(), pointsman::rpc::UrlError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Weight {
    full: u32,
    warmup_ms: i32,
    /// When it started; 0 or less where that is not known.
    start_ms: i64,
}

/// The weights of a list's invokers for one method: made once a list and method, shared by the tables of all selections.
#[derive(Debug)]
pub struct MethodWeights {
    full: Box<[u32]>,
    /// Those that were not warm yet, by position.
    warming: Box<[(u32, Weight)]>,
}

// === impl Weight ===

impl Weight {
    /// The weight of a provider that names none, or no number.
    pub const DEFAULT: u32 = 100;
    /// How long a provider warms up that does not say, in milliseconds.
    pub const DEFAULT_WARMUP_MS: i32 = 600_000;

    /// Reads `weight` (of the method, else of the provider), `warmup` and `timestamp`. A weight below 0 is 0, one beyond
    /// 32 bits the greatest of them; what is no whole number counts as absent. The start is the provider's own
    /// (`remote.timestamp` where a consumer's stands beside it), never the consumer's.
    #[must_use]
    pub fn of(provider: &Provider, method: &str) -> Self {
        let raw = |key| provider.raw(key).and_then(whole_number);
        let full = provider.method_parameter(method, keys::WEIGHT).and_then(whole_number);
        let full = full.map_or(Self::DEFAULT, |weight| weight.clamp(0, i32::MAX.into()) as u32);
        let warmup = raw(keys::WARMUP).map(|warmup| warmup.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
        let start = raw(keys::REMOTE_TIMESTAMP).or_else(|| raw(keys::TIMESTAMP));
        Self { full, warmup_ms: warmup.unwrap_or(Self::DEFAULT_WARMUP_MS), start_ms: start.unwrap_or(0) }
    }

    /// The weight of a warm invoker.
    #[must_use]
    pub const fn full(self) -> u32 {
        self.full
    }

    /// The weight at `now_ms` (milliseconds since 1970): linear in the time since the start, at least 1 of a weight that
    /// is not 0. A start that lies ahead counts as now; one in seconds lies in 1970, so such an invoker is warm.
    #[must_use]
    pub fn at(self, now_ms: i64) -> u32 {
        if self.is_warm(now_ms) {
            return self.full;
        }
        let uptime = now_ms.saturating_sub(self.start_ms).max(0);
        warm_up_weight(uptime, self.warmup_ms, self.full as i32).max(0) as u32
    }

    /// Whether the full weight counts at `now_ms`; it does so from then on.
    #[must_use]
    pub const fn is_warm(self, now_ms: i64) -> bool {
        self.full == 0
            || self.start_ms <= 0
            || (now_ms >= self.start_ms && now_ms - self.start_ms >= self.warmup_ms as i64)
    }

    /// How long the weight stays about what it is, in milliseconds: a hundredth of the way at most.
    pub(crate) const fn step_ms(self) -> u64 {
        let steps = if self.full < 100 { self.full } else { 100 };
        let step = if self.warmup_ms < 1 || steps == 0 { 1 } else { self.warmup_ms as u64 / steps as u64 };
        if step == 0 { 1 } else { step }
    }
}

// === impl MethodWeights ===

impl MethodWeights {
    /// The weights of `list` for `method`. Who is warm at `now_ms` stays so.
    #[must_use]
    pub fn of(list: &InvokerList, method: &str, now_ms: i64) -> Self {
        let mut warming = Vec::new();
        let full = list.providers().iter().zip(0..).map(|(provider, position)| {
            let weight = Weight::of(provider, method);
            if !weight.is_warm(now_ms) {
                warming.push((position, weight));
            }
            weight.full
        });
        Self { full: full.collect(), warming: warming.into() }
    }

    /// The full weight of the invoker at `position`; 0 beyond the list.
    #[must_use]
    pub fn full(&self, position: usize) -> u32 {
        self.full.get(position).copied().unwrap_or(0)
    }

    /// Its weight at `now_ms`.
    #[must_use]
    pub fn at(&self, position: usize, now_ms: i64) -> u32 {
        match self.warming(position) {
            Some(weight) => weight.at(now_ms),
            None => self.full(position),
        }
    }

    /// The weight of one that was not warm when the weights were made.
    pub(crate) fn warming(&self, position: usize) -> Option<Weight> {
        if self.warming.is_empty() {
            return None;
        }
        let at = self.warming.binary_search_by_key(&(position as u32), |(position, _)| *position).ok()?;
        self.warming.get(at).map(|(_, weight)| *weight)
    }

    /// Bytes of memory behind the weights.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.full) + size_of_val(&*self.warming)
    }
}

/// The share of `weight` that counts `uptime_ms` after the start: linear, at least 1, at most `weight`.
///
/// Computed with Java's single-precision numbers, as in `AbstractLoadBalance.calculateWarmupWeight`, so that both round
/// alike.
#[must_use]
pub fn warm_up_weight(uptime_ms: i64, warmup_ms: i32, weight: i32) -> i32 {
    let warm = (uptime_ms as f32 / (warmup_ms as f32 / weight as f32)) as i32;
    if warm < 1 { 1 } else { warm.min(weight) }
}

/// A whole number as Java writes it; one beyond 64 bits is the greatest or least of them.
fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::Url;

    fn weight(parameters: &str) -> Weight {
        Weight::of(&Provider::new(Url::parse(&format!("dubbo://h:1/S?{parameters}")).unwrap()), "find")
    }

    #[test]
    fn whatever_a_weight_says_it_is_a_number_from_0_to_the_greatest_of_31_bits() {
        for (parameters, full) in [
            ("", 100),
            ("weight=", 100),
            ("weight=abc", 100),
            ("weight=1.5", 100),
            ("weight= 7", 100),
            ("weight=0x10", 100),
            ("weight=-", 100),
            ("weight=-5", 0),
            ("weight=-99999999999999999999", 0),
            ("weight=+5", 5),
            ("weight=2147483648", i32::MAX as u32),
            ("weight=99999999999999999999", i32::MAX as u32),
            ("weight=5&find.weight=7", 7),
            ("weight=5&save.weight=7", 5),
            ("default.weight=9", 9),
        ] {
            assert_eq!(weight(parameters).full(), full, "`{parameters}`");
        }
    }

    #[test]
    fn a_weight_grows_from_1_to_full_and_never_leaves_that_range() {
        const START: i64 = 1_600_000_000_000;
        for (parameters, since, expected) in [
            ("", 0, 1),
            ("", 60_000, 10),
            ("", 599_999, 99),
            ("", 600_000, 100),
            ("", -1, 1),
            ("", -100_000_000, 1),
            ("&warmup=0", 0, 100),
            ("&warmup=-7", 0, 100),
            ("&warmup=abc", 300_000, 50),
            ("&warmup=99999999999", 300_000, 1),
            ("&weight=2147483647", 300_000, 1_073_741_824),
            ("&weight=0", 300_000, 0),
            ("&weight=-3", 300_000, 0),
            // The consumer's own start stands beside the provider's, as in apache/dubbo#463.
            ("&remote.timestamp=1599999940000", 0, 10),
        ] {
            assert_eq!(
                weight(&format!("timestamp={START}{parameters}")).at(START + since),
                expected,
                "`{parameters}` after {since} ms"
            );
        }
        for parameters in ["timestamp=1600000000", "timestamp=0", "timestamp=-5", "timestamp=soon", "timestamp="] {
            assert_eq!(weight(parameters).at(START), 100, "`{parameters}`");
        }
        assert_eq!(weight("timestamp=9223372036854775807").at(i64::MIN), 1);
    }
}
