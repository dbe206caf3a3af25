//! Findings as text for people, as plain text, and as JSON.

use std::ops::Range;

use memchr::memchr;
use memchr::memrchr;
use serde::Serialize;

use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::Place;
use crate::diagnostics::quoted::Quoted;

/// One line a finding, then its place and advice; no colour, no drawing.
///
/// `rules/a.rules:3:8: error PM0101 condition::missing_key: expected a key before …`
#[must_use]
pub fn plain(finding: &Finding, mask: &Mask) -> String {
    let mut out = String::new();
    if let Some(file) = finding.file() {
        out.push_str(&mask.text(file));
        if let Some((line, column)) = finding.line_and_column() {
            out.push_str(&format!(":{line}:{column}"));
        }
        out.push_str(": ");
    }
    let severity = finding.severity().as_str();
    let told = |text: &str| told(finding, text, mask);
    let message = told(finding.message());
    out.push_str(&format!("{severity} {} {}: {message}\n", finding.number(), finding.slug()));
    if let Some(label) = finding.place().map(|place| &place.label).filter(|label| !label.is_empty()) {
        out.push_str(&format!("  here: {}\n", told(label)));
    }
    if let Some(help) = finding.help_text() {
        out.push_str(&format!("  help: {}\n", told(help)));
    }
    out
}

/// A text of `finding` (message, label or help) without secrets: neither those that it spells out nor those that it
/// quotes from the finding's line.
#[must_use]
pub fn told(finding: &Finding, text: &str, mask: &Mask) -> String {
    let line = finding.place().map_or("", line_of);
    let secrets = Quoted::of(line, mask);
    mask.message(&secrets.cover(text)).into_owned()
}

/// A finding as programs read it; the fields are documented in `docs/cli.md`.
#[derive(Debug, Serialize)]
pub struct JsonFinding {
    number: String,
    slug: &'static str,
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// A finding as JSON has it.
#[must_use]
pub fn json(finding: &Finding, mask: &Mask) -> JsonFinding {
    let place = finding.line_and_column();
    JsonFinding {
        number: finding.number(),
        slug: finding.slug(),
        severity: finding.severity().as_str(),
        message: told(finding, finding.message(), mask),
        file: finding.file().map(|file| mask.text(file).into_owned()),
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        help: finding.help_text().map(|help| told(finding, help, mask)),
    }
}

/// The line at which a place begins.
fn line_of(place: &Place) -> &str {
    let text = place.source.text();
    let range = line_range(text, place.span.offset());
    text.get(range).unwrap_or_default()
}

/// The bytes of the line that holds byte `at`, without its end.
pub(crate) fn line_range(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let at = at.min(bytes.len());
    let start = bytes.get(..at).and_then(|head| memrchr(b'\n', head)).map_or(0, |end| end + 1);
    let end = bytes.get(at..).and_then(|tail| memchr(b'\n', tail)).map_or(bytes.len(), |end| at + end);
    start..end
}
