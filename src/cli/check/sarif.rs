//! Findings as SARIF 2.1.0, which code scanning reads: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use std::collections::BTreeMap;
use std::path::Path;

use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde::Serialize;

use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::Severity;
use crate::diagnostics::render;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const VERSION: &str = "2.1.0";
const HOME: &str = env!("CARGO_PKG_REPOSITORY");
/// What stays as it is in the path of a URI.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');
/// The sentence of each finding's page.
const PAGES: &str = include_str!("../../../docs/findings/README.md");

/// The whole document.
#[derive(Debug, Serialize)]
pub(super) struct Sarif {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    information_uri: Option<&'static str>,
    rules: Vec<Rule>,
}

/// A kind of finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    name: &'static str,
    short_description: Message,
    help: Message,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
}

#[derive(Debug, Serialize)]
struct Message {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

// === impl Sarif ===

impl Sarif {
    /// A document of `findings`, whose files lie below `folder`.
    pub(super) fn of(findings: &[Finding], folder: &Path, mask: &Mask) -> Self {
        let by_number: BTreeMap<String, &Finding> =
            findings.iter().rev().map(|finding| (finding.number(), finding)).collect();
        let places: BTreeMap<&str, usize> = by_number.keys().map(String::as_str).zip(0..).collect();
        let result = |finding: &Finding| {
            let rule_id = finding.number();
            let rule_index = places.get(rule_id.as_str()).copied().unwrap_or_default();
            // Each for itself: line ends inside of them are foreign and escaped, the one between them is ours.
            let told = |text: &str| render::told(finding, text, mask);
            let text = match finding.help_text() {
                Some(help) => format!("{}\nhelp: {}", told(finding.message()), told(help)),
                None => told(finding.message()),
            };
            SarifResult {
                rule_id,
                rule_index,
                level: level(finding.severity()),
                message: Message { text },
                locations: location(finding, folder, mask).into_iter().collect(),
            }
        };
        let results = findings.iter().map(result).collect();
        let rules = by_number.into_iter().map(|(id, finding)| rule(id, finding, mask)).collect();
        let driver = Driver {
            name: "pointsman",
            version: env!("CARGO_PKG_VERSION"),
            information_uri: Some(HOME).filter(|home| !home.is_empty()),
            rules,
        };
        let run = Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results };
        Self { schema: SCHEMA, version: VERSION, runs: [run] }
    }
}

fn rule(id: String, finding: &Finding, mask: &Mask) -> Rule {
    let what = sentence(&id).unwrap_or_else(|| finding.slug().to_owned());
    let help = finding.help_text().map(|help| format!("{}\n", render::told(finding, help, mask))).unwrap_or_default();
    // A `helpUri` would have to be absolute, and the pages have no address of their own.
    let help = Message { text: format!("{help}docs/findings/{id}.md") };
    Rule { name: finding.slug(), short_description: Message { text: what }, help, id }
}

/// What the index of the pages says of a number.
fn sentence(id: &str) -> Option<String> {
    let row = PAGES.lines().find(|line| line.strip_prefix("| [").is_some_and(|rest| rest.starts_with(id)))?;
    row.split(" | ").nth(2).map(str::to_owned)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn location(finding: &Finding, folder: &Path, mask: &Mask) -> Option<Location> {
    let uri = uri(&folder.join(&*mask.text(finding.file()?)));
    let region = finding.place().map(|place| {
        let (start, bytes) = (place.span.offset(), place.span.len());
        let (start_line, start_column) = place.source.line_and_column(start);
        let (end_line, end_column) = place.source.line_and_column(start + bytes);
        Region { start_line, start_column, end_line, end_column }
    });
    Some(Location { physical_location: PhysicalLocation { artifact_location: ArtifactLocation { uri }, region } })
}

/// A path as a URI: absolute ones as `file:`, others as they are.
fn uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = text.strip_prefix("./").unwrap_or(&text);
    let scheme = if path.is_absolute() { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(text, IN_PATH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(uri(Path::new("./gray/rules/a b.rules")), "gray/rules/a%20b.rules");
        assert_eq!(uri(Path::new("/etc/rules/杭.rules")), "file:///etc/rules/%E6%9D%AD.rules");
    }

    #[test]
    fn a_number_has_the_sentence_of_its_page() {
        assert_eq!(sentence("PM0101").as_deref(), Some("An operator stands where a key was expected."));
    }
}
