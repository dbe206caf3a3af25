//! The workload as the originals are given it: `benches/peers/run` holds the figures against theirs.
//!
//! Each workload is a rules folder with the texts that Dubbo gets. `peers/W5/1000` has no memo, `peers-memo/W5/1000` has
//! one. With `PEERS_KEPT` set nothing is measured: what is kept is printed, a line each as in `expected-go.txt`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench may stop at the first surprise"
)]

mod workload;

use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::BenchmarkId;
use criterion::Criterion;
use pointsman::Engine;
use pointsman::EngineBuilder;
use pointsman::Finding;
use pointsman::RpcInvocation;
use pointsman::RuleSet;
use pointsman::Severity;
use pointsman::Url;
use pointsman::runtime::registry_with_scripts;
use pointsman::script::EngineKind;
use pointsman::script::Limits;
use pointsman::script::ScriptHost;
use pointsman::script::ScriptRouterFactory;
use pointsman::script::ScriptSettings;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::load;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;

const WORKLOADS: [&str; 7] = ["W1", "W2", "W3", "W4", "W4d", "W5", "W6"];
const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

const EXPECTED: &str = include_str!("workload/expected-go.txt");
const CALLS: &str = include_str!("workload/calls.txt");
const SCRIPT: &str = include_str!("workload/script-java.txt");

/// The files below `rules/` and their texts.
fn rules(workload: &str) -> Vec<(&'static str, String)> {
    match workload {
        "W1" | "W2" => vec![("condition.rules", format!("@force\n{}", workload::RULE))],
        "W3" => vec![("application.yaml", workload::document(workload::APPLICATION))],
        "W4" => Vec::new(),
        "W4d" => vec![("tag.yaml", workload::document(workload::TAG))],
        "W5" => vec![
            ("application.yaml", workload::document(workload::APPLICATION)),
            ("service.yaml", workload::document(workload::SERVICE)),
        ],
        "W6" => vec![("script.js", format!("// @service *\n// @engine quickjs\n{SCRIPT}"))],
        other => unreachable!("no workload {other}"),
    }
}

/// What `generate.py` wrote, as the originals read it; the same made here where nobody has run it.
fn providers(size: usize) -> String {
    let written = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/workload/providers-{size}.txt"));
    fs::read_to_string(written).unwrap_or_else(|_| workload::providers(size).join("\n"))
}

/// Whether this build can run it: a script needs its engine.
fn is_supported(workload: &str) -> bool {
    workload != "W6" || EngineKind::QuickJs.is_built_in()
}

fn folder(workload: &str, size: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("rules")).unwrap();
    fs::write(folder.path().join("providers.txt"), providers(size)).unwrap();
    for (name, text) in rules(workload) {
        fs::write(folder.path().join("rules").join(name), text).unwrap();
    }
    folder
}

/// Scripts run on the calling thread, as in the originals. The limits are armed, and far enough for slow builds.
fn engine(workload: &str, size: usize, memo_bytes: usize) -> Engine {
    let folder = folder(workload, size);
    let mut settings = ScriptSettings::inline_trusted();
    settings.limits = Limits { deadline: Duration::from_secs(20), memory_bytes: 1 << 30, ..Limits::default() };
    let scripts = ScriptRouterFactory::new(ScriptHost::new(settings));
    let registry = Arc::new(registry_with_scripts(scripts).unwrap());
    let mut contents = load(folder.path(), &FolderOptions::default());
    let rules = RuleSet::from_folder(&mut contents, &registry, None);
    let errors: Vec<&Finding> =
        contents.findings().iter().filter(|finding| finding.severity() == Severity::Error).collect();
    assert!(errors.is_empty(), "{workload}: {errors:?}");
    let providers = contents.providers().cloned();
    Engine::builder().registry(registry).rules(rules).providers(providers).memo_bytes(memo_bytes).build().unwrap()
}

/// The originals are asked for one router alone, but for W5.
fn consumer(workload: &str) -> Url {
    match workload {
        "W1" | "W2" | "W3" | "W6" => Url::parse(&workload::consumer_without_tags()).unwrap(),
        _ => Url::parse(workload::CONSUMER.trim()).unwrap(),
    }
}

fn call(workload: &str) -> RpcInvocation<'static> {
    let (_, text) = CALLS.lines().filter_map(|line| line.split_once(' ')).find(|(name, _)| *name == workload).unwrap();
    let described: Value = serde_json::from_str(text).unwrap();
    let string = |value: &Value| value.as_str().unwrap().to_owned();
    let mut call = RpcInvocation::new(workload::INTERFACE, string(&described["method"]));
    let types = described["types"].as_array().unwrap();
    for (parameter_type, argument) in types.iter().zip(described["args"].as_array().unwrap()) {
        call = call.with_argument(string(parameter_type), string(argument));
    }
    for (key, value) in described["attachments"].as_object().unwrap() {
        call = call.with_attachment(key.clone(), string(value));
    }
    call
}

/// Workload, number of providers, how many are kept, SHA-256 of their positions.
fn kept(workload: &str, size: usize, engine: &Engine) -> String {
    let decision = engine.select(&consumer(workload), &call(workload)).unwrap();
    let positions: Vec<String> = decision.selection().positions().map(|position| position.to_string()).collect();
    let digest: String = Sha256::digest(positions.join(",")).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{workload} {size} {} {digest}", positions.len())
}

fn supported() -> impl Iterator<Item = &'static str> {
    WORKLOADS.into_iter().filter(|workload| {
        let is_supported = is_supported(workload);
        if !is_supported {
            eprintln!("{workload} is left out: this build has no QuickJS");
        }
        is_supported
    })
}

fn print_kept() {
    for workload in supported() {
        for size in SIZES {
            println!("{}", kept(workload, size, &engine(workload, size, 0)));
        }
    }
}

fn routes(criterion: &mut Criterion, name: &str, memo_bytes: usize) {
    let mut group = criterion.benchmark_group(name);
    for workload in supported() {
        let consumer = consumer(workload);
        for size in SIZES {
            // Made where a filter wants it.
            let mut session = None;
            let make = || {
                let engine = engine(workload, size, memo_bytes);
                let kept = kept(workload, size, &engine);
                let is_original = |line: &str| line == kept || line.starts_with(&format!("{kept} "));
                assert!(EXPECTED.lines().any(is_original), "the original keeps others: {kept}");
                engine.session()
            };
            // As in the originals, one call is made again and again.
            let call = call(workload);
            group.bench_function(BenchmarkId::new(workload, size), |b| {
                let session = session.get_or_insert_with(make);
                b.iter(|| session.select(&consumer, &call).unwrap().is_empty());
            });
        }
    }
    group.finish();
}

fn main() {
    if env::var_os("PEERS_KEPT").is_some() {
        print_kept();
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    routes(&mut criterion, "peers", 0);
    routes(&mut criterion, "peers-memo", EngineBuilder::DEFAULT_MEMO_BYTES);
    criterion.final_summary();
}
