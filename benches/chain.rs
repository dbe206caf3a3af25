//! The chain of a service: a call from the memo, a call without it, and a call that is explained.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

mod workload;

use std::hint::black_box;

use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::condition::Dialect;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::EngineBuilder;

#[path = "support/fixture.rs"]
mod fixture;

#[path = "../tests/it/support/naive.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod naive;

use fixture::engine;
use fixture::rule;
use naive::NaiveRule;
use naive::Reading;

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// Three rules of which two match a call of `sayHello`.
const RULES: [&str; 3] =
    ["method=sayHello => region=$region", "method=sayBye => region=beijing", "method=say* => env!=gray"];

fn consumer() -> Url {
    Url::parse(workload::CONSUMER.trim()).unwrap()
}

fn call() -> RpcInvocation<'static> {
    RpcInvocation::new(workload::INTERFACE, black_box("sayHello")).with_argument("java.lang.String", black_box("alice"))
}

fn memo(c: &mut Criterion) {
    let mut group = c.benchmark_group("chain/memo");
    let consumer = consumer();
    for invokers in SIZES {
        let engine = engine(&workload::providers(invokers), &RULES.map(rule), EngineBuilder::DEFAULT_MEMO_BYTES);
        let mut session = engine.session();
        group.bench_function(BenchmarkId::from_parameter(invokers), |b| {
            b.iter(|| session.select(&consumer, &call()).unwrap().is_empty());
        });
    }
    group.finish();
}

fn route(c: &mut Criterion) {
    let mut group = c.benchmark_group("chain/route");
    let consumer = consumer();
    for invokers in SIZES {
        let engine = engine(&workload::providers(invokers), &RULES.map(rule), 0);
        let mut session = engine.session();
        group.bench_function(BenchmarkId::from_parameter(invokers), |b| {
            b.iter(|| session.select(&consumer, &call()).unwrap().is_empty());
        });
    }
    group.finish();
}

/// A tag document, one of the application with ten conditions, one of the service with five.
fn documents(c: &mut Criterion) {
    let consumer = consumer();
    let texts = [workload::TAG, workload::APPLICATION, workload::SERVICE].map(workload::document);
    for (name, memo_bytes) in
        [("chain/route/documents", 0), ("chain/memo/documents", EngineBuilder::DEFAULT_MEMO_BYTES)]
    {
        let mut group = c.benchmark_group(name);
        for invokers in SIZES {
            let mut session = None;
            let make = || {
                let providers = workload::providers(invokers);
                let urls = providers.iter().map(|text| Url::parse(text).unwrap());
                let rules = fixture::documents(&texts);
                Engine::builder().rules(rules).providers(urls).memo_bytes(memo_bytes).build().unwrap().session()
            };
            group.bench_function(BenchmarkId::from_parameter(invokers), |b| {
                let session = session.get_or_insert_with(make);
                b.iter(|| session.select(&consumer, &call()).unwrap().is_empty());
            });
        }
        group.finish();
    }
}

/// The baseline: the same rules read once, then a scan of all providers for each call.
fn naive(c: &mut Criterion) {
    let mut group = c.benchmark_group("chain/naive");
    let consumer = consumer();
    for invokers in [10, 100, 1_000] {
        let providers: Vec<Url> = workload::providers(invokers).iter().map(|text| Url::parse(text).unwrap()).collect();
        let rules = RULES.map(|rule| NaiveRule::parse(rule, Dialect::V2, Reading::Strict).unwrap());
        group.bench_function(BenchmarkId::from_parameter(invokers), |b| {
            b.iter(|| {
                let call = call();
                let mut left = providers.clone();
                for rule in &rules {
                    let kept = rule.route(&consumer, &left, &call, true);
                    left = kept.into_iter().map(|at| left[at].clone()).collect();
                }
                left.is_empty()
            });
        });
    }
    group.finish();
}

fn explain(c: &mut Criterion) {
    let mut group = c.benchmark_group("chain/explain");
    let consumer = consumer();
    let engine = engine(&workload::providers(1_000), &RULES.map(rule), 0);
    group.bench_function(BenchmarkId::from_parameter(1_000), |b| {
        b.iter(|| engine.explain(&consumer, &call(), Some(1)).unwrap().steps.len());
    });
    group.finish();
}

criterion_group!(benches, memo, route, documents, naive, explain);
criterion_main!(benches);
