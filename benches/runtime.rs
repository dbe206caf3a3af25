//! Rebuilding: what a change costs until calls can follow it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

mod workload;

use criterion::BatchSize;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::EngineBuilder;

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

criterion_group!(benches, rebuild, one_of_many);
criterion_main!(benches);
