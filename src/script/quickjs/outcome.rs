//! What a run came to, read from what the host API answers or throws.

use rquickjs::Array;
use rquickjs::Ctx;
use rquickjs::Object;
use rquickjs::Value;

use super::machine::RULE_FILE;
use super::session::Session;
use crate::router::Limit;
use crate::script::RunError;
use crate::script::javascript::Place;
use crate::script::javascript::Prepared;

/// The list that a rule answered with; none if it came to something else.
pub(super) fn list<'js>(answer: &Object<'js>, session: &Session) -> rquickjs::Result<Option<Array<'js>>> {
    if session.stopped().is_some() { Ok(None) } else { answer.get("list") }
}

/// Why there is no list.
pub(super) fn failure(answer: &Object<'_>, prepared: &Prepared, session: &Session) -> RunError {
    if let Ok(Some(found)) = answer.get::<_, Option<String>>("found") {
        return RunError::WrongResult { found };
    }
    let text = |name: &str| answer.get::<_, Option<String>>(name).ok().flatten().unwrap_or_default();
    let place = place(&text("stack"), prepared);
    let (line, column) = (place.map(|it| it.line), place.map(|it| it.column));
    let limit = session.stopped().or(match text("limit").as_str() {
        "memory" => Some(Limit::Memory),
        "call-depth" => Some(Limit::CallDepth),
        _ => None,
    });
    match limit {
        Some(limit) => session.error(limit, line),
        None => RunError::failed(&text("message"), line, column),
    }
}

/// Reads what was thrown past the host API: only the engine itself does that.
pub(super) fn thrown(ctx: &Ctx<'_>, prepared: &Prepared, session: &Session) -> RunError {
    let thrown = ctx.catch();
    let text = |name: &str| property(&thrown, name).unwrap_or_default();
    let line = place(&text("stack"), prepared).map(|it| it.line);
    let message = text("message");
    let limit = session.stopped().or(match message.as_str() {
        "out of memory" => Some(Limit::Memory),
        "Maximum call stack size exceeded" => Some(Limit::CallDepth),
        // So little memory was left that there is no error to look at.
        _ if !thrown.is_object() => Some(Limit::Memory),
        _ => None,
    });
    match limit {
        Some(limit) => session.error(limit, line),
        None => RunError::failed(&message, line, None),
    }
}

pub(super) fn property(thrown: &Value<'_>, name: &str) -> Option<String> {
    thrown.as_object().and_then(|object| object.get::<_, Option<String>>(name).ok().flatten())
}

/// The innermost place of the rule's text in a stack of calls.
pub(super) fn place(stack: &str, prepared: &Prepared) -> Option<Place> {
    let marker = format!("{RULE_FILE}:");
    let places = stack.lines().filter_map(|line| {
        let (_, place) = line.rsplit_once(marker.as_str())?;
        let (line, column) = place.trim_end_matches(')').split_once(':')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        Some(prepared.locate(line, prepared.in_characters(line, column)))
    });
    // A frame that has not come to its first known place stands at the head of the function.
    places.reduce(|first, next| first.or(next)).map(|place| place.unwrap_or(Place { line: 1, column: 1 }))
}
