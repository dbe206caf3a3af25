//! From lines to rules.

use std::ops::Range;
use std::sync::Arc;

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::condition::MAX_RULE_BYTES;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::source::folder::RuleEntry;
use crate::source::folder::RuleKind;
use crate::source::folder::route_url::is_route_url;
use crate::source::folder::route_url::read_route_url;
use crate::source::folder::tag::SERVICE;
use crate::source::folder::tag::Tag;
use crate::source::folder::tag::TagText;
use crate::source::folder::tag::group_and_version;
use crate::source::folder::tag::service_of;
use crate::source::folder::tag::url_head;

/// How many rules one file may hold.
pub const MAX_RULES_PER_FILE: usize = 50_000;

const CONDITION: &str = "condition";
const TAGS: [&str; 7] =
    [SERVICE, keys::APPLICATION, keys::FORCE, keys::PRIORITY, keys::DIALECT, keys::ON_ERROR, keys::NAME];

/// The tags in force; those that a route URL has are kept as the parameters they become.
#[derive(Default)]
struct Tags {
    service: Option<ServiceKey>,
    parameters: Vec<(&'static str, String)>,
    /// The name for the next condition, and where it was given.
    name: Option<(String, Range<usize>)>,
}

struct Reader<'a> {
    whole: Origin,
    tags: Tags,
    entries: Vec<RuleEntry>,
    findings: &'a mut Vec<Finding>,
}

/// A line without the blanks around it: its number, its place, its text.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    start: usize,
    text: &'a str,
}

// === impl Reader ===

impl Reader<'_> {
    fn line(&mut self, line: Line<'_>) {
        if line.text.starts_with('@') {
            self.tag(line);
        } else if is_route_url(line.text) {
            self.route_url(line);
        } else {
            self.condition(line);
        }
    }

    fn tag(&mut self, line: Line<'_>) {
        match (TagText { start: line.start, text: line.text }).read(&TAGS, &self.whole) {
            Ok(tag) => self.set(tag),
            Err(finding) => self.findings.push(finding),
        }
    }

    fn set(&mut self, Tag { key, value, at }: Tag) {
        match key {
            keys::NAME => {
                if let Some((_, earlier)) = self.tags.name.replace((value, at)) {
                    self.report_unused_name(earlier);
                }
            }
            SERVICE => self.tags.service = service_of(&value),
            _ => {
                self.tags.parameters.retain(|(name, _)| *name != key);
                if !(key == keys::APPLICATION && value == keys::ANY) {
                    self.tags.parameters.push((key, value));
                }
            }
        }
    }

    fn route_url(&mut self, line: Line<'_>) {
        if let Some((_, at)) = self.tags.name.clone() {
            let finding = Finding::warning("rules::name_before_route_url", "`@name` does not name a route URL");
            self.report(finding.with_help("write `name=` into the URL"), at, "names the next condition");
        }
        let origin = self.whole.part(line.start);
        let Some(read) = read_route_url(line.text, &origin, self.findings) else { return };
        if self.is_too_long(&read.rule, line) {
            return;
        }
        let name = read.url.non_empty_parameter(keys::NAME).map(Arc::from);
        self.push(read.url, &read.rule, read.origin, line, RuleKind::RouteUrl, name);
    }

    fn condition(&mut self, line: Line<'_>) {
        let name = self.tags.name.take().map(|(name, _)| name);
        if line.text.starts_with('#') {
            let finding = Finding::warning("rules::indented_comment", "a comment begins in the first column");
            self.report(finding.with_help("remove the blanks in front"), line.start..line.start + 1, "read as a rule");
        }
        if self.is_too_long(line.text, line) {
            return;
        }
        match Url::parse(&self.tags.to_url_text(line.text, name.as_deref())) {
            Ok(url) => {
                let origin = self.whole.part(line.start);
                self.push(url, line.text, origin, line, RuleKind::Condition, name.map(Arc::from));
            }
            Err(error) => {
                let finding = Finding::error("route::not_a_url", error.to_string());
                self.report(finding, line.start..line.start + line.text.len(), "this rule");
            }
        }
    }

    fn push(&mut self, url: Url, text: &str, origin: Origin, line: Line<'_>, kind: RuleKind, name: Option<Arc<str>>) {
        self.entries.push(RuleEntry {
            url,
            text: text.into(),
            origin,
            line_origin: self.whole.part(line.start),
            line_bytes: line.text.len(),
            line: line.number,
            kind,
            name,
            placement: None,
            is_copy: false,
        });
    }

    fn is_too_long(&mut self, rule: &str, line: Line<'_>) -> bool {
        if rule.len() > MAX_RULE_BYTES {
            let message = format!("expected a rule of at most {MAX_RULE_BYTES} bytes, found {}", rule.len());
            let finding = Finding::error("rules::rule_too_long", message);
            self.report(finding.with_help("split it into several rules"), line.start..line.start, "this rule");
            return true;
        }
        false
    }

    fn report_unused_name(&mut self, at: Range<usize>) {
        let finding = Finding::warning("rules::name_without_rule", "no condition follows this name");
        self.report(finding.with_help("put it on the line before the condition it names"), at, "names nothing");
    }

    fn report(&mut self, finding: Finding, range: Range<usize>, label: &str) {
        self.findings.push(finding.at(&self.whole, range, label));
    }
}

// === impl Tags ===

impl Tags {
    fn to_url_text(&self, rule: &str, name: Option<&str>) -> String {
        let mut text = url_head(CONDITION, self.service.as_ref());
        text.reserve(rule.len() * 2 + 80);
        text.push_str("&rule=");
        text.extend(utf8_percent_encode(rule, NON_ALPHANUMERIC));
        let tags = self.parameters.iter().map(|(key, value)| (*key, value.as_str()));
        let name = name.map(|name| (keys::NAME, name));
        for (key, value) in group_and_version(self.service.as_ref()).chain(tags).chain(name) {
            for part in ["&", key, "=", value] {
                text.push_str(part);
            }
        }
        text
    }
}

/// The rules of a file, in its order; what is wrong goes to `findings`.
pub(crate) fn read_rules(source: &SourceText, findings: &mut Vec<Finding>) -> Vec<RuleEntry> {
    let whole = Origin::whole(source.clone());
    let mut reader = Reader { whole, tags: Tags::default(), entries: Vec::new(), findings };
    let mut start = 0;
    for (index, raw) in source.text().split_inclusive('\n').enumerate() {
        let text = raw.trim();
        let indent = raw.len() - raw.trim_start().len();
        let line = Line { number: index + 1, start: start + indent, text };
        start += raw.len();
        if text.is_empty() || raw.starts_with('#') {
            continue;
        }
        if reader.entries.len() >= MAX_RULES_PER_FILE {
            let message = format!("expected at most {MAX_RULES_PER_FILE} rules in a file, found more");
            let finding = Finding::error("rules::too_many_rules", message).with_help("split the file");
            reader.report(finding, line.start..line.start + text.len(), "the first one too many");
            break;
        }
        reader.line(line);
    }
    if let Some((_, at)) = reader.tags.name.take() {
        reader.report_unused_name(at);
    }
    reader.entries
}
