//! Condition rules: compiling one, and routing through one as the workload's W1 (matches) and W2 (does not).
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
use pointsman::condition::parse;
use pointsman::diagnostics::Origin;
use pointsman::diagnostics::SourceText;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;

#[path = "support/fixture.rs"]
mod fixture;

use fixture::engine;
use fixture::rule;

fn compile(c: &mut Criterion) {
    let text = "method=find*,get* & application!=shop-web & host=10.0.* => region=$region & env!=gray";
    assert!((80..90).contains(&text.len()));
    let origin = Origin::whole(SourceText::new("bench", text));
    c.bench_function("condition/compile", |b| b.iter(|| parse(black_box(text), Dialect::V2, &origin)));
}

fn route(c: &mut Criterion) {
    let mut group = c.benchmark_group("condition/route");
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    for invokers in [10, 100, 1_000, 10_000, 100_000] {
        let engine = engine(&workload::providers(invokers), &[rule(workload::RULE)], 0);
        for (name, method) in [("W1", "sayHello"), ("W2", "sayBye")] {
            let mut session = engine.session();
            let call = RpcInvocation::new(workload::INTERFACE, method).with_argument("java.lang.String", "alice");
            group.bench_function(BenchmarkId::new(name, invokers), |b| {
                b.iter(|| session.select(&consumer, black_box(&call)).unwrap().is_empty());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, compile, route);
criterion_main!(benches);
