//! Typed values of arguments, and their text as Java prints them.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::Serialize;

/// An argument of a call. Rules compare its text ([`Value::text`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Value<'a> {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number; one that does not fit is given as a text of its digits.
    Int(i64),
    /// A number with a fraction.
    Double(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Value<'a>>),
    /// A map from text to value, in the order given.
    Map(Vec<(Cow<'a, str>, Value<'a>)>),
}

// === impl Value ===

impl<'a> Value<'a> {
    /// The value as text, the way `String.valueOf` prints it in Java: `null`, `true`, `10`, `1.5`, `[a, b]`, `{k=v}`.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Null => Cow::Borrowed("null"),
            Self::Bool(true) => Cow::Borrowed("true"),
            Self::Bool(false) => Cow::Borrowed("false"),
            other => {
                let mut out = String::new();
                other.write_text(&mut out);
                Cow::Owned(out)
            }
        }
    }

    /// Appends [`Value::text`] to `out`.
    pub fn write_text(&self, out: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = self.write_to(out);
    }

    /// Writes [`Value::text`] piece by piece; only doubles with an exponent take memory for it.
    ///
    /// # Errors
    ///
    /// `out` fails.
    pub fn write_to<W: fmt::Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(value) => out.write_str(if *value { "true" } else { "false" }),
            Self::Int(value) => write!(out, "{value}"),
            Self::Double(value) => write_double(out, *value),
            Self::Text(text) => out.write_str(text),
            Self::List(values) => {
                out.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { ", " })?;
                    value.write_to(out)?;
                }
                out.write_str("]")
            }
            Self::Map(entries) => {
                out.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { ", " })?;
                    out.write_str(key)?;
                    out.write_str("=")?;
                    value.write_to(out)?;
                }
                out.write_str("}")
            }
        }
    }

    /// The type that Java would give a value of which nothing else is known.
    #[must_use]
    pub fn java_type(&self) -> &'static str {
        match self {
            Self::Null => "java.lang.Object",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "long",
            Self::Double(_) => "double",
            Self::Text(_) => "java.lang.String",
            Self::List(_) => "java.util.List",
            Self::Map(_) => "java.util.Map",
        }
    }

    /// The text inside, if the value is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The same value, free of what it borrowed.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::Double(value) => Value::Double(value),
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::List(values) => Value::List(values.into_iter().map(Value::into_owned).collect()),
            Self::Map(entries) => Value::Map(
                entries.into_iter().map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned())).collect(),
            ),
        }
    }

    /// Reads a JSON value; maps keep their order.
    ///
    /// Whole numbers that fit an `i64` become [`Value::Int`]. Those above it that fit a `u64` become [`Value::Text`] of
    /// their digits, as Java's `BigInteger` prints them. All others become [`Value::Double`], with its precision.
    ///
    /// ```
    /// use pointsman::rpc::Value;
    /// let value = Value::from_json(serde_json::json!({"b": 9_223_372_036_854_775_808_u64, "a": [1, 1.5]}));
    /// assert_eq!(value.text(), "{b=9223372036854775808, a=[1, 1.5]}");
    /// ```
    #[must_use]
    pub fn from_json(json: serde_json::Value) -> Value<'static> {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(value),
            serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(value), _) => Value::Int(value),
                (None, Some(value)) => Value::Text(Cow::Owned(value.to_string())),
                (None, None) => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
            },
            serde_json::Value::String(text) => Value::Text(Cow::Owned(text)),
            serde_json::Value::Array(values) => Value::List(values.into_iter().map(Value::from_json).collect()),
            serde_json::Value::Object(entries) => {
                Value::Map(entries.into_iter().map(|(key, value)| (Cow::Owned(key), Value::from_json(value))).collect())
            }
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'static> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for Value<'static> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<i32> for Value<'static> {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<f64> for Value<'static> {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl From<bool> for Value<'static> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// A double as `Double.toString` prints it: plain from 10⁻³ to below 10⁷, else `d.dE±n`.
fn write_double<W: fmt::Write + ?Sized>(out: &mut W, value: f64) -> fmt::Result {
    let magnitude = value.abs();
    if value.is_nan() {
        return out.write_str("NaN");
    }
    if value.is_infinite() {
        return out.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    }
    if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
        return write!(out, "{value:?}");
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    out.write_str(digits)?;
    out.write_str(if digits.contains('.') { "" } else { ".0" })?;
    write!(out, "E{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_as_java_prints_them() {
        for (value, text) in [
            (Value::Null, "null"),
            (Value::Int(10), "10"),
            (Value::Double(1.0), "1.0"),
            (Value::Double(1e10), "1.0E10"),
            (Value::Double(1.5e-5), "1.5E-5"),
            (Value::Double(0.001), "0.001"),
            (Value::List(vec![Value::from("a"), Value::from(true)]), "[a, true]"),
            (Value::Map(vec![("k".into(), Value::from("v"))]), "{k=v}"),
        ] {
            assert_eq!(value.text(), text, "{value:?}");
        }
    }

    #[test]
    fn json_keeps_the_order_of_maps_and_the_digits_of_whole_numbers() {
        for (json, text) in [
            (r#"{"b":1,"a":{"d":null,"c":2}}"#, "{b=1, a={d=null, c=2}}"),
            ("9223372036854775807", "9223372036854775807"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("9223372036854775808", "9223372036854775808"),
            ("[18446744073709551615]", "[18446744073709551615]"),
            ("18446744073709551616", "1.8446744073709552E19"),
            ("-9223372036854775809", "-9.223372036854776E18"),
            ("1.0", "1.0"),
        ] {
            assert_eq!(Value::from_json(serde_json::from_str(json).unwrap()).text(), text, "{json}");
        }
    }
}
