//! The native functions behind the host API.

use std::rc::Rc;

use rquickjs::Array;
use rquickjs::Ctx;
use rquickjs::Function;
use rquickjs::IntoJs;
use rquickjs::Object;
use rquickjs::Result;
use rquickjs::Value as JsValue;
use rquickjs::function::IntoJsFunc;

use super::column;
use super::session::Session;
use crate::router::ClockGranularity;
use crate::router::Limit;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::Value;
use crate::script::Run;

/// The object that the prelude takes.
pub(super) fn create<'js>(ctx: &Ctx<'js>, session: &Rc<Session>) -> Result<Object<'js>> {
    let host = Host { ctx, object: Object::new(ctx.clone())?, session };
    host.provide_table()?;
    host.provide_call()?;
    host.provide_rest()?;
    Ok(host.object)
}

struct Host<'a, 'js> {
    ctx: &'a Ctx<'js>,
    object: Object<'js>,
    session: &'a Rc<Session>,
}

// === impl Host ===

impl<'js> Host<'_, 'js> {
    fn add<P>(&self, name: &str, function: impl IntoJsFunc<'js, P> + 'js) -> Result<()> {
        self.object.set(name, Function::new(self.ctx.clone(), function)?)
    }

    fn provide_table(&self) -> Result<()> {
        let session = self.session.clone();
        self.add("column", move |ctx: Ctx<'js>, key: String| {
            session.note_growth();
            column::parameters(&ctx, &*session.table()?, &key)
        })?;
        let session = self.session.clone();
        self.add("part", move |ctx: Ctx<'js>, name: String| {
            session.note_growth();
            column::parts(&ctx, &*session.table()?, &name)
        })?;
        let session = self.session.clone();
        self.add("note", move |key: String| session.ask(|run| run.note_column(&key)))?;
        let session = self.session.clone();
        self.add("parameter", move |ctx: Ctx<'js>, place: usize, key: String| {
            let value = session.ask(|run| of_provider(run, place, |url| column::parameter(url, &key)));
            text_or_null(&ctx, value.as_deref())
        })?;
        let session = self.session.clone();
        self.add("methodParameter", move |ctx: Ctx<'js>, place: usize, method: String, key: String| {
            let value = session.ask(|run| {
                run.note_column(&key);
                of_provider(run, place, |url| url.method_parameter(&method, &key))
            });
            text_or_null(&ctx, value.as_deref())
        })?;
        let session = self.session.clone();
        self.add("parameters", move |place: usize| {
            session.ask(|run| {
                let url = run.table().url(place);
                let shown = |(key, _): (&str, &str)| {
                    Some([key.to_owned(), column::parameter(url?, key).unwrap_or_default().to_owned()])
                };
                url.into_iter().flat_map(|url| url.parameters().filter_map(shown).flatten()).collect::<Vec<_>>()
            })
        })
    }

    fn provide_call(&self) -> Result<()> {
        let session = self.session.clone();
        self.add("service", move || session.ask(|run| run.service().to_owned()))?;
        let session = self.session.clone();
        self.add("serviceName", move || session.ask(|run| ServiceKey::parse(run.service()).interface().to_owned()))?;
        let session = self.session.clone();
        self.add("method", move || session.ask(|run| run.method().to_owned()))?;
        let session = self.session.clone();
        self.add("targetMethod", move || session.ask(|run| run.target_method().to_owned()))?;
        let session = self.session.clone();
        self.add("attachment", move |ctx: Ctx<'js>, key: String| {
            let value = session.ask(|run| run.attachment(&key).map(str::to_owned));
            text_or_null(&ctx, value.as_deref())
        })?;
        let session = self.session.clone();
        self.add("attachments", move || {
            let pairs =
                |run: &Run| run.attachments().iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect();
            session.ask::<Vec<String>>(pairs)
        })?;
        let session = self.session.clone();
        self.add("available", move |place: usize| session.ask(|run| run.is_available(place)))?;
        let session = self.session.clone();
        self.add("argumentCount", move || session.ask(Run::argument_count))?;
        let session = self.session.clone();
        self.add("argument", move |ctx: Ctx<'js>, index: usize| {
            let value = session.ask(|run| run.argument(index).cloned());
            plain(&ctx, value.as_ref().unwrap_or(&Value::Null))
        })?;
        let session = self.session.clone();
        self.add("parameterTypes", move || session.ask(|run| run.parameter_types().to_vec()))
    }

    fn provide_rest(&self) -> Result<()> {
        let session = self.session.clone();
        self.add("now", move |part: String| session.ask(|run| now(run, &part)))?;
        let session = self.session.clone();
        self.add("random", move || session.ask(Run::random))?;
        let session = self.session.clone();
        self.add("log", move |text: String| session.ask(|run| run.log(&text)))?;
        let session = self.session.clone();
        self.add("overdue", move || session.interrupts())?;
        let session = self.session.clone();
        self.add("stop", move |limit: String| {
            session.stop(if limit == "memory" { Limit::Memory } else { Limit::CallDepth });
            true
        })
    }
}

fn of_provider(run: &Run, place: usize, look: impl FnOnce(&Url) -> Option<&str>) -> Option<String> {
    run.table().url(place).and_then(look).map(str::to_owned)
}

fn now(run: &Run, part: &str) -> f64 {
    let value = match part {
        "weekday" => run.now(ClockGranularity::Weekday),
        "hour" => run.now(ClockGranularity::Hour),
        "minute" => run.now(ClockGranularity::Minute),
        "offset" => run.zone_offset_minutes(),
        _ => run.now(ClockGranularity::Instant),
    };
    value as f64
}

fn text_or_null<'js>(ctx: &Ctx<'js>, value: Option<&str>) -> Result<JsValue<'js>> {
    value.map_or_else(|| Ok(JsValue::new_null(ctx.clone())), |value| value.into_js(ctx))
}

/// An argument as a plain value of the language.
fn plain<'js>(ctx: &Ctx<'js>, value: &Value<'_>) -> Result<JsValue<'js>> {
    match value {
        Value::Bool(value) => Ok(JsValue::new_bool(ctx.clone(), *value)),
        Value::Int(value) => Ok(JsValue::new_number(ctx.clone(), *value as f64)),
        Value::Double(value) => Ok(JsValue::new_number(ctx.clone(), *value)),
        Value::Text(value) => value.as_ref().into_js(ctx),
        Value::List(values) => {
            let array = Array::new(ctx.clone())?;
            for (at, value) in values.iter().enumerate() {
                array.set(at, plain(ctx, value)?)?;
            }
            Ok(array.into_value())
        }
        Value::Map(entries) => {
            let object = Object::new(ctx.clone())?;
            for (key, value) in entries {
                object.set(key.as_ref(), plain(ctx, value)?)?;
            }
            Ok(object.into_value())
        }
        _ => Ok(JsValue::new_null(ctx.clone())),
    }
}
