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
use boa_engine::property::Attribute;

use crate::script::Run;
use crate::script::boa::context::Current;
use crate::script::boa::failure;
use crate::script::boa::values;

type Native = fn(&JsValue, &[JsValue], &mut Context) -> JsResult<JsValue>;

/// Each with the name under which the prelude knows it.
const FUNCTIONS: &[(&str, Native)] = &[
    ("column", column),
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

/// The run that is on.
fn run(context: &mut Context) -> JsResult<Rc<Run>> {
    let run = context.get_data::<Current>().and_then(Current::run);
    run.ok_or_else(|| JsError::from_native(JsNativeError::error().with_message("no run is on")))
}

fn key(args: &[JsValue], at: usize, context: &mut Context) -> JsResult<String> {
    Ok(args.get_or_undefined(at).to_string(context)?.to_std_string_lossy())
}

fn column(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let (run, key) = (run(context)?, key(args, 0, context)?);
    run.note_column(&key);
    let values: Vec<_> = run.table().urls().iter().map(|url| values::text_or_null(url.parameter(&key))).collect();
    Ok(values::array(values, context))
}
