//! YAML as an editor sees it: JSON, by the core schema of YAML 1.2.

use std::collections::HashMap;

use saphyr_parser::Event;
use saphyr_parser::Parser;
use saphyr_parser::ScalarStyle;
use serde_json::Map;
use serde_json::Value;

/// A list or a map that has not ended.
enum Open {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

/// The documents of a text; none if it is no YAML.
pub(crate) fn documents(text: &str) -> Option<Vec<Value>> {
    let (mut documents, mut open, mut anchors) = (Vec::new(), Vec::<(Open, usize)>::new(), HashMap::new());
    for event in Parser::new_from_str(text) {
        let (value, anchor) = match event.ok()?.0 {
            Event::Scalar(text, style, anchor, _) => (scalar(&text, style), anchor),
            Event::Alias(anchor) => (Value::clone(anchors.get(&anchor)?), 0),
            Event::SequenceStart(anchor, _) => {
                open.push((Open::List(Vec::new()), anchor));
                continue;
            }
            Event::MappingStart(anchor, _) => {
                open.push((Open::Map(Map::new(), None), anchor));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop()? {
                (Open::List(items), anchor) => (Value::Array(items), anchor),
                (Open::Map(map, _), anchor) => (Value::Object(merged(map)), anchor),
            },
            _ => continue,
        };
        anchors.insert(anchor, value.clone());
        match open.last_mut() {
            None => documents.push(value),
            Some((Open::List(items), _)) => items.push(value),
            Some((Open::Map(map, key), _)) => match key.take() {
                Some(key) => drop(map.insert(key, value)),
                None => *key = Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
            },
        }
    }
    Some(documents)
}

fn merged(mut map: Map<String, Value>) -> Map<String, Value> {
    let others = match map.shift_remove("<<") {
        Some(Value::Array(maps)) => maps,
        Some(other) => vec![other],
        None => Vec::new(),
    };
    for (key, value) in others.into_iter().filter_map(|other| other.as_object().cloned()).flatten() {
        map.entry(key).or_insert(value);
    }
    map
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::from(text);
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if text.parse::<i64>().is_ok() => Value::from(text.parse::<i64>().unwrap()),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => text
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .map_or_else(|| Value::from(text), Value::Number),
        _ => Value::from(text),
    }
}
