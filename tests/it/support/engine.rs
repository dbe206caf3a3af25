//! Engines over a few rules and providers.

use std::sync::Arc;

use pointsman::router::Router;
use pointsman::router::RuleDefinition;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::RuleSet;
use pointsman::runtime::default_registry;

/// A URL that must be readable.
pub(crate) fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// A rule's text as a URL's parameter.
pub(crate) fn encode(rule: &str) -> String {
    rule.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The definition of a rule URL at `line` of `test.rules`.
pub(crate) fn definition(line: u32, text: &str) -> RuleDefinition {
    RuleDefinition::parse("test.rules", line, None, text).unwrap()
}

/// Rules compiled from URLs, numbered by their place from 1.
pub(crate) fn rules(urls: &[String], previous: Option<&RuleSet>) -> RuleSet {
    let definitions: Vec<_> = (1..).zip(urls).map(|(line, text)| definition(line, text)).collect();
    let (set, findings) = RuleSet::compile(&definitions, &default_registry().unwrap(), previous);
    let errors: Vec<_> = findings.iter().filter(|f| f.severity() == pointsman::diagnostics::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    set
}

/// A condition for every service, `parameters` and all.
pub(crate) fn condition(parameters: &str, rule: &str) -> String {
    format!("condition://0.0.0.0/*?{parameters}&rule={}", encode(rule))
}

/// An engine over conditions without parameters.
pub(crate) fn engine(conditions: &[&str], providers: &[&str]) -> Engine {
    let urls: Vec<String> = conditions.iter().map(|rule| condition("force=true", rule)).collect();
    Engine::builder().rules(rules(&urls, None)).providers(providers.iter().map(|text| url(text))).build().unwrap()
}

/// An engine over routers that are there already.
pub(crate) fn engine_of(routers: Vec<Arc<dyn Router>>, providers: &[&str]) -> Engine {
    Engine::builder().rules(RuleSet::of(routers)).providers(providers.iter().map(|text| url(text))).build().unwrap()
}
