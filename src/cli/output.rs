//! Findings on the console: drawn, plain or as JSON; masked and escaped in all of them.

use std::fmt;
use std::io;
use std::io::Write;
use std::ops::Range;

use miette::Diagnostic;
use miette::GraphicalReportHandler;
use miette::GraphicalTheme;
use miette::LabeledSpan;
use miette::MietteError;
use miette::MietteSpanContents;
use miette::SourceCode;
use miette::SourceSpan;
use miette::SpanContents;
use serde::Serialize;

use crate::cli::args::Format;
use crate::cli::masking;
use crate::cli::width::columns;
use crate::cli::width::fitting;
use crate::cli::width::fitting_end;
use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::render;
use crate::diagnostics::render::line_range;

/// The version of every JSON document that the command prints.
pub(crate) const SCHEMA: u32 = 1;
/// How wide human output is.
pub(crate) const WIDTH: usize = 80;

/// The longest line that is shown whole, in columns: it fits [`WIDTH`] beside the line's number.
const SHOWN_WHOLE: usize = 72;
/// Columns of a longer line shown in front of the mark, and from there on.
const SHOWN_BEFORE: usize = 28;
const SHOWN_AFTER: usize = 42;

/// How one run of the command prints.
#[derive(Debug)]
pub(crate) struct Printer {
    pub(crate) format: Format,
    pub(crate) mask: Mask,
    pub(crate) is_coloured: bool,
}

/// A finding ready to be drawn: nothing in it is secret or moves the cursor.
#[derive(Debug)]
struct Drawn {
    code: String,
    severity: Option<miette::Severity>,
    message: String,
    help: Option<String>,
    label: Option<(String, SourceSpan)>,
    snippet: Option<Snippet>,
}

/// The part of a line that is shown, and where it stands in its file.
#[derive(Debug)]
struct Snippet {
    name: String,
    text: String,
    line: usize,
    column: usize,
}

/// A text with stars for the bytes that are hidden.
struct Covered<'a> {
    text: &'a str,
    hidden: Vec<Range<usize>>,
}

// === impl Printer ===

impl Printer {
    /// Prints findings for people or plainly; JSON is up to the subcommand.
    pub(crate) fn findings(&self, findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
        for finding in findings {
            if self.format == Format::Human {
                writeln!(out, "{}", self.drawn(finding))?;
            } else {
                write!(out, "{}", render::plain(finding, &self.mask))?;
            }
        }
        Ok(())
    }

    /// Prints a JSON document.
    pub(crate) fn json(&self, document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, document).map_err(io::Error::from)?;
        writeln!(out)
    }

    /// The findings as JSON has them.
    pub(crate) fn json_findings(&self, findings: &[Finding]) -> Vec<render::JsonFinding> {
        findings.iter().map(|finding| render::json(finding, &self.mask)).collect()
    }

    fn drawn(&self, finding: &Finding) -> String {
        let theme = if self.is_coloured { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let mut text = String::new();
        let drawn = Drawn::of(finding, &self.mask);
        let handler = GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_links(false);
        // Writing to a `String` cannot fail; a place that cannot be drawn is told plainly.
        match handler.render_report(&mut text, &drawn) {
            Ok(()) => text,
            Err(fmt::Error) => render::plain(finding, &self.mask),
        }
    }
}

// === impl Drawn ===

impl Drawn {
    fn of(finding: &Finding, mask: &Mask) -> Self {
        let shown = finding.place().map(|place| {
            let (snippet, range) = Snippet::of(finding, mask);
            (snippet, (render::told(finding, &place.label, mask), SourceSpan::from(range)))
        });
        let mut message = render::told(finding, finding.message(), mask);
        // With a place, the drawing's head names the file.
        if let (None, Some(file)) = (&shown, finding.file()) {
            message = format!("{}: {message}", mask.text(file));
        }
        let (snippet, label) = shown.unzip();
        Self {
            code: format!("{} {}", finding.number(), finding.slug()),
            severity: Diagnostic::severity(finding),
            message,
            help: finding.help_text().map(|help| render::told(finding, help, mask)),
            label,
            snippet,
        }
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Drawn {}

impl Diagnostic for Drawn {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        self.severity
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.snippet.as_ref().map(|snippet| snippet as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (text, span) = self.label.as_ref()?;
        let text = Some(text.clone()).filter(|text| !text.is_empty());
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(text, *span))))
    }
}

// === impl Snippet ===

impl Snippet {
    /// The snippet of a finding that has a place, and which of its bytes are meant.
    fn of(finding: &Finding, mask: &Mask) -> (Self, Range<usize>) {
        let (name, text, span) = finding.place().map_or(("", "", 0..0), |place| {
            let start = place.span.offset();
            (place.source.name(), place.source.text(), start..start + place.span.len())
        });
        let start = floor(text, span.start);
        let line = line_range(text, start);
        let (from, to) = window(text, &line, start);
        let end = floor(text, span.end.clamp(start, to));
        // The whole line is looked at: the key of a secret may lie outside of what is shown.
        let hidden = hidden_in(name, text.get(line.clone()).unwrap_or_default(), mask);
        let hidden = hidden.into_iter().map(|range| range.start + line.start..range.end + line.start).collect();
        let covered = Covered { text, hidden };
        let shown_to = to - usize::from(to == line.end && text.get(..to).is_some_and(|text| text.ends_with('\r')));
        let shown = covered.piece(from..shown_to.max(from));
        let (before, marked) = (covered.piece(from..start).len(), covered.piece(from..end).len());
        let range = before.min(shown.len())..marked.min(shown.len());
        // A mark inside of a secret is the stars.
        let range = covered.stars(from, start).map_or(range, |stars| stars.start..stars.end.min(shown.len()));
        let lead = if from > line.start { "…" } else { "" };
        let tail = if to < line.end { "…" } else { "" };
        let (line, column) = finding.line_and_column().unwrap_or((1, 1));
        let snippet = Self { name: mask.text(name).into_owned(), text: format!("{lead}{shown}{tail}"), line, column };
        (snippet, range.start + lead.len()..range.end + lead.len())
    }
}

// === impl Covered ===

impl Covered<'_> {
    /// What is shown of some bytes.
    fn piece(&self, range: Range<usize>) -> String {
        let text = self.text.get(range.clone()).unwrap_or_default().replace('\t', " ");
        let inside = self.hidden.iter().map(|hidden| hidden.start.max(range.start)..hidden.end.min(range.end));
        let inside = inside.filter(|hidden| !hidden.is_empty());
        let hidden: Vec<_> = inside.map(|hidden| hidden.start - range.start..hidden.end - range.start).collect();
        Mask::cover(&text, &hidden).into_owned()
    }

    /// Where the stars for byte `at` stand in what is shown from byte `from` on.
    fn stars(&self, from: usize, at: usize) -> Option<Range<usize>> {
        let hidden = self.hidden.iter().find(|hidden| hidden.contains(&at))?;
        let start = self.piece(from..hidden.start.max(from)).len();
        Some(start..start + 3)
    }
}

impl SourceCode for Snippet {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        context_lines_before: usize,
        _context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // Asked without context, the drawing wants the mark's own column for its head.
        let column = if context_lines_before == 0 { self.column.saturating_sub(1) } else { 0 };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            (0, self.text.len()).into(),
            self.line.saturating_sub(1),
            column,
            1,
        )))
    }
}

/// The bytes of a file's line that are hidden; a provider's line is a URL as a whole.
fn hidden_in(name: &str, line: &str, mask: &Mask) -> Vec<Range<usize>> {
    if name.ends_with("providers.txt") { masking::hidden_in_url(line, mask) } else { mask.hidden(line) }
}

/// Which bytes of a long line are shown: those around its byte `start`.
fn window(text: &str, line: &Range<usize>, start: usize) -> (usize, usize) {
    let is_short = text.get(line.clone()).is_some_and(|line| columns(line) <= SHOWN_WHOLE);
    if is_short { (line.start, line.end) } else { (back(text, line.start, start), forth(text, start, line.end)) }
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn back(text: &str, line_start: usize, start: usize) -> usize {
    let head = text.get(line_start..start).unwrap_or_default();
    start - fitting_end(head, SHOWN_BEFORE)
}

fn forth(text: &str, start: usize, line_end: usize) -> usize {
    let tail = text.get(start..line_end).unwrap_or_default();
    start + fitting(tail, SHOWN_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Origin;
    use crate::diagnostics::SourceText;

    fn draw(text: &str, range: Range<usize>) -> String {
        let origin = Origin::whole(SourceText::new("rules/a.rules", text));
        let finding = Finding::error("condition::missing_key", "expected a key before `=`").at(&origin, range, "here");
        let printer = Printer { format: Format::Human, mask: Mask::default(), is_coloured: false };
        let mut out = Vec::new();
        printer.findings(&[finding], &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_finding_is_drawn_at_its_line_and_column() {
        let expected = "PM0101 condition::missing_key\n\n  × expected a key before `=`\n   ╭─[rules/a.rules:2:7]\n 2 │ a=b & =c\n   ·       ┬\n   ·       ╰── here\n   ╰────\n\n";
        assert_eq!(draw("# x\na=b & =c\n", 10..11), expected);
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let text = format!("{} =x {}", "a".repeat(500), "b".repeat(500));
        let drawn = draw(&text, 501..502);
        assert!(drawn.contains("rules/a.rules:1:502") && drawn.len() < 1_000, "{drawn}");
    }

    #[test]
    fn a_snippet_shows_no_secret_and_no_escape_sequence() {
        let drawn = draw("dubbo://h:1/S?password=abc\u{1b}[31m&x", 8..9);
        assert!(!drawn.contains("abc") && !drawn.contains('\u{1b}'), "{drawn}");
    }
}
