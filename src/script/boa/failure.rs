//! What boa says of an error, in the rule's terms.

use std::fmt;
use std::fmt::Write;

use boa_engine::Context;
use boa_engine::JsError;
use boa_engine::JsObject;
use boa_engine::JsString;
use boa_engine::JsValue;
use boa_engine::Source;
use boa_engine::ast::Position;
use boa_engine::ast::scope::Scope;
use boa_engine::builtins::error::Error;
use boa_engine::interner::Interner;
use boa_engine::object::builtins::JsFunction;
use boa_engine::parser::Error as ParseError;
use boa_engine::parser::Parser;
use boa_engine::parser::lexer::error::Error as LexError;
use boa_engine::property::PropertyKey;

use crate::script::RunError;

/// The path of every rule's source; frames of the prelude have another.
pub(super) const RULE_PATH: &str = "rule";

/// A line and a column in a wrapped text, counted from 1.
pub(super) type Place = (u32, u32);

/// What a script threw.
#[derive(Debug)]
pub(super) struct Thrown {
    /// Its name and message.
    pub(super) message: String,
    /// The innermost frame of the rule.
    pub(super) place: Option<Place>,
}

/// What the parser says of a source that is no script. Costs another parse; only a rule that is refused pays for it.
pub(super) fn of_source(source: &str) -> Option<(String, Option<Place>)> {
    let mut parser = Parser::new(Source::from_bytes(source));
    parser.parse_script(&Scope::new_global(), &mut Interner::default()).err().map(|error| of_parser(&error))
}

/// The message and the place of an error of the parser.
fn of_parser(error: &ParseError) -> (String, Option<Place>) {
    let at = |position: Position| Some((position.line_number(), position.column_number()));
    match error {
        ParseError::Expected { expected, found, span, context } => {
            let expected: Vec<String> = expected.iter().map(|token| format!("`{token}`")).collect();
            (format!("expected {}, found `{found}` in {context}", expected.join(" or ")), at(span.start()))
        }
        ParseError::Unexpected { message, found, span } => {
            (format!("unexpected `{found}`: {message}"), at(span.start()))
        }
        ParseError::AbruptEnd => ("the text ends too early".to_owned(), None),
        ParseError::Lex { err: LexError::Syntax(message, position) } => (message.to_string(), at(*position)),
        ParseError::Lex { err: LexError::IO(_) } => ("the text is not UTF-8".to_owned(), None),
        ParseError::ScopeAnalysis { err } => ((*err).to_owned(), None),
        ParseError::General { message, position } => (message.to_string(), at(*position)),
    }
}

/// What `error` says. Runs nothing of the script: accessors are left alone.
pub(super) fn of_error(error: &JsError, stack: &JsFunction, context: &mut Context) -> Thrown {
    let Some(value) = error.as_opaque() else {
        // The engine's own errors print what they say and then the frames.
        let text = bounded(error);
        let (message, frames) = text.split_once("\n    at ").unwrap_or((&text, ""));
        return Thrown { message: message.to_owned(), place: place(frames) };
    };
    let Some(object) = value.as_object() else {
        let text = bounded(&value.display());
        return Thrown { message: format!("it threw {text}"), place: None };
    };
    if !object.is::<Error>() {
        return Thrown { message: "it threw an object that is no error".to_owned(), place: None };
    }
    let frames = stack.call(value, &[], context).ok().and_then(|frames| frames.as_string());
    let place = frames.and_then(|frames| place(&frames.to_std_string_lossy()));
    let text = |key: &str| own_text(&object, key);
    let message = match (text("name"), text("message")) {
        (Some(name), Some(message)) if !message.is_empty() => format!("{name}: {message}"),
        (Some(name), _) => name,
        (None, message) => message.unwrap_or_else(|| "it threw an error".to_owned()),
    };
    Thrown { message, place }
}

/// The innermost frame of the rule among frames of the live stack.
pub(super) fn place_of_frames(context: &Context) -> Option<Place> {
    context.stack_trace().find_map(|frame| {
        let location = frame.position();
        let position = location.position?;
        (location.path.to_string() == RULE_PATH).then(|| (position.line_number(), position.column_number()))
    })
}

/// The data property `key` of the object or what it inherits from, if it is a text.
fn own_text(object: &JsObject, key: &str) -> Option<String> {
    let key = PropertyKey::from(JsString::from(key));
    let mut next = Some(object.clone());
    for _ in 0..MAX_PROTOTYPES {
        let object = next?;
        let found = object.borrow().properties().get(&key);
        if let Some(found) = found {
            return found.value().and_then(JsValue::as_string).map(|text| text.to_std_string_lossy());
        }
        next = object.prototype();
    }
    None
}

/// How far up names are looked for.
const MAX_PROTOTYPES: usize = 8;

/// The place that the first frame of the rule names, in frames as boa prints them: `name (path:line:column)`.
pub(super) fn place(frames: &str) -> Option<Place> {
    frames.lines().find_map(|line| {
        let (_, at) = line.trim_end().strip_suffix(')')?.rsplit_once('(')?;
        let mut parts = at.rsplitn(3, ':');
        let (column, row, path) = (parts.next()?, parts.next()?, parts.next()?);
        if path != RULE_PATH {
            return None;
        }
        Some((row.parse().ok()?, column.parse().ok()?))
    })
}

/// The text of `value`, cut where it gets long: a thrown text may be of any length.
fn bounded(value: &dyn fmt::Display) -> String {
    let mut text = Bounded(String::new());
    // The only error is that of the bound.
    let _ = write!(text, "{value}");
    text.0
}

/// A text that takes no more when it is long enough.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = (RunError::MAX_MESSAGE_BYTES + MAX_FRAMES_BYTES).saturating_sub(self.0.len());
        let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= room).last();
        self.0.push_str(text.get(..end.unwrap_or(0)).unwrap_or_default());
        if end.unwrap_or(0) < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Room for the frames behind a message.
const MAX_FRAMES_BYTES: usize = 4_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_frame_of_the_rule_is_found_among_others() {
        let frames = "    at filtered (natives:40:9)\n    at near (rule:3:14)\n    at route (rule:9:1)\n    at run (prelude:80:2)";
        assert_eq!(place(frames), Some((3, 14)));
        assert_eq!(place("    at run (prelude:80:2)\n    at f (native)\n    at g (rule:?:?)"), None);
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        assert!(bounded(&"é".repeat(9_000)).len() <= RunError::MAX_MESSAGE_BYTES + MAX_FRAMES_BYTES);
        assert_eq!(bounded(&"short"), "short");
    }
}
