//! boa: compiling a rule, running it over three list sizes, a list that is new, and an engine that is new.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench may stop at the first surprise")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::router::Selection;
use pointsman::script::CapturedCall;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::Program;
use pointsman::script::ProgramId;
use pointsman::script::ProviderTable;
use pointsman::script::Run;

const LOOP: &str = r#"(function route(invokers, invocation, context) {
    var region = invocation.getAttachment("region");
    var result = new java.util.ArrayList(invokers.size());
    for (var i = 0; i < invokers.size(); i++) {
        if (region == invokers.get(i).getUrl().getParameter("region")) {
            result.add(invokers.get(i));
        }
    }
    return result.isEmpty() ? invokers : result;
})(invokers, invocation, context)"#;

const FILTER: &str = r#"
var region = invocation.attachment("region");
var near = invokers.filter(function (it) { return it.param("region") === region; });
near.length > 0 ? near : invokers"#;

const ID: ProgramId = ProgramId(1);

fn program(text: &str) -> Program {
    Program { engine: EngineKind::Boa, name: "rule.js".into(), text: text.into() }
}

fn table(number: u64, count: usize) -> Arc<ProviderTable> {
    let regions = ["hangzhou", "beijing", "shanghai", "qingdao"];
    let url = |at: usize| {
        let (region, last) = (regions.iter().cycle().nth(at).unwrap(), at % 250);
        format!(
            "dubbo://10.0.{}.{last}:20880/com.foo.Bar?application=shop&side=provider&region={region}&weight=100",
            at / 250
        )
    };
    let urls: Vec<String> = (0..count).map(url).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    Arc::new(ProviderTable::from_bytes(number, &postcard::to_stdvec(&("com.foo.Bar", urls)).unwrap()).unwrap())
}

fn start(table: &Arc<ProviderTable>) -> Run {
    let call = CapturedCall {
        service: "com.foo.Bar".to_owned(),
        method: "create".to_owned(),
        target_method: "create".to_owned(),
        parameter_types: Vec::new(),
        arguments: Vec::new(),
        attachments: vec![("region".to_owned(), "hangzhou".to_owned())],
        consumer: String::new(),
        now_ms: 1_764_541_800_000,
        zone: "UTC".to_owned(),
        seed: 1,
    };
    let limits = Limits::default().for_run(table.len(), None);
    Run::start(Arc::clone(table), Selection::all(table.len()), call, limits)
}

fn route(c: &mut Criterion) {
    let mut group = c.benchmark_group("script/boa/route");
    for count in [10, 100, 1_000] {
        for (name, text) in [("loop", LOOP), ("filter", FILTER)] {
            let (table, mut executor) = (table(1, count), Executor::default());
            executor.compile(ID, &program(text)).unwrap();
            group.bench_function(BenchmarkId::new(name, count), |b| {
                b.iter(|| black_box(executor.run(ID, start(&table))).result.unwrap());
            });
        }
    }
    group.finish();
}

fn list(c: &mut Criterion) {
    let tables: Vec<_> = (0..64).map(|number| table(number + 1, 1_000)).collect();
    let mut executor = Executor::default();
    executor.compile(ID, &program(LOOP)).unwrap();
    let mut next = tables.iter().cycle();
    c.bench_function("script/boa/new-list/1000", |b| {
        b.iter(|| executor.run(ID, start(next.next().unwrap())).result.unwrap())
    });
}

fn compile(c: &mut Criterion) {
    let (mut executor, program) = (Executor::default(), program(LOOP));
    c.bench_function("script/boa/compile", |b| b.iter(|| executor.compile(ID, black_box(&program)).unwrap()));
    c.bench_function("script/boa/engine", |b| b.iter(|| Executor::default().compile(ID, &program).unwrap()));
}

criterion_group!(benches, route, list, compile);
criterion_main!(benches);
