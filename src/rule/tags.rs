//! `tags`: names, with addresses or conditions on parameters.

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::rule::Body;
use crate::rule::fields::Report;
use crate::rule::fields::is_nothing;
use crate::rule::reader::Common;
use crate::tag::AddressPattern;
use crate::tag::ParameterMatch;
use crate::tag::Tag;
use crate::tag::TagRule;
use crate::tag::TextMatch;
use crate::yaml::Node;

const NAME: &str = "name";
const ADDRESSES: &str = "addresses";
const MATCH: &str = "match";
const KEY: &str = "key";
const VALUE: &str = "value";
const FORMS: [&str; 6] = ["exact", "prefix", "regex", "noempty", "empty", "wildcard"];

pub(super) fn read_tags(node: &Node, common: &Common, report: &mut Report<'_>) -> Option<Body> {
    let items = report.list(node, "tags", "{name: gray, addresses: [\"10.0.0.1:20880\"]}")?;
    if items.is_empty() {
        return Some(Body::Nothing);
    }
    let tags = items.iter().filter_map(|item| read_tag(item, common, report)).collect();
    Some(Body::Tags(report.placed_whole(node, TagRule { tags })))
}

fn read_tag(node: &Node, common: &Common, report: &mut Report<'_>) -> Option<Tag> {
    let fields = report.map(node, "a tag", &[NAME, ADDRESSES, MATCH])?;
    let name = match fields.given(NAME) {
        Some(node) => report.text(node, NAME)?,
        None => {
            let finding = Finding::warning("rule::tag_without_name", "a tag without `name`: no call can ask for it");
            report.add(finding.with_help("write `name: gray`"), &node.span, "this tag");
            String::new()
        }
    };
    let addresses = match fields.given(ADDRESSES) {
        Some(node) => read_addresses(node, report)?,
        None => Vec::new(),
    };
    let matches = match fields.given(MATCH) {
        Some(node) => {
            let before = report.findings.len();
            let matches = read_matches(node, report);
            if !(common.version.has_matches && addresses.is_empty()) {
                // What is not read is not refused either.
                for finding in report.findings.iter_mut().skip(before) {
                    *finding = finding.clone().with_severity(finding.severity().min(Severity::Warning));
                }
                matches.or(Some(Vec::new()))
            } else {
                Some(matches?)
            }
        }
        None => None,
    };
    let unread = match (&matches, common.version.has_matches, addresses.is_empty()) {
        (Some(_), false, _) => Some("`match` is read only under `configVersion: v3.0`"),
        (Some(_), true, false) => Some("`match` is not read beside `addresses`"),
        _ => None,
    };
    if let (Some(why), Some(node)) = (unread, fields.get(MATCH)) {
        let finding = Finding::warning("rule::match_not_read", why);
        report.add(finding.with_help("remove the one or the other"), &node.span, "not read");
    }
    let matches = matches.filter(|_| common.version.has_matches && addresses.is_empty());
    Some(Tag { name, addresses, matches })
}

fn read_addresses(node: &Node, report: &mut Report<'_>) -> Option<Vec<String>> {
    let items = report.list(node, ADDRESSES, "\"10.0.0.1:20880\"")?;
    let mut addresses = Vec::with_capacity(items.len());
    for item in items {
        if is_nothing(item) {
            let finding = Finding::warning("rule::wrong_address", "nothing stands there, and it means nobody");
            report.add(finding.with_help("write an address, or remove it"), &item.span, "this address");
            continue;
        }
        let text = report.written(item, "an address")?;
        if AddressPattern::parse(&text).is_none() {
            let finding = Finding::warning("rule::wrong_address", format!("`{text}` is no address: it means nobody"));
            let help = "write `10.0.0.1:20880`, `10.0.0.1`, `*:20880`, `10.0.0.0/24`, `10.0.*.*` or `10.0.0.1-30`";
            report.add(finding.with_help(help), &item.span, "this address");
        }
        addresses.push(text);
    }
    Some(addresses)
}

fn read_matches(node: &Node, report: &mut Report<'_>) -> Option<Vec<ParameterMatch>> {
    let items = report.list(node, MATCH, "{key: env, value: {exact: gray}}")?;
    items.iter().map(|item| read_match(item, report)).collect()
}

fn read_match(node: &Node, report: &mut Report<'_>) -> Option<ParameterMatch> {
    let fields = report.map(node, "a `match`", &[KEY, VALUE])?;
    let Some(key) = fields.given(KEY) else {
        report.missing(fields, KEY, "a `match`", "write `{key: env, value: {exact: gray}}`");
        return None;
    };
    let key = report.text(key, KEY)?;
    let value = match fields.given(VALUE) {
        Some(node) => read_value(node, report)?,
        None => {
            report.missing(fields, VALUE, "a `match`", "write `{key: env, value: {exact: gray}}`");
            return None;
        }
    };
    Some(ParameterMatch { key, value })
}

fn read_value(node: &Node, report: &mut Report<'_>) -> Option<TextMatch> {
    let fields = report.map(node, "the `value` of a `match`", &FORMS)?;
    let mut form = |name: &str| match fields.given(name) {
        Some(node) => report.written(node, name),
        None => None,
    };
    let [exact, prefix, regex, noempty, empty, wildcard] = FORMS;
    let value = TextMatch {
        exact: form(exact),
        prefix: form(prefix),
        regex: form(regex),
        wildcard: form(wildcard),
        empty: form(empty).is_some(),
        noempty: form(noempty).is_some(),
    };
    if let (Some(problem), Some(node)) = (value.problem(), fields.get(regex)) {
        let finding = Finding::error("rule::wrong_regex", format!("expected a regular expression: {problem}"));
        let help = "expressions that look back or ahead are not run here: they may take for ever";
        report.add(finding.with_help(help), &node.span, "this expression");
    }
    if value.form_count() != 1 && !is_nothing(node) {
        let forms = FORMS.join("`, `");
        let message = format!("expected one of `{forms}`, found {}", value.form_count());
        let help =
            if value.form_count() == 0 { "without a form nothing fits" } else { "only the first of them counts" };
        report.add(Finding::warning("rule::match_forms", message).with_help(help), &node.span, "this value");
    }
    Some(value)
}
