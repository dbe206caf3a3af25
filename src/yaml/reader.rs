//! From the parser's events to a tree.

use std::ops::Range;

use hashbrown::HashMap;
use hashbrown::HashSet;
use saphyr_parser::Event;
use saphyr_parser::Marker;
use saphyr_parser::Parser;
use saphyr_parser::ScalarStyle;
use saphyr_parser::ScanError;
use saphyr_parser::Span;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::yaml::Data;
use crate::yaml::Key;
use crate::yaml::Node;

/// How deep values may lie inside one another.
pub const MAX_DEPTH: usize = 64;
/// How much all anchors of a file may keep and all its aliases repeat, together: 4 MiB.
pub const MAX_REPEATED_BYTES: usize = 4 << 20;

/// The key that takes in other maps.
const MERGE: &str = "<<";

/// What a value counts besides its text.
const NODE_BYTES: usize = 64;

/// Reads the documents of a text. Findings are in the order of their places; one that says that the text is no YAML, or
/// that it goes beyond a bound, is the last, and the document that it stands in is missing.
pub(crate) fn read(source: &SourceText) -> (Vec<Node>, Vec<Finding>) {
    let mut reader = Reader {
        source,
        origin: Origin::whole(source.clone()),
        offsets: Offsets::of(source.text()),
        open: Vec::new(),
        anchors: HashMap::new(),
        repeated_bytes: 0,
        documents: Vec::new(),
        findings: Vec::new(),
    };
    // The scanner takes it for the end of the text, and tells of that elsewhere or not at all.
    if let Some(at) = source.text().find('\0') {
        let finding = Finding::error("yaml::not_yaml", "expected YAML, found U+0000, which no YAML holds");
        let finding = finding.with_help("take it out; in a text between double quotes it is written `\\0`");
        reader.findings.push(finding.at(&reader.origin, at..at + 1, "this character"));
        return (Vec::new(), reader.findings);
    }
    let mut parser = Parser::new_from_str(source.text());
    while let Some(event) = parser.next_event() {
        let read = event.map_err(|error| reader.not_yaml(&error)).and_then(|(event, span)| reader.on(event, span));
        if let Err(finding) = read {
            reader.findings.push(*finding);
            break;
        }
    }
    (reader.documents, reader.findings)
}

struct Reader<'a> {
    source: &'a SourceText,
    origin: Origin,
    offsets: Offsets,
    /// Lists and maps that have begun and not ended, the innermost last.
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    repeated_bytes: usize,
    documents: Vec<Node>,
    findings: Vec<Finding>,
}

/// A list or a map that has not ended.
struct Open {
    span: Range<usize>,
    anchor: usize,
    items: Items,
    measure: Measure,
}

enum Items {
    List(Vec<Node>),
    Map {
        entries: Vec<(Key, Node)>,
        seen: HashSet<String>,
        key: Option<Key>,
        /// Whether the key stood in this map before, so that its value goes nowhere.
        is_repeated: bool,
    },
}

/// What an alias stands for.
struct Anchored {
    node: Node,
    measure: Measure,
}

/// How large a value is.
#[derive(Clone, Copy)]
struct Measure {
    bytes: usize,
    levels: usize,
}

/// The byte of each character; none where every character is one byte.
struct Offsets(Option<Vec<usize>>);

/// Boxed: an error of every event would make each answer as large as a finding.
type Read = Result<(), Box<Finding>>;

// === impl Reader ===

impl Reader<'_> {
    fn on(&mut self, event: Event<'_>, span: Span) -> Read {
        let span = self.offsets.bytes(span.start)..self.offsets.bytes(span.end);
        let tag = match &event {
            Event::Scalar(.., tag) | Event::SequenceStart(_, tag) | Event::MappingStart(_, tag) => tag.as_ref(),
            _ => None,
        };
        if tag.is_some() {
            let finding = Finding::error("yaml::tag", "expected a value without a tag");
            self.report(
                finding.with_help("leave `!…` out; quotes make a text of anything"),
                span.clone(),
                "this value",
            );
        }
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let measure = Measure { bytes: NODE_BYTES + text.len(), levels: 0 };
                let span = scalar_span(self.source.text(), span);
                let data = Data::Scalar { text: text.into_owned(), is_plain: style == ScalarStyle::Plain };
                return self.value(Node::at(span, data), anchor, measure);
            }
            Event::SequenceStart(anchor, _) => return self.begin(span, anchor, Items::List(Vec::new())),
            Event::MappingStart(anchor, _) => {
                let (entries, seen) = (Vec::new(), HashSet::new());
                return self.begin(span, anchor, Items::Map { entries, seen, key: None, is_repeated: false });
            }
            Event::SequenceEnd | Event::MappingEnd => return self.end(),
            Event::Alias(anchor) => return self.alias(anchor, span),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn begin(&mut self, span: Range<usize>, anchor: usize, items: Items) -> Read {
        self.require_depth(self.open.len() + 1, &span)?;
        self.open.push(Open { span, anchor, items, measure: Measure { bytes: NODE_BYTES, levels: 1 } });
        Ok(())
    }

    fn end(&mut self) -> Read {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let data = match open.items {
            Items::List(items) => Data::List(items),
            Items::Map { entries, .. } => Data::Map(self.merged(entries)),
        };
        self.value(Node::at(open.span, data), open.anchor, open.measure)
    }

    /// `entries` with what their `<<` takes in: keys that are there count more, and of several maps the earlier.
    fn merged(&mut self, mut entries: Vec<(Key, Node)>) -> Vec<(Key, Node)> {
        let is_merge =
            |(key, _): &(Key, Node)| key.text == MERGE && self.source.text().get(key.span.clone()) == Some(MERGE);
        let Some(at) = entries.iter().position(is_merge) else { return entries };
        let (_, node) = entries.remove(at);
        let maps = match node.data {
            Data::List(items) => items,
            data => vec![Node::at(node.span.clone(), data)],
        };
        let mut known: HashSet<String> = entries.iter().map(|(key, _)| key.text.clone()).collect();
        for map in maps {
            let Data::Map(others) = map.data else {
                let finding =
                    Finding::error("yaml::wrong_merge", format!("expected a map after `<<`, found {}", map.kind()));
                self.report(finding.with_help("write `<<: *name`, with `&name` in front of a map"), map.span, "no map");
                continue;
            };
            for (key, value) in others {
                if known.insert(key.text.clone()) {
                    entries.push((key, value));
                }
            }
        }
        entries
    }

    fn alias(&mut self, anchor: usize, span: Range<usize>) -> Read {
        let Some(anchored) = self.anchors.get(&anchor) else {
            let finding = Finding::error("yaml::not_yaml", "an alias inside of what it stands for");
            return Err(Box::new(finding.with_help("write the value out").at(&self.origin, span, "this alias")));
        };
        let measure = anchored.measure;
        self.require_depth(self.open.len() + measure.levels, &span)?;
        self.repeat(measure, &span)?;
        let Some(node) = self.anchors.get(&anchor).map(|anchored| anchored.node.clone()) else { return Ok(()) };
        self.value(Node { span, ..node }, 0, measure)
    }

    /// Counts a value that will be there once more.
    fn repeat(&mut self, measure: Measure, span: &Range<usize>) -> Read {
        self.repeated_bytes = self.repeated_bytes.saturating_add(measure.bytes);
        if self.repeated_bytes <= MAX_REPEATED_BYTES {
            return Ok(());
        }
        let message =
            format!("expected anchors and aliases of at most {MAX_REPEATED_BYTES} bytes together, found more");
        let finding = Finding::error("yaml::too_many_aliases", message).with_help("write the values out");
        Err(Box::new(finding.at(&self.origin, span.clone(), "beyond the limit")))
    }

    /// A value is complete: it belongs to what is open, or is a document.
    fn value(&mut self, node: Node, anchor: usize, measure: Measure) -> Read {
        if anchor != 0 {
            self.repeat(measure, &node.span)?;
            self.anchors.insert(anchor, Anchored { node: node.clone(), measure });
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.push(node);
            return Ok(());
        };
        open.measure.bytes = open.measure.bytes.saturating_add(measure.bytes);
        open.measure.levels = open.measure.levels.max(measure.levels + 1);
        match &mut open.items {
            Items::List(items) => items.push(node),
            Items::Map { entries, key: key @ Some(_), is_repeated, .. } => {
                if let (Some(key), false) = (key.take(), *is_repeated) {
                    entries.push((key, node));
                }
            }
            Items::Map { seen, key, is_repeated, .. } => {
                let text = match &node.data {
                    Data::Scalar { text, .. } => text.clone(),
                    Data::List(_) | Data::Map(_) => String::new(),
                };
                let problem = key_problem(&node, &text, seen);
                *key = Some(Key { span: node.span.clone(), text });
                *is_repeated = problem.is_some();
                if let Some(finding) = problem {
                    self.report(finding, node.span, "this key");
                }
            }
        }
        Ok(())
    }

    fn require_depth(&self, depth: usize, span: &Range<usize>) -> Read {
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("expected at most {MAX_DEPTH} levels of lists and maps, found more");
        let finding = Finding::error("yaml::too_deep", message).with_help("write it flatter");
        Err(Box::new(finding.at(&self.origin, span.clone(), "one level too deep")))
    }

    fn report(&mut self, finding: Finding, span: Range<usize>, label: &str) {
        self.findings.push(finding.at(&self.origin, span, label));
    }

    fn not_yaml(&self, error: &ScanError) -> Box<Finding> {
        let text = self.source.text();
        let at = self.offsets.bytes(*error.marker()).min(text.len());
        let next = text.get(at..).and_then(|rest| rest.chars().next());
        // The scanner takes a tab for the end of the line, or for a part of a text, and stumbles elsewhere.
        let is_tabbed = |line: &str| line.trim_start_matches(' ').starts_with('\t');
        let help = match text.lines().position(is_tabbed) {
            Some(line) => format!("line {} is indented with a tab; YAML is indented with blanks", line + 1),
            None => match value_with_colon(text, at) {
                Some(value) => format!("a value that ends with `:` needs quotes: `\"{value}\"`"),
                None => "the file is YAML 1.2; quotes make a text of anything".to_owned(),
            },
        };
        let end = at + next.map_or(0, char::len_utf8);
        let finding = Finding::error("yaml::not_yaml", format!("expected YAML: {}", error.info()));
        Box::new(finding.with_help(help).at(&self.origin, at..end, "here"))
    }
}

/// The bytes of a scalar alone: the parser counts an anchor in front of it, and what stands behind closing quotes up to
/// the next word.
fn scalar_span(text: &str, span: Range<usize>) -> Range<usize> {
    let written = text.get(span.clone()).unwrap_or_default();
    let anchor = match written.starts_with('&') {
        true => written.find(char::is_whitespace).unwrap_or(written.len()),
        false => 0,
    };
    let rest = written.get(anchor..).unwrap_or_default();
    let value = if anchor > 0 { rest.trim_start() } else { rest };
    let start = span.end - value.len();
    let length = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => closing_quote(value, quote).unwrap_or(value.len()),
        _ => value.len(),
    };
    start..start + length
}

/// The length of a scalar in quotes, which stand at both ends of it.
fn closing_quote(value: &str, quote: char) -> Option<usize> {
    let mut signs = value.char_indices().skip(1).peekable();
    while let Some((at, sign)) = signs.next() {
        let is_next_quote = signs.peek().is_some_and(|(_, next)| *next == quote);
        match (sign, quote) {
            ('\\', '"') => drop(signs.next()),
            ('\'', '\'') if is_next_quote => drop(signs.next()),
            _ if sign == quote => return Some(at + quote.len_utf8()),
            _ => {}
        }
    }
    None
}

/// A value like `com.shop.OrderService::`, which YAML takes for a key, on the line at `at` or the one before.
fn value_with_colon(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line_end = text.get(at..)?.find('\n').map_or(text.len(), |end| at + end);
    let lines = text.get(..line_end)?.lines().rev().take(2).filter(|_| !before.is_empty());
    lines
        .filter_map(|line| Some(line.split_once(": ")?.1.trim()))
        .find(|value| value.ends_with(':') && value.len() > 1 && !value.starts_with(['"', '\'']))
}

/// Why a value cannot be a key of the map that has `seen` these keys.
fn key_problem(node: &Node, text: &str, seen: &mut HashSet<String>) -> Option<Finding> {
    if !matches!(node.data, Data::Scalar { .. }) {
        let finding = Finding::error("yaml::wrong_key", format!("expected a text as a key, found {}", node.kind()));
        return Some(finding.with_help("write `key: value`"));
    }
    (!seen.insert(text.to_owned())).then(|| {
        Finding::error("yaml::duplicate_key", format!("the key `{text}` stands here twice"))
            .with_help("a map has a key once; remove one of them")
    })
}

// === impl Offsets ===

impl Offsets {
    fn of(text: &str) -> Self {
        let table = || text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        Self((!text.is_ascii()).then(table))
    }

    fn bytes(&self, marker: Marker) -> usize {
        match &self.0 {
            None => marker.index(),
            Some(table) => table.get(marker.index()).or(table.last()).copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_is_where_it_is_written() {
        for (text, expected) in [
            ("a: b # c\n", "b"),
            ("a: \"b\" # c\n", "\"b\""),
            ("a: \"b\\\"c\"   \nd: e\n", "\"b\\\"c\""),
            ("a: 'b''c' # d\n", "'b''c'"),
            ("a: &x 'b'\n", "'b'"),
            ("a: &x\n  杭州 # c\n", "杭州"),
            ("{a: \"b\" }\n", "\"b\""),
        ] {
            let (documents, findings) = read(&SourceText::new("a.yaml", text));
            assert!(findings.is_empty(), "{text}: {findings:?}");
            let Data::Map(entries) = &documents[0].data else { unreachable!("{documents:?}") };
            assert_eq!(&text[entries[0].1.span.clone()], expected, "{text}");
        }
    }
}
