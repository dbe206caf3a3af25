//! Rhai: compiling a rule, running it over a list that is known, and making a new list known.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::Throughput;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::router::InvokerList;
use pointsman::router::Selection;
use pointsman::rpc::Provider;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::script::CapturedCall;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::Program;
use pointsman::script::ProgramId;
use pointsman::script::ProviderTable;
use pointsman::script::Run;

const FILTER: &str = "
let region = invocation.attachment(\"region\");
let near = invokers.filter(|i| i.param(\"region\") == region);
if near.is_empty() { invokers } else { near }
";

const LOOP: &str = "
let region = invocation.attachment(\"region\");
let near = [];
for i in invokers {
    if i.url.param(\"region\") == region { near.push(i); }
}
if near.is_empty() { invokers } else { near }
";

fn table(providers: usize, number: u64) -> Arc<ProviderTable> {
    let regions = ["hangzhou", "beijing", "shanghai"];
    let url = |index: usize| {
        let (a, b, region) = (index / 250, index % 250, regions[index % 3]);
        format!(
            "dubbo://10.0.{a}.{b}:20880/com.shop.OrderService?application=order&region={region}&env=stable&side=provider&timeout=1000&weight=100&version=1.0.0"
        )
    };
    let providers = (0..providers).map(|index| Provider::from(Url::parse(&url(index)).unwrap())).collect();
    Arc::new(ProviderTable::of(&InvokerList::of(ServiceKey::parse("com.shop.OrderService"), providers), number))
}

fn run(table: &Arc<ProviderTable>) -> Run {
    let call = CapturedCall {
        service: "com.shop.OrderService".to_owned(),
        method: "create".to_owned(),
        target_method: "create".to_owned(),
        parameter_types: Vec::new(),
        arguments: Vec::new(),
        attachments: vec![("region".to_owned(), "hangzhou".to_owned())],
        consumer: String::new(),
        now_ms: 0,
        zone: "UTC".to_owned(),
        seed: 1,
    };
    Run::start(table.clone(), Selection::all(table.len()), call, Limits::default().for_run(table.len(), None))
}

fn program(text: &str) -> Program {
    Program { engine: EngineKind::Rhai, name: "bench.rhai".into(), text: text.into() }
}

fn compile(c: &mut Criterion) {
    let mut executor = Executor::default();
    let program = program(FILTER);
    c.bench_function("script_rhai/compile", |b| {
        b.iter(|| executor.compile(ProgramId(1), black_box(&program)).unwrap());
    });
}

fn route(c: &mut Criterion) {
    let mut group = c.benchmark_group("script_rhai/route");
    for (name, text) in [("filter", FILTER), ("loop", LOOP)] {
        for providers in [10, 100, 1_000] {
            let table = table(providers, 1);
            let mut executor = Executor::default();
            executor.compile(ProgramId(1), &program(text)).unwrap();
            assert!(executor.run(ProgramId(1), run(&table)).result.is_ok());
            group.throughput(Throughput::Elements(providers as u64));
            group.bench_with_input(BenchmarkId::new(name, providers), &table, |b, table| {
                b.iter(|| executor.run(ProgramId(1), run(table)));
            });
        }
    }
    group.finish();
}

fn new_table(c: &mut Criterion) {
    let mut executor = Executor::default();
    executor.compile(ProgramId(1), &program(FILTER)).unwrap();
    let tables: Vec<_> = (0..16).map(|number| table(1_000, number)).collect();
    let mut next = 0;
    c.bench_function("script_rhai/new_table/1000", |b| {
        b.iter(|| {
            next += 1;
            executor.run(ProgramId(1), run(&tables[next % 16]))
        });
    });
}

criterion_group!(benches, compile, route, new_table);
criterion_main!(benches);
