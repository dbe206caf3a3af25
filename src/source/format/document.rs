//! Rule documents: the texts of conditions, edited where they stand.

use std::ops::Range;

use hashbrown::HashMap;
use hashbrown::HashSet;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::rpc::keys;
use crate::rule::Body;
use crate::rule::ConditionText;
use crate::rule::Document;
use crate::rule::DocumentOptions;
use crate::rule::condition_texts;
use crate::rule::read_documents;
use crate::source::format::Formatted;
use crate::source::format::edit::Edit;
use crate::source::format::edit::apply;
use crate::source::format::edit::tidy_ends;
use crate::source::format::edit::with_line_feeds;
use crate::source::format::normal::Form;
use crate::source::format::normal::left_alone;
use crate::source::format::normal::normal_form;
use crate::source::format::scalar::rewritten;
use crate::yaml;
use crate::yaml::Data;
use crate::yaml::Node;

/// How much of a file is tidied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tidy {
    /// Texts, ends of lines, the end of the file.
    All,
    /// Texts alone: where ends of lines are a part of a value.
    Texts,
}

/// The edits that rule texts need.
struct Texts {
    edits: Vec<Edit>,
    /// The new text of each old one.
    changes: HashMap<String, String>,
    left: Vec<Finding>,
}

/// A step through a tree of values.
#[derive(Debug, PartialEq, Eq)]
enum Step<'a> {
    List(usize),
    Map(usize),
    Key(&'a str),
    Scalar { text: &'a str, is_plain: bool },
}

pub(super) fn format_document(source: &SourceText) -> Result<Formatted, Vec<Finding>> {
    let mut left = Vec::new();
    for tidy in [Tidy::All, Tidy::Texts] {
        let base = match tidy {
            Tidy::All => SourceText::new(source.name(), &*with_line_feeds(source.text())),
            Tidy::Texts => source.clone(),
        };
        let (texts, findings) = condition_texts(&base, DocumentOptions::default());
        if findings.iter().any(|finding| finding.severity() == Severity::Error) {
            return Err(findings);
        }
        let texts = edits_of(&base, &texts);
        left = texts.left;
        let mut edits = texts.edits;
        if tidy == Tidy::All {
            edits.extend(tidy_ends(base.text(), &several_lines(&base)));
        }
        if let Some(text) = apply(base.text(), edits).filter(|text| is_same(source, text, &texts.changes)) {
            return Ok(Formatted { text, findings: left });
        }
    }
    Ok(Formatted::unchanged(source, left))
}

fn edits_of(base: &SourceText, texts: &[ConditionText]) -> Texts {
    let mut found = Texts { edits: Vec::new(), changes: HashMap::new(), left: Vec::new() };
    let mut seen: HashSet<Range<usize>> = HashSet::new();
    for condition in texts {
        // An alias stands for a text that was looked at where it is written.
        let written = base.text().get(condition.span.clone()).unwrap_or_default();
        if written.starts_with('*') || !seen.insert(condition.span.clone()) {
            continue;
        }
        match normal_form(&condition.text, condition.part, condition.dialect, &condition.origin) {
            Form::Same => {}
            Form::Left(finding) => found.left.push(*finding),
            Form::New(new) => match rewritten(written, &condition.text, condition.is_plain, &new) {
                Some(text) => {
                    found.edits.push(Edit { span: condition.span.clone(), text });
                    found.changes.insert(condition.text.clone(), new);
                }
                None if condition.is_plain && !written.contains('\n') => {
                    let why = Finding::warning("fmt::left_alone", format!("`{new}` needs quotes"));
                    let why = why.with_help("put the rule into quotes");
                    found.left.push(left_alone(&why, &condition.text, &condition.origin));
                }
                // Several lines, or characters in another spelling: somebody's layout.
                None => {}
            },
        }
    }
    found
}

/// The scalars whose text stands on several lines.
fn several_lines(base: &SourceText) -> Vec<Range<usize>> {
    let (nodes, _) = yaml::read(base);
    let mut spans = Vec::new();
    nodes.iter().for_each(|node| spans_of(node, &mut spans));
    spans.retain(|span| base.text().get(span.clone()).is_some_and(|written| written.contains('\n')));
    spans.sort_by_key(|span| (span.start, span.end));
    spans
}

fn spans_of(node: &Node, spans: &mut Vec<Range<usize>>) {
    match &node.data {
        Data::Scalar { .. } => spans.push(node.span.clone()),
        Data::List(items) => items.iter().for_each(|item| spans_of(item, spans)),
        Data::Map(entries) => {
            for (key, value) in entries {
                spans.push(key.span.clone());
                spans_of(value, spans);
            }
        }
    }
}

/// Whether `text` is `source` with other rule texts: the same values, documents and rules.
fn is_same(source: &SourceText, text: &str, changes: &HashMap<String, String>) -> bool {
    let formatted = SourceText::new(source.name(), text);
    let ((before, told), (after, told_after)) = (yaml::read(source), yaml::read(&formatted));
    let (mut one, mut other) = (Vec::new(), Vec::new());
    before.iter().for_each(|node| steps(node, &mut one));
    after.iter().for_each(|node| steps(node, &mut other));
    let is_alike = |(one, other): (&Step<'_>, &Step<'_>)| match (one, other) {
        (Step::Scalar { text, is_plain }, Step::Scalar { text: new, is_plain: stays }) => {
            is_plain == stays && (text == new || changes.get(*text).is_some_and(|changed| changed == new))
        }
        _ => one == other,
    };
    told.len() == told_after.len()
        && one.len() == other.len()
        && one.iter().zip(&other).all(is_alike)
        && has_same_documents(source, &formatted)
}

fn steps<'a>(node: &'a Node, out: &mut Vec<Step<'a>>) {
    match &node.data {
        Data::Scalar { text, is_plain } => out.push(Step::Scalar { text, is_plain: *is_plain }),
        Data::List(items) => {
            out.push(Step::List(items.len()));
            items.iter().for_each(|item| steps(item, out));
        }
        Data::Map(entries) => {
            out.push(Step::Map(entries.len()));
            for (key, value) in entries {
                out.push(Step::Key(&key.text));
                steps(value, out);
            }
        }
    }
}

fn has_same_documents(source: &SourceText, formatted: &SourceText) -> bool {
    let read = |source: &SourceText| read_documents(source, DocumentOptions::default());
    let ((before, told), (after, told_after)) = (read(source), read(formatted));
    told.iter().map(Finding::slug).eq(told_after.iter().map(Finding::slug))
        && before.len() == after.len()
        && before.iter().zip(&after).all(|(one, other)| facts(one) == facts(other))
}

/// What must not change of a document: all but the texts of its conditions.
fn facts(document: &Document) -> String {
    let has_texts = matches!(document.body(), Body::Conditions(_) | Body::Destinations(_));
    let rules = document.rules().unwrap_or_default();
    let rules = rules.iter().map(|rule| {
        let parameters: Vec<_> = rule.url.parameters().filter(|(key, _)| !(has_texts && *key == keys::RULE)).collect();
        format!("{:?} {:?} {parameters:?} {:?}", rule.url.protocol(), rule.url.path(), rule.placement)
    });
    let rules: Vec<String> = rules.collect();
    format!("{} {:?} {} {rules:?}", document.kind(), document.scope(), document.key())
}
