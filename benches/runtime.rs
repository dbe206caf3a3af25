//! Rebuilding: what a change costs until calls can follow it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

mod workload;

use std::fs;
use std::sync::mpsc::channel;

use criterion::BatchSize;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::EngineBuilder;
use pointsman::runtime::ReloadEvent;
use pointsman::runtime::RuleSet;
use pointsman::runtime::default_registry;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::WatchOptions;
use pointsman::source::folder::load;

#[path = "support/fixture.rs"]
mod fixture;

use fixture::engine;
use fixture::rule;
use fixture::rule_set;

const INVOKERS: usize = 10_000;

/// Fifty rules over a dozen keys, as a busy service has them.
fn rules() -> Vec<String> {
    let keys = ["region", "zone", "env", "owner", "timeout", "weight", "host", "application", "side", "version"];
    let rule_of = |index: usize| {
        let key = keys[index % keys.len()];
        match index % 5 {
            0 => format!("method=say* & pid={index} => {key}=a{index},b*"),
            1 => format!("method=get* => {key}!=zone-{index}"),
            2 => format!("host=10.0.0.{index} => {key}=$region"),
            3 => format!("method=find{index} => {key}=*1 & env!=gray"),
            _ => format!("application=app-{index} => zone=zone-{index} & {key}!=x*"),
        }
    };
    (0..50).map(|index| rule(&rule_of(index))).collect()
}

fn route_once(engine: &Engine) -> bool {
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    engine.select(&consumer, &RpcInvocation::new(workload::INTERFACE, "sayHello")).unwrap().is_empty()
}

fn rebuild(c: &mut Criterion) {
    let mut group = c.benchmark_group("runtime/rebuild");
    group.sample_size(20);
    let texts = workload::providers(INVOKERS);
    let fresh = || texts.iter().map(|text| Url::parse(text).unwrap()).collect::<Vec<_>>();
    let rules = rules();
    let memo = EngineBuilder::DEFAULT_MEMO_BYTES;

    let set = rule_set(&rules, None);
    let empty = || Engine::builder().rules(set.clone()).build().unwrap();
    group.bench_function("parsed", |b| {
        b.iter_batched(
            || (empty(), fresh()),
            |(engine, urls)| {
                engine.replace_providers(urls).unwrap();
                (route_once(&engine), engine)
            },
            BatchSize::PerIteration,
        );
    });
    group.bench_function("text", |b| {
        b.iter_batched(
            empty,
            |engine| {
                engine.replace_provider_texts(texts.iter().map(String::as_str)).unwrap();
                (route_once(&engine), engine)
            },
            BatchSize::PerIteration,
        );
    });

    let changed = |round: usize| -> Vec<String> {
        let change = |(index, text): (usize, &String)| {
            if index % 100 == 7 { text.replace("timestamp=1", &format!("timestamp={round}")) } else { text.clone() }
        };
        texts.iter().enumerate().map(change).collect()
    };
    let running = engine(&texts, &rules, memo);
    let mut round = 1;
    group.bench_function("text_one_percent_changed", |b| {
        b.iter_batched(
            || {
                round += 1;
                changed(round)
            },
            |texts| {
                running.replace_provider_texts(texts.iter().map(String::as_str)).unwrap();
                (route_once(&running), texts)
            },
            BatchSize::PerIteration,
        );
    });

    group.bench_function("one_rule", |b| {
        b.iter_batched(
            || {
                round += 1;
                let mut rules = rules.clone();
                rules[25] = rule(&format!("method=sayHello => zone!=zone-{}", round % 20));
                rules
            },
            |rules| {
                running.replace_rules(rule_set(&rules, Some(&set))).unwrap();
                route_once(&running)
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn one_of_many(c: &mut Criterion) {
    let mut group = c.benchmark_group("runtime/rebuild");
    let texts: Vec<String> = workload::providers(INVOKERS)
        .iter()
        .enumerate()
        .map(|(index, text)| text.replace(workload::INTERFACE, &format!("com.foo.Service{}", index / 20)))
        .collect();
    let running = engine(&texts, &rules(), EngineBuilder::DEFAULT_MEMO_BYTES);
    let service = ServiceKey::parse("com.foo.Service77:1.0.0");
    let mut round = 0;
    group.bench_function("one_of_500_services", |b| {
        b.iter_batched(
            || {
                round += 1;
                let changed = texts[77 * 20..78 * 20].iter().enumerate();
                let change = |(index, text): (usize, &String)| match index {
                    3 => text.replace("timestamp=1", &format!("timestamp={round}")),
                    _ => text.clone(),
                };
                changed.map(change).map(|text| Url::parse(&text).unwrap()).collect::<Vec<_>>()
            },
            |urls| running.replace_service(&service, urls).unwrap(),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// A thousand documents of a hundred services, over ten thousand providers; one document changes.
fn reload(c: &mut Criterion) {
    let mut group = c.benchmark_group("runtime/reload");
    group.sample_size(20);
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let (path, other) = (folder.path().join(name), folder.path().join("new.tmp"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&other, text).unwrap();
        fs::rename(other, path).unwrap();
    };
    let texts: Vec<String> = workload::providers(INVOKERS)
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let (service, application) = (format!("com.foo.Service{}", index / 100), index / 100 % 10);
            text.replace(workload::INTERFACE, &service)
                .replace("application=provider-app", &format!("application=app-{application}"))
        })
        .collect();
    write("providers.txt", &texts.join("\n"));
    (0..1_000).for_each(|number| write(&format!("rules/{number}.yaml"), &document(number, 0)));

    let registry = default_registry().unwrap();
    let load = || load(folder.path(), &FolderOptions::default());
    let mut contents = load();
    let mut rules = RuleSet::from_folder(&mut contents, &registry, None);
    assert!(!contents.has_errors(), "{:?}", contents.findings());
    let engine = Engine::builder().rules(rules.clone()).providers(contents.providers().cloned()).build().unwrap();
    let mut round = 0;
    group.bench_function("one_of_1000_documents", |b| {
        b.iter_batched(
            || {
                round += 1;
                write("rules/77.yaml", &document(77, round));
                load()
            },
            |mut contents| {
                rules = RuleSet::from_folder(&mut contents, &registry, Some(&rules));
                (engine.replace_rules(rules.clone()).unwrap(), contents)
            },
            BatchSize::PerIteration,
        );
    });

    // From the rename until the change is in force, with the quiet that is waited for.
    let (sender, events) = channel();
    let engine = Engine::builder().build().unwrap();
    let tell = move |event: ReloadEvent| sender.send(event.changed.len()).unwrap_or_default();
    let watched = engine.watch(folder.path(), FolderOptions::default(), WatchOptions::default(), tell).unwrap();
    events.recv().unwrap();
    group.bench_function("from_rename_to_generation", |b| {
        b.iter(|| {
            round += 1;
            write("rules/77.yaml", &document(77, round));
            assert_eq!(events.recv(), Ok(1));
        });
    });
    drop(watched);
    group.finish();
}

/// A document of a service, or in one case of ten of an application.
fn document(number: usize, round: usize) -> String {
    let (scope, key) = match number % 10 {
        0 => ("application", format!("app-{}", number / 10)),
        _ => ("service", format!("com.foo.Service{}:{}", number % 111, number / 111)),
    };
    let key = if number == 77 { "com.foo.Service77:1.0.0".to_owned() } else { key };
    format!(
        "configVersion: v3.0\nscope: {scope}\nkey: {key}\nforce: true\npriority: {number}\nconditions:\n  \
         - \"method=say* => zone!=zone-{round}\"\n  - \"method=find{number} & pid=1 => region=$region\"\n"
    )
}

criterion_group!(benches, rebuild, one_of_many, reload);
criterion_main!(benches);
