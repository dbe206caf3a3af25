//! Values of a call as values of the language.

use boa_engine::Context;
use boa_engine::JsObject;
use boa_engine::JsResult;
use boa_engine::JsString;
use boa_engine::JsValue;
use boa_engine::object::builtins::JsArray;
use boa_engine::property::PropertyKey;

use crate::rpc::Value;

/// The text as a value.
pub(super) fn text(text: &str) -> JsValue {
    JsString::from(text).into()
}

/// The text, or null.
pub(super) fn text_or_null(value: Option<&str>) -> JsValue {
    value.map_or_else(JsValue::null, text)
}

/// An array.
pub(super) fn array(values: impl IntoIterator<Item = JsValue>, context: &mut Context) -> JsValue {
    JsArray::from_iter(values, context).into()
}

/// An argument of a call, with its type.
pub(super) fn of_call(value: &Value<'_>, context: &mut Context) -> JsResult<JsValue> {
    Ok(match value {
        Value::Null => JsValue::null(),
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => number(*value),
        Value::Double(value) => (*value).into(),
        Value::Text(value) => text(value),
        Value::List(values) => {
            let values: Vec<JsValue> = values.iter().map(|value| of_call(value, context)).collect::<JsResult<_>>()?;
            array(values, context)
        }
        Value::Map(entries) => {
            let object = JsObject::with_object_proto(context.intrinsics());
            for (key, value) in entries {
                let value = of_call(value, context)?;
                object.create_data_property_or_throw(PropertyKey::from(JsString::from(&**key)), value, context)?;
            }
            object.into()
        }
    })
}

/// A whole number; beyond 32 bits it is one with a fraction, as all numbers of the language are.
pub(super) fn number(value: i64) -> JsValue {
    i32::try_from(value).map_or_else(|_| JsValue::from(value as f64), JsValue::from)
}
