//! A case as text.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::rpc::Value;
use crate::source::cases::Argument;
use crate::source::cases::Case;
use crate::source::cases::WantedProviders;

/// A case of a folder as it stands in a file: reading the text gives the case again.
///
/// ```
/// use pointsman::diagnostics::SourceText;
/// use pointsman::source::cases::{CaseKind, read_cases, write_case};
/// let text = "- note: writes stay\n  call: create\n  want:\n    nobody: true\n";
/// let (cases, _) = read_cases(&SourceText::new("tests/a.yaml", text), CaseKind::Folder);
/// assert_eq!(write_case(&cases[0]), text);
/// ```
#[must_use]
pub fn write_case(case: &Case) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let mut line = |text: std::fmt::Arguments<'_>| {
        let _ = writeln!(out, "{text}");
    };
    line(format_args!("- note: {}", scalar(&case.note)));
    for (key, text) in [("service", &case.service), ("consumer", &case.consumer)] {
        if let Some(text) = text {
            line(format_args!("  {key}: {}", scalar(text)));
        }
    }
    let call = &case.call;
    if call.arguments.is_empty() && call.attachments.is_empty() {
        line(format_args!("  call: {}", scalar(&call.method)));
    } else {
        line(format_args!("  call:\n    method: {}", scalar(&call.method)));
        if !call.arguments.is_empty() {
            let values: Vec<String> = call.arguments.iter().map(|argument| flow(&argument.value)).collect();
            line(format_args!("    arguments: [{}]", values.join(", ")));
            if call.arguments.iter().any(|argument| argument.parameter_type != argument.value.java_type()) {
                let types: Vec<String> = call.arguments.iter().map(parameter_type).collect();
                line(format_args!("    types: [{}]", types.join(", ")));
            }
        }
        if !call.attachments.is_empty() {
            line(format_args!("    attachments:"));
            for (key, value) in &call.attachments {
                line(format_args!("      {}: {}", scalar(key), scalar(value)));
            }
        }
    }
    if let Some(clock) = case.clock {
        line(format_args!("  clock: {clock}"));
    }
    if let Some(seed) = case.seed {
        line(format_args!("  seed: {seed}"));
    }
    line(format_args!("  want:"));
    match &case.want.providers {
        Some(WantedProviders::Addresses(addresses)) => {
            line(format_args!("    addresses:"));
            addresses.iter().for_each(|address| line(format_args!("      - {}", scalar(address))));
        }
        Some(WantedProviders::Count(count)) => line(format_args!("    count: {count}")),
        Some(WantedProviders::All) => line(format_args!("    keep-all: true")),
        Some(WantedProviders::Nobody) => line(format_args!("    nobody: true")),
        Some(WantedProviders::Positions(positions)) => line(format_args!("    keep: {positions:?}")),
        None => {}
    }
    for (key, names) in [("decided-by", &case.want.decided_by), ("not-by", &case.want.not_by)] {
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            line(format_args!("    {key}: [{}]", names.join(", ")));
        }
    }
    if let Some(error) = &case.want.error {
        line(format_args!("    error: {}", quoted(error)));
    }
    out
}

/// A text in quotes wherever YAML could read something else.
fn scalar(text: &str) -> String {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '=' | '?' | '*' | '$');
    let bytes = text.as_bytes();
    // A colon or a blank is part of a text if a letter or a digit follows.
    let is_plain_at = |(at, c): (usize, char)| {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        is_inner(c)
            || c == '&'
            || (matches!(c, ':' | ' ') && (next.is_ascii_alphanumeric() || (c == ':' && next == b'/')))
    };
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c.is_ascii_digit())
        && text.char_indices().all(is_plain_at)
        && !matches!(text.to_ascii_lowercase().as_str(), "null" | "true" | "false");
    // `10.1.1.1:20880` and `1.10` are read as they stand wherever a text is wanted.
    if is_plain { text.to_owned() } else { quoted(text) }
}

/// A text between double quotes: JSON's escapes are YAML's too.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in Json::from(text).to_string().chars() {
        // What JSON leaves alone and YAML does not allow, or a terminal would act on.
        if c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn flow(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Double(value) => format!("{value:?}"),
        Value::Text(text) => quoted(text),
        Value::List(values) => format!("[{}]", values.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", quoted(key), flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

fn parameter_type(argument: &Argument) -> String {
    quoted(&argument.parameter_type)
}
