//! The comments above the first line of code, line by line.

use crate::router::Language;
use crate::source::folder::tag::TagText;

/// What decorates the lines of comments: `///`, `//!`, ` * `, `---`.
const DECORATION: [char; 4] = ['*', '/', '-', '!'];

/// The lines of the comments that stand above the code of `text`, without blanks and decoration.
pub(crate) fn leading_comments(text: &str, language: Language) -> Vec<TagText<'_>> {
    let mut lines = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let blanks = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        at += blanks;
        let Some(comment) = comment_at(rest, language) else { break };
        let inside = rest.get(comment.inside.clone()).unwrap_or_default();
        let mut start = at + comment.inside.start;
        for line in inside.split_inclusive('\n') {
            let is_decoration = |c: char| c.is_whitespace() || DECORATION.contains(&c);
            let stripped = line.trim_start_matches(is_decoration);
            lines.push(TagText { start: start + line.len() - stripped.len(), text: stripped.trim_end() });
            start += line.len();
        }
        at += comment.end;
    }
    lines
}

/// A comment that a text begins with: what is inside, and where it ends.
struct Comment {
    inside: std::ops::Range<usize>,
    end: usize,
}

fn comment_at(text: &str, language: Language) -> Option<Comment> {
    match language {
        Language::JavaScript if text.starts_with("/*") => Some(block(text, "*/", 2)),
        Language::Rhai if text.starts_with("/*") => Some(nested_block(text)),
        Language::JavaScript | Language::Rhai => text.starts_with("//").then(|| line(text)),
        Language::Lua if text.starts_with("--") => Some(long_bracket(text).unwrap_or_else(|| line(text))),
        Language::Lua => None,
    }
}

fn line(text: &str) -> Comment {
    let end = text.find('\n').unwrap_or(text.len());
    Comment { inside: 2..end, end }
}

/// From `start` up to `close`; to the end of the text where that is missing, which the compiler will say.
fn block(text: &str, close: &str, start: usize) -> Comment {
    let found = text.get(start..).and_then(|rest| rest.find(close)).map(|at| start + at);
    let inside = start..found.unwrap_or(text.len());
    Comment { end: found.map_or(text.len(), |at| at + close.len()), inside }
}

/// In Rhai comments stand inside comments.
fn nested_block(text: &str) -> Comment {
    let mut depth = 0_usize;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(pair) = bytes.get(at..at + 2) {
        match pair {
            b"/*" => depth += 1,
            b"*/" if depth == 1 => return Comment { inside: 2..at, end: at + 2 },
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    Comment { inside: 2..text.len(), end: text.len() }
}

/// `--[[ … ]]`, with any number of `=` between the brackets.
fn long_bracket(text: &str) -> Option<Comment> {
    let rest = text.strip_prefix("--[")?;
    let level = rest.bytes().take_while(|byte| *byte == b'=').count();
    rest.get(level..)?.starts_with('[').then(|| block(text, &format!("]{}]", "=".repeat(level)), 4 + level))
}
