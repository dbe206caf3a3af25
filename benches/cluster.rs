//! Whole calls in one process: directory, the workload's chain, load balance, policy, an invoker that answers at once.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a bench may stop at the first surprise"
)]

mod workload;

#[path = "support/fixture.rs"]
mod fixture;

#[path = "support/at_once.rs"]
mod at_once;

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::RpcInvocation;
use pointsman::cluster::AttemptRecord;
use pointsman::cluster::CallObserver;
use pointsman::runtime::CallOptions;

use at_once::now;
use at_once::reference;

const SIZES: [usize; 4] = [10, 1_000, 10_000, 100_000];

fn call() -> RpcInvocation<'static> {
    RpcInvocation::new(workload::INTERFACE, "sayHello").with_argument("java.lang.String", "dubbo")
}

fn failover(c: &mut Criterion) {
    let mut group = c.benchmark_group("cluster/failover");
    for size in SIZES {
        let mut made = None;
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            let reference = made.get_or_insert_with(|| reference(size, 0, true));
            b.iter(|| {
                let call = call();
                now(reference.call(&call)).unwrap().outcome().is_ok()
            });
        });
    }
    group.finish();
}

/// A thousand providers of which none, and thirty in a hundred, fail: the difference, shared out, is what retries cost.
fn storm(c: &mut Criterion) {
    let mut group = c.benchmark_group("cluster/storm");
    for failing in [0, 30] {
        let mut made = None;
        group.bench_function(BenchmarkId::from_parameter(failing), |b| {
            let reference = made.get_or_insert_with(|| {
                let reference = reference(1_000, failing, false);
                eprintln!("cluster/storm/{failing}: {:.3} retries a call", retries(&reference));
                reference
            });
            let call = call();
            b.iter(|| now(reference.call(&call)).is_ok());
        });
    }
    group.finish();
}

#[derive(Debug, Default)]
struct Attempts(AtomicUsize);

impl CallObserver for Attempts {
    fn attempted(&self, _: &AttemptRecord<'_>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// How many attempts a call takes after the first, on average: counted, not timed.
fn retries(reference: &pointsman::Reference) -> f64 {
    const CALLS: usize = 10_000;
    let (attempts, call) = (Attempts::default(), call());
    for _ in 0..CALLS {
        let options = CallOptions { observer: Some(&attempts), ..CallOptions::default() };
        let _ = now(reference.call_with(&call, options));
    }
    attempts.0.load(Relaxed) as f64 / CALLS as f64 - 1.0
}

criterion_group!(benches, failover, storm);
criterion_main!(benches);
