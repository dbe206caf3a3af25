//! The texts of conditions with the bytes in which they stand, for whoever edits them.

use std::ops::Range;

use crate::condition::Dialect;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::rpc::Value;
use crate::rule::Body;
use crate::rule::Document;
use crate::rule::DocumentOptions;
use crate::rule::conditions::FROM;
use crate::rule::conditions::MATCH;
use crate::rule::conditions::TO;
use crate::rule::fields::Report;
use crate::rule::reader::read_document;
use crate::rule::scalar::origin_of;
use crate::yaml;
use crate::yaml::Data;
use crate::yaml::Node;

/// What of a rule a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPart {
    /// `when => then`.
    Rule,
    /// The `match` of a `from`: a `when` side.
    From,
    /// The `match` of a destination: a `then` side.
    To,
}

/// A text of a condition.
#[derive(Debug)]
pub(crate) struct ConditionText {
    pub(crate) text: String,
    pub(crate) part: TextPart,
    pub(crate) dialect: Dialect,
    /// The bytes of the scalar, quotes included.
    pub(crate) span: Range<usize>,
    pub(crate) is_plain: bool,
    pub(crate) origin: Origin,
}

/// The texts of the conditions of all documents that have no error, and what is wrong with the others.
pub(crate) fn condition_texts(source: &SourceText, options: DocumentOptions<'_>) -> (Vec<ConditionText>, Vec<Finding>) {
    let (nodes, findings) = yaml::read(source);
    let mut report = Report::new(source, findings, options.reading);
    let mut texts = Vec::new();
    for node in &nodes {
        if let Some(document) = read_document(node, options, &mut report) {
            texts_of(node, &document, source, &mut texts);
        }
    }
    (texts, report.findings)
}

fn texts_of(node: &Node, document: &Document, source: &SourceText, texts: &mut Vec<ConditionText>) {
    let mut push = |node: Option<&Node>, part: TextPart| {
        let Some((node, Value::Text(text))) = node.map(|node| (node, node.to_value())) else { return };
        let (text, span, dialect) = (text.into_owned(), node.span.clone(), document.dialect());
        let origin = origin_of(source, &node.written, &text);
        texts.push(ConditionText { text, part, dialect, span, is_plain: node.plain().is_some(), origin });
    };
    let conditions = items(field(node, "conditions"));
    match document.body() {
        Body::Conditions(_) => conditions.iter().for_each(|item| push(Some(item), TextPart::Rule)),
        Body::Destinations(_) => {
            for item in conditions {
                push(field(item, FROM).and_then(|from| field(from, MATCH)), TextPart::From);
                items(field(item, TO)).iter().for_each(|to| push(field(to, MATCH), TextPart::To));
            }
        }
        _ => {}
    }
}

fn field<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    let Data::Map(entries) = &node.data else { return None };
    entries.iter().find(|(known, _)| known.text == key).map(|(_, node)| node)
}

fn items(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.data) {
        Some(Data::List(items)) => items,
        _ => &[],
    }
}
