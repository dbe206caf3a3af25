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

/// Reads the answer of the host API's `run`.
pub(super) fn read(answer: &Object<'_>, prepared: &Prepared, session: &Session) -> Result<Vec<u32>, RunError> {
    if let Some(limit) = session.stopped() {
        return Err(session.error(limit, None));
    }
    if let Ok(Some(words)) = answer.get::<_, Option<Array<'_>>>("words") {
        return Ok(places(&words));
    }
    if let Ok(Some(found)) = answer.get::<_, Option<String>>("found") {
        return Err(RunError::WrongResult { found });
    }
    let text = |name: &str| answer.get::<_, Option<String>>(name).ok().flatten().unwrap_or_default();
    let place = place(&text("stack"), prepared);
    let (line, column) = (place.map(|it| it.line), place.map(|it| it.column));
    match text("limit").as_str() {
        "memory" => Err(session.error(Limit::Memory, line)),
        "call-depth" => Err(session.error(Limit::CallDepth, line)),
        _ => Err(RunError::failed(&text("message"), line, column)),
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
    stack.lines().find_map(|line| {
        let (_, place) = line.rsplit_once(marker.as_str())?;
        let (line, column) = place.trim_end_matches(')').split_once(':')?;
        prepared.locate(line.parse().ok()?, column.parse().ok()?)
    })
}

fn places(words: &Array<'_>) -> Vec<u32> {
    let mut places = Vec::new();
    for (at, word) in words.iter::<i32>().enumerate() {
        let mut word = word.unwrap_or(0).cast_unsigned();
        let first = u32::try_from(at * 32).unwrap_or(u32::MAX);
        while word != 0 {
            places.push(first.saturating_add(word.trailing_zeros()));
            word &= word - 1;
        }
    }
    places
}
