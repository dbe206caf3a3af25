//! A file's text and what comes of it.

use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::source::folder::FileKind;
use crate::source::format::document::format_document;
use crate::source::format::rules_file::format_rules;

/// A text that was formatted.
#[derive(Debug, Clone)]
pub struct Formatted {
    /// The text, which may be the one that was there.
    pub text: String,
    /// Rules that stay as they are, and why.
    pub findings: Vec<Finding>,
}

/// Formats the text of a file; none for a kind of file that has no rule texts.
///
/// ```
/// use pointsman::diagnostics::SourceText;
/// use pointsman::source::folder::FileKind;
/// use pointsman::source::format::format;
/// let formatted = format(&SourceText::new("a.rules", "method = find* , get* =>   region = $region"), FileKind::Rules);
/// assert_eq!(formatted.unwrap().unwrap().text, "method=find*,get* => region=$region\n");
/// ```
///
/// # Errors
///
/// What is wrong with a file that cannot be read as it should: nothing of it is changed.
pub fn format(source: &SourceText, kind: FileKind) -> Option<Result<Formatted, Vec<Finding>>> {
    match kind {
        FileKind::Rules => Some(format_rules(source)),
        FileKind::Document => Some(format_document(source)),
        _ => None,
    }
}

// === impl Formatted ===

impl Formatted {
    /// The text as it was, with a word about why.
    pub(super) fn unchanged(source: &SourceText, mut findings: Vec<Finding>) -> Self {
        let finding = Finding::warning("fmt::left_alone", "the file stays as it is: formatted it would read otherwise");
        findings.push(finding.with_help("please report this as a fault").in_file(source.name()));
        Self { text: source.text().to_owned(), findings }
    }
}
