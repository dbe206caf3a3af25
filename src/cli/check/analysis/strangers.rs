//! Rules and documents for services and applications that are not there, and keys under which nobody looks.

use crate::cli::check::analysis::analysed_rule::AnalysedRule;
use crate::cli::check::analysis::providers::Providers;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::nearest;
use crate::router::Selection;
use crate::rpc::ServiceKey;
use crate::rpc::keys;
use crate::rule::Document;
use crate::rule::DocumentKind;
use crate::rule::DocumentScope;
use crate::source::folder::RuleKind;

/// What configuration centres put behind a key.
const SUFFIXES: [&str; 5] =
    [".condition-router", ".tag-router", ".script-router", ".affinity-router", ".configurators"];

/// Among how many names a near one is looked for.
const COMPARED: usize = 200;

const NO_SERVICE: &str = "check::service_without_providers";
const NO_APPLICATION: &str = "check::application_without_providers";
const UNREAD: &str = "check::unread_key";

/// A rule outside of documents whose service nobody offers.
pub(super) fn find_rule(rule: &AnalysedRule<'_>, reached: &Selection, providers: &Providers) -> Option<Finding> {
    let scope = &rule.header.scope;
    if rule.entry.kind() == RuleKind::Document || !reached.is_empty() || providers.is_empty() {
        return None;
    }
    let interface = scope.interface.as_deref()?;
    let key = ServiceKey::new(scope.group.as_deref(), interface, scope.version.as_deref());
    Some(rule.told(no_service(&key, providers), "nobody offers it"))
}

/// What is wrong with the key of a document.
pub(super) fn find_document(document: &Document, providers: &Providers) -> Option<Finding> {
    let finding = unread_key(document, providers).or_else(|| {
        if providers.is_empty() {
            return None;
        }
        match document.service() {
            Some(key) => (!providers.has_service(&key)).then(|| no_service(&key, providers)),
            None => (!providers.has_application(document.key())).then(|| no_application(document, providers)),
        }
    })?;
    let (start, end) = key_place(document);
    let origin = crate::diagnostics::Origin::whole(document.origin().source().clone());
    Some(finding.at(&origin, start..end, "this document"))
}

fn no_service(key: &ServiceKey, providers: &Providers) -> Finding {
    let others: Vec<&ServiceKey> =
        providers.services().filter(|other| other.interface() == key.interface()).take(3).collect();
    if others.is_empty() {
        // Packages are alike anyway.
        let simple = |interface: &str| interface.rsplit('.').next().unwrap_or_default().to_owned();
        let services = providers.services().take(COMPARED);
        let names: Vec<String> = services.map(|service| simple(service.interface())).collect();
        let near = nearest(&simple(key.interface()), names.iter().map(String::as_str));
        let near = near.and_then(|near| providers.services().find(|service| simple(service.interface()) == near));
        let message = format!("no provider of the folder offers `{key}`, so the rule meets no call");
        let help = near.map_or("it waits for providers to come".to_owned(), |near| format!("did you mean `{near}`?"));
        return Finding::new(NO_SERVICE, Severity::Info, message).with_help(help);
    }
    let others: Vec<String> = others.into_iter().map(|other| format!("`{other}`")).collect();
    let message = format!("no provider offers `{key}`, but {} is there", others.join(", "));
    let help = "group and version belong to the key: `interface:version:group`";
    Finding::warning(NO_SERVICE, message).with_help(help)
}

fn no_application(document: &Document, providers: &Providers) -> Finding {
    let key = document.key();
    let what = match document.kind() {
        DocumentKind::Tag | DocumentKind::Script => "so the rule meets no call",
        _ => "so the rule is for consumers of that name only",
    };
    let near = nearest(key, providers.applications().take(COMPARED));
    let help = near.map_or("it waits for providers to come".to_owned(), |near| format!("did you mean `{near}`?"));
    let message = format!("no provider of the folder is of the application `{key}`, {what}");
    Finding::new(NO_APPLICATION, Severity::Info, message).with_help(help)
}

/// Why nobody looks under the key of a document.
fn unread_key(document: &Document, providers: &Providers) -> Option<Finding> {
    let (key, scope) = (document.key(), document.scope());
    if let Some(suffix) = SUFFIXES.iter().find(|suffix| key.ends_with(**suffix)) {
        let message = format!("`{key}` is the name of a configuration centre's entry, not a key: nobody reads it");
        let help = format!("leave `{suffix}` out; the kind of the document says it");
        return Some(Finding::warning(UNREAD, message).with_help(help));
    }
    if key == keys::ANY || document.service().is_some_and(|service| has_wildcard(&service)) {
        let message = format!("`{key}` is read as it stands, and no service or application is called so");
        let help = "a document is for one key; write `*.rules` for rules of all services";
        return Some(Finding::warning(UNREAD, message).with_help(help));
    }
    match scope {
        DocumentScope::Application if !providers.has_application(key) && is_service(key, providers) => {
            let message = format!("`{key}` is a service, and the document says `scope: application`");
            Some(Finding::warning(UNREAD, message).with_help("write `scope: service`"))
        }
        DocumentScope::Service if providers.has_application(key) && !is_service(key, providers) => {
            let message = format!("`{key}` is an application, and the document says `scope: service`");
            Some(Finding::warning(UNREAD, message).with_help("write `scope: application`"))
        }
        _ => None,
    }
}

fn has_wildcard(key: &ServiceKey) -> bool {
    [key.group(), Some(key.interface()), key.version()].into_iter().flatten().any(|part| part == keys::ANY)
}

fn is_service(key: &str, providers: &Providers) -> bool {
    let interface = key.split(':').next().unwrap_or_default();
    let interface = interface.rsplit_once('/').map_or(interface, |(_, interface)| interface);
    providers.services().any(|service| service.interface() == interface)
}

/// Where `key:` stands in a document, else where the document begins.
fn key_place(document: &Document) -> (usize, usize) {
    let origin = document.origin();
    let (start, text) = (origin.offset(0), origin.source().text());
    let mut at = start;
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        if line.starts_with("---") && at > start {
            break;
        }
        let trimmed = line.trim_end();
        if trimmed.trim_start_matches('{').starts_with("key:") {
            return (at, at + trimmed.len());
        }
        at += line.len();
    }
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    (start, start + line.len())
}
