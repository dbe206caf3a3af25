//! `conditions`: texts, or maps with destinations.

use std::ops::Range;

use hashbrown::HashSet;

use crate::condition;
use crate::condition::Destination;
use crate::condition::DestinationRule;
use crate::condition::ParseError;
use crate::condition::Reading;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;
use crate::rpc::Value;
use crate::rule::Body;
use crate::rule::Placed;
use crate::rule::fields::Fields;
use crate::rule::fields::Report;
use crate::rule::fields::is_nothing;
use crate::rule::reader::Common;
use crate::rule::scalar::origin_of;
use crate::yaml::Data;
use crate::yaml::Node;

const CONDITIONS: &str = "conditions";
pub(super) const FROM: &str = "from";
pub(super) const TO: &str = "to";
pub(super) const MATCH: &str = "match";
const WEIGHT: &str = "weight";
/// Further keys that Dubbo's own examples have and its readers leave alone.
const IGNORED: [&str; 5] = ["force", "priority", "ratio", "trafficDisable", "disable"];

/// What reading one side comes to: something, and what is probably not meant.
type Read<T> = Result<(T, Vec<Finding>), ParseError>;

pub(super) fn read_conditions(node: &Node, common: &Common, report: &mut Report<'_>) -> Option<Body> {
    let items = report.list(node, CONDITIONS, "\"method=find* => region=$region\"")?;
    if items.is_empty() {
        return Some(Body::Nothing);
    }
    if common.version.has_destinations {
        let (mut rules, mut known) = (Vec::with_capacity(items.len()), HashSet::new());
        for item in items {
            if let Some(rule) = read_destinations(item, common, report) {
                tell_repeated(&rule.value, &item.span, &mut known, report);
                rules.push(rule);
            }
        }
        return Some(Body::Destinations(rules));
    }
    let texts = items.iter().filter_map(|item| read_text(item, common, report)).collect();
    Some(Body::Conditions(texts))
}

/// A condition as a text. What stands in it is read by whoever compiles it; here only if nobody will, because the
/// document is switched off.
fn read_text(node: &Node, common: &Common, report: &mut Report<'_>) -> Option<Placed<String>> {
    let Value::Text(text) = node.to_value() else {
        let help = match node.data {
            Data::Map(_) => "conditions with `from` and `to` need `configVersion: v3.1`",
            _ => "write `- \"method=find* => region=$region\"`",
        };
        report.wrong_type(node, "a condition", "a text", help);
        return None;
    };
    let placed = report.placed(node, text.into_owned());
    // A text that is empty would be no rule at all to whoever compiles it.
    if (!common.is_enabled || placed.value.is_empty())
        && let Err(error) = condition::parse_with(&placed.value, common.dialect, common.reading, &placed.origin)
    {
        let severity = if common.is_enabled { Severity::Error } else { Severity::Warning };
        report.findings.push(Finding::from(error).with_severity(severity));
        return None;
    }
    Some(placed)
}

/// Tells of a rule that stands there twice: Dubbo draws twice then.
fn tell_repeated(
    rule: &DestinationRule,
    span: &Range<usize>,
    known: &mut HashSet<DestinationRule>,
    report: &mut Report<'_>,
) {
    if !known.insert(rule.clone()) {
        let finding = Finding::warning("rule::duplicate_condition", "the same condition stands there before");
        report.add(finding.with_help("remove it: each draws for itself, one after the other"), span, "once more");
    }
}

fn read_destinations(node: &Node, common: &Common, report: &mut Report<'_>) -> Option<Placed<DestinationRule>> {
    if !matches!(node.data, Data::Map(_)) {
        let help = "write `- from: {match: …}` and `to: [{match: …}]`, or `configVersion: v3.0` for texts";
        report.wrong_type(node, "a condition of `v3.1`", "a map", help);
        return None;
    }
    let known: Vec<&str> = [FROM, TO].into_iter().chain(IGNORED).collect();
    let fields = report.map(node, "a condition", &known)?;
    let before = report.findings.len();
    if fields.given(FROM).is_none() && fields.given(TO).is_none() {
        let finding = Finding::error("rule::no_destination", "expected `from` or `to` in a condition");
        let help = "`from` alone stops the traffic that it matches; without both that would be all of it";
        report.add(finding.with_help(help), &node.span, "this condition");
    } else if let Some(empty) = fields.empty(TO) {
        let help = "write the destinations below it, or leave `to` out to stop the traffic";
        report.empty_key(empty, TO, "the traffic is stopped", help);
    }
    let from = match fields.given(FROM) {
        Some(from) => read_from(from, common, report),
        None => String::new(),
    };
    let to = match fields.given(TO) {
        Some(node) => {
            let items = report.list(node, TO, "{match: \"region=$region\"}").unwrap_or_default();
            items.iter().filter_map(|item| read_to(item, common, report)).collect()
        }
        None => Vec::new(),
    };
    if !common.is_enabled {
        for finding in report.findings.iter_mut().skip(before) {
            *finding = finding.clone().with_severity(finding.severity().min(Severity::Warning));
        }
    }
    Some(report.placed_whole(node, DestinationRule { from, to }))
}

fn read_from(node: &Node, common: &Common, report: &mut Report<'_>) -> String {
    let Some(fields) = report.map(node, "`from`", &[MATCH]) else { return String::new() };
    let Common { dialect, reading, .. } = common;
    let read = |text: &str, origin: &Origin| {
        condition::parse_when(text, *dialect, *reading, origin).map(|(_, told)| ((), told))
    };
    read_match(fields, report, read)
}

fn read_to(node: &Node, common: &Common, report: &mut Report<'_>) -> Option<Destination> {
    let fields = report.map(node, "a destination", &[MATCH, WEIGHT])?;
    let Common { dialect, reading, .. } = common;
    let read = |text: &str, origin: &Origin| {
        condition::parse_destination(text, *dialect, *reading, origin).map(|(_, told)| ((), told))
    };
    let providers = read_match(fields, report, read);
    let weight = match fields.given(WEIGHT) {
        None => Some(Destination::DEFAULT_WEIGHT),
        Some(node) => {
            let weight = node.text().and_then(|text| text.trim().parse::<i64>().ok());
            let is_default = common.reading == Reading::AsDubbo && weight.is_some_and(|weight| weight < 0);
            let weight = if is_default {
                Some(Destination::DEFAULT_WEIGHT)
            } else {
                weight.and_then(|weight| u32::try_from(weight).ok())
            };
            if weight.is_none() {
                let help = "shares are weight / sum of the weights; 0 is drawn only where no other destination is left";
                report.wrong_value(node, WEIGHT, &format!("a whole number from 0 to {}", u32::MAX), help);
            }
            weight
        }
    };
    Some(Destination { providers, weight: weight? })
}

/// The text of `match`, if it says anything; `read` finds what is wrong with it.
fn read_match(fields: Fields<'_>, report: &mut Report<'_>, read: impl Fn(&str, &Origin) -> Read<()>) -> String {
    let Some(node) = fields.get(MATCH).filter(|node| !is_nothing(node)) else { return String::new() };
    let text = match node.to_value() {
        Value::Text(text) => text.into_owned(),
        // `match: true` means what it says.
        Value::Bool(true) => "true".to_owned(),
        Value::Bool(false) => "false".to_owned(),
        _ => {
            report.wrong_type(node, "`match`", "a text", "write `match: \"region=$region\"`");
            return String::new();
        }
    };
    let origin = origin_of(report.source, &node.written, &text);
    match read(&text, &origin) {
        Ok(((), told)) => report.findings.extend(told),
        Err(error) => report.findings.push(Finding::from(error)),
    }
    text
}
