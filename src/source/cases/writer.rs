//! A case as text.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::rpc::Value;
use crate::source::cases::Call;
use crate::source::cases::Case;
use crate::source::cases::Want;
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
    line(&mut out, "- note", &scalar(&case.note));
    for (key, text) in [("  service", &case.service), ("  consumer", &case.consumer)] {
        if let Some(text) = text {
            line(&mut out, key, &scalar(text));
        }
    }
    write_call(&case.call, &mut out);
    if let Some(clock) = case.clock {
        line(&mut out, "  clock", &clock.to_string());
    }
    if let Some(seed) = case.seed {
        line(&mut out, "  seed", &seed.to_string());
    }
    out.push_str("  want:\n");
    write_want(&case.want, &mut out);
    out
}

fn write_call(call: &Call, out: &mut String) {
    if call.arguments.is_empty() && call.attachments.is_empty() {
        return line(out, "  call", &scalar(&call.method));
    }
    out.push_str("  call:\n");
    line(out, "    method", &scalar(&call.method));
    if !call.arguments.is_empty() {
        line(out, "    arguments", &list(call.arguments.iter().map(|argument| flow(&argument.value))));
    }
    if call.arguments.iter().any(|argument| argument.parameter_type != argument.value.java_type()) {
        line(out, "    types", &list(call.arguments.iter().map(|argument| quoted(&argument.parameter_type))));
    }
    if !call.attachments.is_empty() {
        out.push_str("    attachments:\n");
    }
    for (key, value) in &call.attachments {
        line(out, &format!("      {}", scalar(key)), &scalar(value));
    }
}

fn write_want(want: &Want, out: &mut String) {
    match &want.providers {
        Some(WantedProviders::Addresses(addresses)) => {
            out.push_str("    addresses:\n");
            for address in addresses {
                out.extend(["      - ", &scalar(address), "\n"]);
            }
        }
        Some(WantedProviders::Count(count)) => line(out, "    count", &count.to_string()),
        Some(WantedProviders::All) => line(out, "    keep-all", "true"),
        Some(WantedProviders::Nobody) => line(out, "    nobody", "true"),
        Some(WantedProviders::Positions(positions)) => {
            line(out, "    keep", &list(positions.iter().map(ToString::to_string)));
        }
        None => {}
    }
    for (key, names) in [("    decided-by", &want.decided_by), ("    not-by", &want.not_by)] {
        if !names.is_empty() {
            line(out, key, &list(names.iter().map(|name| quoted(name))));
        }
    }
    for (key, text) in [("    error", &want.error), ("    reason", &want.reason)] {
        if let Some(text) = text {
            line(out, key, &quoted(text));
        }
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    out.extend([key, ": ", value, "\n"]);
}

/// A list in brackets.
fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
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
        Value::List(values) => list(values.iter().map(flow)),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", quoted(key), flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}
