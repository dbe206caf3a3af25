//! The call as Rhai sees it: `invocation`, `context`, `now`. Each reads from the run what a script asks for, and no more.

use std::any::TypeId;
use std::rc::Rc;

use rhai::Array;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::ImmutableString;
use rhai::Map;
use rhai::Module;
use rhai::NativeCallContext;

use crate::router::ClockGranularity;
use crate::rpc::Value;
use crate::script::Run;
use crate::script::rhai::host::Host;
use crate::script::rhai::register::index;
use crate::script::rhai::register::method;
use crate::script::rhai::register::property;
use crate::script::rhai::register::set;

/// `invocation`.
#[derive(Debug, Clone, Copy)]
struct Invocation;

/// `context`: the caller's attachments.
#[derive(Debug, Clone, Copy)]
struct Context;

/// `invocation.arguments`: a list whose members are read one by one.
#[derive(Debug, Clone, Copy)]
struct Arguments;

/// `invocation.attachments`: a map whose members are read one by one.
#[derive(Debug, Clone, Copy)]
struct Attachments;

/// `now`.
#[derive(Debug, Clone, Copy)]
struct Now;

/// What `timestamp()` gives.
#[derive(Debug, Clone, Copy)]
struct Moment(i64);

/// The value that stands for `name` wherever no variable of the script has that name.
pub(super) fn binding(name: &str) -> Option<Dynamic> {
    match name {
        "invocation" => Some(Dynamic::from(Invocation)),
        "context" => Some(Dynamic::from(Context)),
        "now" => Some(Dynamic::from(Now)),
        _ => None,
    }
}

/// The names that [`binding`] knows.
pub(super) const BINDINGS: [&str; 3] = ["invocation", "context", "now"];

/// Registers what the call and the run give.
pub(super) fn register(module: &mut Module, host: &Rc<Host>) {
    module
        .set_custom_type::<Invocation>("Invocation")
        .set_custom_type::<Context>("Context")
        .set_custom_type::<Arguments>("Arguments")
        .set_custom_type::<Attachments>("Attachments")
        .set_custom_type::<Now>("Now")
        .set_custom_type::<Moment>("Timestamp");
    register_invocation(module, host);
    register_arguments(module, host);
    register_attachments(module, host);
    register_clock(module, host);
    register_log(module, host);
    for name in ["rand", "random"] {
        let it = host.clone();
        set(module, method(name), move || it.read(Run::random));
    }
}

fn register_invocation(module: &mut Module, host: &Rc<Host>) {
    type Part = fn(&Run) -> &str;
    let parts: [(&str, Part); 3] =
        [("method", Run::method), ("target_method", Run::target_method), ("service", Run::service)];
    for (name, part) in parts {
        let it = host.clone();
        set(module, property(name), move |_: &mut Invocation| it.read(|run| ImmutableString::from(part(run))));
    }
    let it = host.clone();
    set(module, property("parameter_types"), move |_: &mut Invocation| -> Array {
        it.read(|run| run.parameter_types().iter().map(|name| name.as_str().into()).collect())
    });
    set(module, property("arguments"), |_: &mut Invocation| Arguments);
    set(module, property("attachments"), |_: &mut Invocation| Attachments);
    set(module, property("attachments"), |_: &mut Context| Attachments);
    register_attachment::<Invocation>(module, "attachment", host);
    register_attachment::<Context>(module, "attachment", host);
    register_attachment::<Context>(module, "get", host);
}

/// `x.name(key)` and `x.name(key, default)`.
fn register_attachment<T: rhai::Variant + Clone>(module: &mut Module, name: &str, host: &Rc<Host>) {
    let it = host.clone();
    set(module, method(name), move |_: &mut T, key: ImmutableString| attachment(&it, &key));
    let it = host.clone();
    set(module, method(name), move |_: &mut T, key: ImmutableString, default: Dynamic| {
        let found = it.read(|run| run.attachment(&key).filter(|value| !value.is_empty()).map(Into::into));
        found.unwrap_or(default)
    });
}

fn register_arguments(module: &mut Module, host: &Rc<Host>) {
    let it = host.clone();
    set(module, index(), move |_: &mut Arguments, index: i64| argument(&it, index));
    let it = host.clone();
    set(module, method("argument"), move |_: &mut Invocation, index: i64| argument(&it, index));
    let it = host.clone();
    set(module, method("len"), move |_: &mut Arguments| count(&it));
    let it = host.clone();
    set(module, property("len"), move |_: &mut Arguments| count(&it));
    let it = host.clone();
    set(module, method("is_empty"), move |_: &mut Arguments| count(&it) == 0);
    let it = host.clone();
    set(module, method("to_array"), move |_: &mut Arguments| all_arguments(&it));
    let it = host.clone();
    set(module, method("to_string"), move |context: NativeCallContext, _: &mut Arguments| {
        context.call_native_fn::<ImmutableString>("to_string", (all_arguments(&it),))
    });
    let it = host.clone();
    module.set_iter(TypeId::of::<Arguments>(), move |_| {
        let it = it.clone();
        Box::new((0..count(&it)).map(move |index| argument(&it, index)))
    });
}

fn register_attachments(module: &mut Module, host: &Rc<Host>) {
    let it = host.clone();
    set(module, index(), move |_: &mut Attachments, key: ImmutableString| attachment(&it, &key));
    for name in ["get", "attachment"] {
        let it = host.clone();
        set(module, method(name), move |_: &mut Attachments, key: ImmutableString| attachment(&it, &key));
    }
    let it = host.clone();
    set(module, method("contains"), move |_: &mut Attachments, key: ImmutableString| {
        it.read(|run| run.attachment(&key).is_some())
    });
    let it = host.clone();
    set(module, method("len"), move |_: &mut Attachments| it.read(|run| run.attachments().len() as i64));
    let it = host.clone();
    set(module, method("is_empty"), move |_: &mut Attachments| it.read(|run| run.attachments().is_empty()));
    let it = host.clone();
    set(module, method("keys"), move |_: &mut Attachments| -> Array {
        it.read(|run| run.attachments().iter().map(|(key, _)| key.as_str().into()).collect())
    });
    let it = host.clone();
    set(module, method("to_map"), move |_: &mut Attachments| all_attachments(&it));
    let it = host.clone();
    set(module, method("to_string"), move |context: NativeCallContext, _: &mut Attachments| {
        context.call_native_fn::<ImmutableString>("to_string", (all_attachments(&it),))
    });
}

fn register_clock(module: &mut Module, host: &Rc<Host>) {
    let parts = [
        ("weekday", ClockGranularity::Weekday),
        ("hour", ClockGranularity::Hour),
        ("minute", ClockGranularity::Minute),
        ("ms", ClockGranularity::Instant),
    ];
    for (name, granularity) in parts {
        let it = host.clone();
        set(module, property(name), move |_: &mut Now| it.read(|run| run.now(granularity)));
    }
    let it = host.clone();
    set(module, method("timestamp"), move || Moment(it.read(|run| run.now(ClockGranularity::Instant))));
    // The clock of a run stands still.
    let it = host.clone();
    set(module, property("elapsed"), move |since: &mut Moment| {
        it.read(|run| run.now(ClockGranularity::Instant)).saturating_sub(since.0) as f64 / 1_000.0
    });
}

fn register_log(module: &mut Module, host: &Rc<Host>) {
    let it = host.clone();
    set(module, method("log"), move |text: ImmutableString| it.read(|run| run.log(&text)));
    let it = host.clone();
    set(module, method("log"), move |context: NativeCallContext, mut value: Dynamic| {
        let text = context.call_native_fn_raw("to_string", false, &mut [&mut value])?;
        it.read(|run| run.log(&text.into_immutable_string().unwrap_or_default()));
        Ok::<(), Box<EvalAltResult>>(())
    });
}

fn attachment(host: &Host, key: &str) -> Dynamic {
    host.read(|run| run.attachment(key).map(Into::into)).unwrap_or(Dynamic::UNIT)
}

fn all_attachments(host: &Host) -> Map {
    host.read(|run| run.attachments().iter().map(|(key, value)| (key.into(), value.into())).collect())
}

fn count(host: &Host) -> i64 {
    host.read(|run| run.argument_count() as i64)
}

/// The argument at `index`, from the end if it is negative; `()` where there is none.
fn argument(host: &Host, index: i64) -> Dynamic {
    let index = if index < 0 { count(host).saturating_add(index) } else { index };
    let read = |run: &Run| usize::try_from(index).ok().and_then(|index| run.argument(index).map(dynamic));
    host.read(read).unwrap_or(Dynamic::UNIT)
}

fn all_arguments(host: &Host) -> Array {
    host.read(|run| run.arguments().iter().map(dynamic).collect())
}

fn dynamic(value: &Value<'_>) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Double(value) => (*value).into(),
        Value::Text(text) => text.as_ref().into(),
        Value::List(values) => values.iter().map(dynamic).collect::<Array>().into(),
        Value::Map(entries) => {
            entries.iter().map(|(key, value)| (key.as_ref().into(), dynamic(value))).collect::<Map>().into()
        }
    }
}
