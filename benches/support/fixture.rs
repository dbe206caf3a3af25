//! Rules and engines for benches.
#![allow(dead_code, unreachable_pub, reason = "every bench uses a part of it")]

use pointsman::router::RuleDefinition;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::RuleSet;
use pointsman::runtime::default_registry;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::load;

/// A condition as a route URL for every service.
pub fn rule(text: &str) -> String {
    let text = text.trim();
    let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("condition://0.0.0.0/*?force=true&rule={encoded}")
}

/// Rules compiled, numbered by their place.
pub fn rule_set(rules: &[String], previous: Option<&RuleSet>) -> RuleSet {
    let definition = |(line, text): (u32, &String)| RuleDefinition::parse("bench", line, None, text).unwrap();
    let definitions: Vec<_> = (1..).zip(rules).map(definition).collect();
    let (set, findings) = RuleSet::compile(&definitions, &default_registry().unwrap(), previous);
    assert!(findings.iter().all(|finding| finding.slug().contains("missing_arrow")), "{findings:?}");
    set
}

/// The rules that documents come to, each a file of its own.
pub fn documents(texts: &[String]) -> RuleSet {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("rules")).unwrap();
    std::fs::write(folder.path().join("providers.txt"), "dubbo://10.0.0.1:20880/S\n").unwrap();
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(folder.path().join(format!("rules/{number}.yaml")), text).unwrap();
    }
    let mut contents = load(folder.path(), &FolderOptions::default());
    let rules = RuleSet::from_folder(&mut contents, &default_registry().unwrap(), None);
    assert!(!contents.has_errors(), "{:?}", contents.findings());
    rules
}

/// An engine over provider texts.
pub fn engine(providers: &[String], rules: &[String], memo_bytes: usize) -> Engine {
    let urls = providers.iter().map(|text| Url::parse(text).unwrap());
    Engine::builder().rules(rule_set(rules, None)).providers(urls).memo_bytes(memo_bytes).build().unwrap()
}
