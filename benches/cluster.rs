//! Whole calls in one process: directory, the workload's chain, load balance, policy, an invoker that answers at once.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench may stop at the first surprise")]

mod workload;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Context;
use std::task::Poll;
use std::task::Waker;

use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::AppResponse;
use pointsman::Engine;
use pointsman::Invocation as _;
use pointsman::Invoker;
use pointsman::Reference;
use pointsman::RpcError;
use pointsman::RpcInvocation;
use pointsman::Url;
use pointsman::rpc::Exporter;
use pointsman::rpc::FunctionInvoker;
use pointsman::rpc::Protocol;
use pointsman::rpc::RpcErrorKind;

#[path = "support/fixture.rs"]
mod fixture;

const SIZES: [usize; 4] = [10, 1_000, 10_000, 100_000];

/// Answers at once; so many of a hundred providers fail.
#[derive(Debug)]
struct AtOnce {
    failing: u32,
}

impl Protocol for AtOnce {
    fn name(&self) -> &str {
        "dubbo"
    }

    fn refer(&self, provider: &Url) -> Result<Arc<dyn Invoker>, RpcError> {
        let number: u32 = provider.host().unwrap().rsplit('.').next().unwrap().parse().unwrap();
        let fails = (number * 37) % 100 < self.failing;
        Ok(Arc::new(FunctionInvoker::new(provider.clone(), move |_| match fails {
            true => Err(RpcError::new(RpcErrorKind::Unknown, "out of order")),
            false => Ok(AppResponse::new(1_i64)),
        })))
    }

    fn export(&self, _: Arc<dyn Invoker>) -> Result<Box<dyn Exporter>, RpcError> {
        Err(RpcError::new(RpcErrorKind::Unknown, "nothing is exported"))
    }
}

fn reference(size: usize, failing: u32, has_rules: bool) -> Reference {
    let urls: Vec<Url> = workload::providers(size).iter().map(|text| Url::parse(text).unwrap()).collect();
    let texts = [workload::TAG, workload::APPLICATION, workload::SERVICE].map(workload::document);
    let rules = if has_rules { fixture::documents(&texts) } else { pointsman::RuleSet::default() };
    let engine = Engine::builder().rules(rules).providers(urls).build().unwrap();
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    let builder = Reference::builder("").consumer(consumer).engine(engine).protocol(Arc::new(AtOnce { failing }));
    builder.seed(1).build().unwrap()
}

/// Polls a future that is done at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => unreachable!("the invoker answers at once"),
    }
}

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
            let reference = made.get_or_insert_with(|| reference(1_000, failing, false));
            let call = call();
            b.iter(|| now(reference.call(&call)).is_ok());
        });
    }
    group.finish();
    // How many attempts a call takes is counted, not timed.
    let storming = reference(1_000, 30, false);
    let attempts = Counter::default();
    let invocation = call();
    assert_eq!(invocation.method(), "sayHello");
    for _ in 0..10_000 {
        let options = pointsman::runtime::CallOptions { observer: Some(&attempts), ..Default::default() };
        let _ = now(storming.call_with(&invocation, options));
    }
    let retries = attempts.0.load(std::sync::atomic::Ordering::Relaxed) as f64 / 10_000.0 - 1.0;
    eprintln_retries(retries);
}

#[derive(Debug, Default)]
struct Counter(std::sync::atomic::AtomicUsize);

impl pointsman::cluster::CallObserver for Counter {
    fn attempted(&self, _: &pointsman::cluster::AttemptRecord<'_>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

#[allow(clippy::print_stderr, reason = "the figure belongs to the bench's output")]
fn eprintln_retries(retries: f64) {
    eprintln!("cluster/storm/30: {retries:.3} retries a call");
}

criterion_group!(benches, failover, storm);
criterion_main!(benches);
