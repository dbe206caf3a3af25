//! Rules in Lua: compiling one, running one at three list sizes, and the first run on a new list.
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

const RULE: &str = "\
local region = context:attachment('region')
local kept = {}
for _, invoker in ipairs(invokers) do
    if invoker:param('region') == region then
        table.insert(kept, invoker)
    end
end
return if #kept > 0 then kept else invokers
";
const SIZES: [usize; 3] = [10, 100, 1_000];

fn table(invokers: usize, number: u64) -> Arc<ProviderTable> {
    let url = |i: usize| {
        let region = ["hangzhou", "beijing", "shanghai", "shenzhen"][i % 4];
        format!(
            "dubbo://10.0.{}.{}:20880/com.ex.BarService?application=a&region={region}&weight=100&timeout=3000&side=provider",
            i / 250,
            i % 250
        )
    };
    let providers = (0..invokers).map(|i| Provider::from(Url::parse(&url(i)).unwrap())).collect();
    Arc::new(ProviderTable::of(&InvokerList::of(ServiceKey::parse("com.ex.BarService"), providers), number))
}

fn start(table: &Arc<ProviderTable>) -> Run {
    let call = CapturedCall {
        service: "com.ex.BarService".to_owned(),
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
    let limits = Limits::default().for_run(table.len(), None);
    Run::start(Arc::clone(table), Selection::all(table.len()), call, limits)
}

fn program() -> Program {
    Program { engine: EngineKind::Luau, name: "bench.lua".into(), text: RULE.into() }
}

fn executor() -> Executor {
    let mut executor = Executor::default();
    executor.compile(ProgramId(1), &program()).unwrap();
    executor
}

fn route(c: &mut Criterion) {
    let mut group = c.benchmark_group("script/route/luau");
    for invokers in SIZES {
        let (mut executor, table) = (executor(), table(invokers, 1));
        group.throughput(Throughput::Elements(invokers as u64));
        group.bench_with_input(BenchmarkId::from_parameter(invokers), &table, |b, table| {
            b.iter(|| black_box(executor.run(ProgramId(1), start(table)).result.unwrap()));
        });
    }
    group.finish();
}

fn compile(c: &mut Criterion) {
    let (mut executor, program) = (executor(), program());
    c.bench_function("script/compile/luau", |b| {
        b.iter(|| executor.compile(ProgramId(1), black_box(&program)).unwrap())
    });
}

fn new_list(c: &mut Criterion) {
    let (mut executor, table) = (executor(), table(1_000, 1));
    c.bench_function("script/new-list/luau/1000", |b| {
        b.iter(|| {
            executor.forget_table(1);
            black_box(executor.run(ProgramId(1), start(&table)).result.unwrap())
        });
    });
}

criterion_group!(benches, route, compile, new_list);
criterion_main!(benches);
