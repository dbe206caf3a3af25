//! Rule documents: from a text to nodes that know their places, and from a text to compiled rules.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench may stop at the first surprise"
)]

use criterion::Criterion;
use criterion::Throughput;
use criterion::criterion_group;
use criterion::criterion_main;
use pointsman::diagnostics::Severity;
use pointsman::diagnostics::SourceText;
use pointsman::router::RuleDefinition;
use pointsman::router::RuleId;
use pointsman::rule::DocumentOptions;
use pointsman::rule::DocumentRule;
use pointsman::rule::read_documents;
use pointsman::runtime::RuleSet;
use pointsman::runtime::default_registry;

/// One megabyte.
const BYTES: usize = 1_000_000;

/// Documents of ten conditions, as many as it takes.
fn file() -> String {
    let mut text = String::new();
    for number in 0.. {
        text += &format!(
            "---\nconfigVersion: v3.0\nscope: service\nkey: com.foo.BarService{number}:1.0.0\nforce: true\n\
             runtime: true\nenabled: true\npriority: {number}\nconditions:\n"
        );
        for condition in 0..10 {
            text += &match condition % 5 {
                0 => format!("  - \"method=say* & host=10.0.{condition}.* => region=$region\"\n"),
                1 => format!("  - method=find{number},get* => zone!=zone-{condition}\n"),
                2 => format!("  - 'application=app-{number} => env=gray & port=2088{condition}'\n"),
                3 => format!("  - \"attachments[user]={condition}~100 => weight!=0 & owner=ann,bob\"\n"),
                _ => format!("  - host!=192.168.{condition}.1 => false # nobody from there\n"),
            };
        }
        if text.len() >= BYTES {
            return text;
        }
    }
    text
}

fn definition(rule: DocumentRule) -> RuleDefinition {
    let DocumentRule { url, origin, bytes, placement, .. } = rule;
    let id = RuleId::new(origin.source().name(), 1, None, url.as_str());
    let rule_origin = origin.clone();
    RuleDefinition { id, url, origin, source_bytes: bytes, rule_origin, placement: Some(placement) }
}

fn parse(c: &mut Criterion) {
    let mut group = c.benchmark_group("rule/parse");
    group.sample_size(20);
    let text = file();
    group.throughput(Throughput::Bytes(text.len() as u64));
    // A list is read to its end before it is refused for being no document.
    let list: String = text
        .split("---\n")
        .skip(1)
        .map(|document| format!("- {}\n", document.trim_end().replace('\n', "\n  ")))
        .collect();
    group.throughput(Throughput::Bytes(list.len() as u64));
    let source = SourceText::new("list.yaml", list);
    group.bench_function("nodes", |b| {
        b.iter(|| {
            let (documents, findings) = read_documents(&source, DocumentOptions::default());
            assert_eq!((documents.len(), findings[0].slug()), (0, "rule::not_a_map"));
        });
    });
    group.throughput(Throughput::Bytes(text.len() as u64));
    let (source, registry) = (SourceText::new("rules.yaml", text), default_registry().unwrap());
    group.bench_function("documents", |b| b.iter(|| read_documents(&source, DocumentOptions::default())));
    group.bench_function("compiled", |b| {
        b.iter(|| {
            let (documents, findings) = read_documents(&source, DocumentOptions::default());
            assert!(findings.is_empty(), "{:?}", findings[0]);
            let rules = documents.iter().flat_map(|document| document.rules().unwrap());
            let definitions: Vec<_> = rules.map(definition).collect();
            let (set, findings) = RuleSet::compile(&definitions, &registry, None);
            assert!(findings.iter().all(|finding| finding.severity() != Severity::Error));
            set
        });
    });
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
