//! What only documents of one kind have.

use crate::affinity::AffinityRule;
use crate::affinity::is_key;
use crate::diagnostics::Finding;
use crate::router::Language;
use crate::rpc::keys;
use crate::rule::Body;
use crate::rule::DocumentKind;
use crate::rule::DocumentScope;
use crate::rule::ScriptBody;
use crate::rule::conditions::read_conditions;
use crate::rule::fields::Fields;
use crate::rule::fields::Report;
use crate::rule::fields::is_nothing;
use crate::rule::reader::Common;
use crate::rule::tags::read_tags;
use crate::yaml::Data;
use crate::yaml::Node;

const AFFINITY_KEYS: [&str; 2] = ["key", "ratio"];
const PARAMETERS: &str = "parameters";

/// The keys of each kind.
pub(super) const BODY_KEYS: [(DocumentKind, &[&str]); 5] = [
    (DocumentKind::Condition, &["conditions"]),
    (DocumentKind::Tag, &["tags"]),
    (DocumentKind::Script, &["script", keys::TYPE, keys::ENGINE]),
    (DocumentKind::Affinity, &["affinityAware"]),
    (DocumentKind::Plugin, &["plugin", PARAMETERS]),
];

pub(super) fn read_body(fields: Fields<'_>, common: &Common, report: &mut Report<'_>) -> Option<Body> {
    let key = common.kind.body_key();
    let Some(node) = fields.get(key) else {
        report.missing(
            fields,
            key,
            &format!("a {} document", common.kind),
            "a document that is empty clears its rules",
        );
        return None;
    };
    if matches!(common.kind, DocumentKind::Condition | DocumentKind::Tag) && is_nothing(node) {
        let help = format!("write the rules below it, or `{key}: []` to clear them");
        report.empty_key(node, key, "there are no rules under the document's key", &help);
    }
    match common.kind {
        DocumentKind::Condition => read_conditions(node, common, report),
        DocumentKind::Tag => read_tags(node, common, report),
        DocumentKind::Script => read_script(node, fields, report),
        DocumentKind::Affinity => read_affinity(node, fields, common, report),
        DocumentKind::Plugin => read_plugin(node, fields, report),
    }
}

fn read_script(node: &Node, fields: Fields<'_>, report: &mut Report<'_>) -> Option<Body> {
    let language = match fields.given(keys::TYPE) {
        None => Some(Language::JavaScript),
        Some(node) => {
            let found = node.text().and_then(Language::parse);
            if found.is_none() {
                report.wrong_value(
                    node,
                    keys::TYPE,
                    "`javascript`, `rhai` or `lua`",
                    "other languages are not run here",
                );
            }
            found
        }
    };
    let engine = match fields.given(keys::ENGINE) {
        None => None,
        Some(node) => Some(report.text(node, keys::ENGINE)?),
    };
    let script = report.text(node, "script")?;
    if script.trim().is_empty() {
        let finding = Finding::error("script::empty", "expected a script, found none");
        report.add(finding.with_help("write an expression whose value is a list of invokers"), &node.span, "here");
        return None;
    }
    Some(Body::Script(ScriptBody { language: language?, script: report.placed(node, script), engine }))
}

fn read_affinity(node: &Node, document: Fields<'_>, common: &Common, report: &mut Report<'_>) -> Option<Body> {
    // For an application dubbo-go reads it under any version; Dubbo for Java does not read those at all.
    let is_known = common.version.has_destinations;
    let needs_version = common.scope == Some(DocumentScope::Service) && !is_known;
    if needs_version {
        match document.given("configVersion") {
            Some(node) => report.wrong_value(node, "configVersion", "`v3.1`", "affinity came with `v3.1`"),
            None => report.missing(document, "configVersion", "an affinity document", "write `configVersion: v3.1`"),
        }
        return None;
    }
    let fields = report.map(node, "`affinityAware`", &AFFINITY_KEYS)?;
    let [key, ratio] = AFFINITY_KEYS;
    let Some(key_node) = fields.given(key) else {
        report.missing(
            fields,
            key,
            "`affinityAware`",
            "write `key: region`: where provider and consumer must be alike",
        );
        return None;
    };
    let name = report.text(key_node, key)?;
    if name.trim().is_empty() {
        report.wrong_value(key_node, key, "the name of a parameter", "for example `key: region`");
        return None;
    }
    if !is_key(&name) {
        let finding =
            Finding::warning("rule::no_parameter", format!("no parameter is called `{name}`: all providers stay"));
        report.add(finding.with_help("`key` is the name alone, for example `key: region`"), &key_node.span, "this key");
    }
    // Dubbo for Java refuses a document whose `ratio` is empty.
    let ratio = match fields.get(ratio) {
        None => Some(0.0),
        Some(node) => {
            let found = node.text().and_then(|text| text.trim().parse().ok());
            let found = found.filter(|ratio| (0.0..=100.0).contains(ratio));
            if found.is_none() {
                let help = match is_nothing(node) {
                    true => "leave `ratio` out for 0: Dubbo ignores a document in which nothing stands after it",
                    false => "percent of the candidates that are enough",
                };
                report.wrong_value(node, ratio, "a number from 0 to 100", help);
            }
            found
        }
    };
    Some(Body::Affinity(report.placed_whole(node, AffinityRule { key: name, ratio: ratio? })))
}

fn read_plugin(node: &Node, fields: Fields<'_>, report: &mut Report<'_>) -> Option<Body> {
    let name = report.text(node, "plugin")?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'));
    if !is_name {
        report.wrong_value(node, "plugin", "the name of a plugin's router", "for example `plugin: areaCode`");
        return None;
    }
    let mut parameters = Vec::new();
    if let Some(node) = fields.given(PARAMETERS) {
        let Data::Map(entries) = &node.data else {
            report.wrong_type(node, &format!("`{PARAMETERS}`"), "a map", "write `parameters: {key: areaCode}`");
            return None;
        };
        for (key, value) in entries {
            if keys_of_rules().any(|known| known == key.text) {
                let finding =
                    Finding::error("rule::wrong_value", format!("`{}` is no parameter of a plugin", key.text));
                report.add(finding.with_help("it stands in the document itself"), &key.span, "this key");
            }
            parameters.push((key.text.clone(), report.written(value, &key.text)?));
        }
    }
    Some(Body::Plugin(report.placed(node, name), parameters))
}

/// Parameters that say how a rule runs.
fn keys_of_rules() -> impl Iterator<Item = &'static str> {
    crate::router::PARAMETERS.iter().copied().filter(|key| *key != keys::ROUTER)
}
