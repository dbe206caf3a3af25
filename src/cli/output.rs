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
use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::escape;
use crate::diagnostics::render;

/// The version of every JSON document that the command prints.
pub(crate) const SCHEMA: u32 = 1;
/// How wide human output is.
pub(crate) const WIDTH: usize = 80;

/// The longest line that is shown whole, in characters: it fits [`WIDTH`] beside the line's number.
const SHOWN_WHOLE: usize = 72;
/// Characters of a longer line shown in front of the mark, and from there on.
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
            (snippet, (mask.text(&place.label).into_owned(), SourceSpan::from(range)))
        });
        let mut message = mask.text(finding.message()).into_owned();
        // With a place, the drawing's head names the file.
        if let (None, Some(file)) = (&shown, finding.file()) {
            message = format!("{}: {message}", escape(file));
        }
        let (snippet, label) = shown.unzip();
        Self {
            code: format!("{} {}", finding.number(), finding.slug()),
            severity: Diagnostic::severity(finding),
            message,
            help: finding.help_text().map(|help| mask.text(help).into_owned()),
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
        let line_start = text.get(..start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
        let line_end = text.get(start..).and_then(|tail| tail.find('\n')).map_or(text.len(), |at| start + at);
        let is_short = text.get(line_start..line_end).is_some_and(|line| line.chars().nth(SHOWN_WHOLE).is_none());
        let from = if is_short { line_start } else { back(text, line_start, start) };
        let to = if is_short { line_end } else { forth(text, start, line_end) };
        let end = floor(text, span.end.clamp(start, to));
        let piece = |range: Range<usize>| text.get(range).unwrap_or_default().replace('\t', " ");
        let window = piece(from..to);
        let shown = mask.text(window.trim_end_matches('\r')).into_owned();
        let lead = if from > line_start { "…" } else { "" };
        let tail = if to < line_end { "…" } else { "" };
        // As far as nothing is masked, the pieces are shown one by one and the mark stands exactly.
        let (before, marked) = (escape(&piece(from..start)).len(), escape(&piece(start..end)).len());
        let is_plain = shown == escape(window.trim_end_matches('\r'));
        let range = if is_plain { before..before + marked } else { same_part(&window, &shown) };
        let range = range.start.min(shown.len())..range.end.min(shown.len());
        let (line, column) = finding.line_and_column().unwrap_or((1, 1));
        let snippet = Self { name: escape(name).into_owned(), text: format!("{lead}{shown}{tail}"), line, column };
        (snippet, range.start + lead.len()..range.end + lead.len())
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

/// The part of `shown` that differs from `window`: where something was masked.
fn same_part(window: &str, shown: &str) -> Range<usize> {
    let start = window.bytes().zip(shown.bytes()).take_while(|(one, other)| one == other).count();
    let rest = shown.len().saturating_sub(start);
    let end = window.bytes().rev().zip(shown.bytes().rev()).take(rest).take_while(|(one, other)| one == other).count();
    floor(shown, start)..floor(shown, shown.len() - end).max(floor(shown, start))
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
    head.char_indices().rev().nth(SHOWN_BEFORE - 1).map_or(line_start, |(at, _)| line_start + at)
}

fn forth(text: &str, start: usize, line_end: usize) -> usize {
    let tail = text.get(start..line_end).unwrap_or_default();
    tail.char_indices().nth(SHOWN_AFTER).map_or(line_end, |(at, _)| start + at)
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
