//! How wide a text is on a terminal, where a Chinese character takes two columns.

use unicode_width::UnicodeWidthChar;
use unicode_width::UnicodeWidthStr;

/// Columns that `text` takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The byte at which the first characters that fit `width` columns end.
pub(crate) fn fitting(text: &str, width: usize) -> usize {
    prefix(text.chars(), width)
}

/// How many bytes the last characters that fit `width` columns take.
pub(crate) fn fitting_end(text: &str, width: usize) -> usize {
    prefix(text.chars().rev(), width)
}

fn prefix(characters: impl Iterator<Item = char>, width: usize) -> usize {
    let ends = characters.scan((0, 0), |(columns, bytes), c| {
        *columns += c.width().unwrap_or_default();
        *bytes += c.len_utf8();
        Some((*columns, *bytes))
    });
    ends.take_while(|(columns, _)| *columns <= width).last().map_or(0, |(_, bytes)| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_character_takes_two_columns() {
        assert_eq!((columns("a杭州"), fitting("a杭州", 4), fitting("a杭州", 5)), (5, 4, 7));
        assert_eq!((fitting_end("a杭州", 3), fitting("", 3), fitting("abc", 9)), (3, 0, 3));
    }
}
