//! Named source text, and where a piece of text came from in it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::NamedSource;
use miette::SourceSpan;

/// A text and the name that people know it by: a path relative to the folder, or a URL.
#[derive(Clone, PartialEq, Eq)]
pub struct SourceText {
    name: Arc<str>,
    text: Arc<str>,
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
        Self { name: name.into(), text: text.into() }
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
    #[must_use]
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    }

    /// The text as miette reads it.
    #[must_use]
    pub fn to_named_source(&self) -> NamedSource<Arc<str>> {
        NamedSource::new(&*self.name, Arc::clone(&self.text))
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
