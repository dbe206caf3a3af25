//! Lines and columns.

/// A place in a text as people count: from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

// === impl Place ===

impl Place {
    /// The place of the byte `offset`.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        Self::of_all(text, [offset]).pop().unwrap_or(Self { line: 1, column: 1 })
    }

    /// The places of bytes in ascending order, in one walk over the text.
    pub(crate) fn of_all(text: &str, offsets: impl IntoIterator<Item = usize>) -> Vec<Self> {
        let (mut place, mut is_return) = (Self { line: 1, column: 1 }, false);
        let mut letters = text.char_indices().peekable();
        let mut at = |offset: usize| {
            while let Some((_, letter)) = letters.next_if(|(at, _)| *at < offset) {
                place = match letter {
                    // The two together end one line.
                    '\n' if is_return => place,
                    '\n' | '\r' | '\u{2028}' | '\u{2029}' => Self { line: place.line + 1, column: 1 },
                    '\u{feff}' => place,
                    _ => Self { column: place.column + 1, ..place },
                };
                is_return = letter == '\r';
            }
            place
        };
        offsets.into_iter().map(&mut at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_the_language_ends_them_and_columns_are_characters() {
        let places = Place::of_all("a甲b\r\nc\u{2028}d\ne", [0, 4, 7, 11, 13]);
        let places: Vec<_> = places.iter().map(|place| (place.line, place.column)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (2, 1), (3, 1), (4, 1)]);
    }
}
