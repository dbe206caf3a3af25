//! One finding: what is wrong, where, and what to do.

use std::fmt;

use miette::Diagnostic;
use miette::LabeledSpan;
use miette::SourceCode;
use miette::SourceSpan;

use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::diagnostics::codes;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably not what was meant.
    Warning,
    /// The file gives no rule.
    Error,
}

/// Where a finding is.
#[derive(Debug, Clone)]
pub struct Place {
    /// The source.
    pub source: SourceText,
    /// The bytes it speaks of.
    pub span: SourceSpan,
    /// What stands beside the mark.
    pub label: String,
}

/// Something that a person should know about a rule, a file or a setting.
#[derive(Debug, Clone)]
pub struct Finding {
    slug: &'static str,
    severity: Severity,
    message: String,
    help: Option<String>,
    file: Option<String>,
    place: Option<Box<Place>>,
}

// === impl Severity ===

impl Severity {
    /// `info`, `warning` or `error`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

// === impl Finding ===

impl Finding {
    /// A finding without a place. `slug` must stand in [`codes::CODES`].
    #[must_use]
    pub fn new(slug: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self { slug, severity, message: message.into(), help: None, file: None, place: None }
    }

    /// An error.
    #[must_use]
    pub fn error(slug: &'static str, message: impl Into<String>) -> Self {
        Self::new(slug, Severity::Error, message)
    }

    /// A warning.
    #[must_use]
    pub fn warning(slug: &'static str, message: impl Into<String>) -> Self {
        Self::new(slug, Severity::Warning, message)
    }

    /// The same finding with another weight.
    #[must_use]
    pub const fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the file, where no text of it can be shown.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Adds the bytes `range` of the text that came from `origin`.
    #[must_use]
    pub fn at(mut self, origin: &Origin, range: std::ops::Range<usize>, label: impl Into<String>) -> Self {
        let span = origin.span(range);
        self.place = Some(Box::new(Place { source: origin.source().clone(), span, label: label.into() }));
        self
    }

    /// The slug, `condition::missing_key`.
    #[must_use]
    pub const fn slug(&self) -> &'static str {
        self.slug
    }

    /// The number, `PM0101`.
    #[must_use]
    pub fn number(&self) -> String {
        codes::label(self.slug)
    }

    /// How much it matters.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// What is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do.
    #[must_use]
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The file, relative to the folder.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.place.as_ref().map(|place| place.source.name()).or(self.file.as_deref())
    }

    /// Where it is, if a text can be shown.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.place.as_deref()
    }

    /// Line and column, counted from 1.
    #[must_use]
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|place| place.source.line_and_column(place.span.offset()))
    }

    /// What another error says, as a finding: code, text, advice and first label are kept.
    #[must_use]
    pub fn from_diagnostic(slug: &'static str, origin: &Origin, error: &dyn Diagnostic) -> Self {
        let severity = match error.severity() {
            Some(miette::Severity::Advice) => Severity::Info,
            Some(miette::Severity::Warning) => Severity::Warning,
            _ => Severity::Error,
        };
        let mut finding = Self::new(slug, severity, error.to_string());
        finding.help = error.help().map(|help| help.to_string());
        finding.place = error.labels().and_then(|mut labels| labels.next()).map(|label| {
            Box::new(Place {
                source: origin.source().clone(),
                span: *label.inner(),
                label: label.label().unwrap_or_default().to_owned(),
            })
        });
        finding
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Finding {}

impl Diagnostic for Finding {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(format!("{} {}", self.number(), self.slug)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Info => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.place.as_ref().map(|place| {
            let label = LabeledSpan::new_with_span(Some(place.label.clone()), place.span);
            Box::new(std::iter::once(label)) as Box<dyn Iterator<Item = LabeledSpan>>
        })
    }
}
