//! Findings as text for people, as plain text, and as JSON.

use serde::Serialize;

use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::escape;

/// One line a finding, then its place and advice; no colour, no drawing.
///
/// `rules/a.rules:3:8: error PM0101 condition::missing_key: expected a key before …`
#[must_use]
pub fn plain(finding: &Finding, mask: &Mask) -> String {
    let mut out = String::new();
    if let Some(file) = finding.file() {
        out.push_str(&escape(file));
        if let Some((line, column)) = finding.line_and_column() {
            out.push_str(&format!(":{line}:{column}"));
        }
        out.push_str(": ");
    }
    let severity = finding.severity().as_str();
    let message = mask.text(finding.message());
    out.push_str(&format!("{severity} {} {}: {message}\n", finding.number(), finding.slug()));
    if let Some(label) = finding.place().map(|place| &place.label).filter(|label| !label.is_empty()) {
        out.push_str(&format!("  here: {}\n", mask.text(label)));
    }
    if let Some(help) = finding.help_text() {
        out.push_str(&format!("  help: {}\n", mask.text(help)));
    }
    out
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
        message: mask.text(finding.message()).into_owned(),
        file: finding.file().map(|file| escape(file).into_owned()),
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        help: finding.help_text().map(|help| mask.text(help).into_owned()),
    }
}
