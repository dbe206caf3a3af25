//! `*.rules`: the conditions; tags, route URLs and comments stay.

use crate::condition::Dialect;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::rpc::keys;
use crate::rule::TextPart;
use crate::source::folder::RuleEntry;
use crate::source::folder::RuleKind;
use crate::source::folder::read_rules;
use crate::source::format::Formatted;
use crate::source::format::edit::Edit;
use crate::source::format::edit::apply;
use crate::source::format::edit::tidy_ends;
use crate::source::format::edit::with_line_feeds;
use crate::source::format::normal::Form;
use crate::source::format::normal::normal_form;

pub(super) fn format_rules(source: &SourceText) -> Result<Formatted, Vec<Finding>> {
    let base = SourceText::new(source.name(), &*with_line_feeds(source.text()));
    let mut findings = Vec::new();
    let before = read_rules(&base, &mut findings);
    if findings.iter().any(|finding| finding.severity() == Severity::Error) {
        return Err(findings);
    }
    let (mut edits, mut left) = (Vec::new(), Vec::new());
    let mut expected = Vec::with_capacity(before.len());
    for entry in &before {
        let form = match entry.kind() {
            RuleKind::Condition => normal_form(entry.text(), TextPart::Rule, dialect_of(entry), entry.origin()),
            _ => Form::Same,
        };
        let text = match form {
            Form::New(new) => {
                let start = entry.line_origin().offset(0);
                edits.push(Edit { span: start..start + entry.line_bytes(), text: new.clone() });
                new
            }
            Form::Left(finding) => {
                left.push(*finding);
                entry.text().to_owned()
            }
            Form::Same => entry.text().to_owned(),
        };
        expected.push(text);
    }
    // The rule ends where its last blank begins, so no edit meets another.
    edits.extend(tidy_ends(base.text(), &[]));
    let text = apply(base.text(), edits).filter(|text| is_same(source.name(), text, &before, &expected));
    Ok(match text {
        Some(text) => Formatted { text, findings: left },
        None => Formatted::unchanged(source, left),
    })
}

/// Whether `text` has the rules `before`, with the texts `expected`.
fn is_same(name: &str, text: &str, before: &[RuleEntry], expected: &[String]) -> bool {
    let mut findings = Vec::new();
    let after = read_rules(&SourceText::new(name, text), &mut findings);
    let is_alike = |(one, other): (&RuleEntry, &RuleEntry)| {
        let parameters = |entry: &RuleEntry| {
            let url = entry.to_url();
            let is_rule = |key: &str| key == keys::RULE && entry.kind() == RuleKind::Condition;
            let kept = url.parameters().filter(|(key, _)| !is_rule(key));
            let kept: Vec<_> = kept.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            (url.protocol().map(str::to_owned), url.host().map(str::to_owned), url.path().map(str::to_owned), kept)
        };
        one.kind() == other.kind() && one.line() == other.line() && parameters(one) == parameters(other)
    };
    before.len() == after.len()
        && before.iter().zip(&after).all(is_alike)
        && after.iter().map(RuleEntry::text).eq(expected.iter().map(String::as_str))
}

fn dialect_of(entry: &RuleEntry) -> Dialect {
    let url = entry.to_url();
    url.non_empty_parameter(keys::DIALECT).and_then(Dialect::parse).unwrap_or_default()
}
