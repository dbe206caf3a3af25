//! `tags`: names, with addresses or conditions on parameters.

use std::ops::Range;

use hashbrown::HashMap;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::rule::Body;
use crate::rule::fields::Report;
use crate::rule::fields::is_nothing;
use crate::rule::reader::Common;
use crate::tag::AddressPattern;
use crate::tag::MAX_REGEXES_BYTES;
use crate::tag::ParameterMatch;
use crate::tag::RegexProblem;
use crate::tag::Tag;
use crate::tag::TagRule;
use crate::tag::TextMatch;
use crate::yaml::Node;

const NAME: &str = "name";
const ADDRESSES: &str = "addresses";
const MATCH: &str = "match";
const KEY: &str = "key";
const VALUE: &str = "value";
const VERSION_HELP: &str = "write `configVersion: v3.0`, or list `addresses`";
const FORMS: [&str; 6] = ["exact", "prefix", "regex", "noempty", "empty", "wildcard"];

pub(super) fn read_tags(node: &Node, common: &Common, report: &mut Report<'_>) -> Option<Body> {
    let items = report.list(node, "tags", "{name: gray, addresses: [\"10.0.0.1:20880\"]}")?;
    if items.is_empty() {
        return Some(Body::Nothing);
    }
    let mut named = HashMap::new();
    let mut tags = Vec::with_capacity(items.len());
    for item in items {
        if let Some(tag) = read_tag(item, common, report) {
            tell_repeated(&tag, &item.span, &mut named, report);
            tags.push(tag);
        }
    }
    Some(Body::Tags(report.placed_whole(node, TagRule { tags })))
}

/// Tells of a name that stands there twice: one of the two is as if it were not there.
fn tell_repeated(tag: &Tag, span: &Range<usize>, named: &mut HashMap<String, bool>, report: &mut Report<'_>) {
    let is_by_match = tag.matches.is_some();
    if tag.name.is_empty() {
        return;
    }
    let Some(before) = named.insert(tag.name.clone(), is_by_match) else { return };
    let which = match (before, is_by_match) {
        // One by `match` that somebody carries comes after all by addresses.
        (true, false) => "the earlier one, by `match`, counts wherever a provider fits it",
        (false, true) => "the later one, by `match`, counts wherever a provider fits it",
        _ => "only the later one counts",
    };
    let finding = Finding::warning("rule::duplicate_tag", format!("two tags are called `{}`: {which}", tag.name));
    report.add(finding.with_help("make one tag of them, with all its addresses"), span, "once more");
}

fn read_tag(node: &Node, common: &Common, report: &mut Report<'_>) -> Option<Tag> {
    let fields = report.map(node, "a tag", &[NAME, ADDRESSES, MATCH])?;
    let name = match fields.given(NAME) {
        Some(node) => report.text(node, NAME)?,
        None => String::new(),
    };
    if name.is_empty() {
        let finding = Finding::warning("rule::tag_without_name", "a tag without `name`: no call can ask for it");
        let place = fields.get(NAME).unwrap_or(node);
        report.add(finding.with_help("write `name: gray`"), &place.span, "this tag");
    }
    let addresses = match fields.given(ADDRESSES) {
        Some(node) => read_addresses(node, report)?,
        None => Vec::new(),
    };
    let matches = match fields.given(MATCH) {
        Some(node) => {
            let (before, regexes) = (report.findings.len(), report.regexes.clone());
            let matches = read_matches(node, report);
            if !(common.version.has_matches && addresses.is_empty()) {
                // What is not read is not refused either.
                for finding in report.findings.iter_mut().skip(before) {
                    *finding = finding.clone().with_severity(finding.severity().min(Severity::Warning));
                }
                report.regexes = regexes;
                matches.or(Some(Vec::new()))
            } else {
                Some(matches?)
            }
        }
        None => None,
    };
    let unread = match (&matches, common.version.has_matches, addresses.is_empty()) {
        (Some(_), false, true) => Some(("`match` is read only under `configVersion: v3.0`", VERSION_HELP)),
        (Some(_), _, false) => Some(("`match` is not read beside `addresses`", "remove the one or the other")),
        _ => None,
    };
    if let (Some((why, help)), Some(node)) = (unread, fields.get(MATCH)) {
        let finding = Finding::warning("rule::match_not_read", why);
        report.add(finding.with_help(help), &node.span, "not read");
    }
    let matches = matches.filter(|_| common.version.has_matches && addresses.is_empty());
    if let (Some([]), Some(node)) = (matches.as_deref(), fields.get(MATCH)) {
        let message = format!("an empty `match` takes every provider: all of them have the tag `{name}`");
        let help = "write what they must be like, for example `{key: env, value: {exact: gray}}`, or `addresses`";
        report.add(Finding::warning("rule::match_takes_all", message).with_help(help), &node.span, "no condition");
    }
    if addresses.is_empty() && matches.is_none() && unread.is_none() {
        for key in [ADDRESSES, MATCH] {
            if let Some(empty) = fields.empty(key) {
                let help = "write them below it, or remove the tag";
                report.empty_key(empty, key, "nobody carries the tag", help);
            }
        }
    }
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
        let wrong = match AddressPattern::parse(&text) {
            None => Some((
                format!("`{text}` is no address: it means nobody"),
                "write `10.0.0.1:20880`, `10.0.0.1`, `*:20880`, `10.0.0.0/24`, `10.0.*.*` or `10.0.0.1-30`",
            )),
            Some(pattern) if pattern.is_empty() => Some((
                format!("a range in `{text}` ends before it begins: it means nobody"),
                "write the smaller number first, for example `10.0.0.1-30`",
            )),
            Some(_) => None,
        };
        if let Some((message, help)) = wrong {
            report.add(Finding::warning("rule::wrong_address", message).with_help(help), &item.span, "this address");
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
    if let Some(node) = fields.get(regex) {
        tell_problem(&value, node, report);
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

/// Tells why an expression cannot be used; that there is no room left for it, once.
fn tell_problem(value: &TextMatch, node: &Node, report: &mut Report<'_>) {
    let Some(budget) = &mut report.regexes else { return };
    let finding = match value.problem(budget) {
        None => return,
        Some(RegexProblem::NoRoom) => {
            report.regexes = None;
            let message = format!("expected expressions of at most {} MiB in a file", MAX_REGEXES_BYTES >> 20);
            let help = "`\\w` and repetitions like `{20}` take most: write `[a-z0-9_]`, use `exact` or `prefix`, or make several files";
            Finding::error("rule::too_many_expressions", message).with_help(help)
        }
        Some(problem) => {
            let text = problem.to_string();
            let help = if text.contains("look-around") || text.contains("backreferences") {
                "expressions that look back or ahead are not run here: they may take for ever"
            } else if text.contains("MiB") {
                "shorten its repetitions `{m,n}`, or use `exact` or `prefix`"
            } else {
                "write for example `gray-[0-9]+`: the whole value has to fit"
            };
            Finding::error("rule::wrong_regex", format!("expected a regular expression: {text}")).with_help(help)
        }
    };
    report.add(finding, &node.span, "this expression");
}
