//! Checks values against JSON Schemas.

use serde_json::Value;

/// What is wrong with `value`, one line a fault; nothing if the schema accepts it.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap_or_else(|error| panic!("no schema: {error}"));
    let told = |error: jsonschema::ValidationError<'_>| format!("`{}`: {error}", error.instance_path());
    validator.iter_errors(value).map(told).collect()
}
