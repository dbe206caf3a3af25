//! `pointsman schema`: accepts what is read without an error, and refuses what it can.

use pointsman::diagnostics::Severity;
use pointsman::diagnostics::SourceText;
use pointsman::rule::DocumentKind;
use pointsman::rule::DocumentOptions;
use pointsman::rule::read_documents;
use pointsman::source::cases::CaseKind;
use pointsman::source::cases::read_cases;
use pointsman::stand_in::read_stand_ins;
use serde_json::Value;

use crate::documents::of_kinds;
use crate::fmt::vector_documents;
use crate::repository::files;
use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;
use crate::support::json_schema::faults;
use crate::support::yaml_json::documents;

const HEAD: &str = "scope: service\nkey: com.shop.OrderService\n";

fn schema(kind: &str) -> Value {
    let (code, out, log) = told(pointsman(&["schema", "--kind", kind]).output().unwrap());
    assert_eq!((code, log.as_str()), (Some(0), ""));
    serde_json::from_str(&out).unwrap()
}

fn is_read(text: &str) -> bool {
    let (_, findings) = read_documents(&SourceText::new("a.yaml", text), DocumentOptions::default());
    findings.iter().all(|finding| finding.severity() != Severity::Error)
}

/// What the schema says of the documents of a text.
fn faults_of(schema: &Value, text: &str) -> Vec<String> {
    let documents = documents(text).unwrap_or_else(|| panic!("no YAML:\n{text}"));
    documents.iter().flat_map(|document| faults(schema, document)).collect()
}

#[test]
fn documents_that_are_read_are_accepted() {
    let schema = schema("documents");
    let mut texts: Vec<String> = of_kinds(&["yaml document", "yaml good rules/example.yaml"]);
    let repository = files();
    let examples = repository.iter().filter(|file| file.path.contains("/rules/") && file.path.ends_with(".yaml"));
    texts.extend(examples.map(|file| file.text.clone()));
    let own = texts.len();
    texts.extend(vector_documents());
    let read: Vec<&String> = texts.iter().filter(|text| is_read(text)).collect();
    assert!(read.len() > 500 && own > 0, "{} of {}, {own} of our own", read.len(), texts.len());
    for text in read {
        let faults = faults_of(&schema, text);
        assert!(faults.is_empty(), "{faults:#?}\n{text}");
    }
}

#[test]
fn most_documents_of_the_vectors_that_are_refused_are_refused() {
    let schema = schema("documents");
    let refused = vector_documents().into_iter().filter(|text| !is_read(text));
    let refused: Vec<bool> = refused
        .filter_map(|text| documents(&text))
        .map(|documents| documents.iter().any(|one| !faults(&schema, one).is_empty()))
        .collect();
    let seen = refused.iter().filter(|seen| **seen).count();
    assert!(seen * 10 >= refused.len() * 8, "{seen} of {}", refused.len());
}

#[test]
fn a_document_with_a_slip_is_refused() {
    let schema = schema("documents");
    for (text, is_headed) in [
        ("- a\n", false),
        ("a text\n", false),
        ("key: a\nconditions: []\n", false),
        ("scope: service\nconditions: []\n", false),
        ("scope: services\nkey: a.B\nconditions: []\n", false),
        ("scope: service\nkey: 5\nconditions: []\n", false),
        ("scope: service\nkey: ' '\nconditions: []\n", false),
        ("scope: service\nkey: a.B\ntags: []\n", false),
        ("condtions: []\n", true),
        ("conditions: []\ntags: []\n", true),
        ("kind: conditions\nconditions: []\n", true),
        ("conditions: a => b\n", true),
        ("conditions: [{from: {match: a=b}}]\n", true),
        ("conditions: [5]\n", true),
        ("enabled: maybe\nconditions: []\n", true),
        ("valid: false\nconditions: []\n", true),
        ("priority: high\nconditions: []\n", true),
        ("priority: 1.5\nconditions: []\n", true),
        ("on-error: stop\nconditions: []\n", true),
        ("dialect: v4\nconditions: []\n", true),
        ("configVersion: v3.2\nconditions: []\n", true),
        ("configVersion: v3.1\nconditions: [a=b => c=d]\n", true),
        ("configVersion: v3.1\nconditions: [{}]\n", true),
        ("configVersion: v3.1\nconditions: [{from: a=b}]\n", true),
        ("configVersion: v3.1\nconditions: [{to: {match: a=b}}]\n", true),
        ("configVersion: v3.1\nconditions: [{to: [{match: a=b, weight: -1}]}]\n", true),
        ("configVersion: v3.1\nconditions: [{to: [{match: a=b, weight: 1.5}]}]\n", true),
        ("affinityAware: {key: region}\n", true),
        ("configVersion: v3.1\naffinityAware: {ratio: 5}\n", true),
        ("configVersion: v3.1\naffinityAware: {key: region, ratio: 101}\n", true),
        ("kind: tag\nkey: a\ntags: x\n", false),
        ("kind: tag\nkey: a\ntags: [gray]\n", false),
        ("key: a\ntags: [{name: 5}]\n", false),
        ("key: a\ntags: [{name: gray, addresses: 10.0.0.1}]\n", false),
        ("key: a\nconfigVersion: v3.0\ntags: [{name: gray, match: [{value: {exact: a}}]}]\n", false),
        ("key: a\nscript: 5\n", false),
        ("key: a\ntype: groovy\nscript: x\n", false),
        ("plugin: area code\n", true),
        ("plugin: areaCode\nparameters: [a]\n", true),
        ("plugin: areaCode\nparameters: {a: [b]}\n", true),
    ] {
        let text = if is_headed { format!("{HEAD}{text}") } else { text.to_owned() };
        assert!(!is_read(&text), "is read:\n{text}");
        assert!(!faults_of(&schema, &text).is_empty(), "is accepted:\n{text}");
    }
}

#[test]
fn every_key_and_kind_is_described() {
    let schema = schema("documents");
    for kind in DocumentKind::ALL {
        assert!(schema["$defs"].get(kind.as_str()).is_some(), "{kind}");
        assert!(schema["properties"]["kind"]["enum"].as_array().unwrap().contains(&kind.as_str().into()), "{kind}");
        assert!(schema["properties"].get(kind.body_key()).is_some(), "{kind}");
    }
    for (key, part) in schema["properties"].as_object().unwrap() {
        assert!(part["description"].is_string(), "{key}");
    }
}

#[test]
fn cases_of_the_repository_are_accepted() {
    let schema = schema("cases");
    let repository = files();
    let cases = repository.iter().filter(|file| file.path.starts_with("examples/shop/tests/"));
    let texts = cases.map(|file| file.text.clone()).chain(of_kinds(&["yaml"]));
    for text in texts {
        let faults = faults_of(&schema, &text);
        assert!(faults.is_empty(), "{faults:#?}\n{text}");
    }
    for text in [
        "note: a\n",
        "- note: a\n  call: b\n",
        "- note: a\n  call: b\n  want: {}\n",
        "- note: a\n  call: b\n  want: {count: 0}\n",
        "- note: a\n  call: b\n  want: {count: 1, nobody: true}\n",
        "- note: a\n  call: {arguments: [1]}\n  want: {count: 1}\n",
        "- note: a\n  call: b\n  wants: {count: 1}\n  want: {count: 1}\n",
    ] {
        let (_, findings) = read_cases(&SourceText::new("tests/a.yaml", text), CaseKind::Folder);
        assert!(!findings.is_empty(), "is read:\n{text}");
        assert!(!faults_of(&schema, text).is_empty(), "is accepted:\n{text}");
    }
}

#[test]
fn providers_are_accepted_and_refused_as_they_are_read() {
    let schema = schema("providers");
    for (text, expected) in [
        ("- dubbo://10.0.0.1:20880/S\n", true),
        ("providers: [dubbo://10.0.0.1:20880/S]\n", true),
        ("- {url: dubbo://10.0.0.1:20880/S, parameters: {region: hangzhou, weight: 50}}\n", true),
        ("# nothing\n", true),
        ("- 5\n", false),
        ("- {parameters: {region: hangzhou}}\n", false),
        ("provider: [dubbo://10.0.0.1:20880/S]\n", false),
        ("dubbo://10.0.0.1:20880/S\n", false),
    ] {
        assert_eq!(faults_of(&schema, text).is_empty(), expected, "{text}");
        let folder = TestFolder::empty().with("providers.yaml", text).with("rules/a.rules", "=> region=hangzhou\n");
        let (code, ..) = told(pointsman(&["check", "."]).current_dir(folder.path()).output().unwrap());
        assert_eq!(code == Some(0), expected, "{text}");
    }
}

#[test]
fn stand_ins_that_are_read_are_accepted_and_slips_are_refused() {
    let schema = schema("stand-ins");
    let is_read = |text: &str| {
        let (_, findings) = read_stand_ins(&SourceText::new("stand-ins.yaml", text));
        findings.iter().all(|finding| finding.severity() != Severity::Error)
    };
    let examples: Vec<String> =
        files().into_iter().filter(|file| file.path.ends_with("stand-ins.yaml")).map(|file| file.text).collect();
    assert!(!examples.is_empty());
    let own = [
        "# nothing yet\n",
        "- provider: [10.0.0.1, '*:20881']\n  service: com.shop.*\n  weight: 300\n  latency: 2ms..8ms\n",
        "- failure: {kind: exception, rate: 5%, message: sold out}\n  answer: {order: 7}\n- failure: hang\n",
        "- failure: {kind: timeout, rate: 0.05}\n  latency: 1.5s\n",
        "- latency: 250us .. 1s\n",
    ];
    for text in examples.iter().map(String::as_str).chain(own) {
        assert!(is_read(text), "is not read:\n{text}");
        assert!(faults_of(&schema, text).is_empty(), "{:#?}\n{text}", faults_of(&schema, text));
    }
    for text in [
        "provider: 10.0.0.1\n",
        "- 10.0.0.1\n",
        "- latency: 5ms\n  wait: 3\n",
        "- provider: {}\n",
        "- latency: 5\n",
        "- latency: soon\n",
        "- weight: -1\n",
        "- weight: 4000000000\n",
        "- failure: networks\n",
        "- failure: {rate: 5%}\n",
        "- failure: {kind: hang, rate: 2}\n",
        "- failure: {kind: hang, rate: often}\n",
    ] {
        assert!(!is_read(text), "is read:\n{text}");
        assert!(!faults_of(&schema, text).is_empty(), "is accepted:\n{text}");
    }
}
