//! Candidates for load balancing, and calls of them.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use pointsman::loadbalance::BalanceCall;
use pointsman::loadbalance::CandidateTable;
use pointsman::loadbalance::Candidates;
use pointsman::loadbalance::InvokerStates;
use pointsman::loadbalance::LoadBalance;
use pointsman::router::Clock;
use pointsman::router::InvokerList;
use pointsman::router::Selection;
use pointsman::rpc::Invocation;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;

/// When the tests take place.
pub(crate) const NOW_MS: i64 = 1_700_000_000_000;

/// A list of which everybody is a candidate, unless a test says otherwise.
#[derive(Debug)]
pub(crate) struct Balancing {
    pub(crate) list: InvokerList,
    pub(crate) states: InvokerStates,
    pub(crate) table: CandidateTable,
    pub(crate) clock: Arc<MovedClock>,
    method: String,
}

/// A clock that stands still until it is moved; in microseconds.
#[derive(Debug)]
pub(crate) struct MovedClock(AtomicI64);

impl MovedClock {
    pub(crate) fn advance_ms(&self, by: i64) {
        self.0.fetch_add(by * 1_000, Relaxed);
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.0.load(Relaxed) / 1_000
    }
}

impl Clock for MovedClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0.load(Relaxed)).unwrap()
    }
}

impl Balancing {
    /// Providers of one service, called by `method`.
    pub(crate) fn of<'a>(method: &str, urls: impl IntoIterator<Item = &'a str>) -> Self {
        let providers = urls.into_iter().map(|text| Provider::new(Url::parse(text).unwrap())).collect();
        let list = InvokerList::of(ServiceKey::parse("com.ex.BarService"), providers);
        let table = CandidateTable::build(&list, list.all(), method, NOW_MS);
        let clock = Arc::new(MovedClock(AtomicI64::new(NOW_MS * 1_000)));
        let states = InvokerStates::new(Arc::<MovedClock>::clone(&clock));
        Self { list, states, table, clock, method: method.to_owned() }
    }

    /// Providers with these parameters, on hosts of their own.
    pub(crate) fn with(parameters: &[&str]) -> Self {
        let url = |(host, parameters)| format!("dubbo://10.0.{}.{}:20880/S?{parameters}", host / 256, host % 256);
        let urls: Vec<String> = (0..).zip(parameters).map(url).collect();
        Self::of("m", urls.iter().map(String::as_str))
    }

    /// `count` providers without parameters.
    pub(crate) fn equal(count: usize) -> Self {
        Self::with(&vec![""; count])
    }

    /// Only the positions given are candidates.
    pub(crate) fn only(mut self, positions: impl IntoIterator<Item = usize>) -> Self {
        let selection = Selection::from_positions(self.list.len(), positions);
        self.table = CandidateTable::build(&self.list, &selection, &self.method, NOW_MS);
        self
    }

    pub(crate) fn select(&self, policy: &dyn LoadBalance, seed: u64) -> Option<usize> {
        self.select_at(policy, seed, self.clock.now_ms(), &[])
    }

    pub(crate) fn select_at(&self, policy: &dyn LoadBalance, seed: u64, now_ms: i64, avoid: &[usize]) -> Option<usize> {
        let invocation = RpcInvocation::new("com.ex.BarService", self.method.as_str());
        self.select_for(policy, &invocation, seed, now_ms, avoid)
    }

    pub(crate) fn select_for(
        &self,
        policy: &dyn LoadBalance,
        invocation: &dyn Invocation,
        seed: u64,
        now_ms: i64,
        avoid: &[usize],
    ) -> Option<usize> {
        let candidates = Candidates { list: &self.list, table: &self.table, states: &self.states, avoid };
        let call = BalanceCall { invocation, consumer: None, method: &self.method, seed, now_ms };
        policy.select(&candidates, &call)
    }

    /// The invoker at `position` was called, and took so long to answer.
    pub(crate) fn answer(&self, position: usize, took_ms: i64) {
        let call = InvokerStates::begin(&self.states, self.list.ids()[position]);
        self.clock.advance_ms(took_ms);
        call.succeed();
    }

    /// How often each was picked in `calls` calls with seeds of their own.
    pub(crate) fn counts(&self, policy: &dyn LoadBalance, calls: u64) -> Vec<u64> {
        let mut counts = vec![0; self.list.len()];
        for seed in 0..calls {
            counts[self.select(policy, seed).unwrap()] += 1;
        }
        counts
    }
}

/// How far counts are from the shares of `weights`, in standard deviations of Pearson's statistic: below 5 unless the draw
/// is wrong.
pub(crate) fn deviation(counts: &[u64], weights: &[u64]) -> f64 {
    let (calls, total): (u64, u64) = (counts.iter().sum(), weights.iter().sum());
    let drawn = || counts.iter().zip(weights).filter(|(_, weight)| **weight > 0);
    let square = |(count, weight): (&u64, &u64)| {
        let expected = calls as f64 * *weight as f64 / total as f64;
        (*count as f64 - expected).powi(2) / expected
    };
    assert!(counts.iter().zip(weights).all(|(count, weight)| *weight > 0 || *count == 0), "{counts:?} of {weights:?}");
    let freedom = (drawn().count() - 1) as f64;
    (drawn().map(square).sum::<f64>() - freedom) / (2.0 * freedom).sqrt()
}
