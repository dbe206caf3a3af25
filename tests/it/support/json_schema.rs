//! Checks a value against a JSON Schema: the words that ours use, and no other.

use regex::Regex;
use serde_json::Value;

/// Says nothing to a validator.
const NOTES: [&str; 6] = ["$schema", "$defs", "title", "description", "examples", "$comment"];

/// What is wrong with `value`, one line a fault; nothing if the schema accepts it.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, schema, value, "", &mut faults);
    faults
}

fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    let mut faults = Vec::new();
    check(root, schema, value, "", &mut faults);
    faults.is_empty()
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
    let words = schema.as_object().unwrap_or_else(|| panic!("a schema is an object, not {schema}"));
    let list = |word: &str| schema[word].as_array().unwrap().iter();
    let fitting = |word: &str| list(word).filter(|part| fits(root, part, value)).count();
    for (word, wanted) in words {
        let is_fulfilled = match word.as_str() {
            _ if NOTES.contains(&word.as_str()) => true,
            "$ref" => {
                check(
                    root,
                    root.pointer(wanted.as_str().unwrap().trim_start_matches('#')).unwrap(),
                    value,
                    path,
                    faults,
                );
                true
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|wanted| is_of_type(value, wanted.as_str().unwrap())),
                _ => is_of_type(value, wanted.as_str().unwrap()),
            },
            "enum" => list(word).any(|other| other == value),
            "const" => wanted == value,
            "pattern" => value.as_str().is_none_or(|text| Regex::new(wanted.as_str().unwrap()).unwrap().is_match(text)),
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
            "exclusiveMaximum" => value.as_f64().is_none_or(|number| number < wanted.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
            "minProperties" => value.as_object().is_none_or(|map| map.len() as u64 >= wanted.as_u64().unwrap()),
            "required" => {
                value.as_object().is_none_or(|map| list(word).all(|key| map.contains_key(key.as_str().unwrap())))
            }
            "properties" => {
                for (key, part) in wanted.as_object().unwrap() {
                    if let Some(field) = value.get(key) {
                        check(root, part, field, &format!("{path}.{key}"), faults);
                    }
                }
                true
            }
            "additionalProperties" => {
                let others =
                    value.as_object().into_iter().flatten().filter(|(key, _)| schema["properties"].get(key).is_none());
                others.into_iter().all(|(_, field)| match wanted {
                    Value::Bool(allowed) => *allowed,
                    part => fits(root, part, field),
                })
            }
            "items" => {
                for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, item, &format!("{path}[{at}]"), faults);
                }
                true
            }
            "allOf" => {
                list(word).for_each(|part| check(root, part, value, path, faults));
                true
            }
            "anyOf" => fitting(word) > 0,
            "oneOf" => fitting(word) == 1,
            "not" => !fits(root, wanted, value),
            "if" => {
                let branch = if fits(root, wanted, value) { "then" } else { "else" };
                if let Some(part) = schema.get(branch) {
                    check(root, part, value, path, faults);
                }
                true
            }
            "then" | "else" => true,
            _ => panic!("`{word}` is not a word that is checked here"),
        };
        if !is_fulfilled {
            faults.push(format!("`{path}` does not fulfil `{word}`: {value}"));
        }
    }
}

fn is_of_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => panic!("`{wanted}` is no type"),
    }
}
