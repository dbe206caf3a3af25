//! One value of a YAML document.

use std::borrow::Cow;
use std::ops::Range;

use crate::rpc::Value;

/// A value and the bytes of the text that it was read from.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    /// Where its text is written: behind the anchor, of what an alias stands for.
    pub(crate) written: Range<usize>,
    pub(crate) data: Data,
}

/// What a [`Node`] is.
#[derive(Debug, Clone)]
pub(crate) enum Data {
    /// A text as it was written; one without quotes may mean a number, a truth value or nothing.
    Scalar {
        text: String,
        is_plain: bool,
    },
    List(Vec<Node>),
    /// In the order written, each key once.
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) span: Range<usize>,
    pub(crate) text: String,
}

// === impl Node ===

impl Node {
    /// A value that is written where it stands.
    pub(crate) fn at(span: Range<usize>, data: Data) -> Self {
        Self { written: span.clone(), span, data }
    }

    /// What a person calls it.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.data {
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
            Data::Scalar { .. } => match self.to_value() {
                Value::Null => "nothing",
                Value::Bool(_) => "a truth value",
                Value::Int(_) | Value::Double(_) => "a number",
                _ => "a text",
            },
        }
    }

    /// The text as it was written; none of what is no scalar, and none where nothing stands.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar { text, is_plain } if !(*is_plain && is_null(text)) => Some(text),
            _ => None,
        }
    }

    /// The text of a scalar without quotes.
    pub(crate) fn plain(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar { text, is_plain: true } => Some(text),
            _ => None,
        }
    }

    /// The value that YAML's core schema makes of it; digits beyond 64 bits stay digits, as they do in JSON.
    pub(crate) fn to_value(&self) -> Value<'static> {
        match &self.data {
            Data::Scalar { text, is_plain: true } => plain_value(text),
            Data::Scalar { text, .. } => Value::from(text.clone()),
            Data::List(items) => Value::List(items.iter().map(Self::to_value).collect()),
            Data::Map(entries) => {
                Value::Map(entries.iter().map(|(key, node)| (Cow::Owned(key.text.clone()), node.to_value())).collect())
            }
        }
    }

    /// Whether it is a whole number that only a Java `BigInteger` holds.
    pub(crate) fn is_big_integer(&self) -> bool {
        self.plain().is_some_and(|text| text.parse::<i64>().is_err() && text.parse::<u64>().is_ok())
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn plain_value(text: &str) -> Value<'static> {
    if is_null(text) {
        return Value::Null;
    }
    match text {
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Ok(number) = text.parse::<i64>() {
        return Value::Int(number);
    }
    // Rust reads `inf` and `nan` as numbers too; here they are words.
    let is_numeric = text.contains(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E'));
    match text.parse::<f64>() {
        Ok(number) if is_numeric && text.parse::<u64>().is_err() => Value::Double(number),
        _ => Value::from(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_means_what_the_core_schema_says() {
        for (text, kind, value) in [
            ("", "nothing", "null"),
            ("~", "nothing", "null"),
            ("true", "a truth value", "true"),
            ("yes", "a text", "yes"),
            ("-7", "a number", "-7"),
            ("1.10", "a number", "1.1"),
            ("1.1.0", "a text", "1.1.0"),
            ("1e3", "a number", "1000.0"),
            ("inf", "a text", "inf"),
            ("18446744073709551615", "a text", "18446744073709551615"),
            ("2026-11-30", "a text", "2026-11-30"),
        ] {
            let node = Node::at(0..0, Data::Scalar { text: text.to_owned(), is_plain: true });
            assert_eq!((node.kind(), node.to_value().text().as_ref()), (kind, value), "`{text}`");
        }
    }

    #[test]
    fn what_stands_in_quotes_is_a_text() {
        for text in ["", "null", "7", "true"] {
            let node = Node::at(0..0, Data::Scalar { text: text.to_owned(), is_plain: false });
            assert_eq!((node.text(), node.to_value()), (Some(text), Value::from(text)));
        }
    }
}
