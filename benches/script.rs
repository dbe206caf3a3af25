//! Scripts: a call from the memo, a run without it, compiling a rule, and the first run over a new list.
//!
//! The rule is `scripts/same-region-first`; W6 is what rules written for Dubbo look like. Workers are this repository's
//! command: the one beside this bench's executable, or what `POINTSMAN_PROGRAM` names.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

mod workload;

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;

use criterion::BenchmarkGroup;
use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::Throughput;
use criterion::criterion_group;
use criterion::criterion_main;
use criterion::measurement::WallTime;
use pointsman::router::InvokerList;
use pointsman::router::RuleDefinition;
use pointsman::router::Selection;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::EngineBuilder;
use pointsman::runtime::RuleSet;
use pointsman::runtime::registry_with_scripts;
use pointsman::script::CapturedCall;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::Program;
use pointsman::script::ProgramId;
use pointsman::script::ProviderTable;
use pointsman::script::Run;
use pointsman::script::ScriptHost;
use pointsman::script::ScriptRouterFactory;
use pointsman::script::ScriptSettings;

const JAVASCRIPT: &str = include_str!("../scripts/same-region-first/route.js");
const RHAI: &str = include_str!("../scripts/same-region-first/route.rhai");
const LUA: &str = include_str!("../scripts/same-region-first/route.lua");

/// What rules for Dubbo in Java and in Go do with the same call.
const W6: [(&str, &str); 2] =
    [("java", include_str!("workload/script-java.txt")), ("go", include_str!("workload/script-go.txt"))];

fn engines() -> impl Iterator<Item = EngineKind> {
    EngineKind::ALL.into_iter().filter(|engine| engine.is_built_in())
}

fn rule(engine: EngineKind) -> (&'static str, &'static str) {
    match engine {
        EngineKind::Boa | EngineKind::QuickJs => ("javascript", JAVASCRIPT),
        EngineKind::Rhai => ("rhai", RHAI),
        EngineKind::Luau => ("lua", LUA),
    }
}

fn consumer() -> Url {
    Url::parse(&workload::consumer_without_tags()).unwrap()
}

fn call() -> RpcInvocation<'static> {
    RpcInvocation::new(workload::INTERFACE, black_box("sayHello")).with_attachment("region", black_box("hangzhou"))
}

/// The limits are armed, and far enough for builds that are not optimised: the first run makes tables of the list.
fn generous() -> Limits {
    Limits { deadline: std::time::Duration::from_secs(20), memory_bytes: 1 << 30, ..Limits::default() }
}

/// An engine over `invokers` providers with one script.
fn engine(kind: EngineKind, text: &str, invokers: usize, mut settings: ScriptSettings, memo_bytes: usize) -> Engine {
    settings.limits = generous();
    let factory = ScriptRouterFactory::new(ScriptHost::new(settings));
    let registry = Arc::new(registry_with_scripts(factory).unwrap());
    let text: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let engine = if kind == EngineKind::QuickJs { "&engine=quickjs" } else { "" };
    let url = format!("script://0.0.0.0/*?type={}{engine}&rule={text}", rule(kind).0);
    let definition = RuleDefinition::parse("bench", 1, None, &url).unwrap();
    let (rules, findings) = RuleSet::compile(&[definition], &registry, None);
    assert!(findings.is_empty(), "{findings:?}");
    let providers = workload::providers(invokers);
    let urls = providers.iter().map(|text| Url::parse(text).unwrap());
    Engine::builder().registry(registry).rules(rules).providers(urls).memo_bytes(memo_bytes).build().unwrap()
}

/// A bench that routes one call again and again.
fn routes(group: &mut BenchmarkGroup<'_, WallTime>, id: BenchmarkId, engine: &Engine) {
    let consumer = consumer();
    let mut session = engine.session();
    // Every fifth provider is in the region; a script that failed would keep all.
    let all = session.select(&consumer, &call()).unwrap();
    assert_eq!(all.selection().count(), all.selection().list_length() / 5);
    group.bench_function(id, |b| b.iter(|| session.select(&consumer, &call()).unwrap().is_empty()));
}

fn memo(c: &mut Criterion) {
    let mut group = c.benchmark_group("script/memo");
    for kind in engines() {
        for invokers in [10, 1_000, 10_000] {
            let settings = ScriptSettings::inline_trusted();
            let engine = engine(kind, rule(kind).1, invokers, settings, EngineBuilder::DEFAULT_MEMO_BYTES);
            routes(&mut group, BenchmarkId::new(kind.as_str(), invokers), &engine);
        }
    }
    group.finish();
}

fn inline(c: &mut Criterion) {
    let mut group = c.benchmark_group("script/inline");
    for kind in engines() {
        for invokers in [10, 100, 1_000] {
            let engine = engine(kind, rule(kind).1, invokers, ScriptSettings::inline_trusted(), 0);
            group.throughput(Throughput::Elements(invokers as u64));
            routes(&mut group, BenchmarkId::new(kind.as_str(), invokers), &engine);
        }
    }
    group.finish();
}

fn w6(c: &mut Criterion) {
    let mut group = c.benchmark_group("script/w6");
    for kind in engines().filter(|kind| rule(*kind).0 == "javascript") {
        for ((idiom, text), invokers) in W6.into_iter().flat_map(|w6| [10, 100, 1_000].map(|invokers| (w6, invokers))) {
            let engine = engine(kind, text, invokers, ScriptSettings::inline_trusted(), 0);
            group.throughput(Throughput::Elements(invokers as u64));
            routes(&mut group, BenchmarkId::new(format!("{kind}-{idiom}"), invokers), &engine);
        }
    }
    group.finish();
}

/// The command that can be a worker: built beside the benches by `cargo build --release`.
#[cfg(target_os = "linux")]
fn program() -> Option<PathBuf> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.parent()?.join("pointsman"));
    let named = std::env::var_os("POINTSMAN_PROGRAM").map(PathBuf::from);
    named.or_else(beside).filter(|program| program.is_file())
}

#[cfg(target_os = "linux")]
fn worker(c: &mut Criterion) {
    use pointsman::worker::Pool;
    use pointsman::worker::PoolSettings;

    let Some(program) = program() else { return };
    let mut group = c.benchmark_group("script/worker");
    for kind in engines() {
        for invokers in [10, 100, 1_000] {
            let mut pool = PoolSettings::new(&program);
            pool.workers = 1;
            let pool = Pool::start(pool).unwrap();
            let engine = engine(kind, rule(kind).1, invokers, ScriptSettings::workers(pool), 0);
            group.throughput(Throughput::Elements(invokers as u64));
            routes(&mut group, BenchmarkId::new(kind.as_str(), invokers), &engine);
        }
    }
    group.finish();
}

#[cfg(not(target_os = "linux"))]
fn worker(_: &mut Criterion) {}

fn compile(c: &mut Criterion) {
    let mut group = c.benchmark_group("script/compile");
    for engine in engines() {
        let program = Program { engine, name: "bench".into(), text: rule(engine).1.into() };
        let mut executor = Executor::default();
        // An engine is made with its first program.
        executor.compile(ProgramId(0), &program).unwrap();
        group.bench_function(engine.as_str(), |b| {
            b.iter(|| {
                executor.compile(ProgramId(1), &program).unwrap();
                executor.forget(ProgramId(1));
            });
        });
    }
    group.finish();
}

/// The first run over a list is the one that makes its objects and columns.
fn new_list(c: &mut Criterion) {
    let mut group = c.benchmark_group("script/new-list");
    let providers: Vec<Provider> =
        workload::providers(1_000).iter().map(|text| Url::parse(text).unwrap().into()).collect();
    let list = InvokerList::of(ServiceKey::parse(workload::INTERFACE), providers);
    for engine in engines() {
        let program = Program { engine, name: "bench".into(), text: rule(engine).1.into() };
        let mut executor = Executor::default();
        executor.compile(ProgramId(0), &program).unwrap();
        let mut number = 0;
        group.bench_function(engine.as_str(), |b| {
            b.iter(|| {
                executor.forget_table(number);
                number += 1;
                let table = Arc::new(ProviderTable::of(&list, number));
                let run = Run::start(table, Selection::all(1_000), captured(), generous().for_run(1_000, None));
                executor.run(ProgramId(0), run).result.unwrap()
            });
        });
    }
    group.finish();
}

fn captured() -> CapturedCall {
    CapturedCall {
        service: workload::INTERFACE.to_owned(),
        method: "sayHello".to_owned(),
        target_method: "sayHello".to_owned(),
        parameter_types: Vec::new(),
        arguments: Vec::new(),
        attachments: vec![("region".to_owned(), "hangzhou".to_owned())],
        consumer: String::new(),
        now_ms: 0,
        zone: "UTC".to_owned(),
        seed: 1,
        unavailable: Vec::new(),
    }
}

criterion_group!(benches, memo, inline, w6, worker, compile, new_list);
criterion_main!(benches);
