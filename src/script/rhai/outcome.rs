//! What a run came to, in the words of every engine.

use rhai::Array;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::Position;

use crate::router::Limit;
use crate::script::Run;
use crate::script::RunError;
use crate::script::rhai::host::Host;
use crate::script::rhai::invoker::Invoker;

/// The positions in a script's value; strangers among them are left out.
pub(super) fn positions(value: Dynamic) -> Result<Vec<u32>, RunError> {
    let value = value.flatten();
    let Some(list) = value.read_lock::<Array>() else {
        return Err(RunError::WrongResult { found: kind(&value) });
    };
    let position = |member: &Dynamic| member.read_lock::<Invoker>().map(|invoker| invoker.0);
    Ok(list.iter().filter_map(position).collect())
}

/// The error of a run.
pub(super) fn error(error: &EvalAltResult, host: &Host, run: &Run) -> RunError {
    let inner = error.unwrap_inner();
    let position = [inner.position(), error.position()].into_iter().find(|position| !position.is_none());
    let (line, column) = place(position.unwrap_or(Position::NONE));
    if let Some(limit) = host.stopped() {
        return host.limit_error(limit, run, line);
    }
    match inner {
        EvalAltResult::ErrorStackOverflow(_) => {
            let allowed = u64::from(run.limits().call_depth);
            RunError::Limit { which: Limit::CallDepth, used: allowed + 1, allowed, line }
        }
        // The sizes of single values stand for the memory, which Rhai does not count.
        EvalAltResult::ErrorDataTooLarge(..) | EvalAltResult::ErrorTooManyVariables(_) => {
            let allowed = run.limits().memory_bytes;
            RunError::Limit { which: Limit::Memory, used: allowed, allowed, line }
        }
        inner => RunError::failed(&message(inner), line, column),
    }
}

fn message(error: &EvalAltResult) -> String {
    match error {
        EvalAltResult::ErrorRuntime(value, _) if value.is_unit() => "the script threw".to_owned(),
        EvalAltResult::ErrorRuntime(value, _) if value.is_string() => value.to_string(),
        EvalAltResult::ErrorFunctionNotFound(signature, _) => {
            format!("Function not found: {}", signature.replace("&str | ImmutableString | String", "string"))
        }
        EvalAltResult::ErrorDataRace(name, _) => {
            format!("{name} is in use by the method that calls this closure; copy it to another variable before")
        }
        error => {
            let text = error.to_string();
            let place = error.position();
            text.strip_suffix(&format!(" ({place})")).map(str::to_owned).unwrap_or(text)
        }
    }
}

/// What a value is, for people.
fn kind(value: &Dynamic) -> String {
    match value.type_name() {
        "()" => "nothing".to_owned(),
        "bool" => "a truth value".to_owned(),
        "i64" | "f64" => "a number".to_owned(),
        "string" | "char" => "a text".to_owned(),
        "array" => "an array".to_owned(),
        "map" => "a map".to_owned(),
        "Fn" => "a function".to_owned(),
        name => format!("a value of type `{}`", name.rsplit("::").next().unwrap_or(name)),
    }
}

fn place(position: Position) -> (Option<u32>, Option<u32>) {
    let number = |number: Option<usize>| number.and_then(|number| u32::try_from(number).ok());
    (number(position.line()), number(position.position()))
}
