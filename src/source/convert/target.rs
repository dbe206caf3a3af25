//! From a file to another form of it.

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::rule::DocumentOptions;
use crate::rule::read_documents;
use crate::source::convert::document_writer::Form;
use crate::source::convert::document_writer::write_documents;
use crate::source::convert::documents;
use crate::source::convert::route_urls;
use crate::source::convert::url_writer::write_entries;
use crate::source::convert::url_writer::write_urls;
use crate::source::folder::FileKind;
use crate::source::folder::read_rules;

/// The form that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// Route URLs: a file of rules.
    RouteUrl,
    /// Documents whose conditions are texts.
    V3_0,
    /// Documents whose conditions have destinations.
    V3_1,
}

/// A file in another form.
#[derive(Debug, Clone)]
pub struct Converted {
    /// The text, which reads as a file of the new form.
    pub text: String,
    /// What is lost, left out or said otherwise, for each rule.
    pub findings: Vec<Finding>,
}

/// Writes the conditions of a file in another form; none for a kind of file that has none.
///
/// ```
/// use pointsman::diagnostics::SourceText;
/// use pointsman::source::convert::{Target, convert};
/// use pointsman::source::folder::FileKind;
/// let source = SourceText::new("a.rules", "@service gray/com.shop.OrderService:1.0.0\n=> region=$region\n");
/// let converted = convert(&source, FileKind::Rules, Target::V3_0).unwrap().unwrap();
/// assert!(converted.is_whole() && converted.text.ends_with("conditions:\n  - \"=> region=$region\"\n"));
/// ```
///
/// # Errors
///
/// What is wrong with a file that cannot be read.
pub fn convert(source: &SourceText, kind: FileKind, target: Target) -> Option<Result<Converted, Vec<Finding>>> {
    match kind {
        FileKind::Rules => Some(convert_rules(source, target)),
        FileKind::Document => Some(convert_documents(source, target)),
        _ => None,
    }
}

// === impl Converted ===

impl Converted {
    /// Whether the new form says all that the old one said.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity() == Severity::Info)
    }
}

fn convert_rules(source: &SourceText, target: Target) -> Result<Converted, Vec<Finding>> {
    let mut told = Vec::new();
    let entries = read_rules(source, &mut told);
    refuse_errors(told)?;
    let mut findings = Vec::new();
    let text = match target {
        Target::RouteUrl => write_entries(&entries, &mut findings),
        Target::V3_0 | Target::V3_1 => {
            let sheets = route_urls::sheets_of(&entries, &mut findings)?;
            if !sheets.is_empty() {
                findings.push(other_phase(source));
            }
            write_documents(&sheets, form(target), &mut findings)
        }
    };
    Ok(Converted { text, findings })
}

fn convert_documents(source: &SourceText, target: Target) -> Result<Converted, Vec<Finding>> {
    let (read, told) = read_documents(source, DocumentOptions::default());
    refuse_errors(told)?;
    let mut findings = Vec::new();
    let sheets = documents::sheets_of(&read, &mut findings)?;
    let text = match target {
        Target::RouteUrl => {
            let text = write_urls(&sheets, &mut findings);
            if !text.is_empty() {
                findings.push(other_phase(source));
            }
            text
        }
        Target::V3_0 | Target::V3_1 => write_documents(&sheets, form(target), &mut findings),
    };
    Ok(Converted { text, findings })
}

fn form(target: Target) -> Form {
    if target == Target::V3_1 { Form::Destinations } else { Form::Texts }
}

fn refuse_errors(told: Vec<Finding>) -> Result<(), Vec<Finding>> {
    if told.iter().any(|finding| finding.severity() == Severity::Error) { Err(told) } else { Ok(()) }
}

/// Where other rules are there, the order may matter.
fn other_phase(source: &SourceText) -> Finding {
    let what = "documents of services run before route URLs, whatever the priority";
    let help =
        "convert all rules of a service at once; order shows only where a rule without `force` would leave nobody";
    Finding::new("convert::changed", Severity::Info, what).with_help(help).in_file(source.name())
}
