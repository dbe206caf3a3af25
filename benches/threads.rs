//! Threads: a call from the memo on one thread, and on two at once; each has a session of its own.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

mod workload;

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Duration;
use std::time::Instant;

use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::EngineBuilder;

#[path = "support/fixture.rs"]
mod fixture;

use fixture::engine;
use fixture::rule;

/// The time in which `threads` threads answer `calls` calls each.
fn run(engine: &Engine, threads: usize, calls: u64) -> Duration {
    let start = Barrier::new(threads + 1);
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut session = engine.session();
                start.wait();
                for _ in 0..calls {
                    let call = RpcInvocation::new(workload::INTERFACE, black_box("sayHello"))
                        .with_argument("java.lang.String", black_box("alice"));
                    black_box(session.select(&consumer, &call).unwrap().is_empty());
                }
                start.wait();
            });
        }
        start.wait();
        let began = Instant::now();
        start.wait();
        began.elapsed()
    })
}

fn threads(c: &mut Criterion) {
    let mut group = c.benchmark_group("chain/threads");
    let rules = ["method=sayHello => region=$region", "method=say* => env!=gray"].map(rule);
    for (name, memo_bytes) in [("memo", EngineBuilder::DEFAULT_MEMO_BYTES), ("no_memo", 0)] {
        let engine = engine(&workload::providers(1_000), &rules, memo_bytes);
        for threads in [1, 2] {
            group.throughput(criterion::Throughput::Elements(threads as u64));
            group.bench_function(BenchmarkId::new(name, threads), |b| {
                b.iter_custom(|calls| run(&engine, threads, calls));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, threads);
criterion_main!(benches);
