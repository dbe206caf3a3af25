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
        let before = text.get(..offset).unwrap_or(text);
        let start = line_start(before);
        let lines = before.replace("\r\n", "\n").matches(['\n', '\r', '\u{2028}', '\u{2029}']).count();
        let columns = before.get(start..).unwrap_or_default().trim_start_matches('\u{feff}').chars().count();
        let count = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
        Self { line: count(lines), column: count(columns) }
    }

    /// The places of `offsets`, which grow, in one pass.
    pub(super) fn of_all(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<Self> {
        let mut place = Self { line: 1, column: 1 };
        let (mut done, mut last) = (0, ' ');
        let mut step = |offset: usize| {
            for letter in text.get(done..offset).unwrap_or_default().chars() {
                match letter {
                    '\n' if last == '\r' => {}
                    '\n' | '\r' | '\u{2028}' | '\u{2029}' => place = Self { line: place.line + 1, column: 1 },
                    '\u{feff}' if place.column == 1 => {}
                    _ => place.column += 1,
                }
                last = letter;
            }
            done = offset;
            place
        };
        offsets.map(&mut step).collect()
    }
}

fn line_start(before: &str) -> usize {
    before
        .rfind(['\n', '\r', '\u{2028}', '\u{2029}'])
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8))
}
