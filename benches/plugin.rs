//! Plugins: a call at each level beside the same router in the crate, the blobs of calls and of lists.
//!
//! The plugin is `plugins/area-code`, built here. Workers are this repository's command: the one beside this bench's
//! executable, or what `POINTSMAN_PROGRAM` names.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

mod workload;

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::Throughput;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::disk::ContentHash;
use pointsman::plugin::Allowed;
use pointsman::plugin::Level;
use pointsman::plugin::PluginHost;
use pointsman::plugin::PluginSettings;
use pointsman::plugin::provider_blob;
use pointsman::router::Binding;
use pointsman::router::BoundRouter;
use pointsman::router::BuildError;
use pointsman::router::CallBlob;
use pointsman::router::CallLayout;
use pointsman::router::CallParts;
use pointsman::router::FactoryContext;
use pointsman::router::FactorySource as _;
use pointsman::router::FixedClock;
use pointsman::router::Input;
use pointsman::router::Inputs;
use pointsman::router::InvokerList;
use pointsman::router::OfferedFile;
use pointsman::router::Phase;
use pointsman::router::PreparedRouter;
use pointsman::router::RouteError;
use pointsman::router::RouteRequest;
use pointsman::router::Routed;
use pointsman::router::Router;
use pointsman::router::RouterFactory;
use pointsman::router::RouterFactoryRegistry;
use pointsman::router::RuleDefinition;
use pointsman::router::RuleHeader;
use pointsman::router::Selection;
use pointsman::router::Visitor;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::RuleSet;
use pointsman::runtime::default_registry;

const KEY: &str = "region";

/// The router of `plugins/area-code`, written inside of the crate.
#[derive(Debug)]
struct AreaCode {
    header: Arc<RuleHeader>,
    inputs: Inputs,
}

#[derive(Debug)]
struct AreaCodeOverList {
    inputs: Inputs,
    by_area: HashMap<String, Selection>,
    nobody: Selection,
}

#[derive(Debug)]
struct AreaCodeFactory;

impl RouterFactory for AreaCodeFactory {
    fn protocol(&self) -> &str {
        "inside"
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        _: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let header = Arc::new(RuleHeader::read(definition, "inside", Phase::Rule)?);
        Ok(Arc::new(AreaCode { header, inputs: Inputs::declared([Input::Attachment(KEY.into())]) }))
    }
}

impl Router for AreaCode {
    fn header(&self) -> &Arc<RuleHeader> {
        &self.header
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn prepare(
        &self,
        list: &Arc<InvokerList>,
        _: Option<&dyn PreparedRouter>,
    ) -> Result<Arc<dyn PreparedRouter>, BuildError> {
        let (inputs, nobody) = (self.inputs.clone(), Selection::none(list.len()));
        let mut by_area = HashMap::new();
        for (position, provider) in list.providers().iter().enumerate() {
            if let Some(area) = provider.raw(KEY) {
                by_area.entry(area.to_owned()).or_insert_with(|| nobody.clone()).insert(position);
            }
        }
        Ok(Arc::new(AreaCodeOverList { inputs, by_area, nobody }))
    }
}

impl PreparedRouter for AreaCodeOverList {
    fn bind(self: Arc<Self>, _: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        Ok(self)
    }
}

impl BoundRouter for AreaCodeOverList {
    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        _: &Selection,
        _: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let Some(area) = request.attachment(KEY)? else { return Ok(Routed::Pass) };
        Ok(Routed::Kept(self.by_area.get(area).unwrap_or(&self.nobody)))
    }
}

/// The command that can be a worker: built beside the benches by `cargo build --release`.
fn program() -> Option<PathBuf> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.parent()?.join("pointsman"));
    let named = std::env::var_os("POINTSMAN_PROGRAM").map(PathBuf::from);
    named.or_else(beside).filter(|program| program.is_file())
}

/// The library of `plugins/area-code`.
fn library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins-bench");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--offline", "--package", "pointsman-area-code", "--target-dir"])
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("CARGO_TARGET_DIR")
        .status()
        .unwrap();
    assert!(status.success());
    target.join("release/libpointsman_area_code.so")
}

/// A registry, and the rule that is measured.
struct Subject {
    registry: Arc<RouterFactoryRegistry>,
    rule: String,
}

/// The rule over a list, for the workload's consumer.
fn bound(subject: &Subject, list: &Arc<InvokerList>) -> Arc<dyn BoundRouter> {
    let definition = RuleDefinition::parse("bench", 1, None, &subject.rule).unwrap();
    let mut warnings = Vec::new();
    let mut context = FactoryContext { registry: &subject.registry, reader: None, warnings: &mut warnings };
    let router = subject.registry.create_router(&definition, &mut context).unwrap();
    router.prepare(list, None).unwrap().bind(&Binding::of(&consumer())).unwrap()
}

/// An engine without memo whose only rule is this.
fn engine(subject: &Subject, invokers: usize) -> Engine {
    let Subject { registry, rule } = subject;
    let registry = Arc::clone(registry);
    let definition = RuleDefinition::parse("bench", 1, None, rule).unwrap();
    let (rules, findings) = RuleSet::compile(&[definition], &registry, None);
    assert!(findings.is_empty(), "{findings:?}");
    let providers = workload::providers(invokers);
    let urls = providers.iter().map(|text| Url::parse(text).unwrap());
    Engine::builder().registry(registry).rules(rules).providers(urls).memo_bytes(0).build().unwrap()
}

fn inside() -> Subject {
    let mut registry = default_registry().unwrap();
    registry.register(Arc::new(AreaCodeFactory)).unwrap();
    Subject { registry: Arc::new(registry), rule: "inside://0.0.0.0/*".to_owned() }
}

fn plugin(library: &Path, level: Level) -> Subject {
    let mut settings = PluginSettings::new();
    let hash = ContentHash::of(&std::fs::read(library).unwrap());
    settings.allowed.push(Allowed { hash, level, may_downgrade: false });
    settings.program = if level == Level::Process { program() } else { None };
    settings.workers = 1;
    settings.limits.queue = std::time::Duration::from_secs(10);
    let host = PluginHost::new(settings);
    let file = OfferedFile { name: "area-code.so".to_owned(), path: library.to_owned(), is_held: false };
    let findings = host.offer(&[file]);
    assert!(findings.is_empty(), "{findings:?}");
    let mut registry = default_registry().unwrap();
    registry.add_source(Arc::new(host));
    Subject { registry: Arc::new(registry), rule: format!("areaCode://0.0.0.0/*?key={KEY}") }
}

fn consumer() -> Url {
    Url::parse(&workload::consumer_without_tags()).unwrap()
}

fn call() -> RpcInvocation<'static> {
    RpcInvocation::new(workload::INTERFACE, black_box("sayHello")).with_attachment(KEY, black_box("hangzhou"))
}

/// The router alone; the blob of the call is there, as it is for every plugin of a chain but the first.
fn route(c: &mut Criterion) {
    let library = library();
    let mut group = c.benchmark_group("plugin/route");
    let subjects = [("inside", inside()), ("native", plugin(&library, Level::Native))];
    for invokers in [10, 100, 1_000, 10_000] {
        let urls = workload::providers(invokers).into_iter().map(|text| Provider::from(Url::parse(&text).unwrap()));
        let list = Arc::new(InvokerList::of(ServiceKey::parse(workload::INTERFACE), urls.collect()));
        for (name, subject) in &subjects {
            let (bound, consumer, call) = (bound(subject, &list), consumer(), call());
            let layout = CallLayout::of(bound.call_parts().cloned().unwrap_or_default(), list.service());
            let (clock, blob) = (FixedClock("2026-11-30T12:00:00Z".parse().unwrap()), CallBlob::default());
            let request =
                RouteRequest::new(&consumer, &call, bound.inputs(), 0, &clock).with_blob(&layout, &blob, false);
            // As the chain does: memory of an answer serves the next.
            let kept = |routed: Routed<'_>| match routed {
                Routed::Kept(selection) => selection.contains(0),
                Routed::Made(selection) => {
                    let is_kept = selection.contains(0);
                    blob.reuse(selection);
                    is_kept
                }
                _ => false,
            };
            assert!(kept(bound.route(&request, list.all(), None).unwrap()), "{name}");
            group.bench_function(BenchmarkId::new(*name, invokers), |b| {
                b.iter(|| kept(bound.route(black_box(&request), list.all(), None).unwrap()));
            });
        }
    }
    group.finish();
}

/// One call again and again, through a session whose engine remembers nothing: with writing its blob, and the chain.
fn calls(c: &mut Criterion) {
    let library = library();
    let mut group = c.benchmark_group("plugin/call");
    let subjects = [("inside", inside()), ("native", plugin(&library, Level::Native))];
    for invokers in [10, 1_000, 10_000] {
        for (name, subject) in &subjects {
            let engine = engine(subject, invokers);
            let (consumer, mut session) = (consumer(), engine.session());
            let all = session.select(&consumer, &call()).unwrap();
            assert_eq!(all.selection().count(), invokers / 5, "{name}");
            group.bench_function(BenchmarkId::new(*name, invokers), |b| {
                b.iter(|| session.select(&consumer, &call()).unwrap().is_empty());
            });
        }
    }
    group.finish();
}

/// A call and back, to a process that holds everything. Pin the bench to one processor for the one figure, leave it free
/// for the other: `taskset -c 0 cargo bench --bench plugin -- plugin/process`.
fn process(c: &mut Criterion) {
    if program().is_none() {
        return;
    }
    let library = library();
    let mut group = c.benchmark_group("plugin/process");
    let subject = plugin(&library, Level::Process);
    for invokers in [10, 1_000, 10_000] {
        let engine = engine(&subject, invokers);
        let (consumer, mut session) = (consumer(), engine.session());
        group.bench_function(BenchmarkId::from_parameter(invokers), |b| {
            b.iter(|| session.select(&consumer, &call()).unwrap().is_empty());
        });
    }
    group.finish();
}

/// Writing the blob of a call: 6 attachments and 3 arguments that were declared.
fn request(c: &mut Criterion) {
    let names = ["areaCode", "region", "tenant", "user", "trace", "dubbo.tag"];
    let mut call = RpcInvocation::new(workload::INTERFACE, "create")
        .with_argument("long", 42_i64)
        .with_argument("java.lang.String", "a text that is neither long nor short")
        .with_argument("boolean", true);
    for name in names {
        call = call.with_attachment(name, "a value of some length");
    }
    let attachments = names.map(|name| Input::Attachment(name.into()));
    let inputs = attachments.into_iter().chain((0..3).map(Input::Argument)).chain([Input::TargetMethod]).collect();
    let parts = CallParts { inputs, ..CallParts::default() };
    let layout = CallLayout::of(parts, &ServiceKey::parse(workload::INTERFACE));
    let (consumer, declared) = (consumer(), Inputs::none());
    let clock = FixedClock("2026-11-30T12:00:00Z".parse().unwrap());
    let mut blob = CallBlob::default();
    c.bench_function("plugin/request", |b| {
        b.iter(|| {
            blob.clear();
            let request = RouteRequest::new(&consumer, black_box(&call), &declared, 0, &clock);
            request.with_blob(&layout, &blob, false).blob().map_or(0, |bytes| bytes.len())
        });
    });
}

/// The blob of a list; off the path of calls.
fn providers(c: &mut Criterion) {
    let mut group = c.benchmark_group("plugin/providers");
    for invokers in [1_000, 10_000] {
        let urls = workload::providers(invokers).into_iter().map(|text| Provider::from(Url::parse(&text).unwrap()));
        let list = InvokerList::of(ServiceKey::parse(workload::INTERFACE), urls.collect());
        group.throughput(Throughput::Elements(invokers as u64));
        group.bench_function(BenchmarkId::from_parameter(invokers), |b| {
            b.iter(|| provider_blob(&list, 0).unwrap().len());
        });
    }
    group.finish();
}

criterion_group!(benches, route, calls, request, providers, process);
criterion_main!(benches);
