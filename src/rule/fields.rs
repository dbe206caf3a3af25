//! Reading typed fields out of a map; what is wrong becomes a finding with its place.

use std::ops::Range;

use crate::condition::Reading;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::diagnostics::nearest;
use crate::rpc::Value;
use crate::rule::document::Placed;
use crate::rule::scalar::origin_of;
use crate::tag::RegexBudget;
use crate::yaml::Data;
use crate::yaml::Key;
use crate::yaml::Node;

/// Findings of one source, as they come.
pub(super) struct Report<'a> {
    pub(super) source: &'a SourceText,
    whole: Origin,
    pub(super) findings: Vec<Finding>,
    reading: Reading,
    /// What is left to the regular expressions of the source; none once that was told of.
    pub(super) regexes: Option<RegexBudget>,
}

/// A map whose keys were looked at.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n> {
    /// The map, for findings that speak of it as a whole.
    pub(super) node: &'n Node,
    pub(super) entries: &'n [(Key, Node)],
}

// === impl Report ===

impl<'a> Report<'a> {
    pub(super) fn new(source: &'a SourceText, findings: Vec<Finding>, reading: Reading) -> Self {
        let regexes = Some(RegexBudget::default());
        Self { source, whole: Origin::whole(source.clone()), findings, reading, regexes }
    }

    /// Adds a finding at the first line of `span`.
    pub(super) fn add(&mut self, finding: Finding, span: &Range<usize>, label: &str) {
        let text = self.source.text();
        let start = span.start.min(text.len());
        let inside = text.get(start..span.end.min(text.len())).unwrap_or_default();
        let end = start + inside.find(['\n', '\r']).unwrap_or(inside.len());
        self.findings.push(finding.at(&self.whole, start..end, label));
    }

    /// `node` as a map; keys besides `known` are told of.
    pub(super) fn map<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Option<Fields<'n>> {
        let Data::Map(entries) = &node.data else {
            let example = known.first().map_or_else(|| "{}".to_owned(), |key| format!("{key}: …"));
            self.wrong_type(node, what, "a map", &format!("write `{example}`"));
            return None;
        };
        self.tell_unknown(entries, what, known);
        Some(Fields { node, entries })
    }

    pub(super) fn tell_unknown(&mut self, entries: &[(Key, Node)], what: &str, known: &[&str]) {
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            let help = match nearest(&key.text, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys are {}", known.join(", ")),
            };
            let message = format!("unknown key `{}` in {what}", key.text);
            self.add(Finding::warning("rule::unknown_key", message).with_help(help), &key.span, "not read");
        }
    }

    /// A key that is there with nothing after it, where that means `what`.
    pub(super) fn empty_key(&mut self, node: &Node, key: &str, what: &str, help: &str) {
        let finding = Finding::warning("rule::empty_key", format!("nothing stands after `{key}:`, so {what}"));
        self.add(finding.with_help(help), &node.span, "nothing here");
    }

    pub(super) fn missing(&mut self, fields: Fields<'_>, key: &str, what: &str, help: &str) {
        let finding = Finding::error("rule::missing_key", format!("expected `{key}` in {what}"));
        self.add(finding.with_help(help), &fields.node.span, "it begins here");
    }

    /// A text; what YAML takes for a number or a truth value is none.
    pub(super) fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        if let Value::Text(text) = node.to_value() {
            return Some(text.into_owned());
        }
        self.wrong_type(node, &format!("`{key}`"), "a text", &format!("write `{key}: \"TEXT\"`"));
        None
    }

    /// A scalar as it is written; none for what is no scalar, and where nothing stands.
    pub(super) fn written(&mut self, node: &Node, key: &str) -> Option<String> {
        let text = node.text().map(str::to_owned);
        if text.is_none() {
            self.wrong_type(node, &format!("`{key}`"), "a text", &format!("write `{key}: \"TEXT\"`"));
        }
        text
    }

    /// A truth value, in YAML 1.2's words or in the older ones that Java's reader knows, also in quotes.
    pub(super) fn flag(&mut self, node: &Node, key: &str) -> Option<bool> {
        let word = match &node.data {
            Data::Scalar { text, .. } => text.to_ascii_lowercase(),
            Data::List(_) | Data::Map(_) => String::new(),
        };
        match (word.as_str(), node.plain().is_some()) {
            ("true", _) | ("yes" | "on", true) => Some(true),
            ("false", _) | ("no" | "off", true) => Some(false),
            _ => {
                let help = format!("write `{key}: true` or `{key}: false`; Dubbo takes anything else for `false`");
                self.wrong_type(node, &format!("`{key}`"), "`true` or `false`", &help);
                // Read as Dubbo reads it, that is worth a warning.
                let is_scalar = matches!(node.data, Data::Scalar { .. });
                let told = self.findings.last_mut().filter(|_| is_scalar && self.reading == Reading::AsDubbo)?;
                *told = told.clone().with_severity(Severity::Warning);
                Some(false)
            }
        }
    }

    /// A whole number of 32 bits, also in quotes.
    pub(super) fn number(&mut self, node: &Node, key: &str) -> Option<i32> {
        let number = node.text().and_then(|text| text.trim().parse().ok());
        if number.is_none() {
            let expected = format!("a whole number from {} to {}", i32::MIN, i32::MAX);
            self.wrong_type(node, &format!("`{key}`"), &expected, &format!("write `{key}: 3`"));
        }
        number
    }

    /// A list; nothing is an empty one.
    pub(super) fn list<'n>(&mut self, node: &'n Node, key: &str, example: &str) -> Option<&'n [Node]> {
        match &node.data {
            Data::List(items) => Some(items),
            Data::Scalar { .. } if is_nothing(node) => Some(&[]),
            _ => {
                self.wrong_type(node, &format!("`{key}`"), "a list", &format!("write `{key}: [{example}]`"));
                None
            }
        }
    }

    /// A value with the place of the scalar that it was made of.
    pub(super) fn placed<T>(&self, node: &Node, value: T) -> Placed<T> {
        let text = node.text().unwrap_or_default();
        let bytes = node.written.len();
        Placed { value, origin: origin_of(self.source, &node.written, text), bytes }
    }

    /// The place of a map or a list.
    pub(super) fn placed_whole<T>(&self, node: &Node, value: T) -> Placed<T> {
        let text = self.source.text().get(node.span.clone()).unwrap_or_default();
        let bytes = text.find(['\n', '\r']).unwrap_or(text.len());
        Placed { value, origin: Origin::at(self.source.clone(), node.span.start), bytes }
    }

    pub(super) fn wrong_type(&mut self, node: &Node, what: &str, expected: &str, help: &str) {
        let found = match node.plain() {
            Some(text) if !is_nothing(node) => format!("{} (`{text}`)", node.kind()),
            _ => node.kind().to_owned(),
        };
        let message = format!("expected {expected} for {what}, found {found}");
        self.add(Finding::error("rule::wrong_type", message).with_help(help), &node.span, "this value");
    }

    pub(super) fn wrong_value(&mut self, node: &Node, key: &str, expected: &str, help: &str) {
        let message = format!("expected {expected} for `{key}`");
        self.add(Finding::error("rule::wrong_value", message).with_help(help), &node.span, "this value");
    }
}

// === impl Fields ===

impl<'n> Fields<'n> {
    pub(super) fn get(self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(known, _)| known.text == key).map(|(_, node)| node)
    }

    /// The field if it is there and nothing stands in it.
    pub(super) fn empty(self, key: &str) -> Option<&'n Node> {
        self.get(key).filter(|node| is_nothing(node))
    }

    /// The field unless nothing stands in it.
    pub(super) fn given(self, key: &str) -> Option<&'n Node> {
        self.get(key).filter(|node| !is_nothing(node))
    }

    pub(super) fn has(self, key: &str) -> bool {
        self.get(key).is_some()
    }
}

/// Whether nothing stands there, as after `key:`.
pub(super) fn is_nothing(node: &Node) -> bool {
    matches!(node.data, Data::Scalar { .. }) && node.text().is_none()
}
