//! Replacing bytes of a text.

use std::borrow::Cow;
use std::ops::Range;

/// New text for the bytes `span`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Range<usize>,
    pub(super) text: String,
}

/// `text` with all edits made; none where two of them meet.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits.dedup();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.start)?);
        out.push_str(&edit.text);
        at = edit.span.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Takes the blanks at the ends of lines away, and ends the last line; the lines that `kept` bytes lie on stay.
pub(super) fn tidy_ends(text: &str, kept: &[Range<usize>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut start, mut next) = (0, 0);
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let end = start + content.len();
        let blanks = content.len() - content.trim_end_matches([' ', '\t']).len();
        while kept.get(next).is_some_and(|range| range.end < start) {
            next += 1;
        }
        let is_kept = kept.get(next).is_some_and(|range| range.start <= end);
        if blanks > 0 && !is_kept {
            edits.push(Edit { span: end - blanks..end, text: String::new() });
        }
        start += line.len();
    }
    if !text.is_empty() && !text.ends_with('\n') {
        edits.push(Edit { span: text.len()..text.len(), text: "\n".to_owned() });
    }
    edits
}

/// `text` with Unix's ends of lines.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_meet_are_refused() {
        let edit = |span, text: &str| Edit { span, text: text.to_owned() };
        assert_eq!(apply("abc", vec![edit(2..3, "z"), edit(0..1, "xy")]).unwrap(), "xybz");
        assert_eq!(apply("abc", vec![edit(0..2, "z"), edit(0..2, "z")]).unwrap(), "zc");
        assert_eq!(apply("abc", vec![edit(0..2, "z"), edit(1..3, "y")]), None);
    }

    #[test]
    fn blanks_at_the_ends_of_lines_go() {
        let tidy = |text: &str, kept: &[Range<usize>]| apply(text, tidy_ends(text, kept)).unwrap();
        assert_eq!(tidy("a \n\t\nb\t ", &[]), "a\n\nb\n");
        assert_eq!(tidy("a \nb \nc \n", std::slice::from_ref(&(3..4))), "a\nb \nc\n");
        assert_eq!(tidy("", &[]), "");
    }
}
