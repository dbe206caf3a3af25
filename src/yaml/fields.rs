//! Reading typed fields out of a map; what is wrong becomes a finding with its place.

use std::ops::Range;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::diagnostics::nearest;
use crate::yaml::Data;
use crate::yaml::Key;
use crate::yaml::Node;

/// What findings about fields are called; each kind of file has names of its own.
#[derive(Debug)]
pub(crate) struct FieldSlugs {
    pub(crate) unknown_key: &'static str,
    pub(crate) missing_key: &'static str,
    pub(crate) wrong_type: &'static str,
    pub(crate) wrong_value: &'static str,
}

/// Findings of one file, as they come.
pub(crate) struct Report {
    origin: Origin,
    slugs: &'static FieldSlugs,
    pub(crate) findings: Vec<Finding>,
}

/// A map whose keys are known.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'n> {
    /// The map, for findings that speak of it as a whole.
    pub(crate) node: &'n Node,
    entries: &'n [(Key, Node)],
}

// === impl Report ===

impl Report {
    pub(crate) fn new(source: &SourceText, slugs: &'static FieldSlugs) -> Self {
        Self { origin: Origin::whole(source.clone()), slugs, findings: Vec::new() }
    }

    /// Adds a finding at the first line of `span`.
    pub(crate) fn add(&mut self, finding: Finding, span: &Range<usize>, label: &str) {
        let text = self.origin.source().text();
        let start = span.start.min(text.len());
        let inside = text.get(start..span.end.min(text.len())).unwrap_or_default();
        let end = start + inside.find(['\n', '\r']).unwrap_or(inside.len());
        self.findings.push(finding.at(&self.origin, start..end, label));
    }

    pub(crate) fn line(&self, node: &Node) -> usize {
        self.origin.source().line_and_column(node.span.start).0
    }

    /// `node` as a map in which only `keys` stand, and `others`, which no advice names.
    pub(crate) fn fields<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        keys: &[&str],
        others: &[&str],
    ) -> Option<Fields<'n>> {
        let Data::Map(entries) = &node.data else {
            let example = format!("write `{}: …`", keys.first().unwrap_or(&"key"));
            self.wrong_type(node, what, "a map", &example);
            return None;
        };
        let is_known = |key: &Key| [keys, others].iter().any(|known| known.contains(&key.text.as_str()));
        for (key, _) in entries.iter().filter(|(key, _)| !is_known(key)) {
            let help = match nearest(&key.text, keys.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys are {}", keys.join(", ")),
            };
            let message = format!("unknown key `{}` in {what}", key.text);
            self.add(Finding::error(self.slugs.unknown_key, message).with_help(help), &key.span, "not a key");
        }
        Some(Fields { node, entries })
    }

    /// A field that must be there.
    pub(crate) fn required<'n>(&mut self, fields: Fields<'n>, key: &str, what: &str, help: &str) -> Option<&'n Node> {
        let found = fields.get(key);
        if found.is_none() {
            let finding = Finding::error(self.slugs.missing_key, format!("expected `{key}` in {what}"));
            self.add(finding.with_help(help), &fields.node.span, "it begins here");
        }
        found
    }

    /// A text that is not empty.
    pub(crate) fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        let text = node.text().filter(|text| !text.is_empty());
        if text.is_none() {
            self.wrong_type(node, &format!("`{key}`"), "a text", &format!("write `{key}: TEXT`"));
        }
        text.map(str::to_owned)
    }

    /// A whole number.
    pub(crate) fn number<T: std::str::FromStr>(&mut self, node: &Node, key: &str) -> Option<T> {
        let number = node.plain().and_then(|text| text.parse().ok());
        if number.is_none() {
            self.wrong_type(node, &format!("`{key}`"), "a whole number", &format!("write `{key}: 3`"));
        }
        number
    }

    /// `true`, the only value that makes sense; `false` is an error too.
    pub(crate) fn truth(&mut self, node: &Node, key: &str) -> Option<()> {
        if node.plain() == Some("true") {
            return Some(());
        }
        self.wrong_type(node, &format!("`{key}`"), "`true`", &format!("write `{key}: true`, or leave it out"));
        None
    }

    /// A list with something in it.
    pub(crate) fn list<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n [Node]> {
        match &node.data {
            Data::List(items) if !items.is_empty() => Some(items),
            Data::List(_) => {
                let finding = Finding::error(self.slugs.wrong_value, format!("expected something in the list `{key}`"));
                self.add(finding.with_help(format!("leave `{key}` out, or fill it")), &node.span, "an empty list");
                None
            }
            _ => {
                self.wrong_type(node, &format!("`{key}`"), "a list", &format!("write `{key}: [ONE, TWO]`"));
                None
            }
        }
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, node: &Node, key: &str) -> Option<Vec<String>> {
        let items = self.list(node, key)?;
        items.iter().map(|item| self.text(item, key)).collect()
    }

    /// A text, or a list of some.
    pub(crate) fn text_or_texts(&mut self, node: &Node, key: &str) -> Option<Vec<String>> {
        if matches!(node.data, Data::List(_)) { self.texts(node, key) } else { Some(vec![self.text(node, key)?]) }
    }

    pub(crate) fn wrong_type(&mut self, node: &Node, what: &str, expected: &str, help: &str) {
        // `count: "3"` and `keep-all: yes` are no other type to look at, so what stands there is told.
        let found = match node.text() {
            Some(text) if !text.is_empty() => format!("`{text}`"),
            Some(_) => "an empty text".to_owned(),
            None => node.kind().to_owned(),
        };
        let finding = Finding::error(self.slugs.wrong_type, format!("expected {expected} for {what}, found {found}"));
        self.add(finding.with_help(help), &node.span, "this value");
    }

    pub(crate) fn wrong_value(&mut self, node: &Node, key: &str, expected: &str, help: &str) {
        let found = node.text().unwrap_or_default();
        let message = format!("expected {expected} for `{key}`, found `{found}`");
        self.add(Finding::error(self.slugs.wrong_value, message).with_help(help), &node.span, "this value");
    }
}

// === impl Fields ===

impl<'n> Fields<'n> {
    pub(crate) fn get(self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(name, _)| name.text == key).map(|(_, node)| node)
    }

    /// The keys of the map, with their places.
    pub(crate) fn entries(self) -> &'n [(Key, Node)] {
        self.entries
    }
}
