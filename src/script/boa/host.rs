//! The host functions: what the prelude asks of the run that is on.

use std::rc::Rc;

use boa_engine::Context;
use boa_engine::JsArgs;
use boa_engine::JsError;
use boa_engine::JsNativeError;
use boa_engine::JsObject;
use boa_engine::JsResult;
use boa_engine::JsString;
use boa_engine::JsValue;
use boa_engine::NativeFunction;
use boa_engine::RuntimeLimitError;
use boa_engine::object::builtins::JsFunction;
use hashbrown::HashMap;

use crate::diagnostics::Mask;
use crate::router::ClockGranularity;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::boa::context::Current;
use crate::script::boa::failure;
use crate::script::boa::freeze;
use crate::script::boa::providers;
use crate::script::boa::values;

type Native = fn(&JsValue, &[JsValue], &mut Context) -> JsResult<JsValue>;

/// Each with the name under which the prelude knows it.
const FUNCTIONS: &[(&str, Native)] = &[
    ("column", column),
    ("note", note),
    ("part", part),
    ("parameter", parameter),
    ("parameters", parameters),
    ("methodParameter", method_parameter),
    ("service", service),
    ("serviceName", service_name),
    ("method", method),
    ("targetMethod", target_method),
    ("attachment", attachment),
    ("attachments", attachments),
    ("available", available),
    ("argumentCount", argument_count),
    ("argument", argument),
    ("parameterTypes", parameter_types),
    ("now", now),
    ("random", random),
    ("log", log),
    ("stop", stop),
    ("overdue", overdue),
    ("guarded", guarded),
    ("split", split),
    ("freezeFrom", freeze::freeze_from),
    ("known", providers::known),
    ("quick", providers::quick),
    ("quickUrl", providers::quick_url),
    ("quickGet", providers::quick_get),
    ("quickSize", providers::quick_size),
    ("touched", providers::touched),
    ("isPlain", providers::is_plain),
    ("candidates", providers::candidates),
];

/// The object that the prelude is given.
pub(super) fn create(context: &mut Context) -> JsResult<JsObject> {
    let host = JsObject::with_null_proto();
    for (name, function) in FUNCTIONS {
        let function = NativeFunction::from_fn_ptr(*function).to_js_function(context.realm());
        host.create_data_property_or_throw(JsString::from(*name), function, context)?;
    }
    Ok(host)
}

/// The run that is on. While the prelude is evaluated there is none.
pub(super) fn run(context: &Context) -> JsResult<Rc<Run>> {
    let run = context.get_data::<Current>().and_then(Current::run);
    run.ok_or_else(|| JsError::from_native(JsNativeError::error().with_message("no run is on")))
}

/// The argument at `at`, which the prelude gives as a text.
fn text(args: &[JsValue], at: usize) -> String {
    args.get(at).and_then(JsValue::as_string).map(|text| text.to_std_string_lossy()).unwrap_or_default()
}

/// The URL of the provider at the place that is the first argument.
fn url_at<'a>(run: &'a Run, args: &[JsValue]) -> Option<&'a Url> {
    run.table().url(args.get_or_undefined(0).as_number().map_or(usize::MAX, |place| place as usize))
}

fn column(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let (run, key) = (run(context)?, text(args, 0));
    Ok(values::array(column_of(run.table(), &key), context))
}

/// The parameter `key` of each provider, as rules may see it.
pub(super) fn column_of(table: &ProviderTable, key: &str) -> Vec<JsValue> {
    let mut texts = Texts::default();
    table.urls().iter().map(|url| texts.value(parameter_of(url, key))).collect()
}

fn note(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    run(context)?.note_column(&text(args, 0));
    Ok(JsValue::undefined())
}

fn part(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let (run, name) = (run(context)?, text(args, 0));
    let mut texts = Texts::default();
    let mask = Mask::new([]);
    let shown = |url: &Url| {
        let text = url.as_str();
        if text.contains(keys::PASSWORD) { values::text(&mask.text(text)) } else { values::text(text) }
    };
    let of = |url| match name.as_str() {
        "protocol" => texts.value(Url::protocol(url)),
        "host" => texts.value(url.host()),
        "address" => texts.value(url.address()),
        "path" => texts.value(url.path()),
        "port" => JsValue::from(url.port().unwrap_or(0)),
        _ => shown(url),
    };
    let values: Vec<_> = run.table().urls().iter().map(of).collect();
    Ok(values::array(values, context))
}

fn parameter(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let (run, key) = (run(context)?, text(args, 1));
    Ok(values::text_or_null(url_at(&run, args).and_then(|url| parameter_of(url, &key))))
}

fn parameters(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let run = run(context)?;
    let url = url_at(&run, args);
    let pairs = url.into_iter().flat_map(Url::parameters);
    let shown = |key| values::text_or_null(url.and_then(|url| parameter_of(url, key)));
    let values: Vec<_> = pairs.flat_map(|(key, _)| [values::text(key), shown(key)]).collect();
    Ok(values::array(values, context))
}

fn method_parameter(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let (run, method, key) = (run(context)?, text(args, 1), text(args, 2));
    run.note_column(&key);
    Ok(values::text_or_null(url_at(&run, args).and_then(|url| url.method_parameter(&method, &key))))
}

fn service(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    Ok(values::text(run(context)?.service()))
}

fn service_name(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let run = run(context)?;
    let key = ServiceKey::parse(run.service());
    Ok(values::text(key.interface()))
}

fn method(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    Ok(values::text(run(context)?.method()))
}

fn target_method(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    Ok(values::text(run(context)?.target_method()))
}

fn attachment(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    Ok(values::text_or_null(run(context)?.attachment(&text(args, 0))))
}

fn attachments(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let run = run(context)?;
    let pairs = run.attachments().iter();
    let values: Vec<_> = pairs.flat_map(|(key, value)| [values::text(key), values::text(value)]).collect();
    Ok(values::array(values, context))
}

fn available(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let place = args.get_or_undefined(0).as_number().map_or(usize::MAX, |place| place as usize);
    Ok(JsValue::from(run(context)?.is_available(place)))
}

fn argument_count(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    Ok(JsValue::from(run(context)?.argument_count() as f64))
}

fn argument(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let run = run(context)?;
    let index = args.get_or_undefined(0).as_number().map_or(usize::MAX, |index| index as usize);
    run.argument(index).map_or_else(|| Ok(JsValue::null()), |value| values::of_call(value, context))
}

fn parameter_types(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let run = run(context)?;
    let types: Vec<_> = run.parameter_types().iter().map(|name| values::text(name)).collect();
    Ok(values::array(types, context))
}

fn now(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let run = run(context)?;
    let found = match text(args, 0).as_str() {
        "weekday" => run.now(ClockGranularity::Weekday),
        "hour" => run.now(ClockGranularity::Hour),
        "minute" => run.now(ClockGranularity::Minute),
        "offset" => run.zone_offset_minutes(),
        _ => run.now(ClockGranularity::Instant),
    };
    Ok(values::number(found))
}

fn random(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    Ok(JsValue::from(run(context)?.random()))
}

fn log(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    run(context)?.log(&text(args, 0));
    Ok(JsValue::undefined())
}

/// Rules cannot catch a limit of this engine.
fn stop(_: &JsValue, _: &[JsValue], _: &mut Context) -> JsResult<JsValue> {
    Ok(JsValue::from(false))
}

/// Called wherever a function of a rule begins, and by the prelude's functions that take long: reads the clock every so
/// often.
///
/// The budget does not see what natives call back; this does. Once late, every loop and call ends at once.
fn overdue(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    look(context).map(|()| JsValue::undefined())
}

/// A native that reads the clock and then does what the one that is the argument does: natives call others in loops.
fn guarded(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let native = args.get_or_undefined(0).as_object().and_then(JsFunction::from_object);
    let native = native.ok_or_else(|| JsNativeError::typ().with_message("a function was expected"))?;
    let both = |this: &JsValue, args: &[JsValue], native: &JsFunction, context: &mut Context| {
        look(context)?;
        native.call(this, args, context)
    };
    Ok(NativeFunction::from_copy_closure_with_captures(both, native).to_js_function(context.realm()).into())
}

/// The parts of the text, which is the first argument, between the places of the second; at most as many as the third
/// says. boa's own goes through the text from its beginning for each part.
fn split(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let (text, separator) =
        (args.get_or_undefined(0).to_string(context)?, args.get_or_undefined(1).to_string(context)?);
    let most = args.get_or_undefined(2).to_u32(context)? as usize;
    let (letters, sought) = (text.to_vec(), separator.to_vec());
    let mut parts = Vec::new();
    let mut from = 0;
    if sought.is_empty() {
        parts.extend((0..letters.len().min(most)).map(|at| text.slice(at, at + 1).into()));
        return Ok(values::array(parts, context));
    }
    let mut at = 0;
    while parts.len() < most && letters.len() - at >= sought.len() {
        if letters.get(at..).is_some_and(|rest| rest.starts_with(&sought)) {
            parts.push(text.slice(from, at).into());
            at += sought.len();
            from = at;
        } else {
            at += 1;
        }
    }
    if parts.len() < most {
        parts.push(text.slice(from, letters.len()).into());
    }
    Ok(values::array(parts, context))
}

fn look(context: &mut Context) -> JsResult<()> {
    let run = context.get_data::<Current>().and_then(Current::run);
    let Some(run) = run.filter(|run| run.is_overdue()) else { return Ok(()) };
    let error = run.overdue(failure::place_of_frames(context).map(|place| place.0));
    if let Some(current) = context.get_data::<Current>() {
        current.stopped.replace(Some(error));
    }
    let limits = context.runtime_limits_mut();
    limits.set_loop_iteration_limit(0);
    limits.set_recursion_limit(0);
    Err(RuntimeLimitError::LoopIteration.into())
}

/// A parameter as rules may see it.
fn parameter_of<'a>(url: &'a Url, key: &str) -> Option<&'a str> {
    let value = url.parameter(key)?;
    Some(if key == keys::PASSWORD { STARS } else { value })
}

/// What stands for a password.
const STARS: &str = "******";

/// Many providers say the same; equal texts are one value of the engine.
#[derive(Default)]
struct Texts<'a> {
    known: HashMap<&'a str, JsString>,
}

// === impl Texts ===

impl<'a> Texts<'a> {
    fn value(&mut self, text: Option<&'a str>) -> JsValue {
        let Some(text) = text else { return JsValue::null() };
        self.known.entry(text).or_insert_with(|| JsString::from(text)).clone().into()
    }
}
