//! Scripts on QuickJS: compiling one, a run over a list that is known, and the first run over a new one.
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

const PLAIN: &str = r#"const region = invocation.attachment("region");
const near = invokers.filter(invoker => invoker.param("region") === region);
near.length > 0 ? near : invokers;"#;

const JAVA: &str = r#"(function route(invokers, invocation, context) {
    var result = new java.util.ArrayList(invokers.size());
    var region = invocation.getAttachment("region");
    for (i = 0; i < invokers.size(); i++) {
        if (invokers.get(i).getUrl().getParameter("region") == region) result.add(invokers.get(i));
    }
    return result.isEmpty() ? invokers : result;
}(invokers, invocation, context));"#;

fn table(providers: usize, number: u64) -> Arc<ProviderTable> {
    let url = |at: usize| {
        let region = ["hangzhou", "beijing", "shanghai"][at % 3];
        let text = format!(
            "dubbo://10.0.{}.{}:20880/S?region={region}&application=shop&side=provider&weight=100",
            at / 256,
            at % 256
        );
        Provider::from(Url::parse(&text).unwrap())
    };
    Arc::new(ProviderTable::of(&InvokerList::of(ServiceKey::parse("S"), (0..providers).map(url).collect()), number))
}

fn start(table: &Arc<ProviderTable>) -> Run {
    let call = CapturedCall {
        service: "S".to_owned(),
        method: "find".to_owned(),
        target_method: "find".to_owned(),
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
    Program { engine: EngineKind::QuickJs, name: "bench".into(), text: text.into() }
}

fn compile(c: &mut Criterion) {
    let mut executor = Executor::default();
    c.bench_function("script/compile/quickjs", |b| {
        b.iter(|| executor.compile(ProgramId(1), &program(black_box(PLAIN))))
    });
}

fn route(c: &mut Criterion) {
    let mut group = c.benchmark_group("script/route/quickjs");
    for (name, text) in [("plain", PLAIN), ("java", JAVA)] {
        for providers in [10, 100, 1_000] {
            let (mut executor, table) = (Executor::default(), table(providers, 1));
            executor.compile(ProgramId(1), &program(text)).unwrap();
            assert!(executor.run(ProgramId(1), start(&table)).result.is_ok());
            group.throughput(Throughput::Elements(providers as u64));
            group.bench_function(BenchmarkId::new(name, providers), |b| {
                b.iter(|| executor.run(ProgramId(1), start(black_box(&table))));
            });
        }
    }
    group.finish();
}

fn new_table(c: &mut Criterion) {
    let mut executor = Executor::default();
    executor.compile(ProgramId(1), &program(PLAIN)).unwrap();
    let mut number = 0;
    c.bench_function("script/new-table/quickjs/1000", |b| {
        b.iter_batched(
            || {
                number += 1;
                table(1_000, number)
            },
            |table| executor.run(ProgramId(1), start(&table)),
            criterion::BatchSize::SmallInput,
        );
    });
}

fn engine(c: &mut Criterion) {
    c.bench_function("script/engine/quickjs", |b| {
        b.iter(|| Executor::default().compile(ProgramId(1), &program("invokers")));
    });
}

criterion_group!(benches, compile, route, new_table, engine);
criterion_main!(benches);
