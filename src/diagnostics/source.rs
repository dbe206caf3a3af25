//! Named source text, and where a piece of text came from in it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::OnceLock;

use memchr::memchr_iter;
use miette::MietteError;
use miette::MietteSpanContents;
use miette::NamedSource;
use miette::SourceCode;
use miette::SourceSpan;
use miette::SpanContents;

/// A text and the name that people know it by: a path relative to the folder, or a URL.
///
/// Cheap to clone; clones share the text and the table of its lines, which the first question for a line builds.
#[derive(Clone)]
pub struct SourceText {
    name: Arc<str>,
    text: Arc<str>,
    // PERF: a file of many findings is gone through once, not once a finding.
    line_starts: Arc<OnceLock<Box<[u32]>>>,
}

/// Where a piece of text (a rule) stands in its source, so that an error inside the piece points into the source.
#[derive(Debug, Clone)]
pub struct Origin {
    source: SourceText,
    offsets: Offsets,
}

#[derive(Debug, Clone)]
enum Offsets {
    /// The piece begins at this byte of the source and is written as it stands.
    Shift(usize),
    /// The piece was decoded: entry *i* is the source's byte for the piece's byte *i*, the last one is its end.
    Table(Arc<[u32]>),
}

// === impl SourceText ===

impl SourceText {
    /// A text under a name.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into(), line_starts: Arc::default() }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte, both counted from 1; the column counts characters.
    ///
    /// ```
    /// let source = pointsman::diagnostics::SourceText::new("a.rules", "# 杭\n杭=1\n");
    /// assert_eq!(source.line_and_column(9), (2, 2));
    /// ```
    #[must_use]
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let before = self.text.get(self.line_start(line)..offset).unwrap_or_default();
        (line + 1, before.chars().count() + 1)
    }

    /// The text as miette reads it.
    #[must_use]
    pub fn to_named_source(&self) -> NamedSource<Arc<str>> {
        NamedSource::new(&*self.name, Arc::clone(&self.text))
    }

    /// The line of a byte, counted from 0.
    fn line_of(&self, offset: usize) -> usize {
        self.line_starts().partition_point(|start| *start as usize <= offset).saturating_sub(1)
    }

    /// Where a line, counted from 0, begins; a line beyond the last begins at the text's end.
    fn line_start(&self, line: usize) -> usize {
        self.line_starts().get(line).map_or(self.text.len(), |start| *start as usize)
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let after = memchr_iter(b'\n', self.text.as_bytes()).map(|at| at + 1);
            // Files are limited to far less than 4 GiB; in a longer text all the rest counts as one line.
            std::iter::once(0).chain(after).map_while(|start| u32::try_from(start).ok()).collect()
        })
    }
}

impl PartialEq for SourceText {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Eq for SourceText {}

/// Hands out the lines around a span without going through those before them.
impl SourceCode for SourceText {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // One line more on both sides than asked for: where the excerpt begins and ends is for miette to say.
        let first = self.line_of(span.offset()).saturating_sub(context_lines_before.saturating_add(1));
        let last = self.line_of(span.offset().saturating_add(span.len()));
        let start = self.line_start(first);
        let end = self.line_start(last.saturating_add(context_lines_after).saturating_add(2));
        let excerpt = self.text.get(start..end).unwrap_or_default();
        let span = SourceSpan::from((span.offset().saturating_sub(start), span.len()));
        let contents = excerpt.read_span(&span, context_lines_before, context_lines_after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name().to_owned(),
            contents.data(),
            (contents.span().offset() + start, contents.span().len()).into(),
            contents.line() + first,
            contents.column(),
            contents.line_count() + first,
        )))
    }
}

/// Prints the name only: texts are long.
impl fmt::Debug for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceText({:?}, {} bytes)", self.name, self.text.len())
    }
}

// === impl Origin ===

impl Origin {
    /// The piece is the whole source.
    #[must_use]
    pub fn whole(source: SourceText) -> Self {
        Self::at(source, 0)
    }

    /// The piece begins at byte `start` of the source.
    #[must_use]
    pub fn at(source: SourceText, start: usize) -> Self {
        Self { source, offsets: Offsets::Shift(start) }
    }

    /// The piece was decoded; `table[i]` is the source's byte of the piece's byte `i`, and one more entry is its end.
    #[must_use]
    pub fn decoded(source: SourceText, table: Vec<u32>) -> Self {
        Self { source, offsets: Offsets::Table(table.into()) }
    }

    /// The source the piece stands in.
    #[must_use]
    pub fn source(&self) -> &SourceText {
        &self.source
    }

    /// The span in the source of the piece's bytes `range`.
    #[must_use]
    pub fn span(&self, range: Range<usize>) -> SourceSpan {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        (start, end.saturating_sub(start)).into()
    }

    /// The source's byte of the piece's byte `offset`.
    #[must_use]
    pub fn offset(&self, offset: usize) -> usize {
        match &self.offsets {
            Offsets::Shift(start) => start + offset,
            Offsets::Table(table) => table.get(offset).or(table.last()).map_or(0, |at| *at as usize),
        }
    }

    /// The origin of the part of the piece that begins at `start`.
    #[must_use]
    pub fn part(&self, start: usize) -> Self {
        let offsets = match &self.offsets {
            Offsets::Shift(shift) => Offsets::Shift(shift + start),
            Offsets::Table(table) => Offsets::Table(table.get(start..).unwrap_or_default().into()),
        };
        Self { source: self.source.clone(), offsets }
    }

    /// The line in the source, counted from 1, at which the piece begins.
    #[must_use]
    pub fn line(&self) -> usize {
        self.source.line_and_column(self.offset(0)).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_the_line_and_column_that_counting_gives() {
        for text in ["", "a", "\n", "a\n", "a\r\nbc\n\nd", "杭=1\n# 州\n\n杭"] {
            let source = SourceText::new("a", text);
            for offset in (0..=text.len() + 1).filter(|at| *at > text.len() || text.is_char_boundary(*at)) {
                let before = &text[..offset.min(text.len())];
                let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
                assert_eq!(
                    source.line_and_column(offset),
                    (before.matches('\n').count() + 1, column),
                    "{text:?} {offset}"
                );
            }
        }
    }

    #[test]
    fn an_excerpt_is_the_one_of_the_whole_text() {
        let text = "one\r\ntwo\n\nfour 杭\nfive\nsix\n";
        let source = SourceText::new("a", text);
        for (start, end) in (0..text.len()).flat_map(|start| (start..=text.len()).map(move |end| (start, end))) {
            let span = SourceSpan::from((start, end - start));
            for (before, after) in [(0, 0), (1, 1), (2, 0), (0, 2), (9, 9)] {
                let facts = |code: &dyn SourceCode| {
                    code.read_span(&span, before, after)
                        .ok()
                        .map(|read| (read.data().to_vec(), *read.span(), read.line(), read.column(), read.line_count()))
                };
                assert_eq!(facts(&source), facts(&text), "{start}..{end} with {before} and {after} lines");
            }
        }
    }

    #[test]
    fn every_line_of_a_long_text_is_found() {
        let source = SourceText::new("providers.txt", "dubbo://h:x/S\n".repeat(300_000));
        for line in 0..300_000 {
            assert_eq!(source.line_and_column(line * 14 + 10), (line + 1, 11));
            let contents = source.read_span(&(line * 14 + 10, 1).into(), 1, 1).unwrap();
            assert_eq!(contents.line(), line.saturating_sub(1));
        }
    }
}
