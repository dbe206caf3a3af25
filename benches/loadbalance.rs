//! Load balancing: picking one candidate, by policy and number of candidates, and making a table.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::BenchmarkGroup;
use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use criterion::measurement::WallTime;
use pointsman::RpcInvocation;
use pointsman::loadbalance::Adaptive;
use pointsman::loadbalance::BalanceCall;
use pointsman::loadbalance::CandidateTable;
use pointsman::loadbalance::Candidates;
use pointsman::loadbalance::ConsistentHash;
use pointsman::loadbalance::InFlight;
use pointsman::loadbalance::InvokerStates;
use pointsman::loadbalance::LeastActive;
use pointsman::loadbalance::LoadBalance;
use pointsman::loadbalance::MethodWeights;
use pointsman::loadbalance::Random;
use pointsman::loadbalance::RoundRobin;
use pointsman::loadbalance::ShortestResponse;
use pointsman::router::FixedClock;
use pointsman::router::InvokerList;
use pointsman::rpc::Provider;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;

const NOW_MS: i64 = 1_700_000_000_000;

/// Providers of unequal weights, of which each hundredth started five minutes ago.
struct Fixture {
    list: InvokerList,
    table: CandidateTable,
    states: Arc<InvokerStates>,
}

impl Fixture {
    fn with(candidates: usize, weight: impl Fn(usize) -> usize) -> Self {
        let provider = |index: usize| {
            let started = if index % 100 == 7 { NOW_MS - 300_000 } else { NOW_MS - 86_400_000 };
            let (high, low) = (index / 250, index % 250);
            let address = format!("10.{}.{}.{low}:20880", high / 250, high % 250);
            let text = format!("dubbo://{address}/com.shop.OrderService?weight={}&timestamp={started}", weight(index));
            Provider::new(Url::parse(&text).unwrap())
        };
        let list = InvokerList::of(ServiceKey::parse("com.shop.OrderService"), (0..candidates).map(provider).collect());
        let table = CandidateTable::build(&list, list.all(), "create", NOW_MS);
        let clock = FixedClock(jiff::Timestamp::from_millisecond(NOW_MS).unwrap());
        let states = Arc::new(InvokerStates::new(Arc::new(clock)));
        states.reserve(list.ids());
        Self { list, table, states }
    }

    fn of(candidates: usize) -> Self {
        Self::with(candidates, |index| 1 + index * 7 % 10)
    }

    /// `calls(position)` calls to each.
    fn busy(&self, calls: impl Fn(usize) -> usize) -> Vec<InFlight<Arc<InvokerStates>>> {
        let ids = self.list.ids().iter().enumerate();
        let many = ids.flat_map(|(position, id)| std::iter::repeat_n(*id, calls(position)));
        many.map(|id| InvokerStates::begin(Arc::clone(&self.states), id)).collect()
    }

    fn bench(&self, group: &mut BenchmarkGroup<'_, WallTime>, name: &str, policy: &dyn LoadBalance) {
        let candidates = Candidates { list: &self.list, table: &self.table, states: &self.states, avoid: &[] };
        group.bench_function(BenchmarkId::new(name, self.list.len()), |b| {
            let mut seed = 0;
            b.iter(|| {
                seed += 1;
                let text = if seed % 2 == 0 { "customer-4711" } else { "customer-0815" };
                let invocation = RpcInvocation::new("com.shop.OrderService", "create")
                    .with_argument("java.lang.String", black_box(text));
                policy.select(
                    black_box(&candidates),
                    &BalanceCall { invocation: &invocation, consumer: None, method: "create", seed, now_ms: NOW_MS },
                )
            });
        });
    }
}

fn drawn(c: &mut Criterion) {
    let mut group = c.benchmark_group("loadbalance");
    for candidates in [10, 100, 1_000, 10_000, 100_000] {
        Fixture::of(candidates).bench(&mut group, "random", &Random);
    }
    for candidates in [10, 1_000, 100_000] {
        let fixture = Fixture::of(candidates);
        let calls = fixture.busy(|position| position % 5);
        fixture.bench(&mut group, "adaptive", &Adaptive);
        drop(calls);
    }
    group.finish();
}

fn in_turn(c: &mut Criterion) {
    let mut group = c.benchmark_group("loadbalance");
    for candidates in [10, 1_000] {
        Fixture::of(candidates).bench(&mut group, "round-robin", &RoundRobin::default());
    }
    let distinct = |index| 1 + index * 1_000_003 % 9_973;
    Fixture::with(1_000, distinct).bench(&mut group, "round-robin/distinct", &RoundRobin::default());
    group.finish();
}

fn hashed(c: &mut Criterion) {
    let mut group = c.benchmark_group("loadbalance");
    for candidates in [10, 1_000, 10_000] {
        Fixture::of(candidates).bench(&mut group, "consistent-hash", &ConsistentHash::default());
    }
    group.finish();
}

fn compared(c: &mut Criterion) {
    let mut group = c.benchmark_group("loadbalance");
    for candidates in [10, 1_000] {
        let fixture = Fixture::of(candidates);
        let calls = fixture.busy(|position| usize::from(position % 10 == 3));
        fixture.bench(&mut group, "least-active", &LeastActive);
        drop(calls);
        let calls = fixture.busy(|position| 1 + position * 31 % 8);
        fixture.bench(&mut group, "least-active/busy", &LeastActive);
        drop(calls);
        fixture.bench(&mut group, "shortest-response", &ShortestResponse);
    }
    group.finish();
}

fn table(c: &mut Criterion) {
    let mut group = c.benchmark_group("loadbalance/table");
    let fixture = Fixture::of(1_000);
    let weights = Arc::new(MethodWeights::of(&fixture.list, "create", NOW_MS));
    group.bench_function("weights/1000", |b| b.iter(|| MethodWeights::of(&fixture.list, "create", NOW_MS)));
    group.bench_function("first-draw/1000", |b| {
        let invocation = RpcInvocation::new("com.shop.OrderService", "create");
        b.iter(|| {
            let table = CandidateTable::of(Arc::clone(&weights), &fixture.list, fixture.list.all());
            let candidates = Candidates { list: &fixture.list, table: &table, states: &fixture.states, avoid: &[] };
            Random.select(
                &candidates,
                &BalanceCall { invocation: &invocation, consumer: None, method: "create", seed: 1, now_ms: NOW_MS },
            )
        });
    });
    group.finish();
}

criterion_group!(benches, drawn, in_turn, hashed, compared, table);
criterion_main!(benches);
