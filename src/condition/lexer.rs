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
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        at += rest.find(|c: char| !is_blank(c))?;
        let rest = text.get(at..)?;
        let is_separated = rest.starts_with(is_separator);
        let length = rest.find(|c: char| is_blank(c) || is_separator(c) != is_separated).unwrap_or(rest.len());
        let range = at..at + length;
        at = range.end;
        let kind = if is_separated { TokenKind::Separator } else { TokenKind::Word };
        let text = text.get(range.clone())?;
        Some(Token { kind, text, range: range.start + offset..range.end + offset })
    })
}

/// What Java's `\s` is.
pub(super) const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

const fn is_separator(c: char) -> bool {
    matches!(c, '&' | '!' | '=' | ',')
}
