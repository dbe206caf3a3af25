//! What the machine says when a run ends badly, in the rule's own terms.

use mlua::Error;

use crate::script::RunError;
use crate::script::luau::compile::CHUNK;
use crate::script::luau::compile::split_position;

const TRACEBACK: &str = "\nstack traceback:\n";

/// A failure of the script itself.
pub(super) fn failure(error: &Error) -> RunError {
    match error {
        Error::RuntimeError(text) => from_text(text, None),
        Error::CallbackError { traceback, cause } => match root(cause) {
            Error::RuntimeError(text) => from_text(text, line_in(traceback)),
            other => from_text(&other.to_string(), line_in(traceback)),
        },
        other => from_text(&other.to_string(), None),
    }
}

/// Whether the machine ran out of memory.
pub(super) fn is_memory(error: &Error) -> bool {
    matches!(root(error), Error::MemoryError(_))
}

/// Whether calls were nested deeper than the machine can: by functions of the library that call back.
pub(super) fn is_depth(error: &Error) -> bool {
    matches!(failure(error), RunError::Failed { message, .. } if message == "stack overflow" || message == "C stack overflow")
}

/// The line of a failure.
pub(super) fn line(error: &Error) -> Option<u32> {
    match failure(error) {
        RunError::Failed { line, .. } => line,
        _ => None,
    }
}

fn root(error: &Error) -> &Error {
    match error {
        Error::CallbackError { cause, .. } => root(cause),
        other => other,
    }
}

fn from_text(text: &str, line: Option<u32>) -> RunError {
    let (message, traceback) = text.split_once(TRACEBACK).unwrap_or((text, ""));
    let (own_line, own) = positioned(message);
    // Where a function of the library raised it, the rule's line is further up.
    let line = own_line.or(line).or_else(|| line_in(traceback));
    RunError::failed(readable(own), line, None)
}

/// Cuts the position off a message; the line is none where it is one of the library's.
fn positioned(message: &str) -> (Option<u32>, &str) {
    for chunk in [CHUNK, "lua", "host"] {
        if let Some(rest) = message.strip_prefix(chunk)
            && rest.starts_with(':')
            && let (Some(line), rest) = split_position(rest)
        {
            return ((chunk == CHUNK).then_some(line), rest);
        }
    }
    (None, message)
}

/// A message that is a value shows no address.
fn readable(message: &str) -> &str {
    let starts = [
        ("table: 0x", "the error is a table"),
        ("function: 0x", "the error is a function"),
        ("<nil", "the error is nil"),
    ];
    let kind = starts.iter().find(|(start, _)| message.starts_with(start));
    kind.map_or(message, |(_, name)| name)
}

/// The innermost line of the rule in a traceback.
fn line_in(traceback: &str) -> Option<u32> {
    traceback.lines().find_map(|line| {
        let digits = line.trim_start().strip_prefix(CHUNK)?.strip_prefix(':')?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end)?.parse().ok()
    })
}
