//! Words and separators.

use std::ops::Range;

/// A run of separators or a run of anything else, without blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    pub(super) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Separator,
}

/// The tokens of `text`, which begins at byte `offset` of its rule.
pub(super) fn tokens(text: &str, offset: usize) -> impl Iterator<Item = Token<'_>> {
    // PERF: blanks and separators are ASCII, so bytes will do (`condition/compile`).
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes.get(at..)?.iter().position(|byte| !is_blank(*byte))?;
        let rest = bytes.get(at..)?;
        let is_separated = rest.first().copied().is_some_and(is_separator);
        let ends = |byte: &u8| is_blank(*byte) || is_separator(*byte) != is_separated;
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        let range = at..at + length;
        at = range.end;
        let kind = if is_separated { TokenKind::Separator } else { TokenKind::Word };
        let text = text.get(range.clone())?;
        Some(Token { kind, text, range: range.start + offset..range.end + offset })
    })
}

/// What Java's `\s` is.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0xb | 0xc | b'\r')
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'&' | b'!' | b'=' | b',')
}
